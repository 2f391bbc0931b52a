//! Joints that leave no way to go: `docs/decisions/0031-where-impulses-meet-a-body.md`.

use crate::fixture::*;

const STEP: f64 = 1.0 / 60.0;

/// Planks in a straight line between two walls, without slack, each on two ball joints. Only an infinite tension holds them there; but
/// a sag s of a span L makes them longer by 8s²/3L, and gaps of 1e-8 m in each of n joints leave room for s = √(3nL·1e-8/8) = 0.6 mm
/// (n = 10, L = 2.5 m). So they sag by less than that, and stay certified. A bug once: they were torn apart by 0.3 m.
#[test]
fn a_bridge_without_slack_holds_its_own_weight() {
    let mut w = world();
    let (planks, length) = (10, 0.25);
    let shape = Shape::cuboid(v(0.45 * length, 0.5, 0.03)).unwrap();
    let mut before: Option<BodyHandle> = None;
    let mut bodies = Vec::new();
    for place in 0..=planks {
        let x = length * place as f64;
        let plank = (place < planks)
            .then(|| w.add(Body::dynamic(shape.clone()).mass(2.0).position(v(x + 0.5 * length, 0.0, 5.0))).unwrap());
        for side in [-0.5, 0.5] {
            let (left, right) = (v(-0.5 * length, side, 0.0), v(0.5 * length, side, 0.0));
            let joint = match (plank, before) {
                (Some(plank), Some(before)) => Joint::ball(plank, left, (before, right)),
                (Some(plank), None) => Joint::ball(plank, left, v(x, side, 5.0)),
                (None, Some(before)) => Joint::ball(before, right, v(x, side, 5.0)),
                (None, None) => continue,
            };
            w.add_joint(joint).unwrap();
        }
        bodies.extend(plank);
        before = plank;
    }
    let start = w.energy().total();
    for step in 0..120 {
        let report = w.step(STEP).unwrap();
        let misses: Vec<_> = report.certificate.misses().collect();
        assert!(misses.is_empty(), "step {step}: {misses:?}");
        assert!(report.certificate.joint_gap.value <= 1e-8);
        assert!(w.energy().total() <= start + 1e-9, "step {step}");
        let lowest = bodies.iter().map(|body| w.body(*body).unwrap().position().z).fold(f64::INFINITY, f64::min);
        assert!(lowest > 5.0 - 6e-4, "step {step}: {lowest}");
    }
}
