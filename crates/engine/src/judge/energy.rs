//! Energy: the ledger must add up, and energy may rise only by external or driven work.

use super::sums::Sum;
use super::{CLOSURE_BOUND, Evidence, JOINT_BOUND, JOINTED_RISE_BOUND, MAX_OVERLAP, Part, RISE_BOUND};
use glamx::DVec3;

pub(super) fn grade(evidence: &Evidence, sums: &[Sum], closure: &mut Part, rise: &mut Part) {
    closure.bound = CLOSURE_BOUND;
    let mut joints = evidence.joint_order.iter().filter_map(|slot| evidence.joints.at(*slot));
    let bound = if joints.any(|joint| joint.enabled) { JOINTED_RISE_BOUND } else { RISE_BOUND };
    rise.bound = bound;
    let (mut change, mut exchanged, mut far, mut floor) = (0.0, 0.0, 0.0, 0.0);
    for (rank, sum) in sums.iter().enumerate() {
        // The work of forces along the allowed overlap and joint gaps, and along arcs, counts as zero.
        floor += MAX_OVERLAP * (sum.linear_size - sum.joint_size) + JOINT_BOUND * sum.joint_size + sum.arc;
        let (Some(record), Some(end)) = (evidence.record(rank), evidence.end.get(rank)) else { continue };
        if record.kind != crate::Kind::Dynamic {
            continue;
        }
        let (mass, gravity): (f64, DVec3) =
            (record.mass.mass, record.options.gravity_scale * evidence.settings.gravity);
        let kinetic = |state: &crate::BodyState, momentum: DVec3| {
            0.5 * (mass * state.velocity.length_squared() + state.angular_velocity.dot(momentum))
        };
        let (before, after) = (kinetic(&record.state, sum.before), kinetic(end, sum.after));
        let lifted = -mass * gravity.dot(end.position - record.state.position);
        change += after - before + lifted;
        exchanged += before + after + lifted.abs();
        // A body that is held still exchanges the work that its weight would do in the step.
        exchanged += 0.5 * mass * (evidence.dt * gravity).length_squared();
        far += mass * gravity.length() * (end.position.length() + record.state.position.length());
    }
    let ledger = evidence.ledger;
    let works = [
        ledger.external,
        ledger.normal,
        ledger.friction,
        ledger.joints,
        ledger.motor,
        ledger.spring,
        ledger.driven,
        ledger.integration,
        ledger.stabilisation,
        ledger.stopped,
    ];
    exchanged += works.iter().map(|work| work.abs()).sum::<f64>();
    // Round-off of positions times weight counts as zero, as the work along the allowed overlap and joint gaps does.
    floor = floor / evidence.dt + 8.0 * f64::EPSILON * far;
    // The same for impulses along the coordinates of joints, which may cancel: a servo against a spring.
    floor += JOINT_BOUND * evidence.drive_impulses / evidence.dt;
    let scale = exchanged.max(f64::MIN_POSITIVE);
    // A NaN stays NaN, and `Part::worst` makes it infinite.
    let share = |energy: f64| if energy <= 0.0 { 0.0 } else { energy / scale };
    let defect = change - works.iter().sum::<f64>();
    closure.worst(share(defect.abs() - 8.0 * f64::EPSILON * far), CLOSURE_BOUND, Default::default());
    rise.worst(
        share(change - ledger.external - ledger.driven - ledger.motor - ledger.spring - floor),
        bound,
        Default::default(),
    );
}
