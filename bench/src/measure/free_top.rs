//! A free box turning about its middle axis, against Euler's equations integrated with steps eighty times as small.

use super::{Metric, angular_velocity, kinetic, orientation};
use crate::scene::Scene;
use crate::trajectory::{Frame, Trajectory};
use signorini::glamx::{DQuat, DVec3};

/// Steps of the reference per step of the scene.
const FINER: usize = 80;

pub fn measure(scene: &Scene, run: &Trajectory, out: &mut Vec<Metric>) {
    let inertia = DVec3::from_array(scene.bodies[0].inertia());
    let momentum = |frame: &Frame| {
        let q = orientation(frame, 0);
        q * (inertia * (q.inverse() * angular_velocity(frame, 0)))
    };
    let Some(start) = run.frames.first() else { return };
    let (energy, whole) = (kinetic(scene, start), momentum(start));
    let worst = |measure: &dyn Fn(&Frame) -> f64| run.frames.iter().map(measure).fold(0.0, f64::max);
    out.push(("energy_drift", worst(&|f| (kinetic(scene, f) / energy - 1.0).abs())));
    out.push(("momentum_drift", worst(&|f| (momentum(f) - whole).length() / whole.length())));
    for (name, time) in [("orientation_error_1s_degrees", 1.0), ("orientation_error_10s_degrees", 10.0)] {
        if let Some(frame) = run.at(scene, time) {
            let ideal = reference(inertia, orientation(start, 0), angular_velocity(start, 0), scene.dt, frame.step);
            let difference = ideal.inverse() * orientation(frame, 0);
            let angle = 2.0 * difference.xyz().length().atan2(difference.w.abs());
            out.push((name, angle.to_degrees()));
        }
    }
}

/// Orientation after `steps` steps of `dt`, by the classical fourth-order method on (q, ω in body axes).
fn reference(inertia: DVec3, q0: DQuat, world_spin: DVec3, dt: f64, steps: usize) -> DQuat {
    let h = dt / FINER as f64;
    let rate = |q: DQuat, w: DVec3| {
        let turn = q * DQuat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0);
        (turn, (inertia * w).cross(w) / inertia)
    };
    let add = |q: DQuat, d: DQuat, s: f64| DQuat::from_vec4((q.to_vec4()) + s * d.to_vec4());
    let (mut q, mut w) = (q0, q0.inverse() * world_spin);
    for _ in 0..steps * FINER {
        let (q1, w1) = rate(q, w);
        let (q2, w2) = rate(add(q, q1, 0.5 * h), w + 0.5 * h * w1);
        let (q3, w3) = rate(add(q, q2, 0.5 * h), w + 0.5 * h * w2);
        let (q4, w4) = rate(add(q, q3, h), w + h * w3);
        let slope = DQuat::from_vec4(q1.to_vec4() + 2.0 * q2.to_vec4() + 2.0 * q3.to_vec4() + q4.to_vec4());
        q = add(q, slope, h / 6.0).normalize();
        w += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
    }
    q
}

trait AsVector {
    fn to_vec4(self) -> signorini::glamx::DVec4;
}

impl AsVector for DQuat {
    fn to_vec4(self) -> signorini::glamx::DVec4 {
        signorini::glamx::DVec4::new(self.x, self.y, self.z, self.w)
    }
}
