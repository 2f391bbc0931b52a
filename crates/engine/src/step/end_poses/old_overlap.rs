//! Overlap that existed before the step: how deep it was, how much of it is removed in this step, and which bodies
//! joints keep in it.

use super::{EndSpace, TRIGGER, depth, trigger};
use crate::step::assembly::{JointFrame, Scene};
use crate::step::collision::Detector;
use crate::step::solve::IslandSolution;
use crate::{Stabilisation, World};

impl EndSpace {
    /// Marks the bodies on taut joints as held.
    pub(super) fn hold_taut(&mut self, scene: &Scene, solutions: &[IslandSolution]) {
        self.held.clear();
        self.held.resize(scene.bodies.len(), false);
        for rank in scene.joints.iter().flat_map(|joint| [joint.a, joint.b]).flatten() {
            let island = scene.bodies[rank as usize].island.and_then(|island| solutions.get(island as usize));
            self.held[rank as usize] = island.and_then(|one| one.motion.as_ref()).is_some_and(|motion| motion.taut);
        }
    }

    /// Marks the jointed bodies of the islands of these joints as held. Returns whether any of them was not held
    /// before.
    pub(super) fn hold_jointed(&mut self, scene: &Scene, joints: &[usize]) -> bool {
        let bodies = |joint: &JointFrame| [joint.a, joint.b].into_iter().flatten();
        let island = |rank: u32| scene.bodies[rank as usize].island;
        let off = |rank: u32| {
            joints.iter().flat_map(|joint| bodies(&scene.joints[*joint])).any(|other| island(other) == island(rank))
        };
        let mut more = false;
        for rank in scene.joints.iter().flat_map(bodies).filter(|rank| off(*rank)) {
            more |= scene.bodies[rank as usize].is_dynamic() && !self.held[rank as usize];
            self.held[rank as usize] = true;
        }
        more
    }

    /// Measures the overlap at the start of the step. Pairs that bounce are asked again, because their contacts were
    /// found at the time of impact.
    pub(super) fn measure_before(&mut self, world: &World, scene: &Scene, detector: &mut Detector) {
        self.before.clear();
        for contact in scene.contacts.iter().filter(|contact| contact.gap < 0.0) {
            let pair = (contact.a, contact.b);
            let known = self.before.last_mut().filter(|(last, _)| *last == pair);
            let (a, b) = (&scene.bodies[contact.a as usize], &scene.bodies[contact.b as usize]);
            let later = a.met_at.is_some() || b.met_at.is_some();
            match known {
                Some(_) if later => {}
                Some((_, depth)) => *depth = depth.max(-contact.gap),
                None if later => {
                    let depth = depth(world, detector, (a, &a.state), (b, &b.state));
                    self.before.push((pair, depth));
                }
                None => self.before.push((pair, -contact.gap)),
            }
        }
        // Contact points may be measured along another direction than that of least overlap. The lesser depth is used,
        // so that no more overlap may stay than existed.
        for (pair, deep) in &mut self.before {
            let (a, b) = (&scene.bodies[pair.0 as usize], &scene.bodies[pair.1 as usize]);
            let records = world.bodies.at(a.slot).zip(world.bodies.at(b.slot));
            if records.is_some_and(|(a, b)| *deep > trigger(a, b)) {
                *deep = deep.min(depth(world, detector, (a, &a.state), (b, &b.state)));
            }
        }
    }

    /// Depth down to which the overlap of a pair is left \[m\].
    pub(super) fn allowed(&self, world: &World, bound: f64, pair: (u32, u32)) -> f64 {
        let (trigger, before) = (TRIGGER * bound, self.depth_before(pair));
        match world.settings.stabilisation {
            Stabilisation::SplitImpulse { fraction, slop, cap }
                if before > slop && self.stuck.binary_search(&pair).is_err() =>
            {
                (before - (fraction * (before - slop)).min(cap)).max(trigger)
            }
            _ => before.max(trigger),
        }
    }

    /// Marks the old overlap of a group as staying. Returns whether any of it was to be removed.
    pub(super) fn leave_old(&mut self, world: &World, scene: &Scene, deep: &[(u32, u32)], members: &[u32]) -> bool {
        let known = self.stuck.len();
        for pair in deep {
            let inside = |rank: u32| members.binary_search(&rank).is_ok();
            let records = [pair.0, pair.1].map(|rank| world.bodies.at(scene.bodies[rank as usize].slot));
            let [Some(a), Some(b)] = records else { continue };
            let old = self.depth_before(*pair) > trigger(a, b);
            if old && (inside(pair.0) || inside(pair.1)) && !self.stuck[..known].contains(pair) {
                self.stuck.push(*pair);
            }
        }
        let more = self.stuck.len() > known;
        self.stuck.sort_unstable();
        more
    }

    pub(super) fn depth_before(&self, pair: (u32, u32)) -> f64 {
        self.before.binary_search_by_key(&pair, |(pair, _)| *pair).map_or(0.0, |at| self.before[at].1)
    }
}
