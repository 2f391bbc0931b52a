//! Broad phase. In: one box per body. Out: pairs whose boxes overlap, sorted. Eq.: none.
//!
//! While little moves, every box is given a wider one. A tree finds the pairs of wider boxes that overlap; they stay the
//! candidates for as long as every box is within its wider one. Boxes that left theirs ask the tree again; when many have
//! left, the tree is rebuilt. Where much moves, boxes are not widened, because that does not pay.
//!
//! The set of pairs is a property of the boxes alone, and it is sorted: neither the tree, nor the steps before, nor the
//! order of insertion show in the result. Cost: O(n + pairs) where little moves, else O(n log n + pairs).

pub(crate) mod tree;

use crate::shape::Aabb;
use tree::Tree;

/// How much wider a box is made on each side, relative to its shortest edge.
const WIDER: f64 = 0.05;
/// Steps that a box has to stay within its wider one, at its speed in the last step, for that to pay.
const STEPS_TO_PAY: f64 = 8.0;
/// One box in so many may be on the move before everything is built anew.
const ONE_IN: usize = 16;

/// Finds overlapping boxes; keeps its memory, and what it knows, between calls.
#[derive(Default)]
pub struct BroadPhase {
    tree: Tree,
    /// What the tree is built of: each box, or wider.
    wider: Vec<Aabb>,
    /// Boxes of the last call.
    last: Vec<Aabb>,
    /// Pairs of wider boxes that overlap, ascending.
    candidates: Vec<(u32, u32)>,
    /// Boxes with an infinite side or a NaN.
    unbounded: Vec<u32>,
    /// Boxes that have left their wider ones.
    escaped: Vec<u32>,
    has_escaped: Vec<bool>,
}

impl BroadPhase {
    /// All pairs `(i, j)`, `i < j`, of overlapping closed boxes, ascending. Replaces the contents of `out`.
    ///
    /// A box with an infinite side (a half-space) pairs with every box it overlaps, unbounded ones included; a box
    /// with a NaN pairs with none.
    pub fn pairs(&mut self, boxes: &[Aabb], out: &mut Vec<(u32, u32)>) {
        out.clear();
        if !self.still_serves(boxes) {
            self.build(boxes);
        }
        let overlaps = |&&(i, j): &&(u32, u32)| boxes[i as usize].overlaps(&boxes[j as usize]);
        if self.escaped.is_empty() {
            out.extend(self.candidates.iter().filter(overlaps));
        } else {
            let stayed = |&&(i, j): &&(u32, u32)| !self.has_escaped[i as usize] && !self.has_escaped[j as usize];
            out.extend(self.candidates.iter().filter(stayed).filter(overlaps));
            self.pairs_of_escaped(boxes, out);
            out.sort_unstable();
        }
        self.last.clear();
        self.last.extend_from_slice(boxes);
    }

    /// Finds the boxes that have left their wider ones; whether they are few.
    fn still_serves(&mut self, boxes: &[Aabb]) -> bool {
        if self.wider.len() != boxes.len() {
            return false;
        }
        self.escaped.clear();
        for (i, (wider, own)) in self.wider.iter().zip(boxes).enumerate() {
            let inside = wider.contains(own);
            self.has_escaped[i] = !inside;
            if !inside {
                self.escaped.push(i as u32);
            }
        }
        ONE_IN * self.escaped.len() <= boxes.len()
    }

    fn build(&mut self, boxes: &[Aabb]) {
        // Infinite sides that stay have not moved, though their difference is no number.
        let motion = |i: usize| match self.last.get(i) {
            Some(last) if *last == boxes[i] => 0.0,
            Some(last) if self.last.len() == boxes.len() => {
                (boxes[i].min - last.min).abs().max((boxes[i].max - last.max).abs()).max_element()
            }
            _ => f64::INFINITY,
        };
        let slack = |i: usize| WIDER * (boxes[i].max - boxes[i].min).min_element();
        let stays = |i: usize| STEPS_TO_PAY * motion(i) <= slack(i);
        let movers = (0..boxes.len()).filter(|i| !stays(*i)).count();
        let pays = ONE_IN * movers <= boxes.len();
        self.wider.clear();
        self.unbounded.clear();
        for (i, own) in boxes.iter().enumerate() {
            let widen = pays && motion(i) > 0.0 && stays(i) && own.is_bounded();
            self.wider.push(if widen { own.inflated(slack(i)) } else { *own });
            if !own.is_bounded() {
                self.unbounded.push(i as u32);
            }
        }
        self.escaped.clear();
        self.escaped.reserve(boxes.len() / ONE_IN + 1);
        self.has_escaped.clear();
        self.has_escaped.resize(boxes.len(), false);
        self.tree.build(&self.wider);
        let BroadPhase { tree, wider, candidates, unbounded, .. } = self;
        candidates.clear();
        for (k, &i) in unbounded.iter().enumerate() {
            for &j in tree.members().iter().chain(&unbounded[k + 1..]) {
                if wider[i as usize].overlaps(&wider[j as usize]) {
                    candidates.push((i.min(j), i.max(j)));
                }
            }
        }
        tree.pairs(wider, |i, j| candidates.push((i, j)));
        candidates.sort_unstable();
    }

    /// Pairs with an escaped box in them, each once.
    fn pairs_of_escaped(&mut self, boxes: &[Aabb], out: &mut Vec<(u32, u32)>) {
        let BroadPhase { tree, unbounded, escaped, has_escaped, .. } = self;
        for (k, &i) in escaped.iter().enumerate() {
            let own = &boxes[i as usize];
            let mut meet = |j: u32| {
                if boxes[j as usize].overlaps(own) {
                    out.push((i.min(j), i.max(j)));
                }
            };
            escaped[k + 1..].iter().for_each(|&j| meet(j));
            let mut meet_if_stayed = |j: u32| {
                if !has_escaped[j as usize] {
                    meet(j);
                }
            };
            unbounded.iter().for_each(|&j| meet_if_stayed(j));
            // An infinite side cannot be looked up.
            match own.is_bounded() {
                true => tree.near(own, meet_if_stayed),
                false => tree.members().iter().for_each(|&j| meet_if_stayed(j)),
            }
        }
    }
}
