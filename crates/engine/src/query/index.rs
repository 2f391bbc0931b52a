//! The boxes of all bodies in a tree, for queries. Built at the first query after a change, and kept until the next
//! change.

use super::QueryFilter;
use crate::body::BodyRecord;
use crate::ids::Arena;
use crate::shape::Aabb;
use crate::step::collision::broad_phase::tree::Tree;
use crate::{BodyHandle, World};
use glamx::DVec3;
use std::sync::{Arc, Mutex, PoisonError};

/// Boxes of the bodies at their current poses, by rank.
#[derive(Default)]
pub(crate) struct QueryIndex {
    /// Edit count of the bodies when it was built.
    edits: u64,
    boxes: Vec<Aabb>,
    tree: Tree,
    /// Ranks of bodies with unbounded boxes.
    unbounded: Vec<u32>,
}

/// The index of a world, if there was a query since the last change.
#[derive(Default)]
pub(crate) struct QueryCache(Mutex<Option<Arc<QueryIndex>>>);

impl std::fmt::Debug for QueryCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("QueryCache")
    }
}

impl World {
    /// The current index.
    pub(super) fn index(&self) -> Arc<QueryIndex> {
        // A panic while the lock was held leaves an index that is whole or none.
        let mut kept = self.queries.0.lock().unwrap_or_else(PoisonError::into_inner);
        let edits = self.bodies.edits();
        if let Some(index) = kept.as_ref().filter(|index| index.edits == edits) {
            return Arc::clone(index);
        }
        let record = |slot: &u32| self.bodies.at(*slot).map_or(Aabb::EMPTY, |body| body.shape.aabb(&body.pose()));
        let mut index = QueryIndex { edits, boxes: self.order.iter().map(record).collect(), ..QueryIndex::default() };
        index.tree.build(&index.boxes);
        let endless = |rank: &u32| {
            let bounds = &index.boxes[*rank as usize];
            !bounds.is_bounded() && *bounds != Aabb::EMPTY
        };
        index.unbounded = (0..index.boxes.len() as u32).filter(endless).collect();
        let index = Arc::new(index);
        *kept = Some(Arc::clone(&index));
        index
    }

    pub(super) fn view(&self) -> View<'_> {
        View { bodies: &self.bodies, order: &self.order }
    }
}

/// The bodies of a world, for several threads at once.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    bodies: &'a Arena<BodyRecord>,
    order: &'a [u32],
}

impl<'a> View<'a> {
    /// A body by rank, if the filter lets it be found.
    pub fn asked(&self, rank: u32, filter: &QueryFilter) -> Option<&'a BodyRecord> {
        let slot = *self.order.get(rank as usize)?;
        let body = self.bodies.at(slot)?;
        let options = &body.options;
        let wanted = options.enabled
            && (filter.sensors || !options.sensor)
            && filter.kind.is_none_or(|kind| kind == body.kind)
            && options.filter.meets(filter.filter)
            && filter.exclude.iter().all(|excluded| excluded.0 != self.bodies.key(slot));
        wanted.then_some(body)
    }

    pub fn handle_of(&self, rank: u32) -> BodyHandle {
        BodyHandle(self.bodies.key(self.order[rank as usize]))
    }
}

impl QueryIndex {
    /// Visits every body for whose box `near` returns a value, roughly nearest first; unbounded ones come first. `near`
    /// may become stricter during the visit.
    pub fn visit(&self, near: impl Fn(&Aabb) -> Option<f64>, mut found: impl FnMut(u32)) {
        self.unbounded.iter().for_each(|rank| found(*rank));
        self.tree.visit(&near, |rank| {
            if near(&self.boxes[rank as usize]).is_some() {
                found(rank);
            }
        });
    }
}

/// Where a ray enters a box \[m\], if it does within `max`: slabs (Kay and Kajiya 1986). Errs on the side of yes. `inverse` is one
/// over the direction, component by component.
pub(super) fn ray_enters(bounds: &Aabb, origin: DVec3, inverse: DVec3, max: f64) -> Option<f64> {
    let (one, two) = ((bounds.min - origin) * inverse, (bounds.max - origin) * inverse);
    let (mut enter, mut leave) = (0.0_f64, max);
    for axis in 0..3 {
        // Zero times infinity: the ray runs in the plane of a side, which is part of the box.
        if one[axis].is_nan() || two[axis].is_nan() {
            continue;
        }
        enter = enter.max(one[axis].min(two[axis]));
        leave = leave.min(one[axis].max(two[axis]));
    }
    (enter <= leave * (1.0 + 1e-12) + f64::MIN_POSITIVE).then_some(enter)
}

/// Distance of a point from a box \[m\]; zero inside.
pub(super) fn distance_to(bounds: &Aabb, point: DVec3) -> f64 {
    (bounds.min - point).max(point - bounds.max).max(DVec3::ZERO).length()
}
