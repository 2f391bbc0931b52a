//! Orders blocks by their distance from fixed bodies. The order is deterministic and hardly depends on how the scene is
//! numbered.
//!
//! A body's distance is the least number of blocks between it and a fixed side, found breadth first over the graph of bodies. Blocks are
//! sorted by the sum of their bodies' distances, then by their bodies, then as given: from the ground up, and the contacts
//! of a pair of bodies next to each other. A group of bodies that touches nothing fixed starts at its first body.

use signorini_problem::{ContactProblem, Delassus, FactoredDelassus};

/// No body reached this one yet.
const UNREACHED: u32 = u32::MAX;

/// The order, and what finding it needs. Sorting again for a problem of the same size allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    order: Vec<u32>,
    /// Of every body; fixed sides have 0.
    distance: Vec<u32>,
    /// Neighbours of body `b` are `neighbours[first[b]..first[b + 1]]`.
    first: Vec<u32>,
    neighbours: Vec<u32>,
    queue: Vec<u32>,
}

impl Levels {
    /// Finds the order of the problem's blocks. Without bodies it is the given one.
    pub(crate) fn sort(&mut self, problem: &ContactProblem) {
        self.order.clear();
        self.order.extend(0..problem.blocks().len() as u32);
        if let Delassus::Factored(w) = problem.delassus() {
            self.connect(w, problem.offsets());
            self.measure(w);
            let distance = &self.distance;
            self.order.sort_unstable_by_key(|c| {
                let [a, b] = w.bodies()[*c as usize];
                let of = |body: Option<u32>| body.map_or(0, |b| distance[b as usize]);
                // A fixed side comes before every body.
                (of(a) + of(b), a, b, *c)
            });
        }
    }

    /// Blocks in their order.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Who touches whom.
    fn connect(&mut self, w: &FactoredDelassus, offsets: &[usize]) {
        let bodies = w.inverse_mass().len();
        self.first.clear();
        self.first.resize(bodies + 2, 0);
        let further = || {
            let block = |row: u32| offsets.partition_point(|offset| *offset <= row as usize) - 1;
            let of_pair = move |row: u32| w.bodies()[block(row)].into_iter().flatten();
            w.further().iter().flat_map(move |further| of_pair(further.row).map(|body| [body, further.body]))
        };
        let pairs = || w.bodies().iter().filter_map(|pair| Some([pair[0]?, pair[1]?])).chain(further());
        for b in pairs().flatten() {
            self.first[b as usize + 2] += 1;
        }
        for b in 2..bodies + 2 {
            self.first[b] += self.first[b - 1];
        }
        self.neighbours.clear();
        self.neighbours.resize(self.first[bodies + 1] as usize, 0);
        // first[b + 1] runs from the start of b's neighbours to their end, which is the start of the next.
        for [a, b] in pairs() {
            for (body, other) in [(a, b), (b, a)] {
                let next = &mut self.first[body as usize + 1];
                self.neighbours[*next as usize] = other;
                *next += 1;
            }
        }
    }

    /// Distances, breadth first.
    fn measure(&mut self, w: &FactoredDelassus) {
        let Levels { distance, first, neighbours, queue, .. } = self;
        distance.clear();
        distance.resize(w.inverse_mass().len(), UNREACHED);
        queue.clear();
        for pair in w.bodies() {
            if let [Some(body), None] | [None, Some(body)] = *pair {
                reach(body, 1, distance, queue);
            }
        }
        let (mut next, mut root) = (0, 0);
        loop {
            while let Some(body) = queue.get(next).copied() {
                next += 1;
                let near = first[body as usize] as usize..first[body as usize + 1] as usize;
                for other in &neighbours[near] {
                    reach(*other, distance[body as usize] + 1, distance, queue);
                }
            }
            while distance.get(root).is_some_and(|d| *d != UNREACHED) {
                root += 1;
            }
            if root == distance.len() {
                break;
            }
            reach(root as u32, 1, distance, queue);
        }
    }
}

fn reach(body: u32, at: u32, distance: &mut [u32], queue: &mut Vec<u32>) {
    if distance[body as usize] == UNREACHED {
        distance[body as usize] = at;
        queue.push(body);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use signorini_problem::{Block, InverseMass, Symmetry};

    fn problem(bodies: usize, pairs: &[[Option<u32>; 2]]) -> ContactProblem {
        let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
        let row = std::array::from_fn(|i| if i == 2 { -1.0 } else { f64::from(u8::from(i == 8)) });
        let w = FactoredDelassus::new(vec![mass; bodies], pairs.to_vec(), vec![row; pairs.len()]);
        let blocks = vec![Block::normal(); pairs.len()];
        ContactProblem::new(blocks, Delassus::Factored(w), vec![0.0; pairs.len()], Symmetry::Exact).unwrap()
    }

    fn order(bodies: usize, pairs: &[[Option<u32>; 2]]) -> Vec<u32> {
        let mut levels = Levels::default();
        levels.sort(&problem(bodies, pairs));
        levels.order().to_vec()
    }

    #[test]
    fn a_stack_goes_from_the_ground_up_however_it_is_numbered() {
        // Body 2 stands on the ground, 0 on it, 1 on top; two contacts per pair, mixed.
        let ground = [None, Some(2)];
        let pairs = [[Some(1), Some(0)], ground, [Some(0), Some(2)], [Some(1), Some(0)], ground, [Some(0), Some(2)]];
        assert_eq!(order(3, &pairs), [1, 4, 2, 5, 0, 3]);
    }

    #[test]
    fn what_floats_begins_at_its_first_body() {
        let pairs = [[Some(2), Some(3)], [Some(1), Some(2)], [Some(0), None]];
        assert_eq!(order(4, &pairs), [2, 1, 0]);
    }

    #[test]
    fn bodies_without_contacts_and_problems_without_blocks_are_fine() {
        assert_eq!(order(3, &[[Some(1), None]]), [0]);
        assert!(order(2, &[]).is_empty());
        assert!(order(0, &[]).is_empty());
    }
}
