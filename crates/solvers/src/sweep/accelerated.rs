//! Sweeps as a fixed-point map, accelerated: the driver behind [`crate::AcceleratedNsgs`].

use super::driver::{LOOK_EVERY, next_look};
use super::extrapolation::{Extrapolation, Place};
use super::levels::Levels;
use super::local::Friction;
use super::{Acceptance, ContactStep, Direction, SweepReport, Sweeps};
use crate::warm_start::make_feasible;
use crate::{History, StoppingRule};
use signorini_problem::{ContactProblem, Law};

/// Frictionless sweeps between two residual checks of the whole problem.
const NORMAL_SWEEPS: usize = 8;
/// Frictionless sweeps continue while the residual of the whole problem is at most this multiple of that of the normal
/// problem \[1\]: then missing friction is not the main error.
const NORMAL_MATTERS: f64 = 8.0;
/// Limit on frictionless sweeps, residual checks included, and their largest share of all sweeps.
const MOST_NORMAL_SWEEPS: usize = 60;
const NORMAL_SHARE: f64 = 0.6;

/// Where accelerated sweeps begin when no contact carries an impulse yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColdStart {
    /// With frictionless sweeps, as long as missing friction is not the main error.
    #[default]
    Frictionless,
    /// From zero.
    Zero,
}

/// How to sweep, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceleratedPlan {
    /// Most differences in the window.
    pub depth: usize,
    /// Where to begin without a guess.
    pub cold_start: ColdStart,
    /// Most sweeps.
    pub max_sweeps: usize,
}

/// Sweeps with their window.
#[derive(Clone, Debug)]
pub struct AcceleratedSweeps<S> {
    sweeps: Sweeps<S>,
    window: Window,
}

impl<S> Default for AcceleratedSweeps<S> {
    fn default() -> Self {
        AcceleratedSweeps { sweeps: Sweeps::default(), window: Window::default() }
    }
}

/// The points of the iteration. `r` is where a sweep begins, `image` where it ends.
#[derive(Clone, Debug, Default)]
struct Window {
    levels: Levels,
    extrapolation: Extrapolation,
    image: Vec<f64>,
    /// Where the frictionless sweeps began.
    start: Vec<f64>,
    /// Whether the velocities of the sweeper belong to the image or have to be computed.
    place: Place,
}

impl Window {
    fn prepare(&mut self, problem: &ContactProblem, depth: usize) {
        for buffer in [&mut self.image, &mut self.start] {
            buffer.clear();
            buffer.resize(problem.rows(), 0.0);
        }
        self.levels.sort(problem);
        self.extrapolation.prepare(problem, depth);
        self.place = Place::Moved;
    }

    fn begin(&mut self) {
        self.extrapolation.begin();
        self.place = Place::Moved;
    }

    fn advance(&mut self, problem: &ContactProblem, r: &mut [f64]) {
        self.place = self.extrapolation.advance(problem, r, &self.image);
    }
}

impl<S: ContactStep> AcceleratedSweeps<S> {
    /// Improves `r` until the certificate accepts it, until it moves by round-off only, or until the sweeps are used up. Looks
    /// of the frictionless start count as sweeps. `r` is feasible on return.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        r: &mut [f64],
        stop: &StoppingRule,
        plan: AcceleratedPlan,
        history: &mut History,
    ) -> SweepReport {
        let mut target = stop.target_speed(problem);
        let mut report = SweepReport { sweeps: 0, residual: f64::INFINITY };
        let judge = Acceptance::Certificate;
        if self.sweeps.guess_suffices(problem, r, stop, judge, &mut report.residual, &mut target) {
            history.record(0, report.residual);
            return report;
        }
        self.window.prepare(problem, plan.depth);
        let friction = has_friction(problem);
        if plan.cold_start == ColdStart::Frictionless && friction && is_cold(problem, r) {
            let most = (NORMAL_SHARE * plan.max_sweeps as f64) as usize;
            report.sweeps = self.without_friction(problem, r, target, most.min(MOST_NORMAL_SWEEPS), history);
            self.window.begin();
        }
        // Measured: normal impulses converge fastest from the ground upwards, and friction, which comes from bodies
        // above, downwards.
        let direction = if friction { Direction::Backward } else { Direction::Forward };
        let mut look_below = target;
        while report.sweeps < plan.max_sweeps {
            let change = self.sweep(problem, r, direction, Friction::Coulomb);
            report.sweeps += 1;
            let last = report.sweeps == plan.max_sweeps;
            let look = change <= look_below || report.sweeps.is_multiple_of(LOOK_EVERY);
            if look || last || history.is_on() {
                let image = &mut self.window.image;
                report.residual = self.sweeps.sweeper.residual(problem, image);
                history.record(report.sweeps, report.residual);
                let accepted = self.sweeps.accepted(problem, image, stop, judge, report.residual, &mut target);
                if accepted || self.sweeps.is_round_off(problem, image, change) {
                    r.copy_from_slice(image);
                    make_feasible(problem, r);
                    return report;
                }
                look_below = next_look(target, change, report.residual);
            }
            self.window.advance(problem, r);
        }
        self.keep_the_better(problem, r, &mut report);
        report
    }

    /// One sweep from `r` to its image; returns the largest change [m/s].
    fn sweep(&mut self, problem: &ContactProblem, r: &[f64], direction: Direction, friction: Friction) -> f64 {
        let Window { image, place, levels, .. } = &mut self.window;
        if *place == Place::Moved {
            self.sweeps.sweeper.begin(problem, r);
        }
        image.copy_from_slice(r);
        self.sweeps.sweeper.sweep_with(problem, image, direction, friction, Some(levels.order()))
    }

    /// Accelerated sweeps over the normal problem, from and into `r`; returns how many, looks included.
    fn without_friction(
        &mut self,
        problem: &ContactProblem,
        r: &mut [f64],
        target: f64,
        most: usize,
        history: &mut History,
    ) -> usize {
        let mut done = 0;
        self.window.start.copy_from_slice(r);
        while done + NORMAL_SWEEPS < most {
            for k in 0..NORMAL_SWEEPS {
                if done + k > 0 {
                    self.window.advance(problem, r);
                }
                self.sweep(problem, r, Direction::Forward, Friction::Absent);
                if history.is_on() {
                    history.record(done + k + 1, self.sweeps.sweeper.residual(problem, &self.window.image));
                }
            }
            let first = done == 0;
            done += NORMAL_SWEEPS + 1;
            let (sweeper, image) = (&mut self.sweeps.sweeper, &self.window.image);
            let whole = sweeper.residual(problem, image);
            let normal = sweeper.residual_here(problem, image, Friction::Absent);
            history.record(done, whole);
            // NaN fails the comparison.
            let worthwhile = whole <= NORMAL_MATTERS * normal;
            if first && !worthwhile {
                r.copy_from_slice(&self.window.start);
                return done;
            }
            if !worthwhile || normal <= target || done + NORMAL_SWEEPS >= most {
                r.copy_from_slice(image);
                return done;
            }
        }
        done
    }

    /// At the end of the budget: the last image or that of the shortest step, whichever has the smaller residual.
    fn keep_the_better(&mut self, problem: &ContactProblem, r: &mut [f64], report: &mut SweepReport) {
        let Window { image, extrapolation, .. } = &mut self.window;
        if let Some(best) = extrapolation.best().filter(|_| report.residual.is_finite()) {
            r.copy_from_slice(image);
            let other = self.sweeps.sweeper.residual(problem, best);
            if other < report.residual {
                report.residual = other;
                r.copy_from_slice(best);
            }
        }
        make_feasible(problem, r);
    }
}

fn has_friction(problem: &ContactProblem) -> bool {
    problem.blocks().iter().any(|block| matches!(block.law, Law::Coulomb { mu } if mu > 0.0))
}

/// Whether no contact carries an impulse.
fn is_cold(problem: &ContactProblem, r: &[f64]) -> bool {
    let carries = |c: usize| r[problem.range(c)].iter().any(|x| *x != 0.0);
    let mut blocks = problem.blocks().iter().enumerate();
    !blocks.any(|(c, block)| matches!(block.law, Law::Coulomb { .. }) && carries(c))
}
