//! What the judge needs of every body more than once: angular momenta, and the sums of the impulses on it.

use super::{Evidence, angular_momentum};
use glamx::DVec3;

/// Largest square of a rotation that counts for the arc of a contact: (0.1 rad)² [rad²].
const MOST_TURN: f64 = 0.01;

/// An impulse on a body, by rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Impulse {
    pub rank: u32,
    /// \[N·s\].
    pub linear: DVec3,
    /// About the centre of mass [N·m·s].
    pub angular: DVec3,
    /// Distance from the centre of mass to the point of contact \[m\].
    pub arm: f64,
    /// Whether it comes from a joint and not from a contact.
    pub joint: bool,
}

/// A body and the impulses on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    /// Angular momentum before and after the step [kg·m²/s].
    pub before: DVec3,
    pub after: DVec3,
    pub linear: DVec3,
    pub angular: DVec3,
    /// Sums of their sizes, and the share of joints in the first.
    pub linear_size: f64,
    pub angular_size: f64,
    pub joint_size: f64,
    /// Largest square of its rotation in the step, up to [`MOST_TURN`] [rad²].
    pub turn: f64,
    /// Sum of impulses of contacts times the error of the position that each of them leaves [N·s·m]. A contact moves a
    /// turning body along the tangent of its arc, with an error of ½(hω)²ρ, ρ its arm.
    pub arc: f64,
}

/// Fills in the sums of all bodies, by rank.
pub(super) fn gather(evidence: &Evidence, sums: &mut Vec<Sum>) {
    sums.clear();
    sums.resize(evidence.order.len(), Sum::default());
    for (rank, sum) in sums.iter_mut().enumerate() {
        let (Some(record), Some(end)) = (evidence.record(rank), evidence.end.get(rank)) else { continue };
        let turn = |spin: DVec3| (evidence.dt * spin).length_squared().min(MOST_TURN);
        sum.turn = turn(record.state.angular_velocity).max(turn(end.angular_velocity));
        if record.kind == crate::Kind::Dynamic {
            (sum.before, sum.after) = (angular_momentum(record, &record.state), angular_momentum(record, end));
        }
    }
    (evidence.impulses)(&mut |impulse| {
        let Some(sum) = sums.get_mut(impulse.rank as usize) else { return };
        let size = impulse.linear.length();
        sum.linear += impulse.linear;
        sum.angular += impulse.angular;
        sum.linear_size += size;
        sum.angular_size += impulse.angular.length();
        if impulse.joint {
            sum.joint_size += size;
        } else if sum.turn > 0.0 {
            let reach = evidence.record(impulse.rank as usize).map_or(0.0, |record| record.reach);
            sum.arc += 0.5 * sum.turn * impulse.arm.min(reach) * size;
        }
    });
}
