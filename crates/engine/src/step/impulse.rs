//! Impulses. In: solutions. Out: v⁺ of every body. Eq.: v⁺ = v* + M⁻¹Jᵀr.

use crate::step::Twist;
use crate::step::assembly::Scene;
use crate::step::island::Islands;
use crate::step::solve::IslandSolution;

pub(crate) fn apply_impulses(scene: &Scene, islands: &Islands, solutions: &[IslandSolution], after: &mut Vec<Twist>) {
    after.clear();
    after.extend(scene.free.iter().map(|free| free.after));
    for (island, solution) in islands.as_slice().iter().zip(solutions) {
        for (rank, change) in island.bodies.iter().zip(&solution.change) {
            let twist = &mut after[*rank as usize];
            twist.linear += change.linear;
            twist.angular += change.angular;
        }
    }
}
