//! Friction squares that point where each contact slides: which contacts let go, by changes of sets.
//!
//! Where many contacts contradict each other in the last digits, which of them let go is a question of sets, and methods
//! that move all impulses at once end between the answers; where paths fold, which of them slide is one too. A friction
//! pyramid is solved by exact changes of sets (`polyhedral`). Its square is wrong about friction everywhere but at its
//! corners, so it is turned, for each contact by itself, until a corner points against the slip: there it is Coulomb's law.
//! Directions follow from the answer, which settles them in a few rounds; Newton steps do the rest. A fixed point over
//! directions, and no more: it may go in circles.
//!
//! Cost: some hundred dense factorizations a round. Where the central path and Newton's method have come close and stall, and
//! where nothing else comes close.

use super::{Exact, Search};
use crate::newton::NewtonOptions;
use crate::polyhedral::{Fit, Sides};
use crate::{ContactSolver, History, Polyhedral, StoppingRule};
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus, Law, Symmetry};

/// Most rows, whose matrices are dense.
const MOST_ROWS: usize = 400;
/// Most rounds, and multiplications of all factorizations together: half a second.
const ROUNDS: usize = 6;
const MULTIPLICATIONS: f64 = 1e9;
/// Slip over the speed of the problem that has a direction, whatever friction says.
const SLIDES: f64 = 1e-6;
/// Share of the tolerance above which slip has a direction where friction is at its bound.
const CREEPS: f64 = 0.3;
/// Share of the bound from which on friction is at it.
const AT_THE_BOUND: f64 = 1.0 - 1e-6;
/// Share of the tolerance to which the pyramids are solved.
const FINELY: f64 = 0.01;

/// The pyramid of four sides with a corner on the first tangent.
#[derive(Clone, Debug)]
pub(super) struct Square(Polyhedral);

impl Default for Square {
    fn default() -> Self {
        Square(Polyhedral::new(Sides::Four, Fit::Inscribed))
    }
}

impl Exact {
    /// From the best iterate; whether that ends certified.
    pub(super) fn aligned_pyramids(
        &mut self,
        search: &mut Search,
        impulses: &mut [f64],
        history: &mut History,
    ) -> bool {
        let problem = search.problem;
        if problem.rows() > MOST_ROWS {
            return false;
        }
        let tolerance = search.stop.tolerance.value;
        let mut r = impulses.to_vec();
        let mut left = (MULTIPLICATIONS / (problem.rows() as f64).powi(3) * 6.0) as usize;
        for _ in 0..ROUNDS {
            if left == 0 || search.left() == 0 {
                return false;
            }
            let square = &mut self.last.get_or_insert_default().pyramid.0;
            square.options.max_factorizations = left;
            let axes = slip_axes(problem, &r, tolerance);
            let Some(turned) = with_tangents(problem, &axes) else { return false };
            let stop = StoppingRule {
                max_iterations: search.stop.max_iterations,
                ..StoppingRule::velocity(FINELY * tolerance)
            };
            turn(problem, &axes, Turn::Into, &mut r);
            let Ok(effort) = square.iterate(&turned, &mut r, &stop, history) else { return false };
            turn(problem, &axes, Turn::Back, &mut r);
            search.spend(effort.iterations);
            left = left.saturating_sub(effort.factorizations);
            search.other_factorizations += effort.factorizations;
            self.candidate.copy_from_slice(&r);
            let options = NewtonOptions { max_iterations: 8, patience: 3, ..NewtonOptions::default() };
            if self.consider(search, impulses) || self.newton_from_candidate(search, impulses, &options, history) {
                return true;
            }
            r.copy_from_slice(&self.candidate);
        }
        false
    }
}

/// Whether vectors go into the turned tangents or come back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Into,
    Back,
}

/// For each contact the direction of its friction: against the slip where there is one, else as it is.
fn slip_axes(problem: &ContactProblem, r: &[f64], tolerance: f64) -> Vec<[f64; 2]> {
    let u = problem.velocity(r);
    let speed = problem.speed();
    let creeps = CREEPS * tolerance * speed.max(1.0);
    let axis = |c: usize| {
        let (Law::Coulomb { mu }, 3) = (&problem.blocks()[c].law, problem.blocks()[c].rows) else { return [1.0, 0.0] };
        let (r, u) = (&r[problem.range(c)], &u[problem.range(c)]);
        let (friction, slip) = (r[1].hypot(r[2]), u[1].hypot(u[2]));
        let at_the_bound = friction >= AT_THE_BOUND * mu * r[0];
        if slip > SLIDES * speed || at_the_bound && slip > creeps {
            [-u[1] / slip, -u[2] / slip]
        } else if friction > 0.0 {
            [r[1] / friction, r[2] / friction]
        } else {
            [1.0, 0.0]
        }
    };
    (0..problem.blocks().len()).map(axis).collect()
}

/// The same problem with the first tangent of every contact along its axis. Only where bodies are known.
fn with_tangents(problem: &ContactProblem, axes: &[[f64; 2]]) -> Option<ContactProblem> {
    let Delassus::Factored(w) = problem.delassus() else { return None };
    let (mut rows, mut q) = (w.jacobian().to_vec(), problem.q().to_vec());
    for (c, [a, b]) in axes.iter().enumerate().filter(|(c, _)| problem.blocks()[*c].rows == 3) {
        let first = problem.offsets()[c] + 1;
        let [t, s] = [rows[first], rows[first + 1]];
        rows[first] = std::array::from_fn(|k| a * t[k] + b * s[k]);
        rows[first + 1] = std::array::from_fn(|k| a * s[k] - b * t[k]);
    }
    turn(problem, axes, Turn::Into, &mut q);
    let w = FactoredDelassus::new(w.inverse_mass().to_vec(), w.bodies().to_vec(), rows);
    ContactProblem::new(problem.blocks().to_vec(), Delassus::Factored(w), q, Symmetry::Exact).ok()
}

/// Tangential parts in the turned tangents, or back in the given ones.
fn turn(problem: &ContactProblem, axes: &[[f64; 2]], way: Turn, x: &mut [f64]) {
    for (c, [a, b]) in axes.iter().enumerate().filter(|(c, _)| problem.blocks()[*c].rows == 3) {
        let b = if way == Turn::Into { *b } else { -b };
        let x = &mut x[problem.range(c)];
        (x[1], x[2]) = (a * x[1] + b * x[2], a * x[2] - b * x[1]);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use signorini_scenes::problems::find;

    #[test]
    fn turned_tangents_are_the_same_problem() {
        let problem = find("stack8_shake").unwrap().generate().unwrap().problem;
        let mut r: Vec<f64> = (0..problem.rows()).map(|i| 0.1 * ((7 * i + 3) % 11) as f64).collect();
        let given = r.clone();
        let axes = slip_axes(&problem, &r, 1e-9);
        let turned = with_tangents(&problem, &axes).unwrap();
        let mut u = problem.velocity(&r);
        turn(&problem, &axes, Turn::Into, &mut u);
        turn(&problem, &axes, Turn::Into, &mut r);
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(same(&turned.velocity(&r), &u));
        // Every contact of this problem slides: its velocity points along the turned axis, backwards.
        assert!(u.chunks_exact(3).all(|u| u[1] < 0.0 && u[2].abs() < 1e-12));
        turn(&problem, &axes, Turn::Back, &mut r);
        assert!(same(&r, &given));
    }
}
