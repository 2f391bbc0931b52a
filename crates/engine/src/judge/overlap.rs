//! Overlap at the end poses, for every pair of shapes whether or not the step had contacts for it.
//!
//! Pairs are found by sorting the boxes of the end poses along the axis of largest spread; distances come from
//! [`DepthFinder`]. A pair whose relative pose is unchanged keeps its distance, so bodies at rest cost one comparison.

use super::{Evidence, Part, Place, overlap_bound};
use crate::BodyHandle;
use crate::body::{BodyRecord, BodyState, Kind};
use crate::shape::Aabb;
use crate::shape::depth::DepthFinder;
use glamx::{DPose3, DVec3};

/// All pairs are found anew if more than one body in this many has moved; otherwise each moved body is compared with
/// every box.
const ONE_IN: usize = 16;

/// Depth that is told as it is along one direction, without a search for another along which it is less, as a share of the
/// pair's bound \[1\]. What a step leaves is mostly less.
const SHALLOW: f64 = 0.5;

/// Depths that differ by less are the same \[m\]: what GJK and EPA leave open.
const SAME: f64 = 1e-9;

/// Memory of the judge, kept from step to step; what is remembered of a pair is a function of its relative pose.
#[derive(Default)]
pub(crate) struct OverlapSpace {
    finder: DepthFinder,
    /// Bodies as last seen, by rank.
    seen: Vec<Seen>,
    boxes: Vec<Aabb>,
    /// Ranks of bodies that have moved since, and the same as flags by rank.
    moved: Vec<u32>,
    has_moved: Vec<bool>,
    /// Ranks by the lower end of their boxes.
    sorted: Vec<u32>,
    /// Ranks of bodies with unbounded boxes, which overlap everything.
    unbounded: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    known: Vec<Known>,
    last: Vec<Known>,
}

/// A body at the end of the last step.
#[derive(Clone, Copy)]
struct Seen {
    body: BodyHandle,
    kind: Kind,
    pose: DPose3,
}

/// Distance of a pair at some relative pose.
#[derive(Clone, Copy)]
struct Known {
    pair: (BodyHandle, BodyHandle),
    pose: DPose3,
    distance: f64,
}

pub(super) fn grade(evidence: &Evidence, space: &mut OverlapSpace, part: &mut Part) {
    part.bound = f64::INFINITY;
    space.find_pairs(evidence);
    std::mem::swap(&mut space.known, &mut space.last);
    space.known.clear();
    let OverlapSpace { finder, pairs, known, last, has_moved, .. } = space;
    let mut next = 0;
    for &(i, j) in pairs.iter() {
        let (Some(a), Some(b)) = (evidence.record(i as usize), evidence.record(j as usize)) else { continue };
        let slots = (evidence.order[i as usize], evidence.order[j as usize]);
        if evidence.jointed.binary_search(&(slots.0.min(slots.1), slots.0.max(slots.1))).is_ok() {
            continue;
        }
        if (evidence.may_overlap)(a, b) {
            continue;
        }
        let bound = overlap_bound(a, b);
        let pair = (BodyHandle(evidence.bodies.key(slots.0)), BodyHandle(evidence.bodies.key(slots.1)));
        // Both lists are in the order of ranks, which is that of ids.
        let before = |known: &Known| {
            let rank = |handle: BodyHandle| evidence.bodies.get(handle.0).ok().map(|record| &record.id);
            (rank(known.pair.0), rank(known.pair.1)) < (Some(&a.id), Some(&b.id))
        };
        while next < last.len() && last[next].pair != pair && before(&last[next]) {
            next += 1;
        }
        let remembered = last.get(next).filter(|known| known.pair == pair).copied();
        let now = match remembered.filter(|_| !has_moved[i as usize] && !has_moved[j as usize]) {
            Some(known) => known,
            None => {
                let pose = pose_of(a, &evidence.end[i as usize]).inv_mul(&pose_of(b, &evidence.end[j as usize]));
                match remembered.filter(|known| same_bits(&known.pose, &pose)) {
                    Some(known) => known,
                    None => Known { pair, pose, distance: finder.distance(&a.shape, &b.shape, &pose, SHALLOW * bound) },
                }
            }
        };
        let distance = now.distance;
        known.push(now);
        if distance >= 0.0 {
            continue;
        }
        let value = -distance;
        if value > bound {
            // Overlap that was as deep before the step does not count.
            let then = pose_of(a, &a.state).inv_mul(&pose_of(b, &b.state));
            let old = match remembered.filter(|known| same_bits(&known.pose, &then)) {
                Some(known) => known.distance,
                None => finder.distance(&a.shape, &b.shape, &then, SHALLOW * bound),
            };
            if value <= -old + SAME {
                continue;
            }
        }
        part.worst(value, bound, Place { bodies: [Some(i), Some(j)], joint: None });
    }
    if part.bound.is_infinite() {
        part.bound = super::MAX_OVERLAP;
    }
}

impl OverlapSpace {
    /// Finds pairs whose boxes overlap at the end poses, one body of which is dynamic; ascending by rank. Pairs of
    /// unmoved bodies are kept from the last step, unless many have moved.
    fn find_pairs(&mut self, evidence: &Evidence) {
        let anew = self.look(evidence) || ONE_IN * self.moved.len() > self.boxes.len();
        if anew {
            return self.find_all_pairs(evidence);
        }
        let OverlapSpace { boxes, moved, has_moved, pairs, .. } = self;
        pairs.retain(|(i, j)| !has_moved[*i as usize] && !has_moved[*j as usize]);
        let dynamic = |rank: u32| evidence.record(rank as usize).is_some_and(|record| record.kind == Kind::Dynamic);
        for &i in moved.iter() {
            for j in (0..boxes.len() as u32).filter(|j| *j > i || !has_moved[*j as usize]) {
                if i != j && boxes[i as usize].overlaps(&boxes[j as usize]) && (dynamic(i) || dynamic(j)) {
                    pairs.push((i.min(j), i.max(j)));
                }
            }
        }
        pairs.sort_unstable();
    }

    /// Updates boxes and finds which bodies have moved. Returns whether the set of bodies has changed.
    fn look(&mut self, evidence: &Evidence) -> bool {
        let body = |rank: usize| BodyHandle(evidence.bodies.key(evidence.order[rank]));
        let known = |(rank, seen): (usize, &Seen)| {
            seen.body == body(rank) && evidence.record(rank).is_some_and(|record| record.kind == seen.kind)
        };
        let others = self.seen.len() != evidence.end.len() || !self.seen.iter().enumerate().all(known);
        self.moved.clear();
        self.has_moved.clear();
        self.has_moved.resize(evidence.end.len(), false);
        if others {
            self.seen.clear();
            self.boxes.clear();
        }
        for (rank, end) in evidence.end.iter().enumerate() {
            let Some(record) = evidence.record(rank) else { continue };
            let pose = pose_of(record, end);
            if others {
                self.seen.push(Seen { body: body(rank), kind: record.kind, pose });
                self.boxes.push(record.shape.aabb(&pose));
            } else if same_bits(&self.seen[rank].pose, &pose) {
                continue;
            } else {
                self.seen[rank].pose = pose;
                self.boxes[rank] = record.shape.aabb(&pose);
            }
            self.moved.push(rank as u32);
            self.has_moved[rank] = true;
        }
        others
    }

    /// All pairs, by sorting boxes along the axis on which they spread most.
    fn find_all_pairs(&mut self, evidence: &Evidence) {
        self.sorted.clear();
        self.unbounded.clear();
        self.pairs.clear();
        let (mut sum, mut squares) = (DVec3::ZERO, DVec3::ZERO);
        for (rank, bounds) in self.boxes.iter().enumerate() {
            if bounds.is_bounded() {
                self.sorted.push(rank as u32);
                let centre = 0.5 * (bounds.min + bounds.max);
                sum += centre;
                squares += centre * centre;
            } else {
                self.unbounded.push(rank as u32);
            }
        }
        let count = self.sorted.len().max(1) as f64;
        let spread = squares / count - (sum / count) * (sum / count);
        let axis = if spread.x >= spread.y && spread.x >= spread.z {
            0
        } else if spread.y >= spread.z {
            1
        } else {
            2
        };
        let boxes = &self.boxes;
        self.sorted
            .sort_by(|a, b| boxes[*a as usize].min[axis].total_cmp(&boxes[*b as usize].min[axis]).then(a.cmp(b)));
        let moves = |rank: u32| evidence.record(rank as usize).is_some_and(|record| record.kind == Kind::Dynamic);
        for (at, &i) in self.sorted.iter().enumerate() {
            for &j in &self.sorted[at + 1..] {
                if boxes[j as usize].min[axis] > boxes[i as usize].max[axis] {
                    break;
                }
                if boxes[i as usize].overlaps(&boxes[j as usize]) && (moves(i) || moves(j)) {
                    self.pairs.push((i.min(j), i.max(j)));
                }
            }
        }
        for &i in &self.unbounded {
            for &j in &self.sorted {
                if moves(j) && boxes[i as usize].overlaps(&boxes[j as usize]) {
                    self.pairs.push((i.min(j), i.max(j)));
                }
            }
        }
        self.pairs.sort_unstable();
    }
}

fn pose_of(record: &BodyRecord, state: &BodyState) -> DPose3 {
    DPose3::from_parts(state.position - state.orientation * record.mass.centre, state.orientation)
}

fn same_bits(p: &DPose3, q: &DPose3) -> bool {
    let bits = |pose: &DPose3| {
        let (t, r) = (pose.translation, pose.rotation);
        [t.x, t.y, t.z, r.x, r.y, r.z, r.w].map(f64::to_bits)
    };
    bits(p) == bits(q)
}
