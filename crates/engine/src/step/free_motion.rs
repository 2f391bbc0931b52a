//! Stage 1/9, free motion. In: bodies, forces. Out: v* and the rotation of flight. Eq.: v* = v + h M⁻¹(f − ω×Iω).
//!
//! The gyroscopic part is the exact rotation of a free body (`free_rotation`): L in the world's axes and the energy stay.

use crate::World;
use crate::body::{BodyRecord, Kind};
use crate::step::free_rotation::free_rotation;
use crate::step::quarantine::check_speed;
use crate::step::{Moving, Twist};
use glamx::{DMat3, DQuat, DVec3};

/// Motion without contact or joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeMotion {
    /// Velocities after the gyroscopic part and before any force: where the work of forces starts to count.
    pub before: Twist,
    /// v*.
    pub after: Twist,
    /// Rotation of the step in the body's axes if nothing touches.
    pub rotation: DQuat,
    /// Angular velocity after that rotation, world axes [rad/s].
    pub flight_spin: DVec3,
}

/// Motion of every body. One that its forces throw out of its range is quarantined on the spot.
pub(crate) fn free_motion(world: &World, bodies: &mut [Moving], dt: f64, out: &mut Vec<FreeMotion>) {
    out.clear();
    for moving in bodies {
        let Some(body) = world.bodies.at(moving.slot) else { continue };
        let mut motion = motion_of(world, moving, body, dt);
        if check_speed(body, &motion.after, "free motion").is_err() {
            *moving = Moving::new(moving.slot, body, true);
            motion = motion_of(world, moving, body, dt);
        }
        out.push(motion);
    }
}

fn motion_of(world: &World, moving: &Moving, body: &BodyRecord, dt: f64) -> FreeMotion {
    match moving.kind {
        Kind::Dynamic => fly(body, body.gravity(world.settings.gravity), dt),
        Kind::Kinematic | Kind::Fixed => {
            let twist = Twist { linear: moving.state.velocity, angular: moving.state.spin };
            FreeMotion { before: twist, after: twist, rotation: DQuat::IDENTITY, flight_spin: twist.angular }
        }
    }
}

fn fly(body: &BodyRecord, gravity: DVec3, dt: f64) -> FreeMotion {
    let state = &body.state;
    let (force, torque) = body.applied(dt);
    let linear = state.velocity + dt * (gravity + body.mass.inverse_mass * force);
    let (spin, rotation) = if body.mass.isotropic {
        (state.spin, DQuat::from_scaled_axis(dt * (state.orientation.inverse() * state.spin)))
    } else {
        let (spin_local, rotation) = free_rotation(&body.mass, state.orientation.inverse() * state.spin, dt);
        (state.orientation * spin_local, rotation)
    };
    let kick_local = dt * (body.mass.inverse_inertia * (state.orientation.inverse() * torque));
    // A constant torque turns by a further ½ h² I⁻¹ τ.
    let rotation = DQuat::from_scaled_axis(0.5 * dt * kick_local) * rotation;
    let after = spin + state.orientation * kick_local;
    // The spin of flight is fixed in the body's axes over the rotation: so are energy and momentum.
    let turned = (state.orientation * rotation).normalize() * (state.orientation.inverse() * after);
    FreeMotion {
        before: Twist { linear: state.velocity, angular: spin },
        after: Twist { linear, angular: after },
        rotation,
        flight_spin: if body.mass.isotropic { after } else { turned },
    }
}

/// Bodies that are about to bounce, and whose inertia has axes, are met where they will be then: gyroscopic motion up to
/// the bounce, the axes of inertia as they are there. What follows it is up to `integrate`.
pub(crate) fn fly_to_bounce(world: &World, dt: f64, bodies: &mut [Moving], free: &mut [FreeMotion]) {
    for (body, free) in bodies.iter_mut().zip(free) {
        let (Some(time), Some(record)) = (body.met_at, world.bodies.at(body.slot)) else { continue };
        if record.mass.isotropic {
            continue;
        }
        let start = record.state.orientation;
        let (spin, rotation) = free_rotation(&record.mass, start.inverse() * record.state.spin, time);
        let orientation = (start * rotation).normalize();
        body.met_orientation = Some(orientation);
        body.inverse_inertia = world_inverse_inertia(record, orientation);
        free.before.angular = orientation * spin;
        let kick = dt * (record.mass.inverse_inertia * (orientation.inverse() * record.applied(dt).1));
        free.after.angular = free.before.angular + orientation * kick;
    }
}

/// Inverse inertia in world axes, exactly symmetric [1/(kg·m²)].
pub(crate) fn world_inverse_inertia(body: &BodyRecord, orientation: DQuat) -> DMat3 {
    let r = DMat3::from_quat(orientation);
    let rotated = r * body.mass.inverse_inertia * r.transpose();
    (rotated + rotated.transpose()) * 0.5
}
