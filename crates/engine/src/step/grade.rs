//! Collects the states, impulses and laws of the step, passes them to the judge, and fills in the certificate and the
//! counts of the step report.

use crate::report::{ContactState, StepReport, StepStatus};
use crate::step::Workspace;
use crate::step::assembly::Scene;
use crate::step::contact::Contact;
use crate::step::integrate::Outcome;
use crate::step::island::Island;
use crate::step::solve::{self, IslandSolution};
use crate::{World, judge};
use glamx::DVec3;
use signorini_problem::Counts;

/// Asks the judge about the whole step.
pub(crate) fn grade(world: &World, ws: &mut Workspace, dt: f64, report: &mut StepReport) {
    let Workspace {
        bodies, contacts, joints, joint_rows, islands, solutions, end, collision, judge: space, rest, ..
    } = ws;
    let (islands, solutions) = (islands.as_slice(), &solutions[..islands.len()]);
    let acting = |(island, solution): (&Island, &IslandSolution)| -> f64 {
        let rows = island.joints.iter().flat_map(|j| &joint_rows[joints[*j as usize].rows.clone()]);
        let sizes = rows.zip(&solution.joint_impulses).filter(|(row, _)| !row.locked && !row.geared);
        sizes.map(|(_, impulse)| impulse.abs()).sum()
    };
    let drive_impulses = islands.iter().zip(solutions).map(acting).sum();
    let impulses = |tell: &mut dyn FnMut(judge::Impulse)| {
        for (island, solution) in islands.iter().zip(solutions) {
            for (c, push) in island.contacts.iter().zip(&solution.contact_impulses) {
                let (contact, impulse) = (&contacts[*c as usize], &push.impulse);
                let sides = [(contact.a, contact.arm_a, -*impulse), (contact.b, contact.arm_b, *impulse)];
                for (rank, arm, linear) in sides {
                    tell(judge::Impulse { rank, linear, angular: arm.cross(linear), arm: arm.length(), joint: false });
                }
                if contact.rolling.is_some() {
                    for (rank, angular) in [(contact.a, -push.moment), (contact.b, push.moment)] {
                        tell(judge::Impulse { rank, linear: DVec3::ZERO, angular, arm: 0.0, joint: false });
                    }
                }
            }
            let wrenches = solution.motion.iter().flat_map(|motion| &motion.joint_wrench);
            for (rank, (linear, angular)) in island.bodies.iter().zip(wrenches) {
                tell(judge::Impulse { rank: *rank, linear: *linear, angular: *angular, arm: 0.0, joint: true });
            }
        }
    };
    let evidence = judge::Evidence {
        settings: &world.settings,
        dt,
        bodies: &world.bodies,
        order: &world.order,
        joints: &world.joints,
        joint_order: &world.joint_order,
        gears: &world.gears,
        gear_order: &world.gear_order,
        end,
        // A body that falls asleep loses its last velocity; the ledger books it.
        active: &|rank| bodies[rank].is_dynamic() && rest[rank].sleeping_island.is_none(),
        impulses: &impulses,
        drive_impulses,
        jointed: &collision.plan.excluded,
        may_overlap: &|a, b| world.may_overlap(a, b),
        ledger: &report.energy,
    };
    report.certificate = judge::certify(&evidence, space);
    let tolerance = world.settings.accepted();
    let velocity = &mut report.certificate.velocity;
    velocity.bound = tolerance.value;
    if let Some(certificate) = &report.velocity {
        // Replayed islands were solved when they were computed.
        let solved = report.worst_island.is_some_and(|island| solutions.get(island).is_none_or(|one| one.solved));
        velocity.value = world.settings.measured(certificate);
        // A residual at round-off level meets any tolerance; `solved` says so.
        velocity.bound = if solved { tolerance.value.max(velocity.value) } else { tolerance.value };
    }
    let counts = &report.counts;
    let cut = counts.quarantined + counts.curtailed + counts.missed + counts.unproved;
    report.certificate.stages.value = cut as f64;
    if !report.certificate.is_met() || solutions.iter().any(|solution| !solution.solved) {
        report.status = StepStatus::Degraded;
    }
}

/// Counts contacts by state: open, sticking, sliding and so on.
pub(crate) fn count_states(scene: &Scene, outcome: &Outcome, states: &mut Counts) {
    for (island, solution) in outcome.islands.as_slice().iter().zip(outcome.solutions) {
        for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
            let contact = &scene.contacts[*c as usize];
            let velocity =
                contact.surface_velocity(&outcome.after[contact.a as usize], &outcome.after[contact.b as usize]);
            count_state(contact, impulse.impulse, velocity, states);
        }
    }
}

/// Counts one contact by its impulse and velocity.
pub(crate) fn count_state(contact: &Contact, impulse: DVec3, velocity: DVec3, states: &mut Counts) {
    *match ContactState::of(contact.frame[0], impulse, velocity) {
        ContactState::Open => &mut states.open,
        ContactState::Stick => &mut states.stick,
        ContactState::Slip => &mut states.slip,
    } += 1;
}

/// Adds the certificates and efforts of all islands to the report.
pub(crate) fn summarise(solutions: &[IslandSolution], report: &mut StepReport) {
    for (island, solution) in solutions.iter().enumerate() {
        // An island that stands still because nothing was solved has no certificate, and counts as missed.
        report.counts.missed += solution.motion.as_ref().map_or(0, |motion| motion.missed);
        let Some(certificate) = &solution.certificate else { continue };
        // An island that misses its tolerance is worse than any that meets it.
        let worse = match (&report.velocity, report.worst_island) {
            (Some(worst), Some(index)) => {
                let rank = |solved: bool, scaled: f64| (!solved, scaled);
                rank(solution.solved, certificate.scaled) > rank(solutions[index].solved, worst.scaled)
            }
            _ => true,
        };
        if worse {
            report.velocity = Some(*certificate);
            report.worst_island = Some(island);
        }
        report.restitution_scale = report.restitution_scale.min(solution.restitution_scale);
        let (total, one) = (&mut report.counts.states, &certificate.counts);
        total.joint += one.joint;
        total.free += one.free;
        total.bound += one.bound;
        solve::add_effort(&mut report.effort, &solution.effort);
        match &solution.motion {
            Some(motion) => {
                report.counts.solves += motion.solves;
                report.counts.pieces += motion.pieces;
                report.counts.divided += usize::from(motion.pieces > 1);
            }
            None => report.counts.solves += usize::from(solution.effort.iterations > 0),
        }
    }
}
