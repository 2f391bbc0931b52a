//! A read-only view of a body, and the numbers that its state hash depends on.

use crate::body::{BodyRecord, ConstraintForces, Kind};
use crate::filter::Filter;
use crate::options::{Options, SurfaceMotion};
use crate::{BodyId, BodyState, Material, Shape};
use glamx::{DPose3, DQuat, DVec3};

/// Count of the numbers per body that [`crate::World::state_hash`] depends on.
pub const HASHED_NUMBERS: usize = 19;

/// A read-only view of a body.
///
/// ```
/// use signorini::{Body, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).mass(2.0))?;
/// assert_eq!(world.body(ball)?.mass(), 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    pub(crate) record: &'a BodyRecord,
}

impl<'a> BodyView<'a> {
    /// Its identity.
    pub fn id(&self) -> &'a BodyId {
        &self.record.id
    }
    /// How it moves.
    pub fn kind(&self) -> Kind {
        self.record.kind
    }
    /// Its shape.
    pub fn shape(&self) -> &'a Shape {
        &self.record.shape
    }
    /// Its surface.
    pub fn material(&self) -> Material {
        self.record.material
    }
    /// Mass \[kg\]; infinite unless dynamic.
    pub fn mass(&self) -> f64 {
        self.record.mass.mass
    }
    /// Inverse mass [1/kg]; zero unless dynamic.
    pub fn inverse_mass(&self) -> f64 {
        self.record.mass.inverse_mass
    }
    /// Inertia about the centre of mass, world axes [kg·m²]; zero unless dynamic.
    pub fn inertia(&self) -> glamx::DMat3 {
        let r = glamx::DMat3::from_quat(self.record.state.orientation);
        r * self.record.mass.inertia * r.transpose()
    }
    /// Position of the origin of its frame \[m\].
    pub fn position(&self) -> DVec3 {
        self.record.origin()
    }
    /// Position of its centre of mass \[m\].
    pub fn centre_of_mass(&self) -> DVec3 {
        self.record.state.position
    }
    /// Its orientation.
    pub fn orientation(&self) -> DQuat {
        self.record.state.orientation
    }
    /// Pose of its frame.
    pub fn pose(&self) -> DPose3 {
        self.record.pose()
    }
    /// Velocity of its centre of mass [m/s].
    pub fn velocity(&self) -> DVec3 {
        self.record.state.velocity
    }
    /// Angular velocity, world axes [rad/s].
    pub fn angular_velocity(&self) -> DVec3 {
        self.record.state.angular_velocity
    }
    /// Position of the centre of mass, orientation and velocities together.
    pub fn state(&self) -> BodyState {
        self.record.state
    }
    /// Momentum [kg·m/s]; zero unless dynamic.
    pub fn momentum(&self) -> DVec3 {
        if self.record.kind == Kind::Dynamic { self.record.mass.mass * self.record.state.velocity } else { DVec3::ZERO }
    }
    /// Angular momentum about the origin of the world [kg·m²/s]; zero unless dynamic.
    pub fn angular_momentum(&self) -> DVec3 {
        let BodyState { position, orientation, angular_velocity, .. } = self.record.state;
        position.cross(self.momentum())
            + orientation * (self.record.mass.inertia * (orientation.inverse() * angular_velocity))
    }
    /// Whether continuous collision detection is on: see [`crate::Body::fast`].
    pub fn is_fast(&self) -> bool {
        self.record.fast
    }
    /// Whether it is quarantined: in some step forces or impulses would have taken it out of the range of numbers. It
    /// stays where it was before that step, as an obstacle, until its position or velocity is set.
    pub fn is_quarantined(&self) -> bool {
        self.record.quarantined
    }
    /// Its options besides shape, mass and motion.
    pub(crate) fn options(&self) -> Options {
        self.record.options
    }
    /// Its collision filter.
    pub fn filter(&self) -> Filter {
        self.record.options.filter
    }
    /// Whether it is a sensor.
    pub fn is_sensor(&self) -> bool {
        self.record.options.sensor
    }
    /// Whether it is enabled: see [`crate::World::set_enabled`].
    pub fn is_enabled(&self) -> bool {
        self.record.options.enabled
    }
    /// Factor on gravity.
    pub fn gravity_scale(&self) -> f64 {
        self.record.options.gravity_scale
    }
    /// Damping of linear and angular velocity [1/s].
    pub fn damping(&self) -> (f64, f64) {
        (self.record.options.linear_damping, self.record.options.angular_damping)
    }
    /// Force \[N\] and torque [N·m] that act in every step.
    pub fn constant_force(&self) -> (DVec3, DVec3) {
        (self.record.options.force, self.record.options.torque)
    }
    /// The number set by the user.
    pub fn user_data(&self) -> u64 {
        self.record.options.user_data
    }
    /// Motion of its surface relative to the body.
    pub fn surface_motion(&self) -> SurfaceMotion {
        self.record.options.surface
    }
    /// One-way direction in its own frame: only bodies that move against it are pushed.
    pub fn one_way(&self) -> Option<DVec3> {
        self.record.options.one_way
    }
    /// Whether it sleeps: see [`crate::Sleeping`].
    pub fn is_sleeping(&self) -> bool {
        self.record.rest.sleeping_island.is_some()
    }
    /// The numbers that [`crate::World::state_hash`] depends on: centre of mass, velocity, spin, force, torque, orientation
    /// x y z w.
    pub fn hashed_numbers(&self) -> [f64; HASHED_NUMBERS] {
        let BodyState { position: x, orientation: q, velocity: v, angular_velocity: w } = self.record.state;
        let (f, t) = (self.record.force, self.record.torque);
        [x.x, x.y, x.z, v.x, v.y, v.z, w.x, w.y, w.z, f.x, f.y, f.z, t.x, t.y, t.z, q.x, q.y, q.z, q.w]
    }
    /// Forces of contacts and joints on it in the last step, or in the last step before it fell asleep.
    pub fn constraint_forces(&self) -> ConstraintForces {
        self.record.constraint
    }
}
