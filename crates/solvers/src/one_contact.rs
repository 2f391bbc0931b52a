//! The exact solve of one Coulomb contact: open, stick or slip, in closed form up to one scalar root.
//!
//! Given `u = K r + q` with K symmetric positive semidefinite 3×3 and friction μ, find `r` with `K_μ ∋ r ⊥ û ∈ K_μ*`.
//!
//! * **Open.** `q_N ≥ 0`: `r = 0`.
//! * **Stick.** `r = −K⁻¹ q`, if it lies in the cone.
//! * **Slip.** `u_N = 0` and `u_T = −σ r_T` with a viscosity `σ > 0` [1/kg] chosen so that `‖r_T‖ = μ r_N`:
//!
//! ```text
//! (K + σ diag(0,1,1)) r = −q
//! ```
//!
//! `σ = 0` is stick and `σ = ∞` is frictionless, so the whole law is one path in σ. Eliminating the normal leaves
//! `S = K_TT − k kᵀ/K_NN` with `k = K_TN`, whose principal values `s₁ ≥ s₂ ≥ 0` are found once per contact. With
//! `p = q_T − k q_N/K_NN` in the principal axes and `α = −q_N/K_NN > 0`,
//!
//! ```text
//! r_T = −N/Δ,   N = (p₁(s₂+σ), p₂(s₁+σ)),   Δ = (s₁+σ)(s₂+σ),   r_N = α + κ·N/Δ,   κ = k/K_NN
//! G(σ) = μ(αΔ + κ·N) − ‖N‖ = 0
//! ```
//!
//! G is a convex quadratic minus a convex function. Replacing ‖N‖ by its tangent gives a quadratic above G whose root
//! lies left of every root of G: the iteration from σ = 0 rises monotonically to the **smallest** root, quadratically,
//! without a bracket and in one step when S is isotropic. Only + − × ÷ √ are used.
//!
//! The same quadratic taken at any σ lands left of some root or nowhere, so a sweep begins at the viscosity its current
//! impulse shows and needs one or two steps.
//!
//! # Which root
//!
//! G may have up to three positive roots (strong coupling of normal and tangent). `r(σ)` minimises
//! `½rᵀKr + qᵀr + ½σ‖r_T‖²`, so the kinetic energy left behind grows with σ: the smallest root dissipates most, and it
//! is the one that joins stick continuously. [`OneContact::solve`] returns it. [`OneContact::advance`] from an impulse
//! that slips already stays on that branch: a sweep that jumped between branches would not settle.
//!
//! # Jamming
//!
//! If K is regular a solution exists: G(0) < 0 when stick lies outside the cone, and G → +∞. If K is singular and
//! `K_NN − μ k·d ≤ 0` for the direction d that stick would need (Painlevé's case), no impulse stops the approach.
//! This is reported as [`LocalOutcome::Jammed`] and answered by the stick limit: friction acts only in the directions
//! in which the contact can move, the normal is solved with it.
//!
//! # Sources and departures
//!
//! The quartic in the same unknown: Bonnefon and Daviet 2011; angle bisection: Hwangbo et al. 2018; viscosity: our own
//! arrangement, which has no poles and orders the roots by energy. The normal impulse of a rejected stick solution is
//! never kept: doing so launches sliding bodies.
//!
//! Cost: 5–15 ns open or stick, 70–130 ns slip (`cargo bench --workspace --bench sweeps`).

use crate::cone::{self, Mat3, Vec3};
use signorini_problem::{Block, ContactProblem, Law};

/// Principal value of S, relative to the trace of K, below which the contact cannot move in that direction: S is a
/// difference of numbers of the size of K and carries that much round-off.
const IMMOBILE: f64 = 1e-14;
/// Velocity in an immobile direction, relative to the velocities it is computed from, that counts as none.
const NO_MOTION: f64 = 1e-12;
/// Step of the viscosity, relative, after which quadratic convergence leaves nothing to gain.
const LAST_STEP: f64 = 1e-9;
/// The same if the search starts at the viscosity of the current impulse: the remaining error is the square of this,
/// and vanishes as the sweeps converge.
const LAST_STEP_OF_SWEEP: f64 = 1e-4;
/// Steps of the root search. Three to six are usual; a double root halves the error at each.
const MAX_STEPS: usize = 80;

/// Rounds of refinement of a single contact; one is usual.
const MAX_ROUNDS: usize = 60;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalOutcome {
    /// It carries no impulse.
    Open,
    /// It carries an impulse inside the cone and does not slip.
    Stick,
    /// It slips with the impulse on the surface of the cone.
    Slip,
    /// No impulse solves the contact; the one returned stops it as far as the stick limit can.
    Jammed,
}

/// One contact, prepared: K in the form that makes a solve cheap. Impulse units throughout (velocities over K_NN).
#[derive(Clone, Copy, Debug)]
pub struct OneContact {
    /// 1/K_NN \[kg\]; 0 if the contact cannot move along its normal.
    normal_mass: f64,
    /// κ = k/K_NN in principal axes \[1\].
    kappa: [f64; 2],
    /// s/K_NN \[1\], descending, never below the round-off of S.
    mobility: [f64; 2],
    /// 1/mobility, or 0 in an immobile direction.
    inverse: [f64; 2],
    /// First principal axis of S in (t1, t2).
    axis: [f64; 2],
}

impl OneContact {
    /// From `K = W_cc` of a contact in space. Of an asymmetric K the symmetric part is used; then
    /// [`OneContact::advance`] repeated converges to the solution for K itself.
    pub fn new(k: &Mat3) -> Self {
        let normal = [0.5 * (k[0][1] + k[1][0]), 0.5 * (k[0][2] + k[2][0])];
        let cross = 0.5 * (k[1][2] + k[2][1]);
        OneContact::from_symmetric(k[0][0], normal, [k[1][1], cross, k[2][2]])
    }

    /// From `K = W_cc` of a planar contact `(n, t)`: solved in space with a second tangent along
    /// which nothing moves, so that both its velocity and its impulse stay zero.
    pub fn planar(k: &[[f64; 2]; 2]) -> Self {
        OneContact::from_symmetric(k[0][0], [0.5 * (k[0][1] + k[1][0]), 0.0], [k[1][1], 0.0, k[1][1]])
    }

    fn from_symmetric(k_nn: f64, k: [f64; 2], tt: [f64; 3]) -> Self {
        if k_nn <= 0.0 {
            return OneContact {
                normal_mass: 0.0,
                kappa: [0.0; 2],
                mobility: [1.0; 2],
                inverse: [0.0; 2],
                axis: [1.0, 0.0],
            };
        }
        let mass = 1.0 / k_nn;
        let kappa = [k[0] * mass, k[1] * mass];
        let a = tt[0] * mass - kappa[0] * kappa[0];
        let b = tt[1] * mass - kappa[0] * kappa[1];
        let d = tt[2] * mass - kappa[1] * kappa[1];
        let half = 0.5 * (a - d);
        let radius = (half * half + b * b).sqrt();
        let first = 0.5 * (a + d) + radius;
        // The product of the two is the determinant: no cancellation beyond that of S itself.
        let second = if first > 0.0 { (a * d - b * b) / first } else { 0.0 };
        let axis = if radius == 0.0 {
            [1.0, 0.0]
        } else {
            let along = if half >= 0.0 { [half + radius, b] } else { [b, radius - half] };
            let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
            [along[0] / length, along[1] / length]
        };
        let immobile = IMMOBILE * (1.0 + (tt[0] + tt[2]) * mass);
        let inverse = |s: f64| if s > immobile { 1.0 / s } else { 0.0 };
        OneContact {
            normal_mass: mass,
            kappa: [kappa[0] * axis[0] + kappa[1] * axis[1], kappa[1] * axis[0] - kappa[0] * axis[1]],
            mobility: [first.max(immobile), second.max(immobile)],
            inverse: [inverse(first), inverse(second)],
            axis,
        }
    }

    /// The impulse that solves `u = K r + q`.
    pub fn solve(&self, mu: f64, q: &Vec3) -> (Vec3, LocalOutcome) {
        self.advance(mu, q, &[0.0; 3])
    }

    /// The same stated from a current impulse `r` and the velocity `u` it gives: `q = u − K r`. Near a solution this
    /// form loses nothing to cancellation, and its fixed points solve the contact whatever K was prepared with.
    #[inline]
    pub fn advance(&self, mu: f64, u: &Vec3, r: &Vec3) -> (Vec3, LocalOutcome) {
        let [c, s] = self.axis;
        let u_n = u[0] * self.normal_mass;
        let r_t = [c * r[1] + s * r[2], c * r[2] - s * r[1]];
        // α, the normal impulse without friction.
        let alpha = r[0] + self.kappa[0] * r_t[0] + self.kappa[1] * r_t[1] - u_n;
        if alpha <= 0.0 || alpha.is_nan() {
            let blocked = self.normal_mass == 0.0 && u[0] < 0.0;
            return ([0.0; 3], if blocked { LocalOutcome::Jammed } else { LocalOutcome::Open });
        }
        if mu == 0.0 {
            return ([alpha, 0.0, 0.0], LocalOutcome::Slip);
        }
        let u_t = [(c * u[1] + s * u[2]) * self.normal_mass, (c * u[2] - s * u[1]) * self.normal_mass];
        // Velocity left when the normal has been stopped.
        let mut left = [u_t[0] - self.kappa[0] * u_n, u_t[1] - self.kappa[1] * u_n];
        let mut can_stick = true;
        for i in 0..2 {
            if self.inverse[i] == 0.0 {
                let terms = u_t[i].abs() + (self.kappa[i] * u_n).abs() + alpha;
                if left[i].abs() <= NO_MOTION * terms {
                    left[i] = 0.0;
                } else {
                    can_stick = false;
                }
            }
        }
        let stick = [r_t[0] - left[0] * self.inverse[0], r_t[1] - left[1] * self.inverse[1]];
        let normal = alpha - self.kappa[0] * stick[0] - self.kappa[1] * stick[1];
        let bound = mu * normal;
        if can_stick && bound >= 0.0 && stick[0] * stick[0] + stick[1] * stick[1] <= bound * bound {
            return (self.in_contact_frame(normal, stick), LocalOutcome::Stick);
        }
        self.leave_stick(mu, alpha, left, r_t, can_stick)
    }

    /// Slip, or the stick limit if the contact is jammed.
    fn leave_stick(&self, mu: f64, alpha: f64, left: [f64; 2], r_t: [f64; 2], can_stick: bool) -> (Vec3, LocalOutcome) {
        let s = self.mobility;
        let p: [f64; 2] =
            std::array::from_fn(|i| if self.inverse[i] > 0.0 { left[i] - s[i] * r_t[i] } else { left[i] });
        if can_stick || self.slip_excess(mu, alpha, p) < 0.0 {
            // u_T = −σ r_T at the current impulse: in a sweep that has begun to settle, nearly the root.
            let held = r_t[0] * r_t[0] + r_t[1] * r_t[1];
            let sigma = if held > 0.0 { -(left[0] * r_t[0] + left[1] * r_t[1]) / held } else { 0.0 };
            let (normal, tangent) = self.slip(mu, alpha, p, if sigma.is_finite() { sigma.max(0.0) } else { 0.0 });
            return (self.in_contact_frame(normal, tangent), LocalOutcome::Slip);
        }
        let p: [f64; 2] = std::array::from_fn(|i| if self.inverse[i] > 0.0 { p[i] } else { 0.0 });
        let (normal, tangent) = if self.slip_excess(mu, alpha, p) >= 0.0 {
            let stick = [-p[0] * self.inverse[0], -p[1] * self.inverse[1]];
            (alpha - self.kappa[0] * stick[0] - self.kappa[1] * stick[1], stick)
        } else {
            self.slip(mu, alpha, p, 0.0)
        };
        (self.in_contact_frame(normal, tangent), LocalOutcome::Jammed)
    }

    /// G(0): negative when stick lies outside the cone.
    fn slip_excess(&self, mu: f64, alpha: f64, p: [f64; 2]) -> f64 {
        let [s1, s2] = self.mobility;
        let n = [p[0] * s2, p[1] * s1];
        mu * (alpha * s1 * s2 + self.kappa[0] * n[0] + self.kappa[1] * n[1]) - (n[0] * n[0] + n[1] * n[1]).sqrt()
    }

    /// A root of G, as (r_N, r_T) in principal axes: the smallest if `sigma = 0`, else one near `sigma`.
    fn slip(&self, mu: f64, alpha: f64, p: [f64; 2], mut sigma: f64) -> (f64, [f64; 2]) {
        let [s1, s2] = self.mobility;
        let [k1, k2] = self.kappa;
        let size = (p[0] * p[0] + p[1] * p[1]).sqrt();
        // Friction too weak to change the direction of slip in 17 digits: σ = ∞ up to round-off, and σ² may overflow.
        if mu * alpha * s1 * 1e17 < size {
            let d = [p[0] / size, p[1] / size];
            let normal = alpha / (1.0 - mu * (k1 * d[0] + k2 * d[1]));
            return (normal, [-mu * normal * d[0], -mu * normal * d[1]]);
        }
        let curvature = mu * alpha;
        let last_step = if sigma > 0.0 { LAST_STEP_OF_SWEEP } else { LAST_STEP };
        let mut steps = 0;
        loop {
            let (a1, a2) = (s1 + sigma, s2 + sigma);
            let n = [p[0] * a2, p[1] * a1];
            let length = (n[0] * n[0] + n[1] * n[1]).sqrt();
            let determinant = a1 * a2;
            let g = mu * (alpha * determinant + k1 * n[0] + k2 * n[1]) - length;
            // Left of the root, where every step but the first lands, G ≥ 0 is round-off.
            let arrived = g.is_nan() || (g >= 0.0 && (steps > 0 || sigma == 0.0));
            if arrived || steps >= MAX_STEPS {
                return if mu <= 1.0 {
                    let normal = alpha + (k1 * n[0] + k2 * n[1]) / determinant;
                    let scale = -mu * normal / length;
                    (normal, [scale * n[0], scale * n[1]])
                } else {
                    // With much friction r_N is a small difference; the cone gives it without loss.
                    (length / (mu * determinant), [-n[0] / determinant, -n[1] / determinant])
                };
            }
            let slope = mu * (alpha * (a1 + a2) + k1 * p[0] + k2 * p[1]) - (n[0] * p[0] + n[1] * p[1]) / length;
            let root = (slope * slope - 4.0 * curvature * g).sqrt();
            let rise = if slope >= 0.0 { -2.0 * g / (slope + root) } else { (root - slope) / (2.0 * curvature) };
            if sigma + rise >= 0.0 {
                sigma += rise;
                steps = if rise.abs() <= last_step * (s2 + sigma) { MAX_STEPS } else { steps + 1 };
            } else {
                // From right of the root the quadratic may have no root, or one left of stick: begin there instead.
                sigma = 0.0;
                steps += 1;
            }
        }
    }

    #[inline]
    fn in_contact_frame(&self, normal: f64, tangent: [f64; 2]) -> Vec3 {
        let [c, s] = self.axis;
        [normal, c * tangent[0] - s * tangent[1], s * tangent[0] + c * tangent[1]]
    }
}

/// Solves a problem of a single contact outright, without sweeps or tolerances. `None` if the problem is anything else.
pub fn solve_problem(problem: &ContactProblem, impulses: &mut [f64]) -> Option<LocalOutcome> {
    let [Block { law: Law::Coulomb { mu }, rows }] = *problem.blocks() else { return None };
    let mut flat = [0.0; 9];
    problem.diagonal_block(0, &mut flat[..rows * rows]);
    let mut k: Mat3 = [[0.0; 3]; 3];
    let mut q: Vec3 = [0.0; 3];
    for i in 0..rows {
        k[i][..rows].copy_from_slice(&flat[i * rows..(i + 1) * rows]);
        q[i] = problem.q()[i];
    }
    let contact =
        if rows == 2 { OneContact::planar(&[[k[0][0], k[0][1]], [k[1][0], k[1][1]]]) } else { OneContact::new(&k) };
    let velocity = |r: &Vec3| -> Vec3 { std::array::from_fn(|i| (0..3).map(|j| k[i][j] * r[j]).sum::<f64>() + q[i]) };
    let error = |r: &Vec3, u: &Vec3| {
        let (f, _) = cone::natural_map(problem.scales()[0], mu, r, u);
        f[0] * f[0] + f[1] * f[1] + f[2] * f[2]
    };
    let (mut r, mut outcome) = contact.solve(mu, &q);
    let mut u = velocity(&r);
    // Each further round removes the round-off of an ill-conditioned K, or the part of it that is not symmetric. Where
    // impulses are so large that q drowns in them it would do harm: the better one stays.
    for _ in 0..MAX_ROUNDS {
        let (next, next_outcome) = contact.advance(mu, &u, &r);
        let next_u = velocity(&next);
        // Whether the contact opens is decided by q alone.
        let better = error(&next, &next_u) < error(&r, &u);
        if next_outcome == LocalOutcome::Open || !better {
            break;
        }
        (r, u, outcome) = (next, next_u, next_outcome);
    }
    impulses.copy_from_slice(&r[..rows]);
    Some(outcome)
}
