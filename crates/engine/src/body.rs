//! Bodies: the description that a user gives ([`Body`]), and the record that the world keeps.
//!
//! A body's frame is the frame its shape is given in. Motion is about the centre of mass, which may lie elsewhere: the
//! world keeps the position of the centre of mass, the orientation, and the linear and angular velocity in world axes.

mod inertial;

pub(crate) use inertial::{Inertial, evenly, mass_of_water};

use crate::filter::Filter;
use crate::options::{Options, SurfaceMotion};
use crate::shape::{MassProperties, Shape};
use crate::step::Rest;
use crate::{BodyId, Material, WorldError};
use glamx::{DPose3, DQuat, DVec3};
use inertial::{DEFAULT_DENSITY, dynamic_mass};
use serde::{Deserialize, Serialize};

/// How a body moves.
///
/// ```
/// use signorini::{Body, Kind, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// assert_eq!(world.body(floor)?.kind(), Kind::Fixed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Moves by forces and impulses.
    #[default]
    Dynamic,
    /// Moves with a prescribed velocity, which no impulse changes.
    Kinematic,
    /// Never moves.
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
pub const MAX_ANGULAR_VELOCITY: f64 = 1e8;
/// How far from one the length of a given quaternion may be. Closer ones are normalised, others are errors.
pub const QUATERNION_TOLERANCE: f64 = 1e-6;
/// Position, orientation and velocities of a body, world axes.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).velocity(DVec3::X))?;
/// assert_eq!(world.body(ball)?.state().velocity, DVec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Centre of mass \[m\].
    pub position: DVec3,
    /// Orientation, a unit quaternion.
    pub orientation: DQuat,
    /// Velocity of the centre of mass [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
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
    angular_velocity: DVec3,
    material: Material,
    id: Option<BodyId>,
    fast: bool,
    options: Options,
}

impl Body {
    fn new(kind: Kind, shape: Shape) -> Self {
        Body {
            kind,
            shape,
            mass: MassSource::Density(DEFAULT_DENSITY),
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            material: Material::default(),
            id: None,
            fast: false,
            options: Options::default(),
        }
    }
    /// A body moved by forces and impulses. Its density is that of water unless mass or density is set.
    pub fn dynamic(shape: Shape) -> Self {
        Body::new(Kind::Dynamic, shape)
    }
    /// A body that moves with a prescribed velocity.
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
    /// Position of the origin of the body's frame \[m\].
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
    pub fn angular_velocity(mut self, angular_velocity: DVec3) -> Self {
        self.angular_velocity = angular_velocity;
        self
    }
    /// Material of the surface.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }
    /// Turns on continuous collision detection: the body never tunnels through others, however fast it moves or turns
    /// and however thin they are. Costs a search along its path for every body near it.
    pub fn fast(mut self) -> Self {
        self.fast = true;
        self
    }
    /// Collision layers of the body, and the layers it collides with.
    pub fn filter(mut self, filter: Filter) -> Self {
        self.options.filter = filter;
        self
    }
    /// Makes it a sensor, which detects bodies inside it and pushes nothing: see [`crate::World::sensed`].
    pub fn sensor(mut self) -> Self {
        self.options.sensor = true;
        self
    }
    /// Factor on gravity.
    pub fn gravity_scale(mut self, scale: f64) -> Self {
        self.options.gravity_scale = scale;
        self
    }
    /// Damping of linear and angular velocity [1/s].
    pub fn damping(mut self, linear: f64, angular: f64) -> Self {
        (self.options.linear_damping, self.options.angular_damping) = (linear, angular);
        self
    }
    /// Force at the centre of mass \[N\] and torque, world axes [N·m], that act in every step.
    pub fn constant_force(mut self, force: DVec3, torque: DVec3) -> Self {
        (self.options.force, self.options.torque) = (force, torque);
        self
    }
    /// A number of the user; the engine only stores it.
    pub fn user_data(mut self, data: u64) -> Self {
        self.options.user_data = data;
        self
    }
    /// Motion of its surface relative to the body: a conveyor belt, a track, a turntable.
    pub fn surface_motion(mut self, motion: SurfaceMotion) -> Self {
        self.options.surface = motion;
        self
    }
    /// Pushes only bodies that move against this direction, given in its own frame. Example: a platform that one can
    /// jump through from below.
    pub fn one_way(mut self, axis: DVec3) -> Self {
        self.options.one_way = Some(axis);
        self
    }
    /// Adds the body disabled: see [`crate::World::set_enabled`].
    pub fn disabled(mut self) -> Self {
        self.options.enabled = false;
        self
    }
    /// Identity by name.
    pub fn named(mut self, name: &str) -> Self {
        self.id = Some(name.into());
        self
    }
    /// Identity by number.
    pub fn numbered(mut self, number: u64) -> Self {
        self.id = Some(number.into());
        self
    }

    pub(crate) fn id(&self) -> Option<&BodyId> {
        self.id.as_ref()
    }

    /// Checks all values and makes the record that the world keeps.
    pub(crate) fn into_record(self, id: BodyId) -> Result<BodyRecord, WorldError> {
        check_vector(&id, &POSITION, self.position)?;
        check_vector(&id, &VELOCITY, self.velocity)?;
        check_vector(&id, &ANGULAR_VELOCITY, self.angular_velocity)?;
        let orientation = checked_orientation(&id, self.orientation)?;
        if let Some((field, value, range)) = self.material.invalid() {
            return Err(WorldError::BodyValue { body: id, field, value, range });
        }
        if self.kind == Kind::Fixed && (self.velocity != DVec3::ZERO || self.angular_velocity != DVec3::ZERO) {
            return Err(WorldError::Kind { body: id, operation: "set in motion", kind: self.kind.name() });
        }
        let options = self.options.checked(&id)?;
        if self.kind != Kind::Dynamic && (options.force != DVec3::ZERO || options.torque != DVec3::ZERO) {
            return Err(WorldError::Kind { body: id, operation: "push", kind: self.kind.name() });
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
                velocity: if options.enabled { self.velocity } else { DVec3::ZERO },
                angular_velocity: if options.enabled { self.angular_velocity } else { DVec3::ZERO },
            },
            force: options.force,
            torque: options.torque,
            options,
            constraint: ConstraintForces::default(),
            rest: Rest { disturbed: true, ..Rest::default() },
            fast: self.fast,
            quarantined: false,
            id,
        })
    }
}

/// A vector given by the user: names of its components for errors, and their largest size.
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
pub(crate) const ANGULAR_VELOCITY: VectorField = VectorField {
    names: ["angular velocity x", "angular velocity y", "angular velocity z"],
    limit: MAX_ANGULAR_VELOCITY,
    range: "[-1e8, 1e8] rad/s",
};
pub(crate) const FORCE: VectorField =
    VectorField { names: ["force x", "force y", "force z"], limit: f64::MAX, range: ANY };
pub(crate) const TORQUE: VectorField =
    VectorField { names: ["torque x", "torque y", "torque z"], limit: f64::MAX, range: ANY };

impl VectorField {
    pub(crate) const fn new(names: [&'static str; 3], limit: f64, range: &'static str) -> Self {
        VectorField { names, limit, range }
    }
}

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

/// Refuses quaternions that are not nearly unit. Returns the normalised one.
pub(crate) fn checked_orientation(id: &BodyId, q: DQuat) -> Result<DQuat, WorldError> {
    let length = q.length();
    if !(1.0 - QUATERNION_TOLERANCE..=1.0 + QUATERNION_TOLERANCE).contains(&length) {
        let range = "1 ± 1e-6";
        return Err(WorldError::BodyValue { body: id.clone(), field: "length of orientation", value: length, range });
    }
    Ok(if length == 1.0 { q } else { q.normalize() })
}

/// Distance from the centre of mass to the farthest corner of the shape's box \[m\].
pub(crate) fn reach_of(shape: &Shape, centre: DVec3) -> f64 {
    if !shape.is_bounded() || shape.parts().is_empty() {
        return 0.0;
    }
    let bounds = shape.aabb(&DPose3::IDENTITY);
    (bounds.min - centre).abs().max((bounds.max - centre).abs()).length()
}

/// Force and torque that contacts and joints exerted on a body in the last step, the torque about the centre of mass.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).mass(2.0).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// world.step(0.01)?;
/// assert!((world.body(ball)?.constraint_forces().force.z - 2.0 * 9.81).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintForces {
    /// Impulse over time step \[N\].
    pub force: DVec3,
    /// Angular impulse over time step [N·m].
    pub torque: DVec3,
}

/// The record of a body in a world.
#[derive(Clone, Debug)]
pub(crate) struct BodyRecord {
    pub id: BodyId,
    pub kind: Kind,
    pub shape: Shape,
    pub material: Material,
    pub mass: Inertial,
    /// Upper bound on the distance from the centre of mass to any point of the shape \[m\].
    pub reach: f64,
    pub state: BodyState,
    pub options: Options,
    /// Force applied for the next step, and in every step \[N\].
    pub force: DVec3,
    /// Torque applied for the next step, and in every step, about the centre of mass [N·m].
    pub torque: DVec3,
    pub constraint: ConstraintForces,
    pub rest: Rest,
    /// Whether continuous collision detection is on.
    pub fast: bool,
    /// Whether it was quarantined: it would have left the range of numbers, and stands still since then.
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
    /// Pose of the body's frame for a given centre of mass and orientation.
    pub fn pose_of(&self, centre_of_mass: DVec3, orientation: DQuat) -> DPose3 {
        DPose3::from_parts(centre_of_mass - orientation * self.mass.centre, orientation)
    }
    /// Acceleration of free fall of this body [m/s²].
    pub fn gravity(&self, gravity: DVec3) -> DVec3 {
        self.options.gravity_scale * gravity
    }
    /// Force \[N\] and torque [N·m] over a step of `dt`: applied ones, and damping. The damping force `−m v (1 − e^(−c
    /// h))/h` makes the velocity decay exactly as e^(−c t).
    pub fn applied(&self, dt: f64) -> (DVec3, DVec3) {
        if !self.options.is_damped() || self.kind != Kind::Dynamic {
            return (self.force, self.torque);
        }
        let rate = |damping: f64| (1.0 - signorini_problem::math::exp(-damping * dt)) / dt;
        let q = self.state.orientation;
        let momentum = q * (self.mass.inertia * (q.inverse() * self.state.angular_velocity));
        let force = self.force - rate(self.options.linear_damping) * self.mass.mass * self.state.velocity;
        (force, self.torque - rate(self.options.angular_damping) * momentum)
    }
}
