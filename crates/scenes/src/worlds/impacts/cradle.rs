//! Rows of equal balls that pass a blow on: Newton's cradle with gaps, and touching under both laws of impact.

use super::{STEP, elastic_ball, speed};
use crate::worlds::parts::weightless;
use crate::worlds::{Expectation, answer};
use signorini::ImpactLaw;
use signorini::Scene;

/// Gaps of 2 cm: at 2 m/s and 240 steps a second no two impacts fall into one step.
pub(super) fn cradle() -> Scene {
    let ball = |k: u32| {
        let velocity = if k == 0 { [2.0, 0.0, 0.0] } else { [0.0; 3] };
        elastic_ball(&format!("ball {k}"), 1.0, [1.02 * f64::from(k), 0.0, 0.0], velocity)
    };
    weightless(1.0 / 240.0, 0.5, (0..5).map(ball).collect())
}

/// Each blow is an exchange: every ball moves on by one gap, the last one leaves.
pub(super) fn cradle_answers() -> Vec<Expectation> {
    vec![
        speed("velocity of the last ball", "v", 2.0, |o| o.last("ball 4").velocity.x),
        speed("speed left in the others", "0", 0.0, |o| {
            (0..4).map(|k| o.last(&format!("ball {k}")).velocity.length()).sum()
        }),
        answer("way of the last ball", "m", "v t − 4 gaps", 2.0 * 0.5 - 4.0 * 0.02, 1e-9, |o| {
            o.displacement("ball 4").x
        }),
    ]
}

pub(super) fn one_hits_three() -> Scene {
    let ball = |k: u32| {
        let (x, v) = if k == 0 { (-0.3, 2.0) } else { (0.0, 0.0) };
        elastic_ball(&format!("ball {k}"), 1.0, [f64::from(k) + x, 0.0, 0.0], [v, 0.0, 0.0])
    };
    weightless(STEP, 0.5, (0..4).map(ball).collect())
}

/// Newton's law for all contacts at once (Moreau 1988): only the first closes, the touching ones must not close. With n
/// balls at rest these move together with `2v/(n+1)` and the first comes back with `v (n−1)/(n+1)`; energy and momentum
/// are conserved. (Real balls of steel do as in `cradle`: waves make the blows follow each other.)
pub(super) fn one_hits_three_answers() -> Vec<Expectation> {
    vec![
        speed("velocity of the first ball", "−v (n−1)/(n+1)", -1.0, |o| o.last("ball 0").velocity.x),
        speed("velocity of the last ball", "2v/(n+1)", 1.0, |o| o.last("ball 3").velocity.x),
        answer("energy", "J", "½ m v²", 2.0, 1e-9, |o| o.kinetic_energy(o.last_frame())),
    ]
}

/// As `one_hits_three` with one ball more, and the other law of impact.
pub(super) fn cradle_touching() -> Scene {
    let ball = |k: u32| {
        let (x, v) = if k == 0 { (-0.3, 2.0) } else { (0.0, 0.0) };
        elastic_ball(&format!("ball {k}"), 1.0, [f64::from(k) + x, 0.0, 0.0], [v, 0.0, 0.0])
    };
    let mut scene = weightless(STEP, 0.5, (0..5).map(ball).collect());
    scene.treatment.impact = ImpactLaw::Sequential { rounds: 400 };
    scene
}

/// Blows that follow each other are exchanges: only the last ball moves, after the 0.3 m that the first had to go.
pub(super) fn cradle_touching_answers() -> Vec<Expectation> {
    vec![
        speed("velocity of the last ball", "v", 2.0, |o| o.last("ball 4").velocity.x),
        speed("speed left in the others", "0", 0.0, |o| {
            (0..4).map(|k| o.last(&format!("ball {k}")).velocity.length()).sum()
        }),
        answer("way of the last ball", "m", "v t − d", 2.0 * 0.5 - 0.3, 1e-9, |o| o.displacement("ball 4").x),
    ]
}
