//! Bodies: how they are described, and what the world keeps of them.
//!
//! A body's frame is the frame its shape is given in. Motion is about the centre of mass, which may lie elsewhere: the
//! world keeps the position of the centre of mass, the orientation, and the linear and angular velocity in world axes.

use crate::shape::{MassProperties, Shape, principal};
use crate::step::Rest;
use crate::{BodyId, Material, WorldError};
use glamx::{DMat3, DPose3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// By forces and impulses.
    Dynamic,
    /// As it is told: its velocity is given and no impulse changes it.
    Kinematic,
    /// Not at all.
    Fixed,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Dynamic => "dynamic",
            Kind::Kinematic => "kinematic",
            Kind::Fixed => "fixed",
        }
    }
}

/// Least mass \[kg\].
pub const MIN_MASS: f64 = 1e-12;
/// Greatest mass \[kg\].
pub const MAX_MASS: f64 = 1e12;
/// Greatest distance from the origin \[m\] along an axis: beyond it positions are coarser than a micrometre.
pub const MAX_POSITION: f64 = 1e10;
/// Greatest speed [m/s] along an axis.
pub const MAX_SPEED: f64 = 1e8;
/// Greatest angular speed [rad/s] about an axis.
pub const MAX_SPIN: f64 = 1e8;
/// How far from one the length of a given quaternion may be. Closer ones are normalised, others are errors.
pub const QUATERNION_TOLERANCE: f64 = 1e-6;
/// Relative round-off allowed in a given inertia.
const INERTIA_TOLERANCE: f64 = 1e-9;
/// Least ratio of two principal moments \[1\]: that of a rod a million times as long as thick. An inverse inertia turned to
/// the axes of the world has round-off of 1e-16 of its largest entry; below 1e-15 that exceeds its smallest, and the
/// inverse mass at a contact may come out negative.
const MIN_MOMENT_RATIO: f64 = 1e-12;

/// Position, orientation and velocities of a body, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Centre of mass \[m\].
    pub position: DVec3,
    /// Orientation, a unit quaternion.
    pub orientation: DQuat,
    /// Velocity of the centre of mass [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub spin: DVec3,
}

/// Where a body's mass comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MassSource {
    Density(f64),
    Mass(f64),
    Given(MassProperties),
}

/// A body to be added to a world.
///
/// ```
/// use signorini::{Body, Material, Shape};
/// use glamx::DVec3;
/// let ball = Body::dynamic(Shape::sphere(0.5)?)
///     .mass(1.0)
///     .position(DVec3::new(0.0, 0.0, 2.0))
///     .material(Material::new(0.5, 0.8))
///     .named("ball");
/// # let _ = ball;
/// # Ok::<(), signorini::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    kind: Kind,
    shape: Shape,
    mass: MassSource,
    position: DVec3,
    orientation: DQuat,
    velocity: DVec3,
    spin: DVec3,
    material: Material,
    id: Option<BodyId>,
    fast: bool,
}

/// Density of bodies that are given neither mass nor density [kg/m³]: water.
const DEFAULT_DENSITY: f64 = 1000.0;

impl Body {
    fn new(kind: Kind, shape: Shape) -> Self {
        Body {
            kind,
            shape,
            mass: MassSource::Density(DEFAULT_DENSITY),
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            material: Material::default(),
            id: None,
            fast: false,
        }
    }
    /// A body moved by forces and impulses, with the density of water unless told otherwise.
    pub fn dynamic(shape: Shape) -> Self {
        Body::new(Kind::Dynamic, shape)
    }
    /// A body that moves as it is told.
    pub fn kinematic(shape: Shape) -> Self {
        Body::new(Kind::Kinematic, shape)
    }
    /// A body that never moves.
    pub fn fixed(shape: Shape) -> Self {
        Body::new(Kind::Fixed, shape)
    }
    /// Total mass \[kg\], spread evenly over the shape.
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = MassSource::Mass(mass);
        self
    }
    /// Density [kg/m³].
    pub fn density(mut self, density: f64) -> Self {
        self.mass = MassSource::Density(density);
        self
    }
    /// Mass, centre and inertia as given, whatever the shape.
    pub fn mass_properties(mut self, properties: MassProperties) -> Self {
        self.mass = MassSource::Given(properties);
        self
    }
    /// Where the origin of the body's frame is \[m\].
    pub fn position(mut self, position: DVec3) -> Self {
        self.position = position;
        self
    }
    /// Orientation, a unit quaternion.
    pub fn orientation(mut self, orientation: DQuat) -> Self {
        self.orientation = orientation;
        self
    }
    /// Velocity of the centre of mass [m/s]. For a fixed body only zero is accepted.
    pub fn velocity(mut self, velocity: DVec3) -> Self {
        self.velocity = velocity;
        self
    }
    /// Angular velocity, world axes [rad/s]. For a fixed body only zero is accepted.
    pub fn spin(mut self, spin: DVec3) -> Self {
        self.spin = spin;
        self
    }
    /// Surface.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }
    /// Looks out for what it passes within a step, so that it goes through nothing however fast it moves or turns and
    /// however thin that is. Costs a search along its way for every body near it.
    pub fn fast(mut self) -> Self {
        self.fast = true;
        self
    }
    /// Lasting identity by name.
    pub fn named(mut self, name: &str) -> Self {
        self.id = Some(name.into());
        self
    }
    /// Lasting identity by number.
    pub fn numbered(mut self, number: u64) -> Self {
        self.id = Some(number.into());
        self
    }

    pub(crate) fn id(&self) -> Option<&BodyId> {
        self.id.as_ref()
    }

    /// Checks everything and turns the description into what the world keeps.
    pub(crate) fn into_record(self, id: BodyId) -> Result<BodyRecord, WorldError> {
        check_vector(&id, &POSITION, self.position)?;
        check_vector(&id, &VELOCITY, self.velocity)?;
        check_vector(&id, &SPIN, self.spin)?;
        let orientation = checked_orientation(&id, self.orientation)?;
        if let Some((field, value, range)) = self.material.invalid() {
            return Err(WorldError::BodyValue { body: id, field, value, range });
        }
        if self.kind == Kind::Fixed && (self.velocity != DVec3::ZERO || self.spin != DVec3::ZERO) {
            return Err(WorldError::Kind { body: id, operation: "set in motion", kind: self.kind.name() });
        }
        let mass = match self.kind {
            Kind::Dynamic => Inertial::new(&id, dynamic_mass(&id, &self.shape, self.mass)?)?,
            Kind::Kinematic | Kind::Fixed => Inertial::IMMOVABLE,
        };
        let reach = reach_of(&self.shape, mass.centre);
        Ok(BodyRecord {
            kind: self.kind,
            shape: self.shape,
            material: self.material,
            mass,
            reach,
            state: BodyState {
                position: self.position + orientation * mass.centre,
                orientation,
                velocity: self.velocity,
                spin: self.spin,
            },
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            constraint: ConstraintForces::default(),
            rest: Rest { disturbed: true, ..Rest::default() },
            fast: self.fast,
            quarantined: false,
            id,
        })
    }
}

/// A vector that is checked at the door: what its components are called and how large they may be.
pub(crate) struct VectorField {
    names: [&'static str; 3],
    limit: f64,
    range: &'static str,
}

const ANY: &str = "the finite numbers";
const ANYWHERE: &str = "[-1e10, 1e10] m";
pub(crate) const POSITION: VectorField =
    VectorField { names: ["position x", "position y", "position z"], limit: MAX_POSITION, range: ANYWHERE };
pub(crate) const POINT: VectorField =
    VectorField { names: ["point x", "point y", "point z"], limit: MAX_POSITION, range: ANYWHERE };
const CENTRE: VectorField =
    VectorField { names: ["centre x", "centre y", "centre z"], limit: MAX_POSITION, range: ANYWHERE };
pub(crate) const VELOCITY: VectorField =
    VectorField { names: ["velocity x", "velocity y", "velocity z"], limit: MAX_SPEED, range: "[-1e8, 1e8] m/s" };
pub(crate) const SPIN: VectorField =
    VectorField { names: ["spin x", "spin y", "spin z"], limit: MAX_SPIN, range: "[-1e8, 1e8] rad/s" };
pub(crate) const FORCE: VectorField =
    VectorField { names: ["force x", "force y", "force z"], limit: f64::MAX, range: ANY };
pub(crate) const TORQUE: VectorField =
    VectorField { names: ["torque x", "torque y", "torque z"], limit: f64::MAX, range: ANY };

/// Refuses components that are not finite or beyond the limit.
pub(crate) fn check_vector(id: &BodyId, field: &VectorField, vector: DVec3) -> Result<(), WorldError> {
    for (name, value) in field.names.into_iter().zip(vector.to_array()) {
        // A NaN fails every comparison.
        if !(-field.limit..=field.limit).contains(&value) {
            return Err(WorldError::BodyValue { body: id.clone(), field: name, value, range: field.range });
        }
    }
    Ok(())
}

/// Refuses quaternions that are not nearly unit; returns the unit one.
pub(crate) fn checked_orientation(id: &BodyId, q: DQuat) -> Result<DQuat, WorldError> {
    let length = q.length();
    if !(1.0 - QUATERNION_TOLERANCE..=1.0 + QUATERNION_TOLERANCE).contains(&length) {
        let range = "1 ± 1e-6";
        return Err(WorldError::BodyValue { body: id.clone(), field: "length of orientation", value: length, range });
    }
    Ok(if length == 1.0 { q } else { q.normalize() })
}

fn dynamic_mass(id: &BodyId, shape: &Shape, source: MassSource) -> Result<MassProperties, WorldError> {
    let of_density =
        |density| shape.mass_properties(density).map_err(|source| WorldError::Shape { body: id.clone(), source });
    match source {
        MassSource::Given(properties) => Ok(properties),
        MassSource::Density(density) => {
            if !(density.is_finite() && density > 0.0) {
                let range = "(0, ∞)";
                return Err(WorldError::BodyValue { body: id.clone(), field: "density", value: density, range });
            }
            of_density(density)
        }
        MassSource::Mass(mass) => {
            check_mass(id, mass)?;
            let unit = of_density(1.0)?;
            Ok(MassProperties { mass, centre: unit.centre, inertia: unit.inertia * (mass / unit.mass) })
        }
    }
}

fn check_mass(id: &BodyId, mass: f64) -> Result<(), WorldError> {
    if (MIN_MASS..=MAX_MASS).contains(&mass) {
        return Ok(());
    }
    Err(WorldError::BodyValue { body: id.clone(), field: "mass", value: mass, range: "[1e-12, 1e12] kg" })
}

/// Distance from the centre of mass to the farthest corner of the shape's box \[m\].
pub(crate) fn reach_of(shape: &Shape, centre: DVec3) -> f64 {
    if !shape.is_bounded() || shape.parts().is_empty() {
        return 0.0;
    }
    let bounds = shape.aabb(&DPose3::IDENTITY);
    (bounds.min - centre).abs().max((bounds.max - centre).abs()).length()
}

/// Mass properties with their inverses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inertial {
    /// \[kg\]; infinite for bodies that no impulse moves.
    pub mass: f64,
    /// [1/kg].
    pub inverse_mass: f64,
    /// Centre of mass in the body's frame \[m\].
    pub centre: DVec3,
    /// About the centre, in the body's axes [kg·m²].
    pub inertia: DMat3,
    /// [1/(kg·m²)].
    pub inverse_inertia: DMat3,
    /// Principal axes as columns, right-handed, in the body's axes.
    pub axes: DMat3,
    /// Principal moments [kg·m²].
    pub moments: DVec3,
    /// Whether the inertia is the same about every axis: no gyroscopic effects.
    pub isotropic: bool,
}

impl Inertial {
    pub(crate) const IMMOVABLE: Inertial = Inertial {
        mass: f64::INFINITY,
        inverse_mass: 0.0,
        centre: DVec3::ZERO,
        inertia: DMat3::ZERO,
        inverse_inertia: DMat3::ZERO,
        axes: DMat3::IDENTITY,
        moments: DVec3::ZERO,
        isotropic: true,
    };

    pub(crate) fn new(id: &BodyId, properties: MassProperties) -> Result<Self, WorldError> {
        let MassProperties { mass, centre, inertia } = properties;
        check_mass(id, mass)?;
        check_vector(id, &CENTRE, centre)?;
        let refuse = |why, moments: DVec3| WorldError::Inertia { body: id.clone(), why, moments: moments.to_array() };
        let diagonal = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
        if !inertia.is_finite() {
            return Err(refuse("is not finite", diagonal));
        }
        let size = inertia.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let skew = (inertia - inertia.transpose()).to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if skew > INERTIA_TOLERANCE * size {
            return Err(refuse("is not symmetric", diagonal));
        }
        let inertia = (inertia + inertia.transpose()) * 0.5;
        let (moments, axes) = principal(inertia);
        let (least, greatest) = (moments.min_element(), moments.max_element());
        if least.is_nan() || least <= 0.0 {
            return Err(refuse("is not positive definite", moments));
        }
        if least < MIN_MOMENT_RATIO * greatest {
            return Err(refuse("has moments of a ratio below 1e-12", moments));
        }
        // No mass distribution has a principal moment greater than the sum of the other two.
        if 2.0 * greatest > moments.element_sum() * (1.0 + INERTIA_TOLERANCE) {
            return Err(refuse("breaks the triangle inequality", moments));
        }
        let inverse = inertia.inverse();
        if !inverse.is_finite() {
            return Err(refuse("has no inverse", moments));
        }
        Ok(Inertial {
            mass,
            inverse_mass: 1.0 / mass,
            centre,
            inertia,
            inverse_inertia: (inverse + inverse.transpose()) * 0.5,
            axes: right_handed(axes),
            moments,
            isotropic: greatest - least <= 1e-14 * greatest,
        })
    }
}

/// Eigenvectors come with either sign.
fn right_handed(axes: DMat3) -> DMat3 {
    if axes.determinant() < 0.0 { DMat3::from_cols(axes.x_axis, axes.y_axis, -axes.z_axis) } else { axes }
}

/// Force and torque that contacts and joints exerted on a body in the last step, the torque about the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintForces {
    /// Impulse over time step \[N\].
    pub force: DVec3,
    /// Angular impulse over time step [N·m].
    pub torque: DVec3,
}

/// What the world keeps.
#[derive(Clone, Debug)]
pub(crate) struct BodyRecord {
    pub id: BodyId,
    pub kind: Kind,
    pub shape: Shape,
    pub material: Material,
    pub mass: Inertial,
    /// Distance from the centre of mass to the farthest point of the shape, at most \[m\].
    pub reach: f64,
    pub state: BodyState,
    /// Applied since the last step \[N\].
    pub force: DVec3,
    /// Applied since the last step, about the centre of mass [N·m].
    pub torque: DVec3,
    pub constraint: ConstraintForces,
    pub rest: Rest,
    /// Whether its way is searched for what it might pass through.
    pub fast: bool,
    /// Left its range in a step and stands still since.
    pub quarantined: bool,
}

impl BodyRecord {
    /// Origin of the body's frame \[m\].
    pub fn origin(&self) -> DVec3 {
        self.state.position - self.state.orientation * self.mass.centre
    }
    /// Pose of the body's frame.
    pub fn pose(&self) -> DPose3 {
        self.pose_of(self.state.position, self.state.orientation)
    }
    /// Pose of the body's frame with its centre of mass and its axes elsewhere.
    pub fn pose_of(&self, centre_of_mass: DVec3, orientation: DQuat) -> DPose3 {
        DPose3::from_parts(centre_of_mass - orientation * self.mass.centre, orientation)
    }
}
