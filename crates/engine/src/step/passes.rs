//! Passes over rows 3 to 8. In: recalled pairs. Out: which islands keep their answers. Eq.: none.
//!
//! A pair that was left out of the contacts may overlap at the end poses all the same (`collision::closing`). Then the
//! pair becomes a contact and rows 3 to 8 run again. Islands without such a pair keep their answers.

use crate::step::Moving;
use crate::step::island::Islands;
use crate::step::solve::{IslandSolution, add_effort};
use signorini_solvers::Effort;

/// Most passes of a step. Overlap that is left after the last is taken out at the end poses.
pub(crate) const MAX_PASSES: usize = 4;

/// What earlier passes of the step left.
#[derive(Default)]
pub(crate) struct Passes {
    /// Islands whose answers are kept; empty in the first pass.
    pub kept: Vec<bool>,
    /// What answers cost that are no longer wanted.
    pub spent: Effort,
    /// Island of every body in the pass before, by rank.
    islands: Vec<Option<u32>>,
    solutions: Vec<IslandSolution>,
}

impl Passes {
    /// A new step.
    pub fn begin(&mut self) {
        self.kept.clear();
        self.spent = Effort::default();
    }

    /// Before islands are built again.
    pub fn end_pass(&mut self, bodies: &[Moving], solutions: &mut Vec<IslandSolution>) {
        self.islands.clear();
        self.islands.extend(bodies.iter().map(|body| body.island));
        std::mem::swap(&mut self.solutions, solutions);
    }

    /// After islands were built again: gives those back their answers that no recalled body is in. `before` is how many
    /// islands there were.
    pub fn keep(&mut self, before: usize, islands: &Islands, recalled: &[bool], solutions: &mut Vec<IslandSolution>) {
        let Passes { kept, spent, islands: last, solutions: answers } = self;
        solutions.resize_with(solutions.len().max(islands.len()), IslandSolution::default);
        kept.clear();
        kept.resize(islands.len(), false);
        let mut taken = vec![false; before];
        for (index, island) in islands.as_slice().iter().enumerate() {
            let known = island.bodies.first().and_then(|rank| last[*rank as usize]);
            if let Some(known) = known
                && !island.bodies.iter().any(|rank| recalled[*rank as usize])
            {
                std::mem::swap(&mut solutions[index], &mut answers[known as usize]);
                (kept[index], taken[known as usize]) = (true, true);
            }
        }
        for (answer, _) in answers.iter().zip(&taken).filter(|(_, taken)| !**taken) {
            add_effort(spent, &answer.effort);
        }
    }
}
