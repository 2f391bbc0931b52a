//! Warm-start cache. It keeps the contact impulses of the last steps and matches them to the contacts of this step; the
//! solver starts from them.
//!
//! Entries are keyed by the two bodies. A contact point takes the impulse of the remembered point with the same feature
//! key. If there is none, it takes that of the nearest point within [`RADIUS`] that no other point has taken. Nothing
//! is taken over if the normal has turned by more than 15°. Impulses are kept in world axes, because the tangent frame
//! jumps when the normal turns past a branch. The impulse of a bounce is not kept, because the next step has no bounce.
//!
//! # Rest
//!
//! At rest the same impulses are accepted in every step. The small error they have does not accumulate, because bodies
//! held still by contacts get a velocity of exactly zero (`rest_snap`).

use crate::BodyHandle;
use crate::step::contact::{Contact, Feature};
use crate::step::rolling::Push;
use glamx::DVec3;
use std::collections::BTreeMap;

/// cos 15°.
const MIN_COSINE: f64 = 0.965_925_826_289_068_3;
/// Farthest a point may have moved \[m\].
const RADIUS: f64 = 0.02;
/// One remembered contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CachedPoint {
    pub feature: Feature,
    pub point: DVec3,
    pub normal: DVec3,
    /// Impulse it carried.
    pub push: Push,
}

/// The remembered contact points of two bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairEntry {
    /// Steps since they touched.
    pub age: u32,
    pub points: Vec<CachedPoint>,
}

/// Impulses of earlier steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactCache {
    pairs: BTreeMap<(BodyHandle, BodyHandle), PairEntry>,
    /// Time step during which the impulses acted \[s\].
    dt: f64,
    /// Points of the pair that [`ContactCache::store`] is collecting; empty between calls.
    arriving: Vec<CachedPoint>,
}

/// Scratch memory of the matching, kept between steps so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matching {
    taken: Vec<bool>,
    unmatched: Vec<usize>,
}

fn key(a: BodyHandle, b: BodyHandle) -> (BodyHandle, BodyHandle) {
    (a.min(b), a.max(b))
}

impl ContactCache {
    /// Steps after which a pair that does not touch is forgotten.
    pub const MAX_AGE: u32 = 10;

    /// Fills in the guesses of contacts, which come grouped by pair.
    pub fn guess(
        &self,
        dt: f64,
        handle: impl Fn(u32) -> BodyHandle,
        contacts: &mut [Contact],
        matching: &mut Matching,
    ) {
        if self.pairs.is_empty() {
            return;
        }
        // Between steps of different length forces carry over, not impulses: scale by the ratio of the lengths.
        let scale = if self.dt > 0.0 { dt / self.dt } else { 0.0 };
        let Matching { taken, unmatched } = matching;
        for group in contacts.chunk_by_mut(|x, y| (x.a, x.b) == (y.a, y.b)) {
            let Some(entry) = self.pairs.get(&key(handle(group[0].a), handle(group[0].b))) else { continue };
            taken.clear();
            taken.resize(entry.points.len(), false);
            let mut claim = |contact: &mut Contact, index: usize| {
                taken[index] = true;
                contact.guess = entry.points[index].push.times(scale);
            };
            unmatched.clear();
            for (i, contact) in group.iter_mut().enumerate() {
                let same = |p: &CachedPoint| p.feature == contact.feature && turned_little(p, contact);
                match entry.points.iter().position(same) {
                    Some(index) => claim(contact, index),
                    None => unmatched.push(i),
                }
            }
            for i in unmatched.iter() {
                let contact = &mut group[*i];
                let mut best: Option<(f64, usize)> = None;
                for (index, p) in entry.points.iter().enumerate() {
                    let distance = p.point.distance(contact.point);
                    let nearer = best.is_none_or(|(d, _)| distance < d);
                    if !taken[index] && nearer && distance <= RADIUS && turned_little(p, contact) {
                        best = Some((distance, index));
                    }
                }
                if let Some((_, index)) = best {
                    taken[index] = true;
                    contact.guess = entry.points[index].push.times(scale);
                }
            }
        }
    }

    /// Stores the impulses of a step and ages all other entries, except pairs that are `held`. Returns whether any
    /// entry changed, and calls `note` with each pair whose entry changed.
    pub fn store(
        &mut self,
        dt: f64,
        points: impl Iterator<Item = (BodyHandle, BodyHandle, CachedPoint)>,
        held: impl Fn(&(BodyHandle, BodyHandle)) -> bool,
        mut note: impl FnMut((BodyHandle, BodyHandle)),
    ) -> bool {
        let scale = if self.dt > 0.0 { dt / self.dt } else { 0.0 };
        let mut changed = self.dt != dt;
        self.dt = dt;
        for (pair, entry) in &mut self.pairs {
            if !held(pair) {
                entry.age += 1;
            } else if scale != 1.0 {
                entry.points.iter_mut().for_each(|point| point.push = point.push.times(scale));
            }
        }
        // Points of a pair are adjacent, so each pair is looked up once.
        let mut of: Option<(BodyHandle, BodyHandle)> = None;
        for (a, b, point) in points {
            let pair = key(a, b);
            if let Some(last) = of
                && last != pair
                && self.take_in(last)
            {
                note(last);
                changed = true;
            }
            of = Some(pair);
            self.arriving.push(point);
        }
        if let Some(last) = of
            && self.take_in(last)
        {
            note(last);
            changed = true;
        }
        // An entry that ages counts as changed.
        for (pair, _) in self.pairs.iter().filter(|(_, entry)| entry.age > 0) {
            note(*pair);
            changed = true;
        }
        self.pairs.retain(|_, entry| entry.age <= Self::MAX_AGE);
        changed
    }

    /// Replaces the points of a pair by the collected ones. Returns whether they differ from the old ones.
    fn take_in(&mut self, pair: (BodyHandle, BodyHandle)) -> bool {
        let entry = self.pairs.entry(pair).or_default();
        if entry.age == 1 && entry.points == self.arriving {
            entry.age = 0;
            self.arriving.clear();
            return false;
        }
        if entry.age > 0 {
            entry.age = 0;
            entry.points.clear();
        }
        entry.points.append(&mut self.arriving);
        true
    }

    /// All entries, and the time step of their impulses \[s\].
    pub fn entries(&self) -> (impl ExactSizeIterator<Item = (&(BodyHandle, BodyHandle), &PairEntry)>, f64) {
        (self.pairs.iter(), self.dt)
    }

    /// Time step of the impulses \[s\]; zero before the first.
    pub fn time_step(&self) -> f64 {
        self.dt
    }

    /// Rebuilds a cache from what [`ContactCache::entries`] returned; bodies may have new handles.
    pub fn from_entries(entries: impl Iterator<Item = ((BodyHandle, BodyHandle), PairEntry)>, dt: f64) -> ContactCache {
        let pairs = entries.map(|((a, b), entry)| (key(a, b), entry)).collect();
        ContactCache { pairs, dt, ..ContactCache::default() }
    }

    /// Forgets a body.
    pub fn forget(&mut self, body: BodyHandle) {
        self.pairs.retain(|(a, b), _| *a != body && *b != body);
    }
}

fn turned_little(old: &CachedPoint, new: &Contact) -> bool {
    old.normal.dot(new.frame[0]) >= MIN_COSINE
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
