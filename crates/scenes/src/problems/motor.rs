//! Drives of limited strength: an interval, joints and contacts, with the answer on paper.

use crate::contact::{in_frame, spin_row};
use crate::{Assembly, Body, DENSITY, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

/// A flywheel (a 1 kg, 0.4 m cube, `I = 2/75` kg·m²) on a hinge along z at 1 rad/s, driven towards `target` [rad/s] by a
/// motor of at most `strength` [N·m·s] per step either way.
///
/// `r = clamp(I (target − 1), ±strength)`; the hinge carries the weight. Unique.
pub fn flywheel(target: f64, strength: f64) -> Result<GeneratedProblem, SceneError> {
    SceneError::positive("strength", strength)?;
    let mut assembly = Assembly::default();
    let spin = 1.0;
    let wheel = assembly.body(Body::cuboid(1.0, [0.2; 3], [0.0; 3]).with_velocity([0.0, 0.0, 0.0, 0.0, 0.0, spin]));
    let inertia = assembly.bodies()[wheel].inertia[2];
    let pair = [None, Some(wheel)];
    assembly.ball_joint(pair, [0.0; 3]);
    assembly.joint(pair, &[spin_row([1.0, 0.0, 0.0]), spin_row([0.0, 1.0, 0.0])]);
    assembly.motor(pair, spin_row([0.0, 0.0, 1.0]), target, -strength, strength);
    let drive = (inertia * (target - spin)).clamp(-strength, strength);
    let weight = GRAVITY * STEP;
    let known = Known {
        impulse: Some(vec![0.0, 0.0, weight, 0.0, 0.0, drive]),
        body_velocity: Some(vec![0.0, 0.0, 0.0, 0.0, 0.0, spin + drive / inertia]),
        world_impulse: Some([0.0, 0.0, weight]),
    };
    assembly.build(format!("flywheel_target{target}_strength{strength}"), Family::Motor, known)
}

/// A platform of 1000 kg guided along z, with `n` unit cubes stacked on it, lifted towards `target` [m/s] by a motor whose
/// impulse lies between zero and `strength` times the weight of everything per step.
///
/// With the total mass M, `r = clamp(M (target + g h), 0, strength M g h)` and all move up at `v = r/M − g h`; the
/// interface below mass m carries `m (v + g h)`, a quarter per corner. Strength below 1 sinks, 1 hovers. The motion is
/// that of every solution: with this one r°, v°, `‖v − v°‖²_M = (r − r°)ᵀ(u − u°) ≤ 0`, as motors are monotone, friction
/// takes energy, and r° has no friction while u° = 0 at the contacts.
pub fn elevator(n: usize, target: f64, strength: f64) -> Result<GeneratedProblem, SceneError> {
    SceneError::positive("strength", strength)?;
    let mut assembly = Assembly::default();
    let fall = GRAVITY * STEP;
    let total = DENSITY * (n + 1) as f64;
    let platform = assembly.body(Body::cuboid(DENSITY, [1.0, 1.0, 0.125], [0.0, 0.0, -0.125]));
    let pair = [None, Some(platform)];
    let center = assembly.bodies()[platform].position;
    let guide = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|d| assembly.row(pair, d, center));
    assembly.joint(pair, &guide);
    assembly.joint(pair, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(spin_row));
    let up = assembly.row(pair, [0.0, 0.0, 1.0], center);
    let bound = strength * total * fall;
    assembly.motor(pair, up, target, 0.0, bound);
    let lift = (total * (target + fall)).clamp(0.0, bound);
    let speed = lift / total - fall;
    let mut impulse = vec![0.0; 5];
    impulse.push(lift);
    for i in 0..n {
        let cube = assembly.body(Body::cuboid(DENSITY, [0.5; 3], [0.0, 0.0, 0.5 + i as f64]));
        let load = DENSITY * (n - i) as f64 * (lift / total);
        for x in [-0.5, 0.5] {
            for y in [-0.5, 0.5] {
                let pair = [Some(cube - 1), Some(cube)];
                let frame = assembly.contact(pair, [0.0, 0.0, 1.0], [x, y, i as f64], 0.0, 0.5);
                impulse.extend(in_frame(&frame, [0.0, 0.0, load / 4.0]));
            }
        }
    }
    let known = Known {
        impulse: Some(impulse),
        body_velocity: Some([0.0, 0.0, speed, 0.0, 0.0, 0.0].repeat(n + 1)),
        world_impulse: Some([0.0, 0.0, lift]),
    };
    assembly.build(format!("elevator{n}_target{target}_strength{strength}"), Family::Motor, known)
}
