//! Broad phase. In: one box per body. Out: pairs whose boxes overlap, sorted. Eq.: none.
//!
//! While little moves, each box is stored with a margin. A tree finds the pairs of widened boxes that overlap; these
//! are the candidates as long as every box stays within its widened one. A box that leaves is looked up in the tree
//! again; when many have left, the tree is rebuilt. If much moves, boxes are not widened, because that is slower.
//!
//! The set of pairs depends only on the boxes, and it is sorted. The tree, earlier steps and the order of insertion do
//! not influence it. Cost: O(n + pairs) where little moves, else O(n log n + pairs).

pub(crate) mod tree;

use crate::shape::Aabb;
use tree::Tree;

/// How much wider a box is made on each side, relative to its shortest edge.
const WIDER: f64 = 0.05;
/// Boxes are widened only if they would stay within the margin for this many steps at their last speed.
const STEPS_TO_PAY: f64 = 8.0;
/// The tree is rebuilt if more than one box in this many has left its widened box.
const ONE_IN: usize = 16;

/// Finds overlapping boxes. Keeps memory and candidates between calls.
#[derive(Default)]
pub struct BroadPhase {
    tree: Tree,
    /// The boxes in the tree, each as given or widened.
    wider: Vec<Aabb>,
    /// Boxes of the last call.
    last: Vec<Aabb>,
    /// Pairs of wider boxes that overlap, ascending.
    candidates: Vec<(u32, u32)>,
    /// Boxes with an infinite side or a NaN.
    unbounded: Vec<u32>,
    /// Boxes that have left their widened boxes.
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

    /// Finds the boxes that have left their widened boxes. Returns whether they are few enough to keep the tree.
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
        // An unchanged infinite side has not moved, although the difference is NaN.
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

    /// Finds the pairs with an escaped box, each once.
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
