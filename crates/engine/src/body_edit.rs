//! Changes of bodies while a simulation runs. A change takes effect with the next step and wakes the bodies it affects.
//! An invalid change is refused as a whole.

use crate::body::{self, BodyRecord, Inertial, Kind, reach_of};
use crate::joint::{Anchor, Frame};
use crate::options::{Options, SurfaceMotion};
use crate::shape::MassProperties;
use crate::{BodyHandle, Coordinate, Joint, JointHandle, JointKind, Shape, World, WorldError};
use glamx::DVec3;

/// World axes along which, and about which, a body is locked.
///
/// ```
/// use signorini::{AxisLocks, Body, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// let puck = world.add(Body::dynamic(Shape::sphere(0.1)?))?;
/// // The puck cannot fall, nor tip over.
/// world.lock_axes(puck, AxisLocks { translation: [false, false, true], rotation: [true, true, false] })?;
/// world.step(0.01)?;
/// assert!(world.body(puck)?.position().z.abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AxisLocks {
    /// Along x, y, z.
    pub translation: [bool; 3],
    /// About x, y, z.
    pub rotation: [bool; 3],
}

impl World {
    /// Changes the options of a body, if all values are in range.
    fn edit(&mut self, body: BodyHandle, change: impl FnOnce(&mut Options)) -> Result<&mut BodyRecord, WorldError> {
        let record = self.bodies.get(body.0).map_err(|why| crate::world::unreachable(why, body.0))?;
        let mut options = record.options;
        change(&mut options);
        let options = options.checked(&record.id)?;
        self.record_mut(body)?.options = options;
        self.disturb(body.0.slot);
        self.record_mut(body)
    }

    /// Factor on gravity for one body.
    pub fn set_gravity_scale(&mut self, body: BodyHandle, scale: f64) -> Result<(), WorldError> {
        self.edit(body, |options| options.gravity_scale = scale).map(|_| ())
    }

    /// Damping of linear and angular velocity [1/s]. Without other forces they decay exactly as e^(−c t).
    pub fn set_damping(&mut self, body: BodyHandle, linear: f64, angular: f64) -> Result<(), WorldError> {
        self.edit(body, |options| (options.linear_damping, options.angular_damping) = (linear, angular)).map(|_| ())
    }

    /// Force at the centre of mass \[N\] and torque [N·m] that act in every step until they are changed.
    pub fn set_constant_force(&mut self, body: BodyHandle, force: DVec3, torque: DVec3) -> Result<(), WorldError> {
        self.must_be_dynamic(body, "push")?;
        let before = self.body(body)?.options();
        let record = self.edit(body, |options| (options.force, options.torque) = (force, torque))?;
        record.force += force - before.force;
        record.torque += torque - before.torque;
        Ok(())
    }

    /// A number of the user; the engine only stores it.
    pub fn set_user_data(&mut self, body: BodyHandle, data: u64) -> Result<(), WorldError> {
        self.record_mut(body)?.options.user_data = data;
        Ok(())
    }

    /// Whether a body is a sensor, which detects others instead of pushing them.
    pub fn set_sensor(&mut self, body: BodyHandle, sensor: bool) -> Result<(), WorldError> {
        self.edit(body, |options| options.sensor = sensor).map(|_| ())
    }

    /// Lets a body push only bodies that move against this direction, given in its own frame; `None` pushes everything.
    pub fn set_one_way(&mut self, body: BodyHandle, axis: Option<DVec3>) -> Result<(), WorldError> {
        self.edit(body, |options| options.one_way = axis).map(|_| ())
    }

    /// Motion of the surface relative to the body: see [`SurfaceMotion`].
    pub fn set_surface_motion(&mut self, body: BodyHandle, motion: SurfaceMotion) -> Result<(), WorldError> {
        self.edit(body, |options| options.surface = motion).map(|_| ())
    }

    /// Disables or enables a body. A disabled body stays where it is with zero velocity, touches nothing and is not
    /// found by queries. Joints treat it as a fixed body.
    pub fn set_enabled(&mut self, body: BodyHandle, enabled: bool) -> Result<(), WorldError> {
        let record = self.edit(body, |options| options.enabled = enabled)?;
        if !enabled {
            (record.state.velocity, record.state.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            self.forget_contacts(body);
        }
        Ok(())
    }

    /// Changes the kind of a body. A body that becomes dynamic gets the mass it had when it last was dynamic, or else
    /// that of water in its shape. A body that becomes fixed stops.
    pub fn set_kind(&mut self, body: BodyHandle, kind: Kind) -> Result<(), WorldError> {
        let record = self.bodies.get(body.0).map_err(|why| crate::world::unreachable(why, body.0))?;
        if record.kind == kind {
            return Ok(());
        }
        let mass = match (kind, record.options.dormant) {
            (Kind::Dynamic, Some(properties)) => Inertial::new(&record.id, properties)?,
            (Kind::Dynamic, None) => Inertial::new(&record.id, body::mass_of_water(&record.id, &record.shape)?)?,
            _ => Inertial::IMMOVABLE,
        };
        let record = self.record_mut(body)?;
        if record.kind == Kind::Dynamic {
            let Inertial { mass, centre, inertia, .. } = record.mass;
            record.options.dormant = Some(MassProperties { mass, centre, inertia });
            (record.force, record.torque) = (DVec3::ZERO, DVec3::ZERO);
            (record.options.force, record.options.torque) = (DVec3::ZERO, DVec3::ZERO);
        }
        record.kind = kind;
        take_mass(record, mass);
        if kind == Kind::Fixed {
            (record.state.velocity, record.state.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        }
        record.quarantined = false;
        self.forget_contacts(body);
        Ok(())
    }

    /// Changes the shape of a body; its frame stays where it is. A dynamic body keeps its mass, distributed evenly over
    /// the new shape.
    pub fn set_shape(&mut self, body: BodyHandle, shape: Shape) -> Result<(), WorldError> {
        let record = self.bodies.get(body.0).map_err(|why| crate::world::unreachable(why, body.0))?;
        let mass = match record.kind {
            Kind::Dynamic => Inertial::new(&record.id, body::evenly(&record.id, &shape, record.mass.mass)?)?,
            _ => Inertial::IMMOVABLE,
        };
        let record = self.record_mut(body)?;
        record.shape = shape;
        take_mass(record, mass);
        // The workspace remembers manifolds and distances by body.
        self.workspace = None;
        self.forget_contacts(body);
        Ok(())
    }

    /// Changes the mass of a dynamic body \[kg\]; its inertia changes in proportion.
    pub fn set_mass(&mut self, body: BodyHandle, mass: f64) -> Result<(), WorldError> {
        let Inertial { mass: before, centre, inertia, .. } = self.must_be_dynamic(body, "weigh")?.mass;
        self.set_mass_properties(body, MassProperties { mass, centre, inertia: inertia * (mass / before) })
    }

    /// Changes mass, centre and inertia of a dynamic body; its frame stays where it is.
    pub fn set_mass_properties(&mut self, body: BodyHandle, properties: MassProperties) -> Result<(), WorldError> {
        let mass = Inertial::new(&self.must_be_dynamic(body, "weigh")?.id, properties)?;
        take_mass(self.record_mut(body)?, mass);
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Changes the velocity of a dynamic body at once by an impulse at its centre of mass \[N·s\].
    pub fn add_impulse(&mut self, body: BodyHandle, impulse: DVec3) -> Result<(), WorldError> {
        let centre = self.body(body)?.centre_of_mass();
        self.add_impulse_at(body, impulse, centre)
    }

    /// Changes the velocities of a dynamic body at once by an impulse at a point of the world \[N·s\].
    pub fn add_impulse_at(&mut self, body: BodyHandle, impulse: DVec3, point: DVec3) -> Result<(), WorldError> {
        let record = self.must_be_dynamic(body, "push")?;
        body::check_vector(&record.id, &body::POINT, point)?;
        let angular = (point - record.state.position).cross(impulse);
        self.add_angular_and_linear(body, impulse, angular)
    }

    /// Changes the angular velocity of a dynamic body at once by an angular impulse, world axes [N·m·s].
    pub fn add_angular_impulse(&mut self, body: BodyHandle, impulse: DVec3) -> Result<(), WorldError> {
        self.must_be_dynamic(body, "push")?;
        self.add_angular_and_linear(body, DVec3::ZERO, impulse)
    }

    fn add_angular_and_linear(&mut self, body: BodyHandle, linear: DVec3, angular: DVec3) -> Result<(), WorldError> {
        let record = self.must_be_dynamic(body, "push")?;
        let q = record.state.orientation;
        let velocity = record.state.velocity + record.mass.inverse_mass * linear;
        let angular_velocity =
            record.state.angular_velocity + q * (record.mass.inverse_inertia * (q.inverse() * angular));
        body::check_vector(&record.id, &body::VELOCITY, velocity)?;
        body::check_vector(&record.id, &body::ANGULAR_VELOCITY, angular_velocity)?;
        let record = self.record_mut(body)?;
        (record.state.velocity, record.state.angular_velocity) = (velocity, angular_velocity);
        record.quarantined = false;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Locks a dynamic body along some world axes, and its rotation about some. This adds a generic joint to the world,
    /// whose rows are part of the certified problem and which is removed like any joint.
    pub fn lock_axes(&mut self, body: BodyHandle, locks: AxisLocks) -> Result<JointHandle, WorldError> {
        let record = self.must_be_dynamic(body, "lock")?;
        let (centre, turn) = (record.mass.centre, record.state.orientation);
        let here = Frame { point: centre, axes: turn.inverse() };
        let there = Frame { point: record.state.position, axes: glamx::DQuat::IDENTITY };
        let mut joint = Joint::of(JointKind::Generic, body, here, Anchor::World(there));
        let locked = locks.translation.into_iter().chain(locks.rotation);
        for (coordinate, locked) in joint.coordinates.iter_mut().zip(locked) {
            *coordinate = if locked { Coordinate::locked() } else { Coordinate::free() };
        }
        self.add_joint(joint)
    }

    fn must_be_dynamic(&self, body: BodyHandle, operation: &'static str) -> Result<&BodyRecord, WorldError> {
        let record = self.bodies.get(body.0).map_err(|why| crate::world::unreachable(why, body.0))?;
        if record.kind != Kind::Dynamic {
            return Err(WorldError::Kind { body: record.id.clone(), operation, kind: record.kind.name() });
        }
        Ok(record)
    }

    /// Forgets the cached contact impulses of a body.
    fn forget_contacts(&mut self, body: BodyHandle) {
        self.disturb(body.0.slot);
        self.cache.forget(body);
        self.contacts.retain(|contact| contact.a != body && contact.b != body);
        self.read_out.forget();
    }
}

/// Changes the mass properties of a body. Its frame and the velocity of each of its points stay the same.
fn take_mass(record: &mut BodyRecord, mass: Inertial) {
    let origin = record.origin();
    let centre = origin + record.state.orientation * mass.centre;
    record.state.velocity += record.state.angular_velocity.cross(centre - record.state.position);
    record.state.position = centre;
    record.mass = mass;
    record.reach = reach_of(&record.shape, mass.centre);
}
