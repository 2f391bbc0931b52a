//! The manifolds of the last step, pair by pair: a pair that has not moved against each other bit by bit keeps them.
//!
//! Pairs come sorted by rank in every step, so last step's and this step's lists are walked side by side. Ranks change
//! when bodies are added or removed: then everything is forgotten. What is remembered never shows in a result, because a
//! manifold is a function of shapes, relative pose and margin alone.

use crate::BodyHandle;
use crate::step::collision::manifold::{NarrowPhase, PairCache};

/// One pair, by rank.
type Entry = ((u32, u32), PairCache);

/// Manifolds by pair.
#[derive(Default)]
pub(crate) struct PairMemory {
    /// The bodies that ranks stand for.
    bodies: Vec<BodyHandle>,
    /// Ascending.
    entries: Vec<Entry>,
    last: Vec<Entry>,
    /// First of `last` that has not been passed.
    next: usize,
    /// Memory of pairs that are gone.
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

    /// What is remembered of a pair. Pairs are asked for in ascending order.
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

    /// A pair that is no longer near each other: its memory is for others.
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
