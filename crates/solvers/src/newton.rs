//! Proximal semismooth Newton on the natural map, with monotone acceptance.
//!
//! With `z = r − û/w`, `F = r − P(z)`, D an element of ∂P(z) and `G = I + μ n τᵀ` (τ the slip direction, where slipping),
//!
//! ```text
//! (I − D + εI) dr + w⁻¹ D G W dr = −F     ⇔     (I + K W) dr = −C F,   C = (I − D + εI)⁻¹,  K = w⁻¹ C D G
//! ```
//!
//! the system of `NewtonSystem`. ε is a proximal weight (Levenberg–Marquardt): smaller after every accepted step,
//! larger after a rejected one. Its effect on the direction is removed by refining against ε = 0.
//! Source: Alart and Curnier 1991 for the idea; natural map and proximal weight as in the comparison of Acary, Brémond
//! and Huber 2018. Departure: a step is accepted only if the 2-norm of the natural map [m/s] falls; accepting increases
//! diverged in trials.
//!
//! Cost: one factorization per step; quadratic near a regular solution. When to use: contacts that are not redundant
//! (spheres, piles), or as a polish. On hyperstatic boxes its partition flips without end, and it stops without progress.

mod moment;

use crate::cone::{ConeState, Mat3, project, project_jacobian, tangential_norm};
use crate::merit::{Merit, triple};
use crate::newton_system::{NewtonSystem, Refinement};
use crate::warm_start::make_feasible;
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use moment::LinearMoment;
use signorini_problem::{ContactProblem, Law};

/// Step lengths tried, longest first.
pub(crate) const LENGTHS: [f64; 4] = [1.0, 0.5, 0.2, 0.05];
/// Share of the predicted decrease that must be seen.
pub(crate) const SUFFICIENT: f64 = 0.2;

/// Options of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// First proximal weight \[1\].
    pub proximal: f64,
    /// Least proximal weight.
    pub least_proximal: f64,
    /// Greatest; a rejection there ends the iteration.
    pub greatest_proximal: f64,
    /// Most factorizations.
    pub max_iterations: usize,
    /// Steps of refinement against ε = 0.
    pub refinements: usize,
    /// Give up if this many factorizations have not halved the residual.
    pub patience: usize,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions {
            proximal: 1e-4,
            least_proximal: 1e-8,
            greatest_proximal: 0.1,
            max_iterations: 25,
            refinements: 1,
            patience: 25,
        }
    }
}

/// The solver and its buffers.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    /// Options.
    pub options: NewtonOptions,
    system: NewtonSystem,
    step: NewtonStep,
}

/// Linearisation and direction; shared with the escalating solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonStep {
    u: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
    dr: Vec<f64>,
    w_dr: Vec<f64>,
    correction: Vec<f64>,
    w_correction: Vec<f64>,
    trial: Vec<f64>,
    /// C and w⁻¹DG of every block, three by three (joints: diagonal, unused).
    c: Vec<Mat3>,
    dg: Vec<Mat3>,
    keep: Vec<Mat3>,
    /// Moments of contacts that resist spinning and rolling, after those blocks.
    moments: Vec<LinearMoment>,
}

/// How a Newton iteration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NewtonEnd {
    pub iterations: usize,
    pub merit: Merit,
    pub suffices: bool,
}

impl NewtonStep {
    fn resize(&mut self, problem: &ContactProblem) {
        for buffer in [
            &mut self.u,
            &mut self.f,
            &mut self.g,
            &mut self.dr,
            &mut self.w_dr,
            &mut self.correction,
            &mut self.w_correction,
            &mut self.trial,
        ] {
            buffer.resize(problem.rows(), 0.0);
        }
        for matrices in [&mut self.c, &mut self.dg, &mut self.keep] {
            matrices.resize(problem.blocks().len(), [[0.0; 3]; 3]);
        }
        self.moments.clear();
    }

    /// Newton steps from `r` (feasible) until done, out of steps, or no step is accepted at the greatest ε.
    pub(crate) fn run(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        r: &mut [f64],
        options: &NewtonOptions,
        stop: &StoppingRule,
        history: &mut History,
    ) -> NewtonEnd {
        self.resize(problem);
        velocity(system, problem, r, &mut self.u);
        let mut merit = Merit::of(problem, r, &self.u);
        let mut end = NewtonEnd { iterations: 0, merit, suffices: merit.suffices(problem, stop) };
        let mut proximal = options.proximal;
        // Residual at the last halving, and when that was.
        let mut halved = (merit.norm, 0);
        let cap = stop.max_iterations.unwrap_or(options.max_iterations).min(options.max_iterations);
        while !end.suffices && end.iterations < cap {
            end.iterations += 1;
            if !self.direction(system, problem, r, proximal, options.refinements) {
                break;
            }
            let mut accepted = false;
            for length in LENGTHS {
                for i in 0..r.len() {
                    self.trial[i] = r[i] + length * self.dr[i];
                }
                make_feasible(problem, &mut self.trial);
                velocity(system, problem, &self.trial, &mut self.w_dr);
                let trial = Merit::of(problem, &self.trial, &self.w_dr);
                if trial.norm < (1.0 - SUFFICIENT * length) * merit.norm {
                    r.copy_from_slice(&self.trial);
                    self.u.copy_from_slice(&self.w_dr);
                    merit = trial;
                    accepted = true;
                    break;
                }
            }
            history.record(end.iterations, merit.natural);
            end.merit = merit;
            end.suffices = merit.suffices(problem, stop);
            if merit.norm <= 0.5 * halved.0 {
                halved = (merit.norm, end.iterations);
            } else if end.iterations >= halved.1 + options.patience {
                break;
            }
            if accepted {
                proximal = f64::max(0.1 * proximal, options.least_proximal);
            } else if proximal >= options.greatest_proximal {
                break;
            } else {
                proximal = f64::min(10.0 * proximal, options.greatest_proximal);
            }
        }
        end
    }

    /// Fills `dr`; false if the factorization failed.
    fn direction(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        r: &[f64],
        proximal: f64,
        refinements: usize,
    ) -> bool {
        self.moments.clear();
        for c in 0..problem.blocks().len() {
            self.linearise(system, problem, c, r, proximal);
        }
        if system.factor(problem).is_err() {
            return false;
        }
        // dr = solve(C·(−F)), then refine: defect = −F − (I − D) dr − w⁻¹ D G W dr.
        self.dr.fill(0.0);
        for round in 0..=refinements {
            if round > 0 {
                system.apply_w(problem, &self.dr, &mut self.w_dr);
            }
            for c in 0..problem.blocks().len() {
                let range = problem.range(c);
                let n = range.len();
                if problem.blocks()[c].law == Law::Equality {
                    let w = scale(problem, c);
                    for i in range {
                        let w_dr = if round > 0 { self.w_dr[i] / w } else { 0.0 };
                        self.g[i] = (-self.f[i] - w_dr) / proximal;
                    }
                    continue;
                }
                let mut defect = [0.0; 3];
                let n = n.min(3);
                for i in 0..n {
                    defect[i] = -self.f[range.start + i];
                    if round > 0 {
                        for j in 0..n {
                            defect[i] -= self.keep[c][i][j] * self.dr[range.start + j]
                                + self.dg[c][i][j] * self.w_dr[range.start + j];
                        }
                    }
                }
                for i in 0..n {
                    self.g[range.start + i] = (0..n).map(|j| self.c[c][i][j] * defect[j]).sum();
                }
            }
            for moment in &self.moments {
                moment.right_hand_side(&self.f, (round > 0).then_some((&self.dr, &self.w_dr)), &mut self.g);
            }
            system.solve(problem, &self.g, &mut self.correction, &mut self.w_correction, Refinement::NONE);
            for (x, d) in self.dr.iter_mut().zip(&self.correction) {
                *x += d;
            }
        }
        self.dr.iter().all(|x| x.is_finite())
    }

    /// F, D, G, C and K of block `c`.
    fn linearise(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, c: usize, r: &[f64], proximal: f64) {
        let range = problem.range(c);
        let (n, w) = (range.len(), scale(problem, c));
        let u = &self.u[range.clone()];
        let r = &r[range.clone()];
        let k = system.k_mut(c);
        let scalar = |inside: bool, f: f64| (f, if inside { 1.0 } else { 0.0 });
        let (f, d) = match problem.blocks()[c].law {
            Law::Equality => {
                k.fill(0.0);
                for i in 0..n {
                    self.f[range.start + i] = u[i] / w;
                    k[i * n + i] = 1.0 / (proximal * w);
                }
                return;
            }
            Law::Coulomb { mu } => {
                self.linearise_contact(k, n, w, mu, proximal, c, range.start, &triple(r), &triple(u));
                return;
            }
            Law::Rolling { mu, .. } => {
                let (contact, velocity) = (triple(r), triple(u));
                let spun = [u[3], u[4], u[5]];
                let mut own = [0.0; 9];
                self.linearise_contact(&mut own, 3, w, mu, proximal, c, range.start, &contact, &velocity);
                k.fill(0.0);
                for (k, own) in k.chunks_exact_mut(n).zip(own.chunks_exact(3)) {
                    k[..3].copy_from_slice(own);
                }
                for (rows, bound) in problem.blocks()[c].law.moments() {
                    let omega = &spun[rows.start - 3..rows.end - 3];
                    let moment = LinearMoment::new((range.start, rows), w, bound, r, omega, proximal);
                    moment.write(k, n, &mut self.f, r);
                    self.moments.push(moment);
                }
                return;
            }
            Law::NonNegative => {
                let z = r[0] - u[0] / w;
                scalar(z > 0.0, r[0] - z.max(0.0))
            }
            Law::Interval { lo, hi } => {
                let z = r[0] - u[0] / w;
                scalar(z > lo && z < hi, r[0] - z.max(lo).min(hi))
            }
        };
        self.f[range.start] = f;
        self.keep[c][0][0] = 1.0 - d;
        self.dg[c][0][0] = d / w;
        self.c[c][0][0] = 1.0 / (1.0 - d + proximal);
        k[0] = self.c[c][0][0] * d / w;
    }

    #[allow(clippy::too_many_arguments)]
    fn linearise_contact(
        &mut self,
        k: &mut [f64],
        n: usize,
        w: f64,
        mu: f64,
        proximal: f64,
        c: usize,
        first: usize,
        r: &[f64; 3],
        u: &[f64; 3],
    ) {
        let (f, keep, dg, _) = linearise_contact(w, mu, r, u);
        let mut regular = keep;
        for i in 0..3 {
            regular[i][i] += proximal;
        }
        let inverse = invert(&regular);
        for i in 0..n {
            self.f[first + i] = f[i];
            for j in 0..n {
                k[i * n + j] = (0..3).map(|l| inverse[i][l] * dg[l][j]).sum();
            }
        }
        self.keep[c] = keep;
        self.dg[c] = dg;
        self.c[c] = inverse;
    }
}

/// F of one block and its derivatives: `dF = (I − D) dr + w⁻¹ D G W dr`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Linearised {
    /// `r − P(r − û/w)` [N·s]; of a joint `u/w`, not stored here.
    pub f: [f64; 3],
    /// I − D.
    keep: Mat3,
    /// w⁻¹ D G \[kg\].
    dg: Mat3,
    /// D = 0: the block carries nothing, and F = r.
    pub open: bool,
    /// Rows.
    pub rows: usize,
    /// 1/w \[kg\] of a joint, for which D = G = I whatever its rows; else zero.
    joint: f64,
}

impl Linearised {
    /// At impulse `r` with velocity `u`; `w` in 1/kg.
    pub fn of(law: &Law, w: f64, r: &[f64], u: &[f64]) -> Linearised {
        let scalar = |inside: bool, f: f64| {
            let mut linear = Linearised { rows: 1, open: !inside, ..Linearised::default() };
            linear.f[0] = f;
            linear.keep[0][0] = if inside { 0.0 } else { 1.0 };
            linear.dg[0][0] = if inside { 1.0 / w } else { 0.0 };
            linear
        };
        match *law {
            Law::Equality => Linearised { rows: u.len(), joint: 1.0 / w, ..Linearised::default() },
            Law::NonNegative => {
                let z = r[0] - u[0] / w;
                scalar(z > 0.0, r[0] - z.max(0.0))
            }
            Law::Interval { lo, hi } => {
                let z = r[0] - u[0] / w;
                scalar(z > lo && z < hi, r[0] - z.max(lo).min(hi))
            }
            // Moments are not part of it: see `LinearMoment`.
            Law::Coulomb { mu } | Law::Rolling { mu, .. } => {
                let (f, keep, dg, state) = linearise_contact(w, mu, &triple(r), &triple(u));
                Linearised { f, keep, dg, open: state == ConeState::Open, rows: r.len(), joint: 0.0 }
            }
        }
    }

    /// Entry of I − D.
    pub fn keep(&self, i: usize, j: usize) -> f64 {
        if self.joint > 0.0 { 0.0 } else { self.keep[i][j] }
    }

    /// Row i of w⁻¹ D G times a velocity.
    pub fn times_velocity(&self, i: usize, u: &[f64]) -> f64 {
        if self.joint > 0.0 {
            return self.joint * u[i];
        }
        let dg = &self.dg[i];
        let first = dg[0] * u[0];
        match self.rows {
            1 => first,
            2 => first + dg[1] * u[1],
            _ => first + dg[1] * u[1] + dg[2] * u[2],
        }
    }

    /// Whether the block is a joint, of any number of rows.
    pub fn is_joint(&self) -> bool {
        self.joint > 0.0
    }

    /// Columns of w⁻¹ D G of a contact in space, each with a zero at its end.
    pub fn velocity_columns(&self) -> [[f64; 4]; 3] {
        std::array::from_fn(|j| [self.dg[0][j], self.dg[1][j], self.dg[2][j], 0.0])
    }

    /// Row i of dF for `dr` and `W dr` of this block.
    pub fn apply(&self, i: usize, dr: &[f64], w_dr: &[f64]) -> f64 {
        let kept: f64 = if self.joint > 0.0 { 0.0 } else { (0..self.rows).map(|j| self.keep[i][j] * dr[j]).sum() };
        kept + self.times_velocity(i, w_dr)
    }
}

/// F, I − D and w⁻¹ D G of a contact, and where its projection landed.
fn linearise_contact(w: f64, mu: f64, r: &[f64; 3], u: &[f64; 3]) -> ([f64; 3], Mat3, Mat3, ConeState) {
    let slip = tangential_norm(u);
    let z = [r[0] - (u[0] + mu * slip) / w, r[1] - u[1] / w, r[2] - u[2] / w];
    let (p, state) = project(mu, &z);
    let f = std::array::from_fn(|i| r[i] - p[i]);
    let none = [[0.0; 3]; 3];
    let diagonal = |x: f64| [[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, x]];
    match state {
        ConeState::Open => return (f, diagonal(1.0), none, state),
        ConeState::Stick => return (f, none, diagonal(1.0 / w), state),
        ConeState::Slip => {}
    }
    let d = project_jacobian(mu, &z);
    let mut dg = d;
    if slip > 0.0 {
        // D G: the first column of D times μ τᵀ joins the tangential columns.
        for i in 0..3 {
            dg[i][1] += d[i][0] * mu * u[1] / slip;
            dg[i][2] += d[i][0] * mu * u[2] / slip;
        }
    }
    let mut keep = none;
    for i in 0..3 {
        for j in 0..3 {
            keep[i][j] = if i == j { 1.0 } else { 0.0 } - d[i][j];
            dg[i][j] /= w;
        }
    }
    (f, keep, dg, state)
}

/// Scale of a block, 1 where it has no inertia.
pub(crate) fn scale(problem: &ContactProblem, c: usize) -> f64 {
    let w = problem.scales()[c];
    if w > 0.0 { w } else { 1.0 }
}

fn velocity(system: &mut NewtonSystem, problem: &ContactProblem, r: &[f64], u: &mut [f64]) {
    system.apply_w(problem, r, u);
    for (u, q) in u.iter_mut().zip(problem.q()) {
        *u += q;
    }
}

/// Inverse of `I − D + εI`, symmetric with eigenvalues in [ε, 1 + ε]: by cofactors.
fn invert(m: &Mat3) -> Mat3 {
    let cofactor = |i: usize, j: usize| {
        let (a, b) = ((i + 1) % 3, (i + 2) % 3);
        let (p, q) = ((j + 1) % 3, (j + 2) % 3);
        m[a][p] * m[b][q] - m[a][q] * m[b][p]
    };
    let determinant: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / determinant))
}

impl ContactSolver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        make_feasible(problem, impulses);
        self.system.prepare(problem);
        let end = self.step.run(&mut self.system, problem, impulses, &self.options, stop, history);
        Ok(Effort { iterations: end.iterations, factorizations: self.system.factorizations(), ..Effort::default() })
    }
}
