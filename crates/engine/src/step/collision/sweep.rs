//! Swept boxes: the box around everything that a body may touch in the step, and the distance below which two surfaces
//! get contact points.

use crate::World;
use crate::body::BodyRecord;
use crate::shape::Aabb;
use crate::step::free_motion::FreeMotion;

/// Speed [m/s] that the margin for slow bodies may stand for: with a very short step a fixed distance would be an
/// enormous speed, and tolerances are relative to the largest speed of a problem.
const MARGIN_SPEED: f64 = 1.0;

/// Farthest any point of a body may come in the step \[m\].
fn travel(reach: f64, free: &FreeMotion, dt: f64) -> f64 {
    let speed = free.before.linear.length().max(free.after.linear.length());
    dt * (speed + fastest_spin(free) * reach)
}

/// Fastest spin in the step [rad/s].
pub(super) fn fastest_spin(free: &FreeMotion) -> f64 {
    free.before.angular.length().max(free.after.angular.length())
}

/// Farthest two bodies may come towards each other in the step \[m\]: as they move, or with one of them stopped by
/// something else. What bounces may turn round as well, and both ways add up. Which of the pairs that are this near may close
/// is up to `closing`.
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

/// Distance within which the points of two bodies are contacts of the step \[m\].
pub(crate) fn near(world: &World, bodies: [&BodyRecord; 2], free: [&FreeMotion; 2], dt: f64) -> f64 {
    margin(world, dt) + approach(bodies, free, dt)
}

pub(crate) fn margin(world: &World, dt: f64) -> f64 {
    world.settings.margin.min(MARGIN_SPEED * dt)
}

/// Boxes around everything a body may touch in the step, by rank.
pub(crate) fn swept_boxes(world: &World, free: &[FreeMotion], dt: f64, boxes: &mut Vec<Aabb>) {
    let margin = margin(world, dt);
    boxes.clear();
    for (slot, free) in world.order.iter().zip(free) {
        let Some(body) = world.bodies.at(*slot) else { continue };
        boxes.push(body.shape.aabb(&body.pose()).inflated(0.5 * margin + travel(body.reach, free, dt)));
    }
}

/// How far two bodies are looked at from each other \[m\]. In whole eighths of the margin, so that it stays as it is for
/// bodies that hardly move.
pub(crate) fn look_ahead(margin: f64, travel: f64) -> f64 {
    let quantum = 0.125 * margin;
    // No margin, or a time step too short to divide it.
    if quantum < f64::MIN_POSITIVE {
        return margin + travel;
    }
    margin + (travel / quantum).ceil() * quantum
}
