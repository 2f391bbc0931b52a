//! Mass of bodies: given, or that of their shapes, within the bounds set by the model.

use super::Reader;
use super::compiler::{Compiler, InertiaSource};
use super::defaults::MAIN;
use super::tag::Tag;
use crate::MassProperties;
use crate::robot::RobotDescription;
use crate::scene::mesh_file::Surface;
use crate::scene::{SceneError, Triple};
use glamx::{DMat3, DPose3, DVec3};

/// The mass properties scaled to another mass.
pub(super) fn scaled_to(unit: MassProperties, mass: f64) -> MassProperties {
    MassProperties { mass, centre: unit.centre, inertia: unit.inertia * (mass / unit.mass) }
}

/// Mass properties at 1 kg/m³ of the interior of a closed surface, by signed tetrahedra: ∫x xᵀ over (0,a,b,c) is V/20
/// (Σ vᵢvᵢᵀ + s sᵀ), s = a+b+c. `None` if no body has these: the surface is open or inside out.
pub(super) fn mass_inside(surface: &Surface, scale: Triple) -> Option<MassProperties> {
    let scale = DVec3::from_array(scale);
    let corner = |index: u32| DVec3::from_array(surface.vertices[index as usize]) * scale;
    let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
    let mirrored = scale.element_product().signum();
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let origin = corner(surface.triangles.first()?[0]);
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|index| corner(index) - origin);
        let v = mirrored * a.dot(b.cross(c)) / 6.0;
        let s = a + b + c;
        volume += v;
        first += s * (v / 4.0);
        second += (outer(a) + outer(b) + outer(c) + outer(s)) * (v / 20.0);
    }
    if !(volume > 0.0 && volume.is_finite()) {
        return None;
    }
    let centre = first / volume;
    let second = second - outer(centre) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
    let found = MassProperties { mass: volume, centre: origin + centre, inertia };
    crate::body::Inertial::new(&crate::BodyId::from("mesh"), found).is_ok().then_some(found)
}

impl<'d> Reader<'_, 'd> {
    /// Whether the mass of a body is that of its shapes.
    pub fn weighs_by_shapes(&self, tag: &Tag<'d>) -> bool {
        match self.compiler.inertia {
            InertiaSource::Auto => tag.sections("inertial").next().is_none(),
            InertiaSource::Geoms => true,
            InertiaSource::Inertial => false,
        }
    }

    /// Chooses between the given inertia and that of the shapes, and raises it to the lower bounds of the model.
    /// `frame` is the frame of the given inertia in that of the body.
    pub fn settle_inertia(
        &mut self,
        tag: &Tag<'d>,
        frame: &DPose3,
        at: usize,
        description: &mut RobotDescription,
    ) -> Result<(), SceneError> {
        let given = match tag.sections("inertial").next() {
            Some(inertial) if self.compiler.inertia != InertiaSource::Geoms => {
                Some(crate::shape::moved_mass(frame, self.inertial(inertial)?))
            }
            _ => None,
        };
        let body = &mut description.links[at];
        body.inertial = match self.compiler.inertia {
            InertiaSource::Inertial => given,
            InertiaSource::Auto | InertiaSource::Geoms => given.or(body.inertial),
        };
        let bounds = (self.compiler.least_mass, self.compiler.least_inertia);
        body.inertial = body.inertial.map(|mass| bounded(mass, bounds));
        Ok(())
    }

    fn inertial(&mut self, tag: &Tag<'d>) -> Result<MassProperties, SceneError> {
        let element = &tag.element;
        let styled = self.styled(element, MAIN)?;
        let mass = element.number("mass")?;
        if !(mass >= 0.0 && mass.is_finite()) {
            return Err(element.refuse(format!("mass {mass} is below zero")));
        }
        let pose = self.compiler.pose(&styled)?;
        let tensor = match (styled.vector("fullinertia")?, styled.vector("diaginertia")?) {
            (Some([xx, yy, zz, xy, xz, yz]), _) => DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]),
            (None, Some(moments)) => DMat3::from_diagonal(DVec3::from_array(moments)),
            (None, None) => return Err(element.refuse("'diaginertia' or 'fullinertia' is missing")),
        };
        let given = MassProperties { mass, centre: DVec3::ZERO, inertia: tensor };
        Ok(crate::shape::moved_mass(&pose, given))
    }
}

fn bounded(mass: MassProperties, (least_mass, least_inertia): (f64, f64)) -> MassProperties {
    let mut mass = MassProperties { mass: mass.mass.max(least_mass), ..mass };
    if least_inertia > 0.0 && mass.inertia.is_finite() {
        let (moments, axes) = crate::shape::principal(mass.inertia);
        let moments = moments.max(DVec3::splat(least_inertia));
        mass.inertia = axes * DMat3::from_diagonal(moments) * axes.transpose();
    }
    mass
}

/// Scales all masses so that their sum is what the model asks for.
pub(super) fn set_total(compiler: &Compiler, description: &mut RobotDescription) {
    if compiler.total_mass <= 0.0 {
        return;
    }
    let total: f64 = description.links.iter().filter_map(|link| link.inertial).map(|mass| mass.mass).sum();
    if !(total > 0.0 && total.is_finite()) {
        return;
    }
    for link in &mut description.links {
        link.inertial = link.inertial.map(|mass| scaled_to(mass, mass.mass * compiler.total_mass / total));
    }
}
