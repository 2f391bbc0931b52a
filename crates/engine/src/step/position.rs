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
use crate::step::solve::{IslandSpace, body_changes, for_islands};
use crate::{Settings, Stabilisation, StepError};
use signorini_solvers::{ContactSolver, ExactOptions, History, Status, StoppingRule};

/// Share of the fastest correction of an island to which its displacements are solved: what is left is tried again in the
/// next step.
const ACCURACY: f64 = 1e-4;
/// Finest tolerance of a correction [m/s].
const FINEST: f64 = 1e-9;
/// Most rows for pivoting, whose matrices are dense.
const MOST_PIVOTED: usize = 200;
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
    // Most of the time there is nothing to do, and then other threads are not worth waking.
    let mut needed = false;
    for (island, space) in islands.iter().zip(spaces.iter_mut()) {
        needed |= pose_offsets(settings, scene, island, after, space);
    }
    if !needed {
        return Ok(0);
    }
    let units = &mut vec![(); islands.len()];
    for_islands(islands, spaces, units, |index, island, space, ()| {
        if space.contact_offsets.is_empty() && space.joint_offsets.is_empty() {
            return Ok(());
        }
        correct_island(scene, island, index, space)
    })?;
    let mut corrected = 0;
    for (island, space) in islands.iter().zip(spaces) {
        corrected += usize::from(!space.moves.is_empty());
        for (rank, twist) in island.bodies.iter().zip(&space.moves) {
            out[*rank as usize] = Twist { linear: scene.dt * twist.linear, angular: scene.dt * twist.angular };
        }
    }
    Ok(corrected)
}

/// Offsets of the island's rows [m/s, rad/s]; false, and none, if nothing is to be corrected.
fn pose_offsets(settings: &Settings, scene: &Scene, island: &Island, after: &[Twist], space: &mut IslandSpace) -> bool {
    let (fraction, slop, cap) = match settings.stabilisation {
        Stabilisation::SplitImpulse { fraction, slop, cap } => (fraction, slop, cap),
        Stabilisation::None | Stabilisation::VelocityBias { .. } => (0.0, f64::INFINITY, 0.0),
    };
    let dt = scene.dt;
    let mut needed = false;
    space.moves.clear();
    space.contact_offsets.clear();
    for contact in island.contacts.iter().map(|c| &scene.contacts[*c as usize]) {
        let velocity = contact.velocity(&after[contact.a as usize], &after[contact.b as usize]);
        let gap = contact.gap + dt * contact.frame[0].dot(velocity);
        let excess = -gap - slop;
        needed |= excess > 0.0 && fraction > 0.0;
        let offset = if excess > 0.0 { -(fraction * excess).min(cap) / dt } else { gap.max(0.0) / dt };
        space.contact_offsets.push(offset);
    }
    space.joint_offsets.clear();
    for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
        needed |= joint.error.iter().any(|e| e.abs() > NEGLIGIBLE) && settings.joint_correction > 0.0;
        space.joint_offsets.push(joint.error.map(|error| settings.joint_correction * error / dt));
    }
    if !needed {
        space.contact_offsets.clear();
        space.joint_offsets.clear();
    }
    needed
}

fn correct_island(scene: &Scene, island: &Island, index: usize, space: &mut IslandSpace) -> Result<(), StepError> {
    let purpose = Purpose::Position { contacts: &space.contact_offsets, joints: &space.joint_offsets };
    let problem = assemble(scene, island, &purpose, std::mem::take(&mut space.parts))
        .map_err(|source| StepError::Problem { island: index, source })?;
    let pushes = space.contact_offsets.iter().map(|offset| -offset);
    let pulls = space.joint_offsets.iter().flatten().map(|offset| offset.abs());
    let fastest = pushes.chain(pulls).fold(0.0, f64::max);
    let stop = StoppingRule::velocity(f64::max(ACCURACY * fastest, FINEST));
    let IslandSpace { pivoting, exact, position_session: session, body_velocity, moves, .. } = space;
    exact.options = ExactOptions::stepping();
    let methods: [&mut dyn ContactSolver; 2] = [pivoting, exact];
    let first = usize::from(problem.rows() > MOST_PIVOTED);
    for method in methods.into_iter().skip(first) {
        // A method that refuses the problem leaves it to the next.
        let Ok(solution) = session.solve(&problem, method, None, &stop, &mut History::off()) else { continue };
        if solution.status == Status::Solved {
            body_changes(&problem, &solution.impulses, island.bodies.len(), body_velocity, moves);
            break;
        }
        // Moving by an unproven displacement may do harm; the overlap stays and is tried again in the next step.
    }
    space.parts = problem.into_parts();
    Ok(())
}
