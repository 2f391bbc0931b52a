//! `exact`: tries methods from cheap to expensive and stops at the first answer that the judge certifies.
//!
//! It treats all laws. First the judge grades the guess; in simulations, a nearly certified guess is refined by Newton
//! steps. Then the attempts of [`ladder`] are made in order until the judge certifies an answer or the budget is spent:
//!
//! | attempt | what | when |
//! |---|---|---|
//! | small | dense: closed form, pivoting, sweeps and Newton | one contact; no friction; at most 16 blocks |
//! | eliminated | joints and springs eliminated, the rest dense | robots: few rows besides equalities; of more than 16 blocks first of all |
//! | sweeps | exact Gauss–Seidel while it pays, then Newton | contacts not redundant within pairs of bodies |
//! | sticking | what sticks goes on sticking; one factorization | structures at rest |
//! | conic, warm | `conic_interior_point` from the guess | things that move |
//! | conic, cold | the same from nothing | bodies of similar mass; else after the central path |
//! | pyramids | friction pyramids that gain corners | at most 400 rows: folds without end |
//! | central path | `interior_point`: two starts, around folds, polished | what is left; heavy on light |
//! | other paths | sweeps and Newton in turn; uneven targets | what is left |
//!
//! If none is certified the best iterate is returned; the certificate says how far off it is, and
//! [`Effort::answered_by`](crate::Effort::answered_by) which attempt it is from.
//!
//! [`Selection::Canonical`] skips the attempts whose answer depends on the order of contacts where there is friction,
//! and ends at the limit of the central path instead of the first point of it that suffices.

mod attempt;
mod few_blocks;
mod frictionless;
mod growing_pyramids;
mod guess;
mod ladder;
mod limits;
mod options;
mod paths;
mod principal_pivots;
mod pyramid_program;
mod redundancy;
mod release;
mod search;
mod set_newton;
mod sweeping;
mod without_equalities;

use crate::conic_interior_point::ConicPath;
use crate::dense_newton::DenseNewton;
use crate::newton::NewtonStep;
use crate::one_contact::OneContact;
use crate::sweep::{AcceleratedSweeps, Sweeper};
use crate::warm_start::{active_blocks, make_feasible};
use crate::{BlockPivoting, ContactSolver, Effort, History, InteriorPoint, Lemke, SolveError, StoppingRule};
pub use attempt::Attempt;
use growing_pyramids::GrowingPyramids;
pub use guess::is_settled;
pub use options::{ExactOptions, Folds, Guesses, Selection};
use principal_pivots::PrincipalPivots;
use search::Search;
use signorini_problem::{Certificate, Certifier, ContactProblem};
use without_equalities::WithoutEqualities;

/// The solver and its buffers.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    /// Choices.
    pub options: ExactOptions,
    certifier: Certifier,
    sweeper: Sweeper<OneContact>,
    accelerated: AcceleratedSweeps<OneContact>,
    dense: DenseNewton,
    conic: ConicPath,
    interior: InteriorPoint,
    newton: NewtonStep,
    principal: PrincipalPivots,
    pivoting: BlockPivoting,
    lemke: Lemke,
    candidate: Vec<f64>,
    /// What the judge said of the next guess.
    told: Option<Certificate>,
    /// The initial guess, made feasible.
    guess: Vec<f64>,
    /// Created when first needed, because few problems get there.
    pyramids: Option<Box<GrowingPyramids>>,
    /// Created when a problem with joints first needs it.
    eliminated: Option<Box<WithoutEqualities>>,
}

impl Exact {
    /// A solver with these choices.
    pub fn with_options(options: ExactOptions) -> Self {
        Exact { options, ..Exact::default() }
    }

    /// Takes what the judge said of the guess of the next problem, which must be feasible. It is not asked again.
    pub fn take_grade(&mut self, certificate: Option<Certificate>) {
        self.told = certificate;
    }

    /// Grades `candidate` and keeps it if it is the best so far. Returns whether it is certified.
    fn consider(&mut self, search: &mut Search, impulses: &mut [f64]) -> bool {
        let Some(certificate) = self.grade(search.problem) else { return false };
        self.keep_best(search, impulses, certificate)
    }

    /// Keeps `candidate` if it is the best so far. Returns whether it is certified.
    fn keep_best(&mut self, search: &mut Search, impulses: &mut [f64], certificate: Certificate) -> bool {
        let measured = certificate.measured(search.stop.tolerance.measure);
        if measured < search.best {
            search.improve(measured);
            search.certificate = Some(certificate);
            impulses.copy_from_slice(&self.candidate);
        }
        certificate.meets(&search.stop.tolerance)
    }

    fn grade(&mut self, problem: &ContactProblem) -> Option<Certificate> {
        make_feasible(problem, &mut self.candidate);
        self.certifier.certify(problem, &self.candidate).ok()
    }

    fn prepare_systems(&mut self, search: &mut Search) {
        if !search.prepared {
            self.interior.prepare(search.problem);
            search.prepared = true;
        }
    }
}

impl ContactSolver for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        stop: &StoppingRule,
        history: &mut History,
    ) -> Result<Effort, SolveError> {
        let mut search = Search::new(problem, *stop, &self.options);
        self.escalate(&mut search, impulses, history);
        search.effort.active = active_blocks(problem, impulses);
        search.effort.factorizations = search.other_factorizations;
        if search.prepared {
            search.effort.factorizations += self.interior.system().factorizations();
        }
        Ok(search.effort)
    }
}
