//! Access to the narrow phase, with the memory of the last step. All stages of a step use it.

use crate::body::BodyRecord;
use crate::step::collision::manifold::{Manifold, NarrowPhase};
use crate::step::collision::pair_memory::PairMemory;
use crate::{BodyHandle, Shape};
use glamx::DPose3;

/// A shape at a pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedShape<'a> {
    pub shape: &'a Shape,
    pub pose: DPose3,
}

impl<'a> PlacedShape<'a> {
    pub fn new(record: &'a BodyRecord, pose: DPose3) -> Self {
        PlacedShape { shape: &record.shape, pose }
    }
    /// The shape of a body at the start of the step.
    pub fn at_start(record: &'a BodyRecord) -> Self {
        PlacedShape::new(record, record.pose())
    }
}

/// Finds contact points, and remembers those of pairs that have not moved relative to each other.
#[derive(Default)]
pub(crate) struct Detector {
    narrow_phase: NarrowPhase,
    memory: PairMemory,
    found: Vec<Manifold>,
}

impl Detector {
    /// Finds the manifolds of two shapes within `margin` \[m\]. Replaces the contents of `out`.
    pub fn collide(&mut self, a: PlacedShape, b: PlacedShape, margin: f64, out: &mut Vec<Manifold>) {
        self.narrow_phase.recycle(out);
        self.narrow_phase.collide(a.shape, &a.pose, b.shape, &b.pose, margin, out);
    }

    /// Like [`Detector::collide`], into memory of the detector.
    pub fn manifolds(&mut self, a: PlacedShape, b: PlacedShape, margin: f64) -> &[Manifold] {
        let mut found = std::mem::take(&mut self.found);
        self.collide(a, b, margin, &mut found);
        self.found = found;
        &self.found
    }

    /// The narrow phase itself, for queries part by part.
    pub fn narrow_phase(&mut self) -> &mut NarrowPhase {
        &mut self.narrow_phase
    }

    /// Overlap depth of two shapes \[m\]; zero if they are apart.
    pub fn depth(&mut self, a: PlacedShape, b: PlacedShape) -> f64 {
        let found = self.manifolds(a, b, 0.0);
        found.iter().fold(0.0, |deepest: f64, manifold| deepest.max(-manifold.least_gap()))
    }

    /// Starts a step over these bodies, in the order of their ranks, by which pairs are remembered.
    pub fn begin(&mut self, bodies: impl Iterator<Item = BodyHandle> + Clone) {
        self.memory.begin(bodies, &mut self.narrow_phase);
    }

    /// Appends the manifolds of a pair at the start of the step, converted by `wrap`. Pairs must be asked for in
    /// ascending order. A pair that has not moved relative to each other since the last step costs a copy.
    pub fn remembered<T>(
        &mut self,
        pair: (u32, u32),
        a: PlacedShape,
        b: PlacedShape,
        margin: f64,
        out: &mut Vec<T>,
        wrap: impl Fn(Manifold) -> T,
    ) {
        let cache = self.memory.pair(pair, &mut self.narrow_phase);
        self.narrow_phase.look(cache, a.shape, b.shape, &a.pose.inv_mul(&b.pose), margin);
        self.narrow_phase.place(cache, &a.pose, out, wrap);
    }

    /// Takes the memory of one manifold that is no longer needed.
    pub fn take_back(&mut self, manifold: &mut Manifold) {
        self.narrow_phase.take_back(manifold);
    }
}
