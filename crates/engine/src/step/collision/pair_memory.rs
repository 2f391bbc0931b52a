//! The manifolds of the last step by pair. A pair whose relative pose has not changed by a bit keeps its manifolds.
//!
//! Pairs are sorted by rank in every step, so the lists of the last and of this step are walked side by side. When
//! bodies are added or removed ranks change, and everything is forgotten. The memory does not influence results,
//! because a manifold is a function of shapes, relative pose and margin alone.

use crate::BodyHandle;
use crate::step::collision::manifold::{NarrowPhase, PairCache};

/// One pair, by rank.
type Entry = ((u32, u32), PairCache);

/// Manifolds by pair.
#[derive(Default)]
pub(crate) struct PairMemory {
    /// The bodies in the order of ranks.
    bodies: Vec<BodyHandle>,
    /// Entries of this step so far, ascending.
    entries: Vec<Entry>,
    last: Vec<Entry>,
    /// Index of the first entry of `last` that has not been passed.
    next: usize,
    /// Spare memory, from pairs that are gone.
    spare: Vec<PairCache>,
}

impl PairMemory {
    /// Starts a step over these bodies, in the order of their ranks.
    pub fn begin(&mut self, bodies: impl Iterator<Item = BodyHandle> + Clone, narrow_phase: &mut NarrowPhase) {
        while self.next < self.last.len() {
            self.pass(narrow_phase);
        }
        self.last.clear();
        std::mem::swap(&mut self.entries, &mut self.last);
        self.next = 0;
        if !bodies.clone().eq(self.bodies.iter().copied()) {
            self.bodies.clear();
            self.bodies.extend(bodies);
            while self.next < self.last.len() {
                self.pass(narrow_phase);
            }
        }
    }

    /// The memory of a pair. Pairs must be asked for in ascending order.
    pub fn pair(&mut self, pair: (u32, u32), narrow_phase: &mut NarrowPhase) -> &mut PairCache {
        while self.next < self.last.len() && self.last[self.next].0 < pair {
            self.pass(narrow_phase);
        }
        let known = self.last.get_mut(self.next).filter(|(remembered, _)| *remembered == pair);
        let cache = match known {
            Some((_, cache)) => {
                self.next += 1;
                std::mem::take(cache)
            }
            None => self.spare.pop().unwrap_or_default(),
        };
        self.entries.push((pair, cache));
        let at = self.entries.len() - 1;
        &mut self.entries[at].1
    }

    /// Frees the memory of a pair that is no longer near each other.
    fn pass(&mut self, narrow_phase: &mut NarrowPhase) {
        let mut cache = std::mem::take(&mut self.last[self.next].1);
        narrow_phase.forget(&mut cache);
        self.spare.push(cache);
        self.next += 1;
    }
}

#[cfg(test)]
#[path = "pair_memory_tests.rs"]
mod tests;
