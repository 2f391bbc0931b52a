//! Removes self-stress of redundant joints from an answer.
//!
//! Two planks connected by two ball joints are held twice along the axis through both. Along such redundant rows
//! impulses of any size cancel. An exact solve may return millions of N·s where the load explains a hundred, and as the
//! guess of the next step they would stay forever. Their round-off would then disturb momentum, and tension would mean
//! nothing. With J the rows of the joints, this file replaces their impulses λ by the least λ' with `W λ' = W λ`, `W =
//! J M⁻¹Jᵀ`, which has the same effect on every body.

use super::velocity::PASSES;
use super::{Mover, MovingBody};
use crate::step::solve::{Graded, IslandSpace, certify_given};
use signorini_problem::{ContactProblem, Law, ProblemError};
use signorini_solvers::{SolveError, is_settled};

/// Self-stress is removed if the impulse of a joint exceeds this multiple of the momentum of the bodies and of forces
/// \[1\]: ten times the bound for taut joints.
const STRESSED: f64 = 1000.0;

impl Mover<'_> {
    /// Momentum of the bodies plus that which forces add in a piece \[N·s\].
    pub(super) fn momentum_at_hand(&self, h: f64) -> f64 {
        let momentum =
            |body: &MovingBody| body.mass.mass * (body.start.velocity.length() + h * body.acceleration.length());
        self.bodies.iter().map(momentum).sum()
    }

    /// Removes self-stress from the impulses in the workspace if they are suspiciously large. The old impulses stay if
    /// the new ones solve the problem less well.
    pub(super) fn relax(
        &self,
        problem: &ContactProblem,
        graded: &mut Graded,
        space: &mut IslandSpace,
    ) -> Result<(), SolveError> {
        let joints = || (0..problem.blocks().len()).filter(|c| problem.blocks()[*c].law == Law::Equality);
        let rows = || joints().flat_map(|c| problem.range(c));
        let largest = rows().fold(0.0, |most: f64, row| most.max(space.impulses[row].abs()));
        if largest <= STRESSED * self.momentum_at_hand(self.piece) {
            return Ok(());
        }
        let places = space.shelves.places.of(joints());
        let found = space.shelves.numbers.of(rows().map(|row| space.impulses[row]));
        // An invalid problem has no other answer.
        let least = least(problem, &places, &found, space).unwrap_or(None);
        if let Some(least) = least {
            let first = (space.impulses.clone(), space.changes.clone());
            rows().zip(&least).for_each(|(row, impulse)| space.impulses[row] = *impulse);
            let relaxed = certify_given(self.settings, problem, 1, space)?;
            let tolerance = &self.settings.stop.tolerance;
            if is_settled(&relaxed.certificate, tolerance) || relaxed.certificate.scaled <= graded.certificate.scaled {
                (graded.solved, graded.certificate) = (relaxed.solved, relaxed.certificate);
            } else {
                (space.impulses, space.changes) = first;
            }
            graded.effort.factorizations += 1;
            space.shelves.numbers.give(least);
        }
        space.shelves.places.give(places);
        space.shelves.numbers.give(found);
        Ok(())
    }
}

/// The least impulses of some equality blocks with the same effect on every body; `None` if they were not found.
fn least(
    problem: &ContactProblem,
    blocks: &[usize],
    given: &[f64],
    space: &mut IslandSpace,
) -> Result<Option<Vec<f64>>, ProblemError> {
    let IslandSpace { shelves, equalities, body_velocity, .. } = space;
    let mut part = problem.part(blocks)?;
    let zeros = shelves.numbers.of(given.iter().map(|_| 0.0));
    let mut least = shelves.numbers.of(given.iter().map(|_| 0.0));
    let mut beyond = shelves.numbers.take();
    let mut velocities = shelves.numbers.take();
    let mut step = shelves.numbers.take();
    let mut found = equalities.factor(&part);
    for _ in 0..PASSES {
        // The difference in effect, W (λ' − λ).
        beyond.clear();
        beyond.extend(least.iter().zip(given).map(|(least, given)| least - given));
        part.set_q(&zeros)?;
        part.velocity_into(&beyond, &mut velocities, body_velocity);
        part.set_q(&velocities)?;
        found = found && equalities.solve_again(&part, &mut step);
        if !found {
            break;
        }
        least.iter_mut().zip(&step).for_each(|(least, step)| *least += step);
    }
    for numbers in [zeros, beyond, velocities, step] {
        shelves.numbers.give(numbers);
    }
    Ok(found.then_some(least))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use signorini_problem::{Block, FactoredParts};

    /// A mass of 2 kg that two rows hold along x, with 10⁷ and 8 − 10⁷ N·s: together 8 N·s, which is least shared evenly, 4 and 4. The
    /// contact between them is none of theirs.
    #[test]
    fn impulses_that_cancel_are_taken_out_and_what_they_do_together_stays() {
        let mut mass = [[0.0; 6]; 6];
        (0..6).for_each(|i| mass[i][i] = 0.5);
        let mut row = [0.0; 12];
        row[0] = 1.0;
        let mut parts = FactoredParts::default();
        parts.blocks.extend([Block::joint(1), Block::normal(), Block::joint(1)]);
        parts.inverse_mass.push(mass);
        parts.bodies.extend([[Some(0), None]; 3]);
        parts.jacobian.extend([row; 3]);
        parts.compliance.extend([0.0; 3]);
        parts.q.extend([0.0; 3]);
        let problem = ContactProblem::from_parts(parts).unwrap();
        let mut space = IslandSpace::default();
        let least = least(&problem, &[0, 2], &[1e7, 8.0 - 1e7], &mut space).unwrap().unwrap();
        assert!(least.iter().all(|impulse| (impulse - 4.0).abs() < 1e-8), "{least:?}");
    }
}
