//! Polish of an iterate near the end of the conic path: semismooth Newton steps on the proximal point iteration `r⁺ =
//! P(r − ρ û(r⁺))`, ρ = c/w.
//!
//! Linearised at the current velocity, with D of the projection and J of the shift, `(I + ρ D J W) dr = P(r − ρ û) −
//! r`: the system of `NewtonSystem`. The weight c follows the residual, c = 1e-3 |q|∞ over it, so that an error of the
//! iterate cannot turn a contact that sticks into one that slips. Where the shift of a sticking contact is a remainder
//! of ‖u_T‖ → 0, it is left out. Source: augmented Lagrangian of Alart and Curnier 1991.
//!
//! A step is kept if the residual falls. The first step that does not halve it is the last.

use super::options::POLISH_REACH;
use super::path::add;
use crate::StoppingRule;
use crate::cone::{ConeState, de_saxce_shift, project, project_jacobian, tangential_norm};
use crate::merit::{Merit, triple};
use crate::newton::scale;
use crate::newton_system::{NewtonSystem, Refinement};
use crate::warm_start::make_feasible;
use signorini_problem::{ContactProblem, Law};

/// Least and greatest weight c \[1\].
const WEIGHTS: (f64, f64) = (10.0, 1e8);
/// Weight of a joint \[1\]: its rows have no sets that could flip.
const JOINT_WEIGHT: f64 = 1e8;
/// A step that leaves more than this share of the residual is the last.
const SLOW: f64 = 0.5;

#[derive(Clone, Debug, Default)]
pub(super) struct Polish {
    u: Vec<f64>,
    g: Vec<f64>,
    dr: Vec<f64>,
    w_dr: Vec<f64>,
    trial: Vec<f64>,
}

impl Polish {
    /// Makes at most `most` steps from `r`, which ends at the best of them. Returns how many were made, and the
    /// residual.
    pub(super) fn run(
        &mut self,
        system: &mut NewtonSystem,
        problem: &ContactProblem,
        r: &mut [f64],
        most: usize,
        stop: &StoppingRule,
    ) -> (usize, Merit) {
        let measure = stop.tolerance.measure;
        for buffer in [&mut self.u, &mut self.g, &mut self.dr, &mut self.w_dr, &mut self.trial] {
            buffer.clear();
            buffer.resize(problem.rows(), 0.0);
        }
        make_feasible(problem, r);
        self.velocity_of(system, problem, r);
        let mut best = Merit::of(problem, r, &self.u);
        for step in 0..most {
            if best.suffices(problem, stop) {
                return (step, best);
            }
            let weight = (POLISH_REACH * problem.speed() / best.natural).clamp(WEIGHTS.0, WEIGHTS.1);
            for c in 0..problem.blocks().len() {
                self.linearise(system, problem, c, r, weight);
            }
            if system.factor(problem).is_err() {
                return (step + 1, best);
            }
            system.solve(problem, &self.g, &mut self.dr, &mut self.w_dr, Refinement { most_steps: 1, good_speed: 0.0 });
            self.trial.copy_from_slice(r);
            add(&mut self.trial, &self.dr);
            make_feasible(problem, &mut self.trial);
            let trial = std::mem::take(&mut self.trial);
            self.velocity_of(system, problem, &trial);
            let merit = Merit::of(problem, &trial, &self.u);
            let (before, now) = (best.measured(problem, measure), merit.measured(problem, measure));
            if now < before {
                r.copy_from_slice(&trial);
                best = merit;
            }
            self.trial = trial;
            if now.is_nan() || now >= SLOW * before {
                return (step + 1, best);
            }
        }
        (most, best)
    }

    fn velocity_of(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, r: &[f64]) {
        system.apply_w(problem, r, &mut self.u);
        add(&mut self.u, problem.q());
    }

    /// `ρ D J` and `P(r − ρ û) − r` of block `c`.
    fn linearise(&mut self, system: &mut NewtonSystem, problem: &ContactProblem, c: usize, r: &[f64], weight: f64) {
        let range = problem.range(c);
        let (n, w) = (range.len(), scale(problem, c));
        let (r, u, g) = (&r[range.clone()], &self.u[range.clone()], &mut self.g[range]);
        let k = system.k_mut(c);
        k.fill(0.0);
        let rho = weight / w;
        let mut bounded = |lo: f64, hi: f64| {
            let z = r[0] - rho * u[0];
            k[0] = if z > lo && z < hi { rho } else { 0.0 };
            g.fill(0.0);
            g[0] = z.max(lo).min(hi) - r[0];
        };
        match problem.blocks()[c].law {
            // Rolling was refused before.
            Law::Equality | Law::Rolling { .. } => {
                for i in 0..n {
                    k[i * n + i] = JOINT_WEIGHT / w;
                    g[i] = -JOINT_WEIGHT / w * u[i];
                }
            }
            Law::NonNegative | Law::Coulomb { mu: 0.0 } => bounded(0.0, f64::INFINITY),
            Law::Interval { lo, hi } => bounded(lo, hi),
            Law::Coulomb { mu } => {
                let (r, u) = (triple(r), triple(u));
                let shifted = de_saxce_shift(mu, &u);
                let z = std::array::from_fn(|i| r[i] - rho * shifted[i]);
                let (p, state) = project(mu, &z);
                match state {
                    ConeState::Open => (0..n).for_each(|i| g[i] = -r[i]),
                    ConeState::Stick => {
                        for i in 0..n {
                            k[i * n + i] = rho;
                            g[i] = -rho * u[i];
                        }
                    }
                    ConeState::Slip => {
                        let d = project_jacobian(mu, &z);
                        let slip = tangential_norm(&u).max(f64::MIN_POSITIVE);
                        for i in 0..n {
                            k[i * n] = rho * d[i][0];
                            for j in 1..n {
                                k[i * n + j] = rho * (d[i][j] + d[i][0] * mu * u[j] / slip);
                            }
                            g[i] = p[i] - r[i];
                        }
                    }
                }
            }
        }
    }
}
