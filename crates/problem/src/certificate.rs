//! The judge of contact problems: computes how far an impulse is from solving a problem, in physical units.
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
//! * *Round-off as an excuse.* A residual below the round-off of one evaluation of u counts as zero, whatever the
//!   tolerance. But this round-off grows with r, and r can be arbitrarily large where it does not change u (a table
//!   with four legs). So round-off excuses at most 1e-8 of the problem's speed.
//! * *High friction.* A contact that slides on its cone shows its normal error divided by √(1 + μ²) in F: at μ = 10⁶ a
//!   body may approach at 1 mm/s for |F| = 10⁻⁹ m/s. So Signorini's condition is also measured by itself,
//!   `|min(w r_N, u_N)|`; it is never more than √(1 + μ²)|F|, and must meet twice the tolerance.
//! * *A fast row.* Tolerances are relative to the fastest row of the problem, because round-off is. One contact at 100
//!   m/s would then allow its neighbours to creep. So every block is also measured relative to its own scale,
//!   [`Certificate::holds`].
//! * *No scale.* With w = 0 the map would not depend on the impulse. Matrices that are not inverse masses may have a
//!   zero or tiny diagonal; for them the largest entry of |W| replaces w.
//! * *NaN, overflow.* A block that cannot be evaluated is infinitely wrong, and no tolerance accepts infinity.
//!
//! Departure from the literature: FCLIB and Siconos use `r − P(r − û)`, which subtracts m/s from N·s and so depends on
//! the units; it is reported as [`Certificate::fclib_error`] for comparison.

mod coulomb;
mod laws;
mod norms;

use crate::{ContactProblem, Delassus, ProblemError};
use coulomb::{Batch, USUAL_SQUARES, WORTH_A_BATCH};
use norms::{Size, finite_or_infinite, norm_of, sizes, worst};
use serde::{Deserialize, Serialize};

/// A residual below this multiple of the round-off of one evaluation of u counts as zero \[1\].
const FLOOR_FACTOR: f64 = 3.0;
/// Largest round-off that is excused, relative to the speed of the problem \[1\]: what a stack of mass ratio 10⁷ needs.
/// Beyond that the answer may be as good as arithmetic allows, but it is not proved.
const MOST_EXCUSED: f64 = 1e-8;
/// Bound on the error of Signorini's condition as a multiple of that on the natural map \[1\]. For friction
/// coefficients up to √3 the natural map implies it.
const NORMAL_FACTOR: f64 = 2.0;

/// How far an impulse is from solving a problem. All residuals are zero for an exact solution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Certificate {
    /// Largest natural map of any block [m/s]: the main residual.
    pub natural: f64,
    /// The block that has it.
    pub worst_block: Option<usize>,
    /// Largest natural map of any block, or half of its [`Certificate::normal`], over the scale of that block alone: 1 m/s,
    /// or the largest |q| of its rows where that is more \[m/s over m/s\]. See [`Certificate::holds`].
    #[serde(default)]
    pub scaled: f64,
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

/// The residual that a tolerance is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// `natural ≤ tolerance · max(1 m/s, |q|∞)`: for simulations.
    #[default]
    Velocity,
    /// `natural_rel ≤ tolerance` and `fclib_error ≤ tolerance`: dimensionless, for problems with unknown units.
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

    /// Whether every block is solved to `value` relative to its own scale [m/s over m/s], or to round-off. Like
    /// [`Certificate::meets`], but a fast row does not excuse a slow one. Steps of a simulation must meet this.
    pub fn holds(&self, value: f64) -> bool {
        let excused = f64::min(FLOOR_FACTOR * self.floor, MOST_EXCUSED * self.speed.max(1.0));
        self.scaled.is_finite() && self.scaled <= f64::max(value, excused)
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
    /// Made when there are contacts enough for one.
    batch: Option<Box<Batch>>,
}

/// Sizes of the vectors of an evaluation.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    q: Size,
    r: Size,
    u: Size,
    magnitude: Size,
}

impl Sizes {
    /// Whether contacts may be graded without a thought of overflow. Impulses that are all zero are usual too.
    fn are_usual(&self) -> bool {
        USUAL_SQUARES.contains(&self.q.squares)
            && self.u.squares < USUAL_SQUARES.end
            && self.r.squares < USUAL_SQUARES.end
    }
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
        Ok(pulp::Arch::new().dispatch(Grading { certifier: self, problem, r }))
    }

    #[inline(always)]
    fn certify_here(&mut self, problem: &ContactProblem, r: &[f64]) -> Certificate {
        let sizes = self.evaluate(problem, r);
        let mut certificate = Certificate {
            natural: 0.0,
            worst_block: None,
            scaled: 0.0,
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
        self.grade_all(problem, r, &sizes, &mut certificate);
        let [mut natural, mut normal, mut unscaled] = [0.0; 3];
        for (c, residual) in self.residuals.iter().enumerate() {
            if residual.natural > certificate.natural {
                (certificate.natural, certificate.worst_block) = (residual.natural, Some(c));
            }
            certificate.normal = f64::max(certificate.normal, residual.normal);
            let own = problem.q()[problem.range(c)].iter().fold(1.0, |most, q| f64::max(most, q.abs()));
            let residual_over = f64::max(residual.natural, residual.normal / NORMAL_FACTOR) / own;
            certificate.scaled = f64::max(certificate.scaled, residual_over);
            natural += residual.natural * residual.natural;
            normal += residual.normal * residual.normal;
            unscaled += residual.unscaled * residual.unscaled;
        }
        let q = norm_of(sizes.q.squares, problem.q().iter().copied());
        let over_q = |x: f64| if q > 0.0 { x / q } else { x };
        certificate.natural_rel = over_q(norm_of(natural, self.residuals.iter().map(|x| x.natural)));
        certificate.normal_rel = over_q(norm_of(normal, self.residuals.iter().map(|x| x.normal)));
        let unit_round_off = f64::EPSILON / 2.0;
        certificate.floor = finite_or_infinite(sizes.magnitude.largest) * unit_round_off;
        certificate.floor_rel =
            over_q(norm_of(sizes.magnitude.squares, self.magnitude.iter().copied()) * unit_round_off);
        let unscaled = norm_of(unscaled, self.residuals.iter().map(|x| x.unscaled));
        let (r_norm, u_norm) =
            (norm_of(sizes.r.squares, r.iter().copied()), norm_of(sizes.u.squares, self.u.iter().copied()));
        let scale = q.max(r_norm).max(u_norm);
        certificate.fclib_error = if unscaled == 0.0 || unscaled.is_infinite() { unscaled } else { unscaled / scale };
        certificate
    }

    /// Residuals of every block, contacts of usual size many at a time.
    #[inline(always)]
    fn grade_all(&mut self, problem: &ContactProblem, r: &[f64], sizes: &Sizes, certificate: &mut Certificate) {
        self.residuals.clear();
        let mut scales = Scales::of(problem);
        let many = problem.blocks().len() >= WORTH_A_BATCH && sizes.are_usual();
        let mut batch = many.then(|| self.batch.get_or_insert_default());
        let mut c = 0;
        while c < problem.blocks().len() {
            let mut taken = 0;
            if let Some(batch) = &mut batch {
                taken = batch.take(problem, &mut scales, c, r, &self.u);
                if taken >= WORTH_A_BATCH {
                    certificate.batch(batch, &mut self.residuals);
                    c += taken;
                    continue;
                }
            }
            let end = c + taken.max(1);
            while c < end {
                let range = problem.range(c);
                let law = &problem.blocks()[c].law;
                self.residuals.push(certificate.grade(law, scales.block(c), &r[range.clone()], &self.u[range]));
                c += 1;
            }
        }
    }

    /// u = W r + q and the magnitude |W||r| + |q| of the terms summed, and their sizes.
    #[inline(always)]
    fn evaluate(&mut self, problem: &ContactProblem, r: &[f64]) -> Sizes {
        self.u.resize(problem.rows(), 0.0);
        self.magnitude.resize(problem.rows(), 0.0);
        let Certifier { u, magnitude, bodies, .. } = self;
        if !matches!(problem.delassus(), Delassus::Factored(_)) {
            bodies.clear();
        }
        problem.delassus().apply_with_magnitude(problem.offsets(), r, u, magnitude, bodies);
        for ((u, magnitude), q) in u.iter_mut().zip(&mut *magnitude).zip(problem.q()) {
            *u += q;
            *magnitude += q.abs();
        }
        let [q, r, u, magnitude] = sizes([problem.q(), r, u, magnitude]);
        Sizes { q, r, u, magnitude }
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

/// All of the work, to be done with the widest registers that the machine has.
struct Grading<'a> {
    certifier: &'a mut Certifier,
    problem: &'a ContactProblem,
    r: &'a [f64],
}

impl pulp::NullaryFnOnce for Grading<'_> {
    type Output = Certificate;

    #[inline(always)]
    fn call(self) -> Certificate {
        self.certifier.certify_here(self.problem, self.r)
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
        if w > 0.0 && self.problem.is_nearly_symmetric() {
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
