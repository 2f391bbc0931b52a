//! The `compiler` and `option` elements: units of angles, order of Euler angles, folders of files, and options of the
//! simulation.

use super::Reader;
use super::defaults::{Styled, numbers, vector};
use super::tag::Tag;
use crate::robot::RobotDescription;
use crate::scene::SceneError;
use crate::scene::xml::{Element, Notes};
use glamx::{DMat3, DPose3, DQuat, DVec3};
use signorini_problem::math;

/// Source of the inertia of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InertiaSource {
    /// From `inertial` if it is there, else from shapes.
    Auto,
    Geoms,
    Inertial,
}

pub(super) struct Compiler {
    pub name: String,
    degrees: bool,
    /// Whether positions and axes are in world axes, which MuJoCo accepted before 2.3.4.
    pub global: bool,
    euler: Vec<char>,
    pub automatic_limits: bool,
    pub inertia: InertiaSource,
    /// Groups of the shapes that contribute mass.
    pub heavy_groups: [f64; 2],
    pub mesh_folder: String,
    pub total_mass: f64,
    pub least_mass: f64,
    pub least_inertia: f64,
    /// No contacts at all, and no limits: `flag constraint="disable"`.
    pub contacts: bool,
    pub constraints: bool,
}

const USED: [&str; 13] = [
    "inertiagrouprange",
    "angle",
    "eulerseq",
    "autolimits",
    "inertiafromgeom",
    "meshdir",
    "assetdir",
    "settotalmass",
    "boundmass",
    "boundinertia",
    "coordinate",
    "fusestatic",
    "texturedir",
];

impl Compiler {
    pub fn read(root: &Tag) -> Result<(Compiler, Notes), SceneError> {
        let mut notes = Notes::default();
        let mut compiler = Compiler {
            name: String::new(),
            degrees: true,
            global: false,
            euler: vec!['x', 'y', 'z'],
            automatic_limits: true,
            inertia: InertiaSource::Auto,
            heavy_groups: [0.0, 5.0],
            mesh_folder: String::new(),
            total_mass: -1.0,
            least_mass: 0.0,
            least_inertia: 0.0,
            contacts: true,
            constraints: true,
        };
        for section in root.sections("compiler") {
            compiler.section(&section.element, &mut notes)?;
        }
        Ok((compiler, notes))
    }

    fn section(&mut self, element: &Element, notes: &mut Notes) -> Result<(), SceneError> {
        element.note_attributes(&USED, notes);
        for (name, value) in element.attributes() {
            let refuse = || element.refuse(format!("'{name}' cannot be '{value}'"));
            match (name, value) {
                ("angle", "degree") => self.degrees = true,
                ("angle", "radian") => self.degrees = false,
                ("coordinate", "local" | "global") => self.global = value == "global",
                ("autolimits", "true" | "false") => self.automatic_limits = value == "true",
                ("inertiafromgeom", "auto") => self.inertia = InertiaSource::Auto,
                ("inertiafromgeom", "true") => self.inertia = InertiaSource::Geoms,
                ("inertiafromgeom", "false") => self.inertia = InertiaSource::Inertial,
                ("meshdir", _) => self.mesh_folder = value.to_owned(),
                ("assetdir", _) if self.mesh_folder.is_empty() => self.mesh_folder = value.to_owned(),
                ("settotalmass", _) => self.total_mass = element.number(name)?,
                ("inertiagrouprange", _) => self.heavy_groups = vector(element, name, value)?,
                ("boundmass", _) => self.least_mass = element.number(name)?,
                ("boundinertia", _) => self.least_inertia = element.number(name)?,
                ("eulerseq", _) => {
                    let axes: Vec<char> = value.chars().collect();
                    if axes.len() != 3 || !axes.iter().all(|axis| "xyzXYZ".contains(*axis)) {
                        return Err(refuse());
                    }
                    self.euler = axes;
                }
                ("angle" | "autolimits" | "coordinate" | "inertiafromgeom", _) => return Err(refuse()),
                _ => {}
            }
        }
        Ok(())
    }

    /// An angle \[rad\].
    pub fn angle(&self, value: f64) -> f64 {
        if self.degrees { value.to_radians() } else { value }
    }

    /// The rotation that an element gives in one of five ways.
    pub fn orientation(&self, styled: &Styled) -> Result<DQuat, SceneError> {
        let refuse = |what: &str| styled.element.refuse(what);
        let unit = |v: [f64; 3], what: &str| {
            let v = DVec3::from_array(v);
            v.try_normalize().ok_or_else(|| refuse(&format!("'{what}' needs a length above zero")))
        };
        // Attributes of the element override those of its class.
        let ways = ["axisangle", "xyaxes", "zaxis", "euler", "quat"];
        let own = ways.iter().find(|way| styled.element.optional(way).is_some());
        let Some(way) = own.or_else(|| ways.iter().find(|way| styled.text(way).is_some())) else {
            return Ok(DQuat::IDENTITY);
        };
        match *way {
            "quat" => {
                let [w, x, y, z] = styled.vector(way)?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
                let q = DQuat::from_xyzw(x, y, z, w);
                let length = q.length();
                if length > 1e-12 && length.is_finite() { Ok(q / length) } else { Err(refuse("'quat' has no length")) }
            }
            "axisangle" => {
                let [x, y, z, angle] = styled.vector(way)?.unwrap_or([0.0, 0.0, 1.0, 0.0]);
                Ok(DQuat::from_axis_angle(unit([x, y, z], way)?, self.angle(angle)))
            }
            "xyaxes" => {
                let [a, b, c, d, e, f] = styled.vector(way)?.unwrap_or([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
                let x = unit([a, b, c], way)?;
                let y = DVec3::new(d, e, f);
                let y = unit((y - x * x.dot(y)).to_array(), way)?;
                Ok(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
            }
            "zaxis" => Ok(turn_of_z(unit(styled.vector(way)?.unwrap_or([0.0, 0.0, 1.0]), way)?)),
            _ => {
                let angles: [f64; 3] = styled.vector(way)?.unwrap_or([0.0; 3]);
                let mut turn = DQuat::IDENTITY;
                for (axis, angle) in self.euler.iter().zip(angles) {
                    let angle = self.angle(angle);
                    let single = match axis.to_ascii_lowercase() {
                        'x' => DQuat::from_rotation_x(angle),
                        'y' => DQuat::from_rotation_y(angle),
                        _ => DQuat::from_rotation_z(angle),
                    };
                    // Lower-case letters are rotations about rotated axes, capitals about fixed axes.
                    turn = if axis.is_ascii_lowercase() { turn * single } else { single * turn };
                }
                Ok(turn.normalize())
            }
        }
    }

    /// The frame that `pos` and an orientation give.
    pub fn pose(&self, styled: &Styled) -> Result<DPose3, SceneError> {
        let place = styled.vector("pos")?.unwrap_or([0.0; 3]);
        Ok(DPose3::from_parts(DVec3::from_array(place), self.orientation(styled)?))
    }
}

/// The shortest rotation from z to a direction.
pub(super) fn turn_of_z(direction: DVec3) -> DQuat {
    let axis = DVec3::Z.cross(direction);
    let sine = axis.length();
    // For opposite directions it is not unique; MuJoCo turns about x.
    let axis = if sine < 1e-10 { DVec3::X } else { axis / sine };
    DQuat::from_axis_angle(axis, math::atan2(sine, direction.z))
}

impl Reader<'_, '_> {
    pub fn option(&mut self, root: &Tag, description: &mut RobotDescription) -> Result<(), SceneError> {
        // MuJoCo's own default values.
        description.step = Some(0.002);
        description.gravity = Some(DVec3::new(0.0, 0.0, -9.81));
        for section in root.sections("option") {
            let element = &section.element;
            for (name, value) in element.attributes() {
                match name {
                    "timestep" => description.step = Some(element.number(name)?),
                    "gravity" => description.gravity = Some(DVec3::from_array(vector(element, name, value)?)),
                    "density" | "viscosity" | "wind" => {
                        if numbers(element, name, value)?.iter().any(|x| *x != 0.0) {
                            self.notes
                                .add(element.place(), "forces of a fluid ('density', 'viscosity', 'wind') do not act");
                        }
                    }
                    _ => {
                        let what = "options of MuJoCo's solver and integrator ('option') are not used";
                        self.notes.add(element.place(), what);
                    }
                }
            }
            for flag in section.sections("flag") {
                for (name, value) in flag.element.attributes() {
                    match (name, value) {
                        ("gravity", "disable") => description.gravity = Some(DVec3::ZERO),
                        ("contact", "disable") => self.compiler.contacts = false,
                        ("constraint", "disable") => {
                            self.compiler.contacts = false;
                            self.compiler.constraints = false;
                        }
                        _ => self.notes.add(flag.element.place(), format!("flag '{name}' is not used")),
                    }
                }
            }
        }
        match description.step {
            Some(step) if !(step > 0.0 && step.is_finite()) => Err(root.element.refuse("'timestep' is not above zero")),
            _ => Ok(()),
        }
    }
}
