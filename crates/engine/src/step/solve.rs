//! Solve. In: islands. Out: impulses with their certificates. Eq.: u = W r + q under the laws.
//!
//! Islands are independent. They are solved in parallel and collected in order, so the number of threads cannot change
//! a bit. If the cached impulses of the last step solve the problem of this one far below the tolerance, they are the
//! answer, at the cost of one evaluation by the judge; if they solve it less well, they are refined.
//!
//! # Energy guard
//!
//! Newton's law of impact with friction can create energy when several directions are coupled (Kane's paradox). If the
//! contacts of an island would do positive work, the island is solved again with smaller coefficients of restitution,
//! found by bisection. Without restitution contact impulses always dissipate, measured against the velocity after
//! forces.

use crate::step::assembly::{Purpose, Scene, assemble, guess};
use crate::step::energy_guard::makes_energy;
use crate::step::for_islands::for_islands;
use crate::step::in_halves::in_halves;
use crate::step::island::{Island, Islands};
use crate::step::midpoint::{self, Motion, Shelves};
use crate::step::passes::Passes;
use crate::step::ration::{FOR_NO_BOUNCE, FOR_TRIALS, Purse, TRIALS};
use crate::step::rolling::Push;
use crate::step::sequential_impacts::{self, SequentialImpacts};
use crate::step::squeeze::{self, Pad, SqueezeSpace};
use crate::step::{Records, Twist, rest_snap};
use crate::{ImpactLaw, Settings, StepError};
use glamx::DVec3;
use signorini_problem::{Certificate, Certifier, ContactProblem, Delassus, FactoredParts};
use signorini_solvers::warm_start::make_feasible;
use signorini_solvers::{
    Accept, BlockPivoting, ContactSolver, Effort, EqualityRows, Exact, ExactOptions, History, Method, SolveError,
    SolverSession, TiedBodies, is_settled,
};
use std::fmt;

/// Halvings of the restitution factor: it is found to 1/64.
pub(crate) const HALVINGS: usize = 6;
/// Solver and buffers, used for one island at a time.
#[derive(Default)]
pub(crate) struct IslandSpace {
    solver: Option<StepSolver>,
    session: SolverSession,
    certifier: Certifier,
    /// What an island that bounces may still spend in the step.
    pub purse: Purse,
    pub guess: Vec<f64>,
    /// Impulses of the last problem, and the velocity changes they cause.
    pub impulses: Vec<f64>,
    pub changes: Vec<Twist>,
    /// The vectors of the last problem.
    pub parts: FactoredParts,
    pub body_velocity: Vec<f64>,
    pub trial: IslandSolution,
    pub pivoting: BlockPivoting,
    pub exact: Exact,
    pub equalities: EqualityRows,
    pub tied: TiedBodies,
    pub ties: Vec<[Option<u32>; 2]>,
    pub spans: Vec<[u32; 2]>,
    pub position_session: SolverSession,
    /// Pads of the island's contacts; empty if it is not squeezed.
    pub pads: Vec<Option<Pad>>,
    pub squeeze: SqueezeSpace,
    /// Vectors of islands with joints.
    pub shelves: Shelves,
    /// Why the island could not be solved.
    pub error: Option<StepError>,
}

impl fmt::Debug for IslandSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.solver.as_ref().map(|solver| solver.method);
        f.debug_struct("IslandSpace").field("method", &method).finish_non_exhaustive()
    }
}

impl IslandSpace {
    /// Makes the guess the answer, so that it can be graded.
    pub fn take_guess(&mut self) -> &mut IslandSpace {
        self.impulses.clone_from(&self.guess);
        self
    }
}

/// Factorizations that a step may still spend to reach `tolerance` once the answer meets `accept`. Study of 17 falling
/// heaps: the median step takes 16.7 factorizations with this value and 15.5 with four. A plate sliding on 400 points
/// has its velocity to 1e-9 m/s with it, and to 2e-7 m/s with four.
const FURTHER: usize = 10;

/// The method chosen in the settings, kept between steps.
struct StepSolver {
    method: Method,
    solver: Solver,
}

enum Solver {
    Exact(Box<Exact>),
    Other(Box<dyn ContactSolver + Send>),
}

impl StepSolver {
    fn new(method: Method) -> Self {
        let solver = match method {
            Method::Exact => Solver::Exact(Box::new(Exact::with_options(ExactOptions::stepping()))),
            _ => Solver::Other(method.solver()),
        };
        StepSolver { method, solver }
    }

    /// The solver, with the accepted residual, the budget of this problem and what is left of that of the step, and the
    /// grade of the guess.
    fn with(
        &mut self,
        residual: f64,
        (budget, ceiling): (Option<usize>, Option<usize>),
        guess: Option<Certificate>,
    ) -> &mut dyn ContactSolver {
        match &mut self.solver {
            Solver::Exact(exact) => {
                let accept = Some(Accept { residual, further_factorizations: FURTHER });
                exact.options = ExactOptions { budget, ceiling, accept, ..exact.options };
                exact.take_grade(guess);
                exact.as_mut()
            }
            Solver::Other(solver) => solver.as_mut(),
        }
    }
}

/// The answer of one island.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandSolution {
    pub solved: bool,
    pub certificate: Option<Certificate>,
    pub effort: Effort,
    pub restitution_scale: f64,
    /// Impulse of each contact of the island.
    pub contact_impulses: Vec<Push>,
    /// Impulses of the joints of the island, row by row.
    pub joint_impulses: Vec<f64>,
    /// M⁻¹Jᵀr per body of the island.
    pub change: Vec<Twist>,
    /// Motion of an island that was moved by `midpoint`; the bodies of other islands move by their velocities.
    pub motion: Option<Motion>,
    /// Time of sequential impacts \[s\], and which contacts of the island took part.
    pub passed_on: Option<(f64, Vec<bool>)>,
    /// Pairs of ranks in a squeeze, ascending. Their overlap is not removed.
    pub squeezed: Vec<(u32, u32)>,
}

/// Grade of an answer whose impulses are in the workspace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Graded {
    pub solved: bool,
    pub certificate: Certificate,
    pub effort: Effort,
}

pub(crate) fn add_effort(total: &mut Effort, part: &Effort) {
    total.iterations += part.iterations;
    total.factorizations += part.factorizations;
    total.set_changes += part.set_changes;
    total.active += part.active;
    total.indeterminacy += part.indeterminacy;
}

impl IslandSolution {
    /// Resets the answer to zero impulses.
    pub fn reset(&mut self, scene: &Scene, island: &Island) {
        self.solved = true;
        self.certificate = None;
        self.effort = Effort::default();
        self.restitution_scale = 1.0;
        self.contact_impulses.clear();
        self.contact_impulses.resize(island.contacts.len(), Push::NONE);
        self.joint_impulses.clear();
        self.joint_impulses.resize(joint_rows(scene, island), 0.0);
        self.change.clear();
        self.motion = None;
        self.passed_on = None;
    }

    /// Adds the grade of a piece of the step. The worst grade counts.
    pub fn grade(&mut self, graded: &Graded) {
        let rank = |solved: bool, scaled: f64| (!solved, scaled);
        let worse = self
            .certificate
            .is_none_or(|own| rank(graded.solved, graded.certificate.scaled) > rank(self.solved, own.scaled));
        if worse {
            self.certificate = Some(graded.certificate);
        }
        self.solved &= graded.solved;
    }

    /// Adds the impulses of earlier impacts.
    fn add_impulses(&mut self, sequence: &SequentialImpacts) {
        for (total, part) in self.contact_impulses.iter_mut().zip(&sequence.contact_impulses) {
            total.impulse += *part;
        }
        for (total, part) in self.joint_impulses.iter_mut().zip(&sequence.joint_impulses) {
            *total += *part;
        }
    }

    /// Adds the effect of earlier impacts.
    fn take_in(&mut self, sequence: &SequentialImpacts) {
        self.add_impulses(sequence);
        for (total, part) in self.change.iter_mut().zip(&sequence.change) {
            total.linear += part.linear;
            total.angular += part.angular;
        }
        let took_part = sequence.contact_impulses.iter().map(|impulse| *impulse != DVec3::ZERO).collect();
        self.passed_on = Some((sequence.time, took_part));
    }
}

/// Solves all islands except those whose answer is `kept`.
pub(crate) fn solve_islands(
    records: &Records,
    scene: &Scene,
    islands: &Islands,
    passes: &Passes,
    spaces: &mut Vec<IslandSpace>,
    solutions: &mut Vec<IslandSolution>,
) -> Result<(), StepError> {
    let islands = islands.as_slice();
    spaces.resize_with(spaces.len().max(islands.len()), IslandSpace::default);
    solutions.resize_with(solutions.len().max(islands.len()), IslandSolution::default);
    for_islands(islands, spaces, &mut solutions[..islands.len()], |index, island, space, solution| {
        if passes.kept.get(index) == Some(&true) {
            Ok(())
        } else {
            // Only bounces are tried several times.
            let shares = island.joints.is_empty() && bounces(scene, island);
            space.purse = Purse::new(shares.then_some(records.settings.budget).flatten(), passes.taken);
            solve_island(records, scene, island, index, space, solution)
        }
    })
}

/// Whether something bounces within the step.
fn bounces(scene: &Scene, island: &Island) -> bool {
    island.contacts.iter().any(|c| scene.contacts[*c as usize].impact.is_some())
}

fn solve_island(
    records: &Records,
    scene: &Scene,
    island: &Island,
    index: usize,
    space: &mut IslandSpace,
    solution: &mut IslandSolution,
) -> Result<(), StepError> {
    let settings = records.settings;
    guess(scene, island, &mut space.guess);
    squeeze::find(records, scene, island, space);
    solution.squeezed.clear();
    solution.squeezed.extend(squeeze::padded_pairs(scene, island, &space.pads));
    solution.squeezed.dedup();
    let squeezed = !space.pads.is_empty();
    if !island.joints.is_empty() {
        squeeze::soften(scene, island, &mut space.pads);
    }
    let sequence = match settings.impact {
        // A squeezed island does not bounce.
        _ if squeezed => None,
        ImpactLaw::Newton => None,
        ImpactLaw::Sequential { rounds } => sequential_impacts::reflect(settings, scene, island, index, rounds, space)?,
    };
    if !island.joints.is_empty() {
        let shift = sequence.as_ref().map_or(&[][..], |sequence| &sequence.change);
        let restitution = sequence.is_none() && !squeezed;
        midpoint::step_island(records, scene, island, index, shift, restitution, 1, space, solution)?;
        if let Some(sequence) = &sequence {
            solution.add_impulses(sequence);
        }
        return Ok(());
    }
    solution.motion = None;
    // A step that cannot be solved with its bounces may be solved with less restitution.
    space.purse.keep(FOR_TRIALS);
    if let Some(sequence) = &sequence {
        // The bounces are done; the remaining problem only keeps bodies apart.
        attempt(records, scene, island, index, space, (0.0, &sequence.change), solution)?;
        if !solution.solved && in_halves(records, scene, island, index, (&sequence.change, false), space, solution) {
            solution.add_impulses(sequence);
            return Ok(());
        }
        solution.restitution_scale = 1.0;
        solution.take_in(sequence);
        return Ok(());
    }
    let bounces = bounces(scene, island);
    if squeezed && bounces {
        return attempt(records, scene, island, index, space, (0.0, &[]), solution);
    }
    attempt(records, scene, island, index, space, (1.0, &[]), solution)?;
    if !solution.solved && !squeezed && in_halves(records, scene, island, index, (&[], true), space, solution) {
        return Ok(());
    }
    if !bounces || !makes_energy(scene, island, solution) {
        return Ok(());
    }
    let mut trial = std::mem::take(&mut space.trial);
    let (mut good, mut bad) = (0.0, 1.0);
    let mut found = false;
    let mut spent = solution.effort;
    // A problem that was not solved is hardly solved with less restitution, and each trial costs as much. Go to zero
    // restitution at once.
    let halvings = if solution.solved { HALVINGS } else { 0 };
    for _ in 0..halvings {
        let middle = 0.5 * (good + bad);
        if space.purse.keep(FOR_NO_BOUNCE) == Some(0) {
            break;
        }
        let left = TRIALS.of(settings, spent.iterations);
        let records = &Records { settings: &left, ..*records };
        // Each trial starts from the last answer, because a little less restitution changes it only a little.
        if space.impulses.len() == space.guess.len() {
            std::mem::swap(&mut space.guess, &mut space.impulses);
        }
        attempt(records, scene, island, index, space, (middle, &[]), &mut trial)?;
        add_effort(&mut spent, &trial.effort);
        if makes_energy(scene, island, &trial) {
            bad = middle;
        } else {
            good = middle;
            std::mem::swap(solution, &mut trial);
            found = true;
        }
    }
    space.trial = trial;
    space.purse.keep(0);
    if !found {
        let left = TRIALS.of(settings, spent.iterations);
        let records = &Records { settings: &left, ..*records };
        attempt(records, scene, island, index, space, (0.0, &[]), solution)?;
        add_effort(&mut spent, &solution.effort);
    }
    solution.effort = Effort { active: solution.effort.active, answered_by: solution.effort.answered_by, ..spent };
    Ok(())
}

/// Assembles, solves and unpacks with restitution scaled and velocities shifted by earlier impacts.
fn attempt(
    records: &Records,
    scene: &Scene,
    island: &Island,
    index: usize,
    space: &mut IslandSpace,
    (restitution_scale, shift): (f64, &[Twist]),
    out: &mut IslandSolution,
) -> Result<(), StepError> {
    let stabilisation = records.settings.stabilisation;
    let purpose = Purpose { restitution_scale, stabilisation, shift, pads: &space.pads };
    let problem = assemble(scene, island, &purpose, std::mem::take(&mut space.parts))
        .map_err(|source| StepError::Problem { island: index, source })?;
    out.restitution_scale = restitution_scale;
    out.passed_on = None;
    let solved = solve_once(records, scene, island, &problem, space, out);
    space.parts = problem.into_parts();
    solved.map_err(|source| StepError::Solve { island: index, source })
}

fn solve_once(
    records: &Records,
    scene: &Scene,
    island: &Island,
    problem: &ContactProblem,
    space: &mut IslandSpace,
    out: &mut IslandSolution,
) -> Result<(), SolveError> {
    let rests = space.pads.is_empty() && rest_snap::was_at_rest(scene, island);
    let graded = solve_unless(records.settings, problem, space, |certificate, changes| {
        rests && rest_snap::stays_at_rest(records, scene, island, certificate, changes)
    })?;
    (out.solved, out.certificate, out.effort) = (graded.solved, Some(graded.certificate), graded.effort);
    unpack(scene, island, problem, &space.impulses, out);
    out.change.clear();
    out.change.extend_from_slice(&space.changes);
    Ok(())
}

/// Solves a problem with the method of the settings, from the guess in the workspace. Impulses and velocity changes are
/// left in the workspace.
pub(crate) fn solve_graded(
    settings: &Settings,
    problem: &ContactProblem,
    space: &mut IslandSpace,
) -> Result<Graded, SolveError> {
    solve_unless(settings, problem, space, |_, _| false)
}

/// The same, unless the guess will do, told by its certificate and the changes of velocity that it makes.
fn solve_unless(
    settings: &Settings,
    problem: &ContactProblem,
    space: &mut IslandSpace,
    will_do: impl Fn(&Certificate, &[Twist]) -> bool,
) -> Result<Graded, SolveError> {
    let IslandSpace { solver, session, certifier, purse, guess, impulses, body_velocity, changes, .. } = space;
    let (stop, accept) = settings.asked(problem);
    let tolerance = &stop.tolerance;
    let mut grade = None;
    if guess.iter().any(|x| *x != 0.0) {
        make_feasible(problem, guess);
        let certificate = certifier.certify(problem, guess)?;
        // Methods other than `exact` keep a guess that is certified; `exact` refines it unless it is far below the
        // tolerance.
        let taken = match settings.method {
            Method::Exact => is_settled(&certificate, tolerance),
            _ => certificate.meets(tolerance),
        };
        // The judge has already found what the impulses do to the bodies.
        changes.clear();
        changes.extend(certifier.body_velocities().map(twist));
        if taken || settings.accepts(&certificate) && will_do(&certificate, changes) {
            let carries = |c: &usize| guess[problem.range(*c)].iter().any(|x| *x != 0.0);
            let active = (0..problem.blocks().len()).filter(carries).count();
            impulses.clone_from(guess);
            return Ok(Graded { solved: true, certificate, effort: Effort { active, ..Effort::default() } });
        }
        grade = Some(certificate);
    }
    let solver = match solver {
        Some(solver) if solver.method == settings.method => solver,
        _ => solver.insert(StepSolver::new(settings.method)),
    };
    let solver = solver.with(accept, (settings.budget, purse.most()), grade);
    let solution = session.improve(problem, solver, guess, &stop, &mut History::off())?;
    purse.spend(solution.effort.factorizations);
    impulses.clone_from(&solution.impulses);
    let bodies = if let Delassus::Factored(delassus) = problem.delassus() { delassus.inverse_mass().len() } else { 0 };
    body_changes(problem, impulses, bodies, body_velocity, changes);
    let solved = settings.accepts(&solution.certificate);
    Ok(Graded { solved, certificate: solution.certificate, effort: solution.effort })
}

/// Grades impulses that were found without the solver, at the cost of this number of factorizations.
pub(crate) fn certify_given(
    settings: &Settings,
    problem: &ContactProblem,
    factorizations: usize,
    space: &mut IslandSpace,
) -> Result<Graded, SolveError> {
    let IslandSpace { certifier, impulses, changes, .. } = space;
    let certificate = certifier.certify(problem, impulses)?;
    changes.clear();
    changes.extend(certifier.body_velocities().map(twist));
    let effort =
        Effort { iterations: factorizations, factorizations, active: problem.blocks().len(), ..Effort::default() };
    Ok(Graded { solved: settings.accepts(&certificate), certificate, effort })
}

/// Converts impulses of contact rows to vectors.
fn world_impulses(scene: &Scene, island: &Island, problem: &ContactProblem, r: &[f64], out: &mut Vec<Push>) {
    out.clear();
    for (block, contact) in island.contacts.iter().map(|c| &scene.contacts[*c as usize]).enumerate() {
        let rows = &r[problem.range(block)];
        // An unchanged impulse keeps its bits; conversion to rows and back would change the last one.
        let guessed = rows.iter().zip(contact.rows_of(&contact.guess)).all(|(r, guess)| *r == guess);
        out.push(match rows.len() {
            3 | 6 if guessed => contact.guess,
            _ => contact.push_of(rows),
        });
    }
}

/// Converts impulses of all rows to vectors, and stores them.
fn unpack(scene: &Scene, island: &Island, problem: &ContactProblem, r: &[f64], out: &mut IslandSolution) {
    world_impulses(scene, island, problem, r, &mut out.contact_impulses);
    out.joint_impulses.clear();
    out.joint_impulses.extend_from_slice(&r[r.len() - joint_rows(scene, island)..]);
}

/// Number of rows of all joints of an island.
pub(crate) fn joint_rows(scene: &Scene, island: &Island) -> usize {
    island.joints.iter().map(|j| scene.joints[*j as usize].row_count()).sum()
}

/// M⁻¹Jᵀr per body of the island.
pub(crate) fn body_changes(
    problem: &ContactProblem,
    r: &[f64],
    bodies: usize,
    velocity: &mut Vec<f64>,
    out: &mut Vec<Twist>,
) {
    velocity.clear();
    velocity.resize(6 * bodies, 0.0);
    if let Delassus::Factored(delassus) = problem.delassus() {
        delassus.body_velocity(problem.offsets(), r, velocity);
    }
    out.clear();
    out.extend(velocity.as_chunks::<6>().0.iter().map(twist));
}

fn twist(v: &[f64; 6]) -> Twist {
    Twist { linear: DVec3::new(v[0], v[1], v[2]), angular: DVec3::new(v[3], v[4], v[5]) }
}
