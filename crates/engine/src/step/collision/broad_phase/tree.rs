//! A tree of boxes, split at the median of the widest axis, in memory kept from one build to the next.

use crate::shape::Aabb;
use glamx::DVec3;

/// Boxes per leaf of the tree.
const LEAF: usize = 8;

/// The tree.
#[derive(Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Boxes in tree order.
    order: Vec<u32>,
    centres: Vec<DVec3>,
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

impl Node {
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Tree {
    /// Builds the tree of the bounded boxes among these.
    pub fn build(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.order.clear();
        self.centres.clear();
        for (i, bounds) in boxes.iter().enumerate() {
            let bounded = bounds.is_bounded();
            if bounded {
                self.order.push(i as u32);
            }
            self.centres.push(if bounded { bounds.min * 0.5 + bounds.max * 0.5 } else { DVec3::ZERO });
        }
        if !self.order.is_empty() {
            self.split(boxes, 0, self.order.len());
        }
    }

    /// Boxes that are in the tree.
    pub fn members(&self) -> &[u32] {
        &self.order
    }

    fn split(&mut self, boxes: &[Aabb], first: usize, count: usize) {
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
        self.split(boxes, first, half);
        self.nodes[at].right = self.nodes.len() as u32;
        self.split(boxes, first + half, count - half);
    }

    /// Every pair of overlapping boxes once, in no particular order. `boxes` are those it was built of.
    pub fn pairs(&mut self, boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        // Leaf against leaf: the way down the tree is shared by the boxes of a leaf.
        for leaf in self.nodes.iter().filter(|node| node.right == 0) {
            self.stack.clear();
            self.stack.push(0);
            while let Some(at) = self.stack.pop() {
                let node = &self.nodes[at as usize];
                // Earlier leaves have already met this one.
                if node.range().end <= leaf.range().start || !node.bounds.overlaps(&leaf.bounds) {
                    continue;
                }
                if node.right != 0 {
                    self.stack.push(at + 1);
                    self.stack.push(node.right);
                    continue;
                }
                for place in leaf.range() {
                    let i = self.order[place];
                    let own = &boxes[i as usize];
                    if !node.bounds.overlaps(own) {
                        continue;
                    }
                    let others = node.range().start.max(place + 1)..node.range().end;
                    for &j in &self.order[others] {
                        if boxes[j as usize].overlaps(own) {
                            found(i.min(j), i.max(j));
                        }
                    }
                }
            }
        }
    }

    /// Every box of the tree whose leaf meets `own`.
    pub fn near(&mut self, own: &Aabb, mut found: impl FnMut(u32)) {
        self.stack.clear();
        self.stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(at) = self.stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.bounds.overlaps(own) {
                continue;
            }
            if node.right != 0 {
                self.stack.push(at + 1);
                self.stack.push(node.right);
                continue;
            }
            self.order[node.range()].iter().for_each(|&j| found(j));
        }
    }

    /// Visits every box all of whose parent nodes have a value of `near`. Of two children the one with the smaller
    /// value comes first.
    pub fn visit(&self, near: impl Fn(&Aabb) -> Option<f64>, mut found: impl FnMut(u32)) {
        // A tree split at medians is at most 32 deep, and every level leaves one node behind.
        let mut stack = [(0_u32, 0.0_f64); 64];
        let mut count = 0;
        if let Some(root) = self.nodes.first()
            && let Some(key) = near(&root.bounds)
        {
            stack[0] = (0, key);
            count = 1;
        }
        while count > 0 {
            count -= 1;
            let (at, _) = stack[count];
            let node = &self.nodes[at as usize];
            // A box found meanwhile may have excluded this node.
            if near(&node.bounds).is_none() {
                continue;
            }
            if node.right == 0 {
                self.order[node.range()].iter().for_each(|&j| found(j));
                continue;
            }
            let (left, right) = (at + 1, node.right);
            let keys = [left, right].map(|child| near(&self.nodes[child as usize].bounds));
            let mut push = |child: u32, key: Option<f64>| {
                if let Some(key) = key {
                    stack[count] = (child, key);
                    count += 1;
                }
            };
            // Push the nearer node last, so that it is visited first.
            if keys[0] <= keys[1] {
                push(right, keys[1]);
                push(left, keys[0]);
            } else {
                push(left, keys[0]);
                push(right, keys[1]);
            }
        }
    }
}
