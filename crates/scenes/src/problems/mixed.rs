//! All four laws in one problem, with the answer on paper.

use crate::contact::in_frame;
use crate::{Assembly, Body, DENSITY, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};
use signorini_problem::math;

/// How steeply the track leans to the side: tangent of the bank angle.
const BANK: f64 = 0.1;

/// A train of `n` unit cubes (every second one ten times heavier) on a banked floor with friction `mu`, coupled by ball
/// joints at mid height, leaning on a frictionless rail (two contacts per cube), pulled along x by a motor of `strength`
/// times the friction the whole train can muster.
///
/// With β the bank angle and `P = g h cos β`: the rail carries `m g h sin β` per cube. Strength s ≤ 1 does not move the
/// train: friction is sμ of the load. Beyond, all slide at `v = (s − 1) μ P` with friction μ of the load. Friction at the
/// floor shifts the load of each cube by half its ratio, forward; coupling i carries the pull needed by the cubes behind it.
/// The motor aims at a speed it cannot reach.
pub fn train(n: usize, mu: f64, strength: f64) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("cubes", n, 1, "at least one")?;
    SceneError::positive("strength", strength)?;
    SceneError::positive("friction coefficient", mu)?;
    let mut assembly = Assembly::default();
    let hypotenuse = math::hypot(BANK, 1.0);
    let (lean, press) = (GRAVITY * STEP * BANK / hypotenuse, GRAVITY * STEP / hypotenuse);
    // The side the train leans to is −y.
    assembly.gravity = [0.0, -GRAVITY * BANK / hypotenuse, -GRAVITY / hypotenuse];
    let ratio = mu * strength.min(1.0);
    let speed = (strength - 1.0).max(0.0) * mu * press;
    let mut impulse = Vec::new();
    // The engine is last, at the greatest x.
    for i in 0..n {
        let (x, mass) = (i as f64, if i % 2 == 1 { 10.0 * DENSITY } else { DENSITY });
        let cube = assembly.body(Body::cuboid(mass, [0.5; 3], [x, 0.0, 0.5]));
        for dx in [-0.5, 0.5] {
            for y in [-0.5, 0.5] {
                let frame = assembly.contact([None, Some(cube)], [0.0, 0.0, 1.0], [x + dx, y, 0.0], 0.0, mu);
                let load = mass * press / 4.0 * (1.0 + 2.0 * ratio * dx);
                impulse.extend(in_frame(&frame, [-ratio * load, 0.0, load]));
            }
            assembly.normal_contact([None, Some(cube)], [0.0, 1.0, 0.0], [x + dx, -0.5, 0.5], 0.0);
            impulse.push(mass * lean / 2.0);
        }
        if let Some(behind) = cube.checked_sub(1) {
            assembly.ball_joint([Some(behind), Some(cube)], [x - 0.5, 0.0, 0.5]);
            let mass: f64 = assembly.bodies()[..cube].iter().map(|body| body.mass).sum();
            // On the cube ahead: backwards.
            impulse.extend([-mass * (ratio * press + speed), 0.0, 0.0]);
        }
    }
    let total: f64 = assembly.bodies().iter().map(|body| body.mass).sum();
    let pull = strength * mu * total * press;
    let engine = [None, Some(n - 1)];
    let row = assembly.row(engine, [1.0, 0.0, 0.0], [(n - 1) as f64, 0.0, 0.5]);
    assembly.motor(engine, row, 100.0, 0.0, pull);
    impulse.push(pull);
    let known = Known { impulse: Some(impulse), ..Known::default() };
    assembly.build(format!("train{n}_mu{mu}_strength{strength}"), Family::Mixed, known)
}
