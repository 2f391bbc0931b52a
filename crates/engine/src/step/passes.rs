//! Passes over rows 3 to 8. In: recalled pairs. Out: which islands keep their answers. Eq.: none.
//!
//! Pairs that were predicted not to close have no contacts (`collision::closing`). If such a pair overlaps at the end
//! poses nevertheless, it becomes a contact and rows 3 to 8 run again. Islands without such a pair keep their answers.

use crate::step::Moving;
use crate::step::island::Islands;
use crate::step::solve::{IslandSolution, add_effort};
use signorini_solvers::Effort;

/// Limit on passes per step. Overlap that is left after the last pass is removed at the end poses.
pub(crate) const MAX_PASSES: usize = 4;

/// What is kept from one pass of a step to the next.
#[derive(Default)]
pub(crate) struct Passes {
    /// Islands whose answers are kept; empty in the first pass.
    pub kept: Vec<bool>,
    /// Number of passes that have ended.
    pub taken: usize,
    /// Effort of answers that were discarded.
    pub spent: Effort,
    /// Island of every body in the previous pass, by rank.
    islands: Vec<Option<u32>>,
    solutions: Vec<IslandSolution>,
}

impl Passes {
    /// Starts a new step.
    pub fn begin(&mut self) {
        self.kept.clear();
        self.taken = 0;
        self.spent = Effort::default();
    }

    /// Ends a pass, before islands are built again.
    pub fn end_pass(&mut self, bodies: &[Moving], solutions: &mut Vec<IslandSolution>) {
        self.taken += 1;
        self.islands.clear();
        self.islands.extend(bodies.iter().map(|body| body.island));
        std::mem::swap(&mut self.solutions, solutions);
    }

    /// Called after islands were built again. Islands without a recalled body get their answers back. `before` is the
    /// previous number of islands.
    pub fn keep(&mut self, before: usize, islands: &Islands, recalled: &[bool], solutions: &mut Vec<IslandSolution>) {
        let Passes { kept, spent, islands: last, solutions: answers, .. } = self;
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
