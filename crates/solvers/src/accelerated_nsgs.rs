//! Nonsmooth Gauss–Seidel with Anderson acceleration: the sweeps of [`crate::Nsgs`], extrapolated so that far fewer
//! are needed.
//!
//! ```text
//! g(r)      one sweep from r, every block solved exactly while the others stay
//! f_k       = √w (g(r_k) − r_k)                                [√J]
//! γ         = argmin ‖f_k − ΔF γ‖                              over the last `depth` differences
//! r_{k+1}   = P_K( g(r_k) − ΔG γ )                             block by block into cones and intervals
//! ```
//!
//! While the partition into open, sticking and sliding contacts stays, a sweep is nearly a linear map and a deep window
//! is GMRES with Gauss–Seidel as its preconditioner: a stack of ten boxes ends within forty sweeps. When the partition
//! changes, the window describes a map that no longer applies; the next sweep then makes a longer step, and the window
//! is dropped. After thirty sweeps without progress plain sweeps take over for a while, twice as long each time: the
//! shortest step may lie at the border of a partition that has no solution, and only plain sweeps leave it.
//!
//! A cold start first sweeps the normal problem (μ = 0), as [`crate::BlockPgs`] does, for as long as the residual of
//! the whole problem is within eight times that of the normal one. For structures at rest this avoids spurious friction
//! from settling. If something slides, the first residual check shows it, and the start is dropped.
//!
//! Source: Anderson 1965; Walker and Ni 2011 (type II, GMRES); sweeps as in Jourdan, Alart and Jean 1998. Nonlinear
//! conjugate gradients on the same sweeps (Silcowitz, Niebe and Erleben 2010) were measured too and need more of them.
//! Departures: the window is weighted by √w_c, so units of mass do not matter; combined impulses are projected before the
//! sweep; the safeguards and the start above; blocks are swept in the order of their distance from what is fixed, normals
//! outwards and whole contacts inwards, so the numbering of a scene matters little.
//!
//! Cost: O(contacts) per sweep, plus `3 depth` multiplications per row: about twice a plain sweep. 10 to 100 sweeps
//! to 1e-5 m/s for structures up to ten high with mass ratios up to 10². Use it where no factorization is wanted and
//! plain sweeps are too slow. Tall structures, mass ratios from 10⁴, and impacts that change hundreds of contacts outlast
//! a hundred sweeps; there [`crate::Exact`] is the better choice.

use crate::one_contact::{self, OneContact};
use crate::solver::refuse_rolling;
use crate::sweep::{AcceleratedPlan, AcceleratedSweeps, ColdStart, MAX_SWEEPS};
use crate::warm_start::{active_blocks, make_feasible};
use crate::{ContactSolver, Effort, History, SolveError, StoppingRule};
use signorini_problem::ContactProblem;

/// Choices of [`AcceleratedNsgs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceleratedNsgsOptions {
    /// Most differences in the window; with 0 the sweeps are plain. Memory is `2 depth` vectors of impulses.
    pub depth: usize,
    /// Where to begin without a guess.
    pub cold_start: ColdStart,
}

impl Default for AcceleratedNsgsOptions {
    fn default() -> Self {
        AcceleratedNsgsOptions { depth: 32, cold_start: ColdStart::Frictionless }
    }
}

/// The method; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct AcceleratedNsgs {
    /// The choices.
    pub options: AcceleratedNsgsOptions,
    sweeps: AcceleratedSweeps<OneContact>,
}

impl AcceleratedNsgs {
    /// A solver with these options.
    pub fn new(options: AcceleratedNsgsOptions) -> Self {
        AcceleratedNsgs { options, ..AcceleratedNsgs::default() }
    }
}

impl ContactSolver for AcceleratedNsgs {
    fn name(&self) -> &'static str {
        "accelerated-nsgs"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        refuse_rolling(problem, self.name())?;
        if one_contact::solve_problem(problem, impulses).is_some() {
            make_feasible(problem, impulses);
            return Ok(Effort { iterations: 1, active: active_blocks(problem, impulses), ..Effort::default() });
        }
        let plan = AcceleratedPlan {
            depth: self.options.depth,
            cold_start: self.options.cold_start,
            max_sweeps: stop.max_iterations.unwrap_or(MAX_SWEEPS),
        };
        let report = self.sweeps.run(problem, impulses, stop, plan, history);
        Ok(Effort { iterations: report.sweeps, active: active_blocks(problem, impulses), ..Effort::default() })
    }
}
