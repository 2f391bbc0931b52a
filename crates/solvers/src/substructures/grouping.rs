//! Which blocks make a group: those of bodies that hang together, counted from what is fixed.

use crate::sweep::Levels;
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus};

/// Blocks that stand for a body where W is all there is: the corners of a face.
const BLOCKS_PER_BODY: usize = 4;

/// The blocks that touch each body, ascending; none where W is all there is.
pub(super) type Stars = Vec<Vec<usize>>;

/// Who touches whom.
pub(super) fn stars(problem: &ContactProblem) -> Stars {
    let Delassus::Factored(w) = problem.delassus() else { return Stars::new() };
    let mut stars = vec![Vec::new(); w.inverse_mass().len()];
    for (c, pair) in w.bodies().iter().enumerate() {
        for body in pair.iter().flatten() {
            stars[*body as usize].push(c);
        }
    }
    stars
}

/// Blocks of every group, ascending. Bodies are dealt out breadth first, at most `bodies` to a group, beginning next to
/// what is fixed; a group has every block that touches one of its bodies, so neighbours share the blocks between them.
/// Without bodies, blocks are dealt out over the graph of W, and none is shared.
pub(super) fn groups(problem: &ContactProblem, stars: &Stars, bodies: usize) -> Vec<Vec<usize>> {
    let blocks = problem.blocks().len();
    let alone = bodies.saturating_mul(BLOCKS_PER_BODY);
    match problem.delassus() {
        Delassus::Factored(w) => around_bodies(problem, w, stars, bodies),
        Delassus::BlockSparse(w) => {
            deal(0..blocks, blocks, alone, |c, visit| w.row(c).for_each(|(other, _)| visit(other)))
        }
        Delassus::Dense(_) => deal(0..blocks, blocks, alone, |c, visit| (c + 1..blocks.min(c + 2)).for_each(visit)),
    }
}

fn around_bodies(problem: &ContactProblem, w: &FactoredDelassus, stars: &Stars, bodies: usize) -> Vec<Vec<usize>> {
    let mut levels = Levels::default();
    levels.sort(problem);
    let outwards = levels.order().iter().flat_map(|c| w.bodies()[*c as usize].into_iter().flatten());
    let dealt = deal(outwards.map(|body| body as usize), stars.len(), bodies, |body, visit| {
        for c in &stars[body] {
            w.bodies()[*c].iter().flatten().for_each(|other| visit(*other as usize));
        }
    });
    let mut groups: Vec<Vec<usize>> = dealt
        .into_iter()
        .map(|members| {
            let mut blocks: Vec<usize> = members.into_iter().flat_map(|body| stars[body].iter().copied()).collect();
            blocks.sort_unstable();
            blocks.dedup();
            blocks
        })
        .collect();
    let between_fixed: Vec<usize> = (0..w.bodies().len()).filter(|c| w.bodies()[*c] == [None, None]).collect();
    if !between_fixed.is_empty() {
        groups.push(between_fixed);
    }
    groups
}

/// Deals nodes out, at most `most` at a time: from each of `seeds` that is not taken yet, breadth first along `near`.
fn deal(
    seeds: impl Iterator<Item = usize>,
    nodes: usize,
    most: usize,
    near: impl Fn(usize, &mut dyn FnMut(usize)),
) -> Vec<Vec<usize>> {
    let mut taken = vec![false; nodes];
    let mut groups = Vec::new();
    for seed in seeds {
        if std::mem::replace(&mut taken[seed], true) {
            continue;
        }
        let (mut group, mut next) = (vec![seed], 0);
        while let Some(node) = group.get(next).copied() {
            next += 1;
            near(node, &mut |other| {
                if group.len() < most && !std::mem::replace(&mut taken[other], true) {
                    group.push(other);
                }
            });
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use signorini_problem::{Block, BlockSparseDelassus, DenseDelassus, InverseMass, Symmetry};

    fn between(bodies: usize, pairs: &[[Option<u32>; 2]]) -> ContactProblem {
        let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
        let w = FactoredDelassus::new(vec![mass; bodies], pairs.to_vec(), vec![[1.0; 12]; pairs.len()]);
        let blocks = vec![Block::normal(); pairs.len()];
        ContactProblem::new(blocks, Delassus::Factored(w), vec![0.0; pairs.len()], Symmetry::Exact).unwrap()
    }

    fn dealt(problem: &ContactProblem, bodies: usize) -> Vec<Vec<usize>> {
        groups(problem, &stars(problem), bodies)
    }

    fn stack(height: u32) -> ContactProblem {
        let pairs: Vec<_> = (0..height).map(|i| [i.checked_sub(1), Some(i)]).collect();
        between(height as usize, &pairs)
    }

    #[test]
    fn neighbours_share_the_blocks_between_them() {
        assert_eq!(dealt(&stack(5), 2), [vec![0, 1, 2], vec![2, 3, 4], vec![4]]);
        assert_eq!(dealt(&stack(5), 1).len(), 5);
        assert_eq!(dealt(&stack(5), 5), [vec![0, 1, 2, 3, 4]]);
    }

    /// Whatever the numbers of bodies, groups begin at what is fixed.
    #[test]
    fn groups_begin_at_the_ground() {
        let pairs = [[Some(2), Some(0)], [Some(0), Some(1)], [Some(1), None]];
        assert_eq!(dealt(&between(3, &pairs), 2), [vec![0, 1, 2], vec![0]]);
    }

    /// Two stacks, a body without contacts, and a block between fixed sides: every block is in a group, however large those
    /// may be.
    #[test]
    fn what_is_not_connected_stays_apart_and_nothing_is_lost() {
        let pairs = [[None, Some(0)], [None, Some(2)], [None, None], [Some(0), Some(1)]];
        assert_eq!(dealt(&between(4, &pairs), 100), [vec![0, 3], vec![1], vec![2]]);
        assert!(dealt(&between(2, &[]), 3).is_empty());
    }

    #[test]
    fn without_bodies_blocks_are_dealt_out_along_w() {
        // Blocks i and i + 5 are coupled.
        let offsets: Vec<usize> = (0..=10).collect();
        let columns = (0..10).flat_map(|i| [i % 5, i % 5 + 5]).collect();
        let values = (0..10).flat_map(|i| if i < 5 { [2.0, 1.0] } else { [1.0, 2.0] }).collect();
        let w = BlockSparseDelassus::new(&offsets, (0..=10).map(|i| 2 * i).collect(), columns, values).unwrap();
        let blocks = vec![Block::normal(); 10];
        let sparse =
            ContactProblem::new(blocks.clone(), Delassus::BlockSparse(w), vec![0.0; 10], Symmetry::Exact).unwrap();
        assert_eq!(dealt(&sparse, 1), [[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]]);
        let values = (0..100).map(|i| if i % 11 == 0 { 2.0 } else { 0.1 }).collect();
        let w = Delassus::Dense(DenseDelassus::new(10, values));
        let dense = ContactProblem::new(blocks, w, vec![0.0; 10], Symmetry::Exact).unwrap();
        assert_eq!(dealt(&dense, 1), [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]]);
    }
}
