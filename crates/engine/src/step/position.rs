//! Stage 8/9, positions. In: gaps, joint errors, v⁺. Out: displacements that take out overlap and drift. Velocities are
//! not touched. Eq.: W r + q = w, with pseudo-velocities w and, per row,
//!
//! ```text
//! contact  0 ≤ r ⊥ w ≥ min(fraction·(depth − slop), cap)/h   if depth > slop
//!          0 ≤ r ⊥ w ≥ −max(gap, 0)/h                        otherwise: a correction must not close what is open
//! joint    w = −fraction·error/h
//! ```
//!
//! Gaps are those expected at the end of the step, `g + h u_N⁺`: a body that bounces off is not pushed as well. The
//! smallest displacement in the mass metric that satisfies this is the split impulse of the spec, §2.10.

use crate::step::Twist;
use crate::step::assembly::{Purpose, Scene, assemble};
use crate::step::island::{Island, Islands};
use crate::step::solve::{IslandSpace, body_changes};
use crate::{Settings, Stabilisation, StepError};
use rayon::prelude::*;
use signorini_solvers::{ContactSolver, History, Status, StoppingRule};

/// Joint errors that are left alone [m, rad].
const NEGLIGIBLE: f64 = 1e-12;

/// Fills in what every body is moved and turned by [m, rad]; returns how many islands were corrected.
pub(crate) fn positions(
    settings: &Settings,
    scene: &Scene,
    islands: &Islands,
    after: &[Twist],
    spaces: &mut [IslandSpace],
    out: &mut Vec<Twist>,
) -> Result<usize, StepError> {
    out.clear();
    out.resize(scene.bodies.len(), Twist::default());
    let islands = islands.as_slice();
    let correct = |(index, (island, space)): (usize, (&Island, &mut IslandSpace))| {
        correct_island(settings, scene, island, index, after, space)
    };
    let spaces = &mut spaces[..islands.len()];
    let results: Vec<Result<Option<Vec<Twist>>, StepError>> = if islands.len() < 2 {
        islands.iter().zip(spaces).enumerate().map(correct).collect()
    } else {
        islands.par_iter().zip(spaces).enumerate().map(correct).collect()
    };
    let mut corrected = 0;
    for (island, result) in islands.iter().zip(results) {
        let Some(moves) = result? else { continue };
        corrected += 1;
        for (rank, twist) in island.bodies.iter().zip(moves) {
            out[*rank as usize] = Twist { linear: scene.dt * twist.linear, angular: scene.dt * twist.angular };
        }
    }
    Ok(corrected)
}

fn correct_island(
    settings: &Settings,
    scene: &Scene,
    island: &Island,
    index: usize,
    after: &[Twist],
    space: &mut IslandSpace,
) -> Result<Option<Vec<Twist>>, StepError> {
    let (fraction, slop, cap) = match settings.stabilisation {
        Stabilisation::SplitImpulse { fraction, slop, cap } => (fraction, slop, cap),
        Stabilisation::None | Stabilisation::VelocityBias { .. } => (0.0, f64::INFINITY, 0.0),
    };
    let dt = scene.dt;
    let mut needed = false;
    let mut contacts = Vec::with_capacity(island.contacts.len());
    for contact in island.contacts.iter().map(|c| &scene.contacts[*c as usize]) {
        let velocity = contact.velocity(&after[contact.a as usize], &after[contact.b as usize]);
        let gap = contact.gap + dt * contact.frame[0].dot(velocity);
        let excess = -gap - slop;
        needed |= excess > 0.0 && fraction > 0.0;
        contacts.push(if excess > 0.0 { -(fraction * excess).min(cap) / dt } else { gap.max(0.0) / dt });
    }
    let mut joints = Vec::with_capacity(island.joints.len());
    for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
        needed |= joint.error.iter().any(|e| e.abs() > NEGLIGIBLE) && settings.joint_correction > 0.0;
        joints.push(joint.error.map(|error| settings.joint_correction * error / dt));
    }
    if !needed {
        return Ok(None);
    }
    let purpose = Purpose::Position { contacts: &contacts, joints: &joints };
    let problem = assemble(scene, island, &purpose).map_err(|source| StepError::Problem { island: index, source })?;
    let stop = StoppingRule::velocity(1e-9);
    let IslandSpace { pivoting, exact, position_session: session, .. } = space;
    let methods: [&mut dyn ContactSolver; 2] = [pivoting, exact];
    for method in methods {
        // A method that refuses the problem (too large for pivoting) leaves it to the next.
        let Ok(solution) = session.solve(&problem, method, None, &stop, &mut History::off()) else { continue };
        if solution.status == Status::Solved {
            return Ok(Some(body_changes(&problem, &solution.impulses, island.bodies.len())));
        }
    }
    // Moving by an unproven displacement may do harm; the overlap stays and is tried again in the next step.
    Ok(None)
}
