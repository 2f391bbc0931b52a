//! The judge: given a problem and an impulse, how wrong is it, in units a person can read.
//!
//! `u = W r + q` is recomputed from scratch. Per block, with `w = tr(W_cc)/rows` [1/kg] and `û = u + μ‖u_T‖ n`, the
//! natural map in velocity units is
//!
//! ```text
//! F_c = w r_c − P(w r_c − û_c)   [m/s]
//! ```
//!
//! where P projects onto the set the impulse may lie in (scaled by w). It vanishes exactly at solutions. The projections
//! here are written for the judge alone; a test of the solvers crate compares them with those that solvers use.
//!
//! Departure from the literature: FCLIB and Siconos use `r − P(r − û)`, which subtracts m/s from N·s and so depends on
//! the units; it is reported as [`Certificate::fclib_error`] for comparison.

use crate::{ContactProblem, Law, ProblemError};
use serde::{Deserialize, Serialize};

/// Relative distance to the cone's surface below which a contact counts as being on it.
const ON_CONE: f64 = 1e-6;
/// A residual below this multiple of the round-off of one evaluation of u cannot be told from zero.
const FLOOR_FACTOR: f64 = 3.0;

/// How far `r` is from solving the problem. Zero everywhere means solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Largest natural map of any block [m/s]: the headline.
    pub natural: f64,
    /// The block that has it.
    pub worst_block: Option<usize>,
    /// 2-norm of the natural map over ‖q‖ [1].
    pub natural_rel: f64,
    /// `‖r − P(r − û)‖ / max(‖q‖, ‖r‖, ‖u‖)` [mixed]: the error of FCLIB and Siconos.
    pub fclib_error: f64,
    /// Largest approach speed left, max(0, −u_N) [m/s].
    pub penetration_rate: f64,
    /// Largest speed of a joint row [m/s].
    pub joint_rate: f64,
    /// Largest adhesive impulse, max(0, −r_N) [N·s].
    pub pull: f64,
    /// Largest distance outside a cone or interval [N·s].
    pub outside_cone: f64,
    /// Largest |r_N u_N| [J].
    pub signorini: f64,
    /// Largest |μ r_N ‖u_T‖ + r_T·u_T| [J]: zero iff friction dissipates as much as it may.
    pub dissipation_defect: f64,
    /// Largest min(‖u_T‖, w (μ r_N − ‖r_T‖)) [m/s]: the slip speed of contacts strictly inside their cone. The second
    /// term keeps contacts that carry no load from counting.
    pub creep: f64,
    /// Round-off of one evaluation of u, 2⁻⁵³ max(|W||r| + |q|) [m/s].
    pub floor: f64,
    /// The same in the 2-norm over ‖q‖ [1].
    pub floor_rel: f64,
    /// Largest |q| [m/s]: the scale of the problem.
    pub speed: f64,
    /// Blocks by state.
    pub counts: Counts,
}

/// How many blocks are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Contacts that carry no impulse.
    pub open: usize,
    /// Contacts on the surface of their cone; every closed frictionless contact.
    pub slip: usize,
    /// Contacts strictly inside their cone.
    pub stick: usize,
    /// Joints.
    pub joint: usize,
    /// Intervals strictly inside their bounds.
    pub free: usize,
    /// Intervals at a bound.
    pub bound: usize,
}

/// Which residual a tolerance is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// `natural ≤ tolerance · max(1 m/s, |q|∞)`: what a simulation wants.
    #[default]
    Velocity,
    /// `natural_rel ≤ tolerance` and `fclib_error ≤ tolerance`: no unit at all, for problems from anywhere.
    Relative,
}

/// What counts as solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// The bound.
    pub value: f64,
    /// What it bounds.
    pub measure: Measure,
}

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance::velocity(1e-9)
    }
}

impl Tolerance {
    /// `natural ≤ value · max(1 m/s, |q|∞)`.
    pub fn velocity(value: f64) -> Self {
        Tolerance { value, measure: Measure::Velocity }
    }
    /// `natural_rel ≤ value` and `fclib_error ≤ value`.
    pub fn relative(value: f64) -> Self {
        Tolerance { value, measure: Measure::Relative }
    }
}

impl Certificate {
    /// Whether this certificate proves the answer to the tolerance. A tolerance below the round-off of one evaluation
    /// of u means that round-off: nothing smaller can be seen.
    pub fn meets(&self, tolerance: &Tolerance) -> bool {
        match tolerance.measure {
            Measure::Velocity => {
                self.natural <= f64::max(tolerance.value * self.speed.max(1.0), FLOOR_FACTOR * self.floor)
            }
            Measure::Relative => {
                let bound = f64::max(tolerance.value, FLOOR_FACTOR * self.floor_rel);
                self.natural_rel <= bound && self.fclib_error <= bound
            }
        }
    }

    /// The number the tolerance is compared with: [m/s] over max(1, |q|∞), or [1].
    pub fn measured(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Velocity => self.natural / self.speed.max(1.0),
            Measure::Relative => f64::max(self.natural_rel, self.fclib_error),
        }
    }
}

/// Grades `r`. Convenience over [`Certifier`]; allocates its scratch.
pub fn certify(problem: &ContactProblem, r: &[f64]) -> Result<Certificate, ProblemError> {
    Certifier::default().certify(problem, r)
}

/// The judge with its scratch, so that grading step after step allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Certifier {
    u: Vec<f64>,
    magnitude: Vec<f64>,
    bodies: Vec<f64>,
}

impl Certifier {
    /// Grades `r`; an error only if its length is not the problem's.
    pub fn certify(&mut self, problem: &ContactProblem, r: &[f64]) -> Result<Certificate, ProblemError> {
        if r.len() != problem.rows() {
            return Err(ProblemError::Size { what: "impulses", found: r.len(), expected: problem.rows() });
        }
        self.evaluate(problem, r);
        let mut sums = Sums::default();
        let mut certificate = Certificate {
            natural: 0.0,
            worst_block: None,
            natural_rel: 0.0,
            fclib_error: 0.0,
            penetration_rate: 0.0,
            joint_rate: 0.0,
            pull: 0.0,
            outside_cone: 0.0,
            signorini: 0.0,
            dissipation_defect: 0.0,
            creep: 0.0,
            floor: 0.0,
            floor_rel: 0.0,
            speed: problem.speed(),
            counts: Counts::default(),
        };
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let (r, u) = (&r[range.clone()], &self.u[range.clone()]);
            let w = problem.scales()[c];
            let (natural, unscaled) = match block.law {
                Law::Equality => certificate.equality(u),
                Law::NonNegative => certificate.non_negative(w, r[0], u[0]),
                Law::Interval { lo, hi } => certificate.interval(w, lo, hi, r[0], u[0]),
                Law::Coulomb { mu } => certificate.coulomb(w, mu, r, u),
            };
            let natural = finite_or_infinite(natural);
            if natural > certificate.natural {
                (certificate.natural, certificate.worst_block) = (natural, Some(c));
            }
            sums.natural += natural * natural;
            sums.unscaled += finite_or_infinite(unscaled).powi(2);
            for (i, row) in range.enumerate() {
                let q = problem.q()[row];
                let round_off = self.magnitude[row] * (f64::EPSILON / 2.0);
                certificate.floor = worst(certificate.floor, round_off);
                sums.floor += round_off * round_off;
                sums.q += q * q;
                sums.r += r[i] * r[i];
                sums.u += u[i] * u[i];
            }
        }
        let q = sums.q.sqrt();
        let over_q = |x: f64| if q > 0.0 { x / q } else { x };
        certificate.natural_rel = over_q(sums.natural.sqrt());
        certificate.floor_rel = over_q(sums.floor.sqrt());
        let scale = q.max(sums.r.sqrt()).max(sums.u.sqrt());
        certificate.fclib_error = if sums.unscaled == 0.0 { 0.0 } else { sums.unscaled.sqrt() / scale };
        Ok(certificate)
    }

    /// u = W r + q and the magnitude |W||r| + |q| of the terms summed.
    fn evaluate(&mut self, problem: &ContactProblem, r: &[f64]) {
        self.u.resize(problem.rows(), 0.0);
        self.magnitude.resize(problem.rows(), 0.0);
        problem.delassus().apply(problem.offsets(), r, &mut self.u, &mut self.bodies);
        problem.delassus().apply_abs(problem.offsets(), r, &mut self.magnitude, &mut self.bodies);
        for (i, q) in problem.q().iter().enumerate() {
            self.u[i] += q;
            self.magnitude[i] += q.abs();
        }
    }

    /// Velocity `u = W r + q` [m/s] of the impulse graded last.
    pub fn velocity(&self) -> &[f64] {
        &self.u
    }
}

#[derive(Default)]
struct Sums {
    natural: f64,
    unscaled: f64,
    floor: f64,
    q: f64,
    r: f64,
    u: f64,
}

/// NaN must not slip through a comparison: a block that cannot be evaluated is infinitely wrong.
fn finite_or_infinite(x: f64) -> f64 {
    if x.is_finite() { x } else { f64::INFINITY }
}

/// The larger of two magnitudes, where NaN is the largest.
fn worst(a: f64, b: f64) -> f64 {
    f64::max(a, finite_or_infinite(b.abs()))
}

/// Laws. Each returns its natural map with ρ = 1/w [m/s] and with ρ = 1 [mixed units].
impl Certificate {
    fn equality(&mut self, u: &[f64]) -> (f64, f64) {
        self.counts.joint += 1;
        let norm = u.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.joint_rate = worst(self.joint_rate, norm);
        (norm, norm)
    }

    fn non_negative(&mut self, w: f64, r: f64, u: f64) -> (f64, f64) {
        if is_open(w, r, u) {
            self.counts.open += 1;
        } else {
            self.counts.slip += 1;
        }
        self.unilateral(r, u);
        (f64::min(w * r, u).abs(), f64::min(r, u).abs())
    }

    fn unilateral(&mut self, r_n: f64, u_n: f64) {
        self.penetration_rate = worst(self.penetration_rate, f64::min(u_n, 0.0));
        self.pull = worst(self.pull, f64::min(r_n, 0.0));
        self.signorini = worst(self.signorini, r_n * u_n);
    }

    fn interval(&mut self, w: f64, lo: f64, hi: f64, r: f64, u: f64) -> (f64, f64) {
        if r <= lo || r >= hi {
            self.counts.bound += 1;
        } else {
            self.counts.free += 1;
        }
        self.outside_cone = worst(self.outside_cone, f64::max(f64::max(lo - r, r - hi), 0.0));
        // An infinite bound stays infinite, also for a block without inertia (w = 0).
        let scaled = |bound: f64, w: f64| if bound.is_infinite() { bound } else { w * bound };
        let map = |w: f64| {
            let (lo, hi) = (scaled(lo, w), scaled(hi, w));
            let z = w * r - u;
            let projected = if z < lo {
                lo
            } else if z > hi {
                hi
            } else {
                z
            };
            (w * r - projected).abs()
        };
        (map(w), map(1.0))
    }

    fn coulomb(&mut self, w: f64, mu: f64, r: &[f64], u: &[f64]) -> (f64, f64) {
        let (r_n, u_n) = (r[0], u[0]);
        let (r_t, u_t) = (tangent(r), tangent(u));
        let (friction, slip) = (length(r_t), length(u_t));
        let slack = mu * r_n - friction;
        if is_open(w, r_n, u_n) {
            self.counts.open += 1;
        } else if slack > ON_CONE * mu * r_n {
            self.counts.stick += 1;
            self.creep = worst(self.creep, f64::min(slip, w * slack));
        } else {
            self.counts.slip += 1;
        }
        self.unilateral(r_n, u_n);
        self.outside_cone = worst(self.outside_cone, f64::min(slack, 0.0));
        self.dissipation_defect = worst(self.dissipation_defect, mu * r_n * slip + r_t[0] * u_t[0] + r_t[1] * u_t[1]);
        // The cone is a cone: scaling the impulse by ρ⁻¹ = w scales its projection.
        let map = |w: f64| {
            let z_n = w * r_n - u_n - mu * slip;
            let z_t = [w * r_t[0] - u_t[0], w * r_t[1] - u_t[1]];
            let (p_n, p_t) = nearest_in_cone(mu, z_n, z_t);
            let f = [w * r_n - p_n, w * r_t[0] - p_t[0], w * r_t[1] - p_t[1]];
            (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]).sqrt()
        };
        (map(w), map(1.0))
    }
}

/// Of the two complementary sides the larger decides, so that an impulse of round-off size does not close a contact.
fn is_open(w: f64, r_n: f64, u_n: f64) -> bool {
    w * r_n <= u_n || r_n <= 0.0
}

/// Tangential part, with a zero second component in planar problems.
fn tangent(x: &[f64]) -> [f64; 2] {
    [x[1], if x.len() > 2 { x[2] } else { 0.0 }]
}

fn length(t: [f64; 2]) -> f64 {
    // hypot is correctly rounded nowhere and slow everywhere; the squares cannot overflow for any velocity below 1e150.
    (t[0] * t[0] + t[1] * t[1]).sqrt()
}

/// The point of {z_N ≥ 0, ‖z_T‖ ≤ μ z_N} nearest to z.
fn nearest_in_cone(mu: f64, z_n: f64, z_t: [f64; 2]) -> (f64, [f64; 2]) {
    let t = length(z_t);
    if t <= mu * z_n {
        return (z_n, z_t);
    }
    if mu * t <= -z_n {
        return (0.0, [0.0, 0.0]);
    }
    // On the surface: the foot of the perpendicular on the generator (1, μ) in the half-plane spanned by n and z_T.
    let n = (z_n + mu * t) / (1.0 + mu * mu);
    let k = mu * n / t;
    (n, [k * z_t[0], k * z_t[1]])
}
