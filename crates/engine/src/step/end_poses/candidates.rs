//! Chooses the pairs whose overlap is measured at the end poses: pairs that were near at the start, and pairs with a
//! body that left its swept box.

use super::{EndSpace, placed};
use crate::World;
use crate::body::BodyState;
use crate::shape::Aabb;
use crate::step::assembly::Scene;
use crate::step::collision::{Plan, is_excluded};

impl EndSpace {
    /// Fills in the pairs that may overlap at the end poses.
    pub(super) fn candidates(&mut self, world: &World, scene: &Scene, plan: &Plan, end: &[BodyState]) {
        let (near, swept) = (&plan.pairs, &plan.boxes);
        self.boxes.clear();
        for (body, state) in scene.bodies.iter().zip(end) {
            let placed = placed(world, body, state);
            self.boxes.push(placed.map_or(Aabb::EMPTY, |placed| placed.shape.aabb(&placed.pose)));
        }
        self.pairs.clear();
        self.pairs.extend_from_slice(near);
        for rank in 0..scene.bodies.len() {
            if scene.bodies[rank].is_dynamic() && !swept[rank].contains(&self.boxes[rank]) {
                let others = (0..scene.bodies.len()).filter(|other| *other != rank);
                let met = others.filter(|other| self.boxes[*other].overlaps(&self.boxes[rank]));
                self.pairs.extend(met.map(|other| (rank.min(other) as u32, rank.max(other) as u32)));
            }
        }
        if self.pairs.len() > near.len() {
            self.pairs.sort_unstable();
            self.pairs.dedup();
        }
        let (bodies, squeezed) = (scene.bodies, &self.squeezed);
        self.pairs.retain(|(i, j)| {
            let (a, b) = (&bodies[*i as usize], &bodies[*j as usize]);
            // Bodies with continuous detection were already stopped before they overlap others.
            let fast = a.fast || b.fast;
            let held = is_excluded(&plan.excluded, a, b) || squeezed.binary_search(&(*i, *j)).is_ok();
            let records = world.bodies.at(a.slot).zip(world.bodies.at(b.slot));
            let asked = records.is_some_and(|(a, b)| world.may_overlap(a, b));
            (a.is_dynamic() || b.is_dynamic()) && !fast && !held && !asked
        });
    }
}
