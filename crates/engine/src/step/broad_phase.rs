//! Stage 2/9, broad phase. In: one box per body. Out: pairs whose boxes overlap, sorted. Eq.: none.
//!
//! A tree of boxes is built anew each step by splitting at the median of the widest axis, into memory kept from the
//! last step; then every leaf asks the tree for its partners. The set of pairs is a property of the boxes alone, and it
//! is sorted, so neither the tree nor the order of insertion shows in the result. O(n log n) plus the pairs.

use crate::shape::Aabb;
use glamx::DVec3;

/// Boxes per leaf of the tree; 4 to 16 cost the same within noise.
const LEAF: usize = 8;

/// Finds overlapping boxes; keeps its memory between calls.
#[derive(Default)]
pub struct BroadPhase {
    nodes: Vec<Node>,
    /// Bounded boxes in tree order.
    order: Vec<u32>,
    centres: Vec<DVec3>,
    unbounded: Vec<u32>,
    stack: Vec<u32>,
}

struct Node {
    bounds: Aabb,
    /// Stretch of `order` below this node.
    first: u32,
    count: u32,
    /// Right child; the left one follows its parent. 0 for a leaf.
    right: u32,
}

impl BroadPhase {
    /// All pairs `(i, j)`, `i < j`, of overlapping closed boxes, ascending. Replaces the contents of `out`.
    ///
    /// A box with an infinite side (a half-space) pairs with every box it overlaps, unbounded ones included; a box
    /// with a NaN pairs with none.
    pub fn pairs(&mut self, boxes: &[Aabb], out: &mut Vec<(u32, u32)>) {
        self.pairs_filtered(boxes, |_, _| true, out);
    }

    /// As [`BroadPhase::pairs`], keeping pairs that `may_collide(i, j)` accepts. It is asked once per overlapping
    /// pair, in no particular order.
    pub fn pairs_filtered(
        &mut self,
        boxes: &[Aabb],
        mut may_collide: impl FnMut(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        self.nodes.clear();
        self.order.clear();
        self.unbounded.clear();
        self.centres.clear();
        for (i, bounds) in boxes.iter().enumerate() {
            let bounded = bounds.is_bounded();
            if bounded {
                self.order.push(i as u32)
            } else {
                self.unbounded.push(i as u32)
            }
            self.centres.push(if bounded { bounds.min * 0.5 + bounds.max * 0.5 } else { DVec3::ZERO });
        }
        for (k, &i) in self.unbounded.iter().enumerate() {
            let partners = self.order.iter().chain(&self.unbounded[k + 1..]);
            for &j in partners {
                let (i, j) = (i.min(j), i.max(j));
                if boxes[i as usize].overlaps(&boxes[j as usize]) && may_collide(i, j) {
                    out.push((i, j));
                }
            }
        }
        if !self.order.is_empty() {
            self.build(boxes, 0, self.order.len());
            for i in 0..self.order.len() {
                self.query(boxes, self.order[i], &mut may_collide, out);
            }
        }
        out.sort_unstable();
    }

    fn build(&mut self, boxes: &[Aabb], first: usize, count: usize) {
        let order = &mut self.order[first..first + count];
        let bounds = order.iter().fold(Aabb::EMPTY, |all, &i| all.union(boxes[i as usize]));
        let at = self.nodes.len();
        self.nodes.push(Node { bounds, first: first as u32, count: count as u32, right: 0 });
        if count <= LEAF {
            return;
        }
        let (low, high) = order.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &i| {
            (low.min(self.centres[i as usize]), high.max(self.centres[i as usize]))
        });
        let spread = high - low;
        let axis = if spread.x >= spread.y && spread.x >= spread.z {
            0
        } else if spread.y >= spread.z {
            1
        } else {
            2
        };
        let half = count / 2;
        order.select_nth_unstable_by(half, |&a, &b| {
            self.centres[a as usize][axis].total_cmp(&self.centres[b as usize][axis]).then(a.cmp(&b))
        });
        self.build(boxes, first, half);
        self.nodes[at].right = self.nodes.len() as u32;
        self.build(boxes, first + half, count - half);
    }

    /// Partners `j > i` of box `i`.
    fn query(
        &mut self,
        boxes: &[Aabb],
        i: u32,
        may_collide: &mut impl FnMut(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        let own = boxes[i as usize];
        self.stack.clear();
        self.stack.push(0);
        while let Some(at) = self.stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.bounds.overlaps(&own) {
                continue;
            }
            if node.right != 0 {
                self.stack.push(at + 1);
                self.stack.push(node.right);
                continue;
            }
            for &j in &self.order[node.first as usize..(node.first + node.count) as usize] {
                if j > i && boxes[j as usize].overlaps(&own) && may_collide(i, j) {
                    out.push((i, j));
                }
            }
        }
    }
}
