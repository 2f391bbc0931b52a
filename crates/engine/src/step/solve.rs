//! Stage 6/9, second half: solve. In: islands. Out: impulses with their certificates. Eq.: u = W r + q under the laws.
//!
//! Islands are independent: they are solved in parallel and collected in their order, so the number of threads cannot
//! change a bit.
//!
//! # Energy guard
//!
//! Newton's law of impact with friction can make energy when several directions are coupled (Kane's paradox). An island
//! whose contacts would do positive work is solved again with its coefficients of restitution scaled down by bisection.
//! With none left the impulses dissipate by construction, against the velocity after forces.

use crate::step::Twist;
use crate::step::assembly::{Purpose, Scene, assemble, guess};
use crate::step::island::{Island, Islands};
use crate::step::sequence::{self, Sequence};
use crate::{ImpactLaw, Settings, StepError};
use glamx::DVec3;
use rayon::prelude::*;
use signorini_problem::{Certificate, ContactProblem, Delassus};
use signorini_solvers::{BlockPivoting, ContactSolver, Effort, History, Method, SolveError, SolverSession, Status};
use std::fmt;

/// Halvings of the restitution factor: it is found to 1/64.
const HALVINGS: usize = 6;
/// Work of contacts, relative to impulse times speed, that the tolerance of a solve leaves open and is no gain.
const WORK_TOLERANCE: f64 = 1e-8;

/// Solver and buffers of one island at a time.
#[derive(Default)]
pub(crate) struct IslandSpace {
    solver: Option<(Method, Box<dyn ContactSolver + Send>)>,
    session: SolverSession,
    pub pivoting: BlockPivoting,
    pub exact: signorini_solvers::Exact,
    pub position_session: SolverSession,
    guess: Vec<f64>,
}

impl fmt::Debug for IslandSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.solver.as_ref().map(|s| s.0);
        f.debug_struct("IslandSpace").field("method", &method).finish_non_exhaustive()
    }
}

/// The answer of one island.
#[derive(Clone, Debug)]
pub(crate) struct IslandSolution {
    pub solved: bool,
    pub certificate: Certificate,
    pub effort: Effort,
    pub restitution_scale: f64,
    /// World axes, per contact of the island \[N·s\].
    pub contact_impulses: Vec<DVec3>,
    /// Row by row, per joint of the island.
    pub joint_impulses: Vec<[f64; 6]>,
    /// M⁻¹Jᵀr per body of the island.
    pub change: Vec<Twist>,
    /// When impacts were passed on \[s\], and which contacts of the island took part.
    pub passed_on: Option<(f64, Vec<bool>)>,
}

impl IslandSolution {
    /// Adds what happened before.
    fn take_in(&mut self, sequence: &Sequence) {
        for (total, part) in self.contact_impulses.iter_mut().zip(&sequence.contact_impulses) {
            *total += *part;
        }
        for (total, part) in self.joint_impulses.iter_mut().flatten().zip(sequence.joint_impulses.iter().flatten()) {
            *total += *part;
        }
        for (total, part) in self.change.iter_mut().zip(&sequence.change) {
            total.linear += part.linear;
            total.angular += part.angular;
        }
        let took_part = sequence.contact_impulses.iter().map(|impulse| *impulse != DVec3::ZERO).collect();
        self.passed_on = Some((sequence.time, took_part));
    }
}

pub(crate) fn solve_islands(
    settings: &Settings,
    scene: &Scene,
    islands: &Islands,
    spaces: &mut Vec<IslandSpace>,
    solutions: &mut Vec<IslandSolution>,
) -> Result<(), StepError> {
    let islands = islands.as_slice();
    spaces.resize_with(spaces.len().max(islands.len()), IslandSpace::default);
    let solve = |(index, (island, space)): (usize, (&Island, &mut IslandSpace))| {
        solve_island(settings, scene, island, index, space)
    };
    let spaces = &mut spaces[..islands.len()];
    let results: Vec<Result<IslandSolution, StepError>> = if islands.len() < 2 {
        islands.iter().zip(spaces).enumerate().map(solve).collect()
    } else {
        islands.par_iter().zip(spaces).enumerate().map(solve).collect()
    };
    solutions.clear();
    // The first island that fails is reported, whichever thread was first.
    for result in results {
        solutions.push(result?);
    }
    Ok(())
}

fn solve_island(
    settings: &Settings,
    scene: &Scene,
    island: &Island,
    index: usize,
    space: &mut IslandSpace,
) -> Result<IslandSolution, StepError> {
    guess(scene, island, &mut space.guess);
    let sequence = match settings.impact {
        ImpactLaw::Newton => None,
        ImpactLaw::Sequential { rounds } => sequence::reflect(settings, scene, island, index, rounds, space)?,
    };
    let shift: &[Twist] = sequence.as_ref().map_or(&[], |sequence| &sequence.change);
    let mut attempt = |scale: f64| {
        let purpose = Purpose::Velocity { restitution_scale: scale, stabilisation: settings.stabilisation, shift };
        let problem =
            assemble(scene, island, &purpose).map_err(|source| StepError::Problem { island: index, source })?;
        let solution =
            solve_once(settings, &problem, space).map_err(|source| StepError::Solve { island: index, source })?;
        Ok(unpack(scene, island, &problem, solution, scale))
    };
    if let Some(sequence) = &sequence {
        // What bounces has bounced: the problem that is left only keeps bodies apart.
        let mut solution = attempt(0.0)?;
        solution.restitution_scale = 1.0;
        solution.take_in(sequence);
        return Ok(solution);
    }
    let mut solution = attempt(1.0)?;
    let bounces = island.contacts.iter().any(|c| scene.contacts[*c as usize].impact.is_some());
    if !bounces || !makes_energy(scene, island, &solution) {
        return Ok(solution);
    }
    let (mut good, mut bad) = (0.0, 1.0);
    let mut found = false;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (good + bad);
        let trial = attempt(middle)?;
        if makes_energy(scene, island, &trial) {
            bad = middle;
        } else {
            good = middle;
            solution = trial;
            found = true;
        }
    }
    if found { Ok(solution) } else { attempt(0.0) }
}

fn solve_once(
    settings: &Settings,
    problem: &ContactProblem,
    space: &mut IslandSpace,
) -> Result<signorini_solvers::Solution, SolveError> {
    let IslandSpace { solver, session, guess, .. } = space;
    let solver = match solver {
        Some((method, solver)) if *method == settings.method => solver,
        _ => &mut solver.insert((settings.method, settings.method.solver())).1,
    };
    session.solve(problem, solver.as_mut(), Some(guess), &settings.stop, &mut History::off()).cloned()
}

/// From rows back to vectors.
fn unpack(
    scene: &Scene,
    island: &Island,
    problem: &ContactProblem,
    solution: signorini_solvers::Solution,
    restitution_scale: f64,
) -> IslandSolution {
    let r = &solution.impulses;
    let mut block = 0;
    let mut contact_impulses = Vec::with_capacity(island.contacts.len());
    for contact in island.contacts.iter().map(|c| &scene.contacts[*c as usize]) {
        let rows = &r[problem.range(block)];
        contact_impulses.push(rows.iter().zip(&contact.frame).map(|(r, d)| *r * *d).sum());
        block += 1;
    }
    let mut joint_impulses = Vec::with_capacity(island.joints.len());
    for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
        let mut impulse = [0.0; 6];
        let first = problem.range(block).start;
        impulse[..joint.row_count()].copy_from_slice(&r[first..first + joint.row_count()]);
        joint_impulses.push(impulse);
        block += joint.blocks.len();
    }
    IslandSolution {
        solved: solution.status == Status::Solved,
        certificate: solution.certificate,
        effort: solution.effort,
        restitution_scale,
        contact_impulses,
        joint_impulses,
        change: body_changes(problem, r, island.bodies.len()),
        passed_on: None,
    }
}

/// M⁻¹Jᵀr per body of the island.
pub(crate) fn body_changes(problem: &ContactProblem, r: &[f64], bodies: usize) -> Vec<Twist> {
    let mut velocity = vec![0.0; 6 * bodies];
    if let Delassus::Factored(delassus) = problem.delassus() {
        delassus.body_velocity(problem.offsets(), r, &mut velocity);
    }
    let twist = |v: &[f64]| Twist { linear: DVec3::new(v[0], v[1], v[2]), angular: DVec3::new(v[3], v[4], v[5]) };
    velocity.chunks_exact(6).map(twist).collect()
}

/// Whether the impulses of contacts raise the energy: `Σ r·(u⁻ + u⁺)/2 > 0` with the velocities around each impulse.
fn makes_energy(scene: &Scene, island: &Island, solution: &IslandSolution) -> bool {
    let (mut work, mut size) = (0.0, 0.0);
    let after = |rank: u32| {
        let base = scene.free[rank as usize].after;
        match island.bodies.binary_search(&rank) {
            Ok(i) => Twist {
                linear: base.linear + solution.change[i].linear,
                angular: base.angular + solution.change[i].angular,
            },
            Err(_) => base,
        }
    };
    for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
        let contact = &scene.contacts[*c as usize];
        let (a, b) = (&scene.free[contact.a as usize], &scene.free[contact.b as usize]);
        let (after_a, after_b) = (after(contact.a), after(contact.b));
        let mean = contact.mean_velocity(a, b, &after_a, &after_b, scene.dt);
        work += impulse.dot(mean);
        size += impulse.length() * (mean.length() + contact.velocity(&a.after, &b.after).length());
    }
    work > WORK_TOLERANCE * size
}
