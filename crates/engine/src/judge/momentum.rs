//! Momentum: compares m(v⁺ − v) and L⁺ − L of every body with its forces and the reported impulses.

use super::sums::Sum;
use super::{Evidence, MOMENTUM_BOUND, Part, Place};
use glamx::DVec3;

/// A body at rest may miss this share of the momentum that forces give it in a step, and is at rest below it \[1\].
const REST: f64 = 2e-8;

/// It may miss this larger share if that is less than the accepted error of its velocity \[1\].
const REST_ACCEPTED: f64 = 2e-6;

/// Velocity that counts as zero [m/s]: the round-off of 1 m/s.
const ROUND_OFF: f64 = 1e-16;

pub(super) fn grade(evidence: &Evidence, sums: &[Sum], part: &mut Part) {
    part.bound = MOMENTUM_BOUND;
    for (rank, sum) in sums.iter().enumerate() {
        let (Some(record), Some(end)) = (evidence.record(rank), evidence.end.get(rank)) else { continue };
        if !(evidence.active)(rank) {
            continue;
        }
        let (mass, start) = (record.mass.mass, &record.state);
        let weight = mass * (record.options.gravity_scale * evidence.settings.gravity);
        let mut kick = evidence.dt * (weight + record.force);
        if record.options.linear_damping > 0.0 {
            // v̇ = −c v takes (1 − e^(−c h)) of the velocity.
            kick += (signorini_problem::math::exp(-record.options.linear_damping * evidence.dt) - 1.0)
                * mass
                * start.velocity;
        }
        let defect = mass * (end.velocity - start.velocity) - kick - sum.linear;
        let size = mass * (end.velocity.length() + start.velocity.length()) + kick.length() + sum.linear_size;
        // Angular momentum that turned axes of inertia leave is a spin, however small.
        let resting =
            mass * (end.velocity.length() + record.reach * end.angular_velocity.length()) <= REST * kick.length();
        // Impulses along coordinates of joints may cancel each other, to their last digits.
        let cancelled = 8.0 * f64::EPSILON * evidence.drive_impulses;
        let accepted = f64::min(REST_ACCEPTED * kick.length(), mass * evidence.settings.accepted().value);
        let lacking = if resting { f64::max(REST * kick.length(), accepted) } else { 0.0 };
        let excused = cancelled + mass * ROUND_OFF + lacking;
        let place = Place { bodies: [Some(rank as u32), None], joint: None };
        let over = |defect: f64, size: f64| if defect <= 0.0 { 0.0 } else { defect / size };
        part.worst(over(defect.length() - excused, size), MOMENTUM_BOUND, place);
        if record.torque != DVec3::ZERO || record.options.angular_damping > 0.0 {
            continue;
        }
        let (before, after) = (sum.before, sum.after);
        let defect = after - before - sum.angular;
        // If a body has more inertia than its shape could have, velocities at rest at its surface still stand for a
        // larger angular momentum: k²/reach instead of reach, with k the radius of gyration. A body without a shape has
        // the reach k.
        let gyration = record.mass.moments.max_element() / mass;
        let reach = if record.reach > 0.0 { record.reach.max(gyration / record.reach) } else { gyration.sqrt() };
        let size = before.length() + after.length() + sum.angular_size + reach * size;
        part.worst(over(defect.length() - cancelled - reach * excused, size), MOMENTUM_BOUND, place);
    }
}
