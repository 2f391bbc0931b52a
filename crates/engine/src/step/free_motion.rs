//! Free motion. In: bodies, forces. Out: v* and the rotation of flight. Eq.: v* = v + h M⁻¹(f − ω×Iω).
//!
//! The gyroscopic part is the exact rotation of a free body (`free_rotation`), which conserves energy and world angular
//! momentum.
//!
//! It is computed twice. [`flights`] comes first and treats every body as awake and untouched; the collision stage
//! reads its result through [`Flights`], and decides which bodies sleep and at which time bodies bounce. [`as_met`]
//! then computes the free motion up to the time of impact, which all later stages read.

use crate::World;
use crate::body::{BodyRecord, BodyState, Kind};
use crate::step::free_rotation::free_rotation;
use crate::step::quarantine::{Quarantine, check_speed};
use crate::step::{Moving, Twist};
use glamx::{DMat3, DPose3, DQuat, DVec3};

/// A body that would turn by more than this in a step is treated as spinning, see [`spins`] [rad].
const FAR: f64 = 0.5;

/// Motion of a body without contacts and joints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeMotion {
    /// Velocities after the gyroscopic part and before any force: where the work of forces starts to count.
    pub before: Twist,
    /// v*.
    pub after: Twist,
    /// Rotation over the whole step in the body's axes.
    pub rotation: DQuat,
    /// Angular velocity after that rotation, world axes [rad/s].
    pub flight_spin: DVec3,
}

impl FreeMotion {
    /// Motion of a body that does not move.
    pub const AT_REST: FreeMotion = FreeMotion::steady(Twist { linear: DVec3::ZERO, angular: DVec3::ZERO });

    /// Motion of a body at constant velocity.
    const fn steady(twist: Twist) -> FreeMotion {
        FreeMotion { before: twist, after: twist, rotation: DQuat::IDENTITY, flight_spin: twist.angular }
    }

    /// Velocity at some time within the step.
    pub fn velocity_at(&self, time: f64, dt: f64) -> Twist {
        let part = time / dt;
        Twist {
            linear: self.before.linear + part * (self.after.linear - self.before.linear),
            angular: self.before.angular + part * (self.after.angular - self.before.angular),
        }
    }

    /// Centre of mass and orientation of a body that has flown for some time of the step.
    pub fn place_at(&self, start: &BodyState, time: f64, dt: f64) -> (DVec3, DQuat) {
        if time == 0.0 {
            return (start.position, start.orientation);
        }
        let mean = self.before.linear + (0.5 * time / dt) * (self.after.linear - self.before.linear);
        let turn = DQuat::from_scaled_axis(time * self.before.angular);
        (start.position + time * mean, (turn * start.orientation).normalize())
    }

    /// Pose of the shape's frame after some time of the step. A body whose inertia is not isotropic turns as a free
    /// body does, since impulses act on it at that orientation.
    pub fn pose_at(&self, start: &BodyState, record: &BodyRecord, time: f64, dt: f64) -> DPose3 {
        let (position, orientation) = self.place_at(start, time, dt);
        if time == 0.0 || record.mass.isotropic {
            return record.pose_of(position, orientation);
        }
        record.pose_of(position, turned(start, record, time).0)
    }
}

/// Flights as the collision stage reads them: sleeping and replayed bodies do not move.
#[derive(Clone, Copy)]
pub(crate) struct Flights<'a> {
    pub bodies: &'a [Moving],
    pub motion: &'a [FreeMotion],
}

impl<'a> Flights<'a> {
    /// The flight of the body of this rank.
    pub fn of(&self, rank: u32) -> &'a FreeMotion {
        if self.bodies[rank as usize].is_held() { &FreeMotion::AT_REST } else { &self.motion[rank as usize] }
    }
}

/// Fills in the bodies of the step and their flights. A body whose forces alone take it out of the range of numbers is
/// quarantined at once.
pub(crate) fn flights(
    world: &World,
    quarantine: &Quarantine,
    dt: f64,
    bodies: &mut Vec<Moving>,
    out: &mut Vec<FreeMotion>,
) {
    bodies.clear();
    out.clear();
    for (rank, slot) in world.order.iter().enumerate() {
        let Some(record) = world.bodies.at(*slot) else { continue };
        let mut moving = Moving::new(*slot, record, record.quarantined || quarantine.holds(rank));
        let mut motion = motion_of(world, &moving, record, dt);
        if check_speed(record, &motion.after, "free motion").is_err() {
            moving = Moving::new(*slot, record, true);
            motion = motion_of(world, &moving, record, dt);
        }
        bodies.push(moving);
        out.push(motion);
    }
}

fn motion_of(world: &World, moving: &Moving, record: &BodyRecord, dt: f64) -> FreeMotion {
    match moving.kind {
        Kind::Dynamic => fly(record, record.gravity(world.settings.gravity), dt),
        Kind::Kinematic | Kind::Fixed => {
            FreeMotion::steady(Twist { linear: moving.state.velocity, angular: moving.state.angular_velocity })
        }
    }
}

fn fly(record: &BodyRecord, gravity: DVec3, dt: f64) -> FreeMotion {
    let state = &record.state;
    let linear = state.velocity + dt * (gravity + record.mass.inverse_mass * record.applied(dt).0);
    let (angular_velocity, rotation) = if record.mass.isotropic {
        (state.angular_velocity, DQuat::from_scaled_axis(dt * (state.orientation.inverse() * state.angular_velocity)))
    } else {
        let (spin_local, rotation) =
            free_rotation(&record.mass, state.orientation.inverse() * state.angular_velocity, dt);
        (state.orientation * spin_local, rotation)
    };
    let kick_local = kick_of_torque(record, state.orientation, dt);
    // A constant torque turns by a further ½ h² I⁻¹ τ.
    let rotation = DQuat::from_scaled_axis(0.5 * dt * kick_local) * rotation;
    let after = angular_velocity + state.orientation * kick_local;
    // The angular velocity is carried over in the body's axes, which conserves energy and momentum.
    let turned = (state.orientation * rotation).normalize() * (state.orientation.inverse() * after);
    FreeMotion {
        before: Twist { linear: state.velocity, angular: angular_velocity },
        after: Twist { linear, angular: after },
        rotation,
        flight_spin: if record.mass.isotropic { after } else { turned },
    }
}

/// h I⁻¹ τ in the body's axes at an orientation [rad/s].
fn kick_of_torque(record: &BodyRecord, orientation: DQuat, dt: f64) -> DVec3 {
    dt * (record.mass.inverse_inertia * (orientation.inverse() * record.applied(dt).1))
}

/// Computes the free motion that impulses act on, from the flights and the times of impact. For a body that bounces or
/// spins, and whose inertia is not isotropic, the gyroscopic motion goes up to the time of impact (the start of the
/// step if it only spins) and the inertia is that of the pose there; `integrate` does the rest of the step.
pub(crate) fn as_met(
    world: &World,
    dt: f64,
    flights: &[FreeMotion],
    met_at: &[Option<f64>],
    bodies: &mut [Moving],
    out: &mut Vec<FreeMotion>,
) {
    out.clear();
    for (rank, body) in bodies.iter_mut().enumerate() {
        if body.is_held() {
            out.push(FreeMotion::AT_REST);
            continue;
        }
        let mut motion = flights[rank];
        body.met_at = met_at.get(rank).copied().flatten().or_else(|| spins(world, body, dt).then_some(0.0));
        if let (Some(time), Some(record)) = (body.met_at, world.bodies.at(body.slot))
            && !record.mass.isotropic
        {
            let (orientation, angular_velocity) = turned(&record.state, record, time);
            body.met_orientation = Some(orientation);
            body.inverse_inertia = world_inverse_inertia(record, orientation);
            motion.before.angular = angular_velocity;
            motion.after.angular = motion.before.angular + orientation * kick_of_torque(record, orientation, dt);
        }
        out.push(motion);
    }
}

/// Whether a body turns so far in a step that rows and inertia at its start pose say nothing about its end pose.
fn spins(world: &World, body: &Moving, dt: f64) -> bool {
    let record = world.bodies.at(body.slot);
    body.is_dynamic()
        && dt * body.state.angular_velocity.length() > FAR
        && record.is_some_and(|record| !record.mass.isotropic)
}

/// Orientation and angular velocity in world axes of a body that has turned freely for some time.
fn turned(start: &BodyState, record: &BodyRecord, time: f64) -> (DQuat, DVec3) {
    let (angular_velocity, rotation) =
        free_rotation(&record.mass, start.orientation.inverse() * start.angular_velocity, time);
    let orientation = (start.orientation * rotation).normalize();
    (orientation, orientation * angular_velocity)
}

/// Inverse inertia in world axes, exactly symmetric [1/(kg·m²)].
pub(crate) fn world_inverse_inertia(body: &BodyRecord, orientation: DQuat) -> DMat3 {
    let r = DMat3::from_quat(orientation);
    let rotated = r * body.mass.inverse_inertia * r.transpose();
    (rotated + rotated.transpose()) * 0.5
}
