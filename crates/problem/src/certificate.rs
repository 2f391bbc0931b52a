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
//! # What could fool it, and what prevents that
//!
//! * *Rounding as an excuse.* A residual below the round-off of one evaluation of u cannot be told from zero, so a
//!   tolerance below it means it. But that round-off grows with r, and r can be made as large as one likes where it does
//!   not change u (a table with four legs). It therefore excuses at most 1e-8 of the problem's speed.
//! * *High friction.* A contact that slides on its cone shows its normal error divided by √(1 + μ²) in F: at μ = 10⁶ a
//!   body may approach at 1 mm/s for |F| = 10⁻⁹ m/s. So Signorini's condition is also measured by itself,
//!   `|min(w r_N, u_N)|`; it is never more than √(1 + μ²)|F|, and must meet twice the tolerance.
//! * *No scale.* With w = 0 the map would not see the impulse at all. Matrices that are not inverse masses may have a
//!   zero or tiny diagonal: there the largest entry of |W| takes the place of w.
//! * *NaN, overflow.* A block that cannot be evaluated is infinitely wrong, and no tolerance accepts infinity.
//!
//! Departure from the literature: FCLIB and Siconos use `r − P(r − û)`, which subtracts m/s from N·s and so depends on
//! the units; it is reported as [`Certificate::fclib_error`] for comparison.

use crate::{ContactProblem, Delassus, Law, ProblemError};
use serde::{Deserialize, Serialize};

/// Relative distance to the cone's surface below which a contact counts as being on it.
const ON_CONE: f64 = 1e-6;
/// A residual below this multiple of the round-off of one evaluation of u cannot be told from zero.
const FLOOR_FACTOR: f64 = 3.0;
/// Most that round-off excuses, relative to the speed of the problem: what a stack of mass ratio 10⁷ needs. Beyond
/// that the answer may be as good as arithmetic allows, but it is not proven.
const MOST_EXCUSED: f64 = 1e-8;
/// How much more than the natural map Signorini's condition by itself may be off. Implied by the natural map for
/// friction coefficients up to √3.
const NORMAL_FACTOR: f64 = 2.0;
/// An operator more asymmetric than this is no inverse mass with noise, but some matrix.
const INVERSE_MASS_ASYMMETRY: f64 = 1e-2;

/// How far `r` is from solving the problem. Zero everywhere means solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Largest natural map of any block [m/s]: the headline.
    pub natural: f64,
    /// The block that has it.
    pub worst_block: Option<usize>,
    /// 2-norm of the natural map over ‖q‖ \[1\].
    pub natural_rel: f64,
    /// Largest |min(w r_N, u_N)| of any contact [m/s]: Signorini's condition by itself, which the natural map shows
    /// divided by √(1 + μ²).
    pub normal: f64,
    /// 2-norm of the same over ‖q‖ \[1\].
    pub normal_rel: f64,
    /// `‖r − P(r − û)‖ / max(‖q‖, ‖r‖, ‖u‖)` \[mixed\]: the error of FCLIB and Siconos.
    pub fclib_error: f64,
    /// Largest approach speed left, max(0, −u_N) [m/s].
    pub penetration_rate: f64,
    /// Largest speed of a joint row [m/s].
    pub joint_rate: f64,
    /// Largest adhesive impulse, max(0, −r_N) [N·s].
    pub pull: f64,
    /// Largest distance outside a cone or interval [N·s].
    pub outside_cone: f64,
    /// Largest |r_N u_N| \[J\].
    pub signorini: f64,
    /// Largest |μ r_N ‖u_T‖ + r_T·u_T| \[J\]: zero iff friction dissipates as much as it may.
    pub dissipation_defect: f64,
    /// Largest min(‖u_T‖, w (μ r_N − ‖r_T‖)) [m/s]: the slip speed of contacts strictly inside their cone. The second
    /// term keeps contacts that carry no load from counting.
    pub creep: f64,
    /// Round-off of one evaluation of u, 2⁻⁵³ max(|W||r| + |q|) [m/s].
    pub floor: f64,
    /// The same in the 2-norm over ‖q‖ \[1\].
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
    /// of u means three times that round-off, as nothing smaller can be seen, but never more than 1e-8 of the problem's
    /// speed. [`Certificate::normal`] must meet twice the bound. An infinite residual meets no tolerance.
    pub fn meets(&self, tolerance: &Tolerance) -> bool {
        let floor = match tolerance.measure {
            Measure::Velocity => self.floor / self.speed.max(1.0),
            Measure::Relative => self.floor_rel,
        };
        let excused = f64::min(FLOOR_FACTOR * floor, MOST_EXCUSED);
        let measured = self.measured(tolerance.measure);
        measured.is_finite() && measured <= f64::max(tolerance.value, excused)
    }

    /// The number the tolerance is compared with: [m/s] over max(1, |q|∞), or \[1\].
    pub fn measured(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Velocity => f64::max(self.natural, self.normal / NORMAL_FACTOR) / self.speed.max(1.0),
            Measure::Relative => self.natural_rel.max(self.fclib_error).max(self.normal_rel / NORMAL_FACTOR),
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
    residuals: Vec<Residual>,
}

/// Sums of squares over all rows, and the largest magnitude.
#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    q: f64,
    r: f64,
    u: f64,
    magnitude: f64,
    largest_magnitude: f64,
}

/// What one block contributes to the norms.
#[derive(Clone, Copy, Debug, Default)]
struct Residual {
    /// Natural map with ρ = 1/w [m/s].
    natural: f64,
    /// Natural map with ρ = 1 \[mixed units\].
    unscaled: f64,
    /// |min(w r_N, u_N)| [m/s]; zero for joints and intervals.
    normal: f64,
}

impl Residual {
    /// NaN must not slip through a comparison.
    fn or_infinite(self) -> Self {
        Residual {
            natural: finite_or_infinite(self.natural),
            unscaled: finite_or_infinite(self.unscaled),
            normal: finite_or_infinite(self.normal),
        }
    }
}

impl Certifier {
    /// Grades `r`; an error only if its length is not the problem's.
    pub fn certify(&mut self, problem: &ContactProblem, r: &[f64]) -> Result<Certificate, ProblemError> {
        if r.len() != problem.rows() {
            return Err(ProblemError::Size { what: "impulses", found: r.len(), expected: problem.rows() });
        }
        let squares = self.evaluate(problem, r);
        let mut certificate = Certificate {
            natural: 0.0,
            worst_block: None,
            natural_rel: 0.0,
            normal: 0.0,
            normal_rel: 0.0,
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
        self.residuals.clear();
        let mut scales = Scales::of(problem);
        let (mut natural, mut normal, mut unscaled) = (0.0, 0.0, 0.0);
        for (c, block) in problem.blocks().iter().enumerate() {
            let range = problem.range(c);
            let residual = certificate.grade(&block.law, scales.block(c), &r[range.clone()], &self.u[range]);
            if residual.natural > certificate.natural {
                (certificate.natural, certificate.worst_block) = (residual.natural, Some(c));
            }
            certificate.normal = worst(certificate.normal, residual.normal);
            natural += residual.natural * residual.natural;
            normal += residual.normal * residual.normal;
            unscaled += residual.unscaled * residual.unscaled;
            self.residuals.push(residual);
        }
        let q = norm_of(squares.q, problem.q().iter().copied());
        let over_q = |x: f64| if q > 0.0 { x / q } else { x };
        certificate.natural_rel = over_q(norm_of(natural, self.residuals.iter().map(|x| x.natural)));
        certificate.normal_rel = over_q(norm_of(normal, self.residuals.iter().map(|x| x.normal)));
        let unit_round_off = f64::EPSILON / 2.0;
        certificate.floor = squares.largest_magnitude * unit_round_off;
        certificate.floor_rel = over_q(norm_of(squares.magnitude, self.magnitude.iter().copied()) * unit_round_off);
        let unscaled = norm_of(unscaled, self.residuals.iter().map(|x| x.unscaled));
        let scale = q.max(norm_of(squares.r, r.iter().copied())).max(norm_of(squares.u, self.u.iter().copied()));
        certificate.fclib_error = if unscaled == 0.0 || unscaled.is_infinite() { unscaled } else { unscaled / scale };
        Ok(certificate)
    }

    /// u = W r + q and the magnitude |W||r| + |q| of the terms summed, with their sums of squares in the same pass.
    fn evaluate(&mut self, problem: &ContactProblem, r: &[f64]) -> Squares {
        self.u.resize(problem.rows(), 0.0);
        self.magnitude.resize(problem.rows(), 0.0);
        let Certifier { u, magnitude, bodies, .. } = self;
        if !matches!(problem.delassus(), Delassus::Factored(_)) {
            bodies.clear();
        }
        problem.delassus().apply_with_magnitude(problem.offsets(), r, u, magnitude, bodies);
        let mut squares = Squares::default();
        for (((q, r), u), magnitude) in problem.q().iter().zip(r).zip(u).zip(magnitude) {
            *u += q;
            *magnitude += q.abs();
            squares.q += q * q;
            squares.r += r * r;
            squares.u += *u * *u;
            squares.magnitude += *magnitude * *magnitude;
            squares.largest_magnitude = worst(squares.largest_magnitude, *magnitude);
        }
        squares
    }

    /// `M⁻¹Jᵀr` of every body, linear then angular [m/s, rad/s], of the impulse graded last; of none if W is not over
    /// bodies.
    pub fn body_velocities(&self) -> impl ExactSizeIterator<Item = &[f64; 6]> {
        let (bodies, _) = self.bodies.as_chunks::<12>();
        // Velocity, then the magnitude of its terms.
        bodies.iter().map(|sums| &sums.as_chunks::<6>().0[0])
    }

    /// Velocity `u = W r + q` [m/s] of the impulse graded last.
    pub fn velocity(&self) -> &[f64] {
        &self.u
    }
}

/// `w_c` [1/kg] of every block, which turns an impulse into a velocity of the same size.
struct Scales<'a> {
    problem: &'a ContactProblem,
    /// Largest |W|, when it was needed.
    largest: Option<f64>,
}

impl<'a> Scales<'a> {
    fn of(problem: &'a ContactProblem) -> Self {
        Scales { problem, largest: None }
    }

    fn block(&mut self, c: usize) -> f64 {
        let w = self.problem.scales()[c];
        if w > 0.0 && self.problem.asymmetry() <= INVERSE_MASS_ASYMMETRY {
            return w;
        }
        *self.largest.get_or_insert_with(|| largest_entry(self.problem))
    }
}

/// Largest |W_ij|, or 1 if W is zero: any scale is as good as another then.
fn largest_entry(problem: &ContactProblem) -> f64 {
    let largest = |values: &[f64]| values.iter().fold(0.0, |m, x| f64::max(m, x.abs()));
    let entry = match problem.delassus() {
        Delassus::Dense(w) => largest(w.values()),
        Delassus::BlockSparse(w) => {
            (0..problem.blocks().len()).flat_map(|c| w.row(c)).fold(0.0, |m, (_, block)| f64::max(m, largest(block)))
        }
        // A positive semidefinite matrix has its largest entry on the diagonal.
        Delassus::Factored(_) => largest(problem.scales()),
    };
    if entry > 0.0 { entry } else { 1.0 }
}

/// NaN must not slip through a comparison: a block that cannot be evaluated is infinitely wrong.
fn finite_or_infinite(x: f64) -> f64 {
    if x.is_finite() { x } else { f64::INFINITY }
}

/// The larger of two magnitudes, where NaN is the largest.
fn worst(a: f64, b: f64) -> f64 {
    f64::max(a, finite_or_infinite(b.abs()))
}

/// min(x, 0), where NaN stays NaN.
fn negative_part(x: f64) -> f64 {
    if x > 0.0 { 0.0 } else { x }
}

/// 2-norm. Squares that overflow or vanish are summed again after scaling; NaN counts as infinite.
#[inline(always)]
fn norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    norm_of(values.clone().map(|x| x * x).sum(), values)
}

/// The same where the sum of squares is known.
#[inline(always)]
fn norm_of(sum: f64, values: impl Iterator<Item = f64> + Clone) -> f64 {
    if (1e-280..1e280).contains(&sum) {
        return sum.sqrt();
    }
    // What is at rest is often exactly so.
    if sum == 0.0 && values.clone().all(|x| x == 0.0) {
        return 0.0;
    }
    scaled_norm(values)
}

#[cold]
#[inline(never)]
fn scaled_norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(0.0, worst);
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    largest * values.map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt()
}

/// Laws. Each adds what a person wants to know of its block, and returns what the norms are made of.
impl Certificate {
    fn grade(&mut self, law: &Law, w: f64, r: &[f64], u: &[f64]) -> Residual {
        // A number times zero is zero unless it is not finite.
        let zero: f64 = r.iter().zip(u).map(|(r, u)| r * 0.0 + u * 0.0).sum();
        if zero != 0.0 {
            return self.beyond_evaluation(law);
        }
        match *law {
            Law::Equality => self.equality(u),
            Law::NonNegative => self.non_negative(w, r[0], u[0]),
            Law::Interval { lo, hi } => self.interval(w, lo, hi, r[0], u[0]),
            Law::Coulomb { mu } => self.coulomb(w, mu, r, u),
        }
        .or_infinite()
    }

    /// An impulse or velocity is NaN or infinite: everything that is measured of such a block is infinite.
    fn beyond_evaluation(&mut self, law: &Law) -> Residual {
        let infinite = f64::INFINITY;
        match law {
            Law::Equality => {
                self.counts.joint += 1;
                self.joint_rate = infinite;
            }
            Law::Interval { .. } => {
                self.counts.bound += 1;
                self.outside_cone = infinite;
            }
            Law::NonNegative | Law::Coulomb { .. } => {
                self.counts.slip += 1;
                (self.penetration_rate, self.pull, self.signorini) = (infinite, infinite, infinite);
                if matches!(law, Law::Coulomb { .. }) {
                    (self.outside_cone, self.dissipation_defect) = (infinite, infinite);
                }
            }
        }
        Residual { natural: infinite, unscaled: infinite, normal: infinite }
    }

    fn equality(&mut self, u: &[f64]) -> Residual {
        self.counts.joint += 1;
        let speed = norm(u.iter().copied());
        self.joint_rate = worst(self.joint_rate, speed);
        Residual { natural: speed, unscaled: speed, normal: 0.0 }
    }

    fn non_negative(&mut self, w: f64, r: f64, u: f64) -> Residual {
        if is_open(w, r, u) {
            self.counts.open += 1;
        } else {
            self.counts.slip += 1;
        }
        let natural = self.unilateral(w, r, u);
        Residual { natural, unscaled: f64::min(r, u).abs(), normal: natural }
    }

    /// Signorini's condition; returns |min(w r_N, u_N)| [m/s].
    fn unilateral(&mut self, w: f64, r_n: f64, u_n: f64) -> f64 {
        self.penetration_rate = worst(self.penetration_rate, negative_part(u_n));
        self.pull = worst(self.pull, negative_part(r_n));
        self.signorini = worst(self.signorini, r_n * u_n);
        f64::min(w * r_n, u_n).abs()
    }

    fn interval(&mut self, w: f64, lo: f64, hi: f64, r: f64, u: f64) -> Residual {
        if r <= lo || r >= hi {
            self.counts.bound += 1;
        } else {
            self.counts.free += 1;
        }
        self.outside_cone = worst(self.outside_cone, f64::max(f64::max(lo - r, r - hi), 0.0));
        let map = |w: f64| {
            let z = w * r - u;
            let projected = if z < w * lo {
                w * lo
            } else if z > w * hi {
                w * hi
            } else {
                z
            };
            (w * r - projected).abs()
        };
        Residual { natural: map(w), unscaled: map(1.0), normal: 0.0 }
    }

    fn coulomb(&mut self, w: f64, mu: f64, r: &[f64], u: &[f64]) -> Residual {
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
        let normal = self.unilateral(w, r_n, u_n);
        self.outside_cone = worst(self.outside_cone, negative_part(slack));
        self.dissipation_defect = worst(self.dissipation_defect, mu * r_n * slip + r_t[0] * u_t[0] + r_t[1] * u_t[1]);
        // The cone is a cone: scaling the impulse by ρ⁻¹ = w scales its projection.
        let motion = Motion::new(mu, [u_n, u_t[0], u_t[1]], slip);
        let map = |w: f64| natural_map(mu, [w * r_n, w * r_t[0], w * r_t[1]], &motion);
        let natural = map(w);
        // Without an impulse there is nothing to scale.
        let unscaled = if r_n == 0.0 && friction == 0.0 { natural } else { map(1.0) };
        Residual { natural, unscaled, normal }
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

#[inline]
fn length(t: [f64; 2]) -> f64 {
    norm(t.into_iter())
}

/// The velocity of a frictional contact.
struct Motion {
    /// [m/s].
    u: [f64; 3],
    /// ‖u_T‖ [m/s].
    slip: f64,
    /// ‖û‖ [m/s]: the natural map of a contact that sticks, whatever its scale.
    shifted: f64,
}

impl Motion {
    fn new(mu: f64, u: [f64; 3], slip: f64) -> Self {
        Motion { u, slip, shifted: norm([u[0] + mu * slip, u[1], u[2]].into_iter()) }
    }
}

/// `‖x − P(x − û)‖` with `û = u + μ‖u_T‖ n`, P the nearest point of {z_N ≥ 0, ‖z_T‖ ≤ μ z_N} and `slip` = ‖u_T‖.
///
/// With z = x − û, what decides between the apex and the surface is `z_N + μ‖z_T‖ = x_N − u_N + μ(‖z_T‖ − ‖u_T‖)`.
/// Written like that, the two large terms μ‖u_T‖ of a fast contact cancel before u_N is lost in them.
#[inline]
fn natural_map(mu: f64, x: [f64; 3], motion: &Motion) -> f64 {
    let Motion { u, slip, shifted } = *motion;
    let z_t = [x[1] - u[1], x[2] - u[2]];
    let z_n = x[0] - u[0] - mu * slip;
    let t = length(z_t);
    // With μ = 0 the comparison of t alone would take the polar cone {z_N < 0, z_T = 0} for the cone.
    if z_n >= 0.0 && t <= mu * z_n {
        return shifted;
    }
    let along = x[0] - u[0] + mu * (t - slip);
    if along <= 0.0 {
        return norm(x.into_iter());
    }
    // On the surface: the foot of the perpendicular on the generator (1, μ) in the half-plane spanned by n and z_T.
    let n = along / (1.0 + mu * mu);
    let k = mu * n / t;
    norm([x[0] - n, x[1] - k * z_t[0], x[2] - k * z_t[1]].into_iter())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Block, FactoredDelassus, Symmetry};

    #[test]
    fn grading_again_allocates_nothing() {
        let mut inverse_mass = [[0.0; 6]; 6];
        (0..6).for_each(|i| inverse_mass[i][i] = 1.0);
        let n = 40;
        let jacobian = (0..3 * n).map(|k| std::array::from_fn(|j| f64::from(j == k % 3))).collect();
        let w =
            FactoredDelassus::new(vec![inverse_mass; n], (0..n as u32).map(|b| [Some(b), None]).collect(), jacobian);
        let q = [-1.0, 0.1, 0.0].repeat(n);
        let problem =
            ContactProblem::new(vec![Block::contact(0.5); n], Delassus::Factored(w), q, Symmetry::Exact).unwrap();
        let mut certifier = Certifier::default();
        let memory = |c: &Certifier| {
            let own = [&c.u, &c.magnitude, &c.bodies].map(|v| (v.as_ptr() as usize, v.capacity()));
            (own, c.residuals.as_ptr() as usize, c.residuals.capacity())
        };
        let first = certifier.certify(&problem, &[1.0, -0.1, 0.0].repeat(n)).unwrap();
        assert_eq!((first.natural, first.counts.stick), (0.0, n));
        let before = memory(&certifier);
        let second = certifier.certify(&problem, &vec![0.0; 3 * n]).unwrap();
        assert_eq!(memory(&certifier), before);
        // Nothing of the first impulse is left over.
        assert_eq!(second, certify(&problem, &vec![0.0; 3 * n]).unwrap());
        assert_eq!(certifier.velocity(), problem.q());
    }
}
