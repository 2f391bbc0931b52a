//! Swept boxes. In: poses, flights. Out: for each body a box around everything that it may touch in the step; and for
//! each pair the distance below which its surfaces get contact points. Eq.: none.

use crate::World;
use crate::body::BodyRecord;
use crate::shape::Aabb;
use crate::step::free_motion::FreeMotion;

/// Limit on margin/h [m/s]. With a very short step a fixed margin would stand for an enormous speed, and tolerances are
/// relative to the largest speed of a problem.
const MARGIN_SPEED: f64 = 1.0;

/// Largest displacement of any point of a body in the step \[m\].
fn travel(reach: f64, free: &FreeMotion, dt: f64) -> f64 {
    let speed = free.before.linear.length().max(free.after.linear.length());
    dt * (speed + fastest_spin(free) * reach)
}

/// Largest angular speed in the step [rad/s].
pub(super) fn fastest_spin(free: &FreeMotion) -> f64 {
    free.before.angular.length().max(free.after.angular.length())
}

/// Largest approach of two bodies in the step \[m\], whether both fly on or one of them is stopped. A body that bounces
/// may also turn back, so both displacements are added. `closing` decides which of these pairs can actually close.
pub(crate) fn approach(bodies: [&BodyRecord; 2], free: [&FreeMotion; 2], dt: f64) -> f64 {
    let [a, b] = [0, 1].map(|i| travel(bodies[i].reach, free[i], dt));
    if bodies.iter().any(|body| body.material.restitution > 0.0) {
        return a + b;
    }
    let before = (free[0].before.linear - free[1].before.linear).length();
    let after = (free[0].after.linear - free[1].after.linear).length();
    let turning = fastest_spin(free[0]) * bodies[0].reach + fastest_spin(free[1]) * bodies[1].reach;
    f64::max(a, b).max(dt * (before.max(after) + turning))
}

/// Points of two bodies within this distance are contacts of the step \[m\].
pub(crate) fn near(world: &World, bodies: [&BodyRecord; 2], free: [&FreeMotion; 2], dt: f64) -> f64 {
    margin(world, dt) + approach(bodies, free, dt)
}

pub(crate) fn margin(world: &World, dt: f64) -> f64 {
    world.settings.margin.min(MARGIN_SPEED * dt)
}

/// Fills in the swept boxes, by rank.
pub(crate) fn swept_boxes(world: &World, free: &[FreeMotion], dt: f64, boxes: &mut Vec<Aabb>) {
    let margin = margin(world, dt);
    boxes.clear();
    for (slot, free) in world.order.iter().zip(free) {
        let Some(body) = world.bodies.at(*slot) else { continue };
        boxes.push(body.shape.aabb(&body.pose()).inflated(0.5 * margin + travel(body.reach, free, dt)));
    }
}

/// Distance within which contact points of two bodies are computed \[m\]. It is rounded up to eighths of the margin, so
/// that it stays the same for bodies that hardly move.
pub(crate) fn look_ahead(margin: f64, travel: f64) -> f64 {
    let quantum = 0.125 * margin;
    // There is no margin, or the time step is too short to divide it.
    if quantum < f64::MIN_POSITIVE {
        return margin + travel;
    }
    margin + (travel / quantum).ceil() * quantum
}
