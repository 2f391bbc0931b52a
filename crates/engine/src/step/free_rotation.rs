//! Rotation of a torque-free rigid body over a time `h`, in the body's axes. Every stage that turns a body uses it.
//!
//! With `l` the angular momentum in the body's principal axes and moments I₁, I₂, I₃, the energy is split as
//!
//! ```text
//! H = |l|²/2Iᵢ + αⱼ lⱼ²/2 + αₖ lₖ²/2,   α = 1/I − 1/Iᵢ
//! ```
//!
//! The flow of the first part turns the body about its constant angular momentum and commutes with the others. The
//! flows of the other two parts turn it about one principal axis each. All three are exact and conserve the world
//! angular momentum. A body with two equal moments (choose i and j so that αⱼ = 0) is exact as it stands. For the
//! others the flows are composed as `φⱼ(½)φₖ(1)φⱼ(½)` with the symmetric coefficients of order 6 (Kahan and Li 1997)
//! and 8 (Suzuki and Umeno 1993), both as printed in Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3.2.
//! (Touma and Wisdom 1994 have the splitting.) The step is cut into pieces so short that the error of each is
//! round-off. A top is right to 1e-6° after 10 s, at any spin that steps of 1/60 s can resolve.

use crate::body::Inertial;
use glamx::{DQuat, DVec3};
use signorini_problem::math;

/// Coefficients of a symmetric composition: the first half and the middle.
struct Composition {
    /// Largest angle of one piece about either axis [rad].
    max_angle: f64,
    half: &'static [f64],
    middle: f64,
}

/// Angles θⱼ and θₖ of one `φⱼ(½)φₖ(1)φⱼ(½)` with θⱼθₖ(θⱼ + θₖ) below this have an error below round-off [rad³].
const NEGLIGIBLE: f64 = 1e-15;

/// From the cheapest to the most accurate.
const COMPOSITIONS: [Composition; 3] = [
    Composition { max_angle: 0.0, half: &[], middle: 1.0 },
    Composition {
        max_angle: 0.02,
        half: &[0.392_161_444_007_314_1, 0.332_599_136_789_359_4, -0.706_246_172_557_639_4, 0.082_213_596_293_550_8],
        middle: 0.798_543_990_934_83,
    },
    Composition {
        max_angle: 0.1,
        half: &[
            0.741_670_364_350_613,
            -0.409_100_825_800_031_6,
            0.190_754_710_296_238_4,
            -0.573_862_471_116_082_3,
            0.299_064_181_303_655_9,
            0.334_624_918_245_298_2,
            0.315_293_092_396_766_6,
        ],
        middle: -0.796_887_939_352_916_4,
    },
];

/// Limit on pieces. Beyond four turns of precession in one step the orientation is noise; energy and momentum are still
/// conserved.
const MAX_PIECES: f64 = 256.0;
/// Relative change of the energy above which the pieces were too long and the energy is restored \[1\].
const ENERGY_DRIFT: f64 = 1e-10;

/// Angular velocity after `h`, and the rotation of the body, both in the body's axes.
pub(crate) fn free_rotation(mass: &Inertial, angular_velocity: DVec3, h: f64) -> (DVec3, DQuat) {
    if mass.isotropic {
        return (angular_velocity, DQuat::from_scaled_axis(h * angular_velocity));
    }
    let (axes, moments) = (&mass.axes, mass.moments);
    let start = axes.transpose() * (mass.inertia * angular_velocity);
    let inverse = moments.recip();
    let (i, j, k) = order(inverse);
    let (weak, strong) = (inverse[j] - inverse[i], inverse[k] - inverse[i]);
    let size = start.length();
    // αⱼlⱼ² + αₖlₖ² is constant, which bounds the spin about a slender axis at every time.
    let parts = weak * start[j] * start[j] + strong * start[k] * start[k];
    let along = ((parts.abs() + weak.abs() * size * size) / strong.abs()).sqrt().min(size);
    let (first, second) = (h.abs() * weak.abs() * size, h.abs() * strong.abs() * along);
    let (composition, pieces) = if first * second * (first + second) <= NEGLIGIBLE {
        (&COMPOSITIONS[0], 1.0)
    } else {
        let longest = first.max(second);
        let composition = COMPOSITIONS.iter().find(|c| longest <= c.max_angle).unwrap_or(&COMPOSITIONS[2]);
        (composition, (longest / composition.max_angle).ceil().clamp(1.0, MAX_PIECES))
    };
    let step = h / pieces;
    let mut turned = Turned { momentum: start, rotation: DQuat::IDENTITY };
    let mut pending = 0.0;
    for _ in 0..pieces as usize {
        let forth = composition.half.iter();
        for part in forth.clone().chain([&composition.middle]).chain(forth.rev()) {
            let time = part * step;
            turned.about(j, (pending + 0.5 * time) * weak);
            turned.about(k, time * strong);
            pending = 0.5 * time;
        }
    }
    turned.about(j, pending * weak);
    let mut momentum = turned.momentum;
    restore_energy(start, inverse, &mut momentum);
    let whole = DQuat::from_scaled_axis(h * inverse[i] * start) * turned.rotation;
    let to_body = DQuat::from_mat3(axes);
    let rotation = (to_body * whole * to_body.inverse()).normalize();
    (*axes * (momentum * inverse), rotation)
}

/// Angular momentum in principal axes, and the rotation so far.
struct Turned {
    momentum: DVec3,
    rotation: DQuat,
}

impl Turned {
    /// Turns about a principal axis by the angle α l t, with `weight` = αt.
    fn about(&mut self, axis: usize, weight: f64) {
        let angle = weight * self.momentum[axis];
        if angle == 0.0 {
            return;
        }
        let (sin, cos) = math::sin_cos(0.5 * angle);
        let mut turn = DQuat::from_xyzw(0.0, 0.0, 0.0, cos);
        match axis {
            0 => turn.x = sin,
            1 => turn.y = sin,
            _ => turn.z = sin,
        }
        self.rotation *= turn;
        let (p, q) = ((axis + 1) % 3, (axis + 2) % 3);
        let (s, c) = (2.0 * sin * cos, (cos - sin) * (cos + sin));
        let (a, b) = (self.momentum[p], self.momentum[q]);
        self.momentum[p] = c * a + s * b;
        self.momentum[q] = c * b - s * a;
    }
}

/// The order i, j, k of the axes with the least |1/Iⱼ − 1/Iᵢ|.
fn order(inverse: DVec3) -> (usize, usize, usize) {
    let difference = |a: usize, b: usize| (inverse[a] - inverse[b]).abs();
    let choices = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
    let mut best = choices[0];
    for choice in choices {
        if difference(choice.0, choice.1) < difference(best.0, best.1) {
            best = choice;
        }
    }
    best
}

/// Projects the momentum back onto the sphere |l| and the energy ellipsoid, for spins too fast to be resolved. The
/// components along the axes of least and greatest moment are solved for; the third is kept.
fn restore_energy(start: DVec3, inverse: DVec3, momentum: &mut DVec3) {
    let energy = |l: DVec3| (l * l).dot(inverse);
    let before = energy(start);
    if (energy(*momentum) - before).abs() <= ENERGY_DRIFT * before {
        return;
    }
    let by_size = |a: &usize, b: &usize| inverse[*a].total_cmp(&inverse[*b]);
    let mut axes = [0, 1, 2];
    axes.sort_by(by_size);
    let [low, mid, high] = axes;
    let square = start.length_squared();
    // l_mid² is kept within what the two equations allow.
    let span = inverse[high] - inverse[low];
    let most = ((inverse[high] * square - before) / (inverse[high] - inverse[mid]))
        .min((before - inverse[low] * square) / (inverse[mid] - inverse[low]));
    let kept = (momentum[mid] * momentum[mid]).min(if most.is_nan() { f64::INFINITY } else { most.max(0.0) });
    let (rest, left) = (square - kept, before - inverse[mid] * kept);
    let put = |value: f64, old: f64| value.max(0.0).sqrt().copysign(old);
    momentum[high] = put((left - inverse[low] * rest) / span, momentum[high]);
    momentum[low] = put((inverse[high] * rest - left) / span, momentum[low]);
    momentum[mid] = put(kept, momentum[mid]);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use glamx::DMat3;

    /// A body of 1 kg with these moments about its own axes.
    pub(crate) fn body(moments: DVec3) -> Inertial {
        Inertial {
            mass: 1.0,
            inverse_mass: 1.0,
            centre: DVec3::ZERO,
            inertia: DMat3::from_diagonal(moments),
            inverse_inertia: DMat3::from_diagonal(moments.recip()),
            axes: DMat3::IDENTITY,
            moments,
            isotropic: false,
        }
    }

    /// Ten seconds at 60 Hz against steps of a sixtieth of that: both are the same motion.
    #[test]
    fn a_free_top_is_right_to_a_millionth_of_a_degree_after_ten_seconds() {
        for (moments, angular_velocity) in [
            (DVec3::new(1.0, 2.0, 2.5), DVec3::new(0.3, 5.0, 0.2)),
            (DVec3::new(0.4, 0.9, 1.2), DVec3::new(3.0, 6.0, 1.0)),
            (DVec3::new(1e-3, 1.0, 1.0005), DVec3::new(40.0, 1.0, 2.0)),
        ] {
            let top = body(moments);
            let run = |steps: usize| {
                let (mut w, mut q) = (angular_velocity, DQuat::IDENTITY);
                for _ in 0..steps {
                    let (next, turn) = free_rotation(&top, w, 10.0 / steps as f64);
                    w = next;
                    q = (q * turn).normalize();
                }
                (w, q)
            };
            let ((w, q), (exact_w, exact_q)) = (run(600), run(36_000));
            let angle = 2.0 * math::acos((q.inverse() * exact_q).w.abs().min(1.0));
            let sine = 2.0 * (q.inverse() * exact_q).to_array()[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!(angle.min(sine).to_degrees() <= 1e-6, "{:e}°", angle.min(sine).to_degrees());
            assert!((w - exact_w).length() <= 1e-8 * angular_velocity.length());
            let energy = |w: DVec3| 0.5 * (w * w).dot(moments);
            assert!(
                (energy(w) / energy(angular_velocity) - 1.0).abs() <= 1e-12,
                "{:e}",
                energy(w) / energy(angular_velocity) - 1.0
            );
        }
    }

    #[test]
    fn spins_too_fast_to_resolve_keep_energy_and_momentum() {
        let moments = DVec3::new(1.0, 2.0, 2.5);
        let (top, angular_velocity) = (body(moments), DVec3::new(3e6, 5e7, 2e6));
        let (after, turn) = free_rotation(&top, angular_velocity, 1.0 / 60.0);
        let energy = |w: DVec3| 0.5 * (w * w).dot(moments);
        assert!((energy(after) / energy(angular_velocity) - 1.0).abs() <= 1e-9);
        assert!(((after * moments).length() / (angular_velocity * moments).length() - 1.0).abs() <= 1e-9);
        assert!((turn.length() - 1.0).abs() <= 1e-12);
    }
}
