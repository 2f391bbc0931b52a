//! Pairs of bodies without contacts, for example overlapping links of a robot, independent of joints.

use crate::joint::PairContact;
use crate::{BodyHandle, World, WorldError};

impl World {
    /// Allows or forbids contacts between two bodies, whatever joints connect them. Takes effect with the next step.
    pub fn set_pair_contact(&mut self, a: BodyHandle, b: BodyHandle, contact: PairContact) -> Result<(), WorldError> {
        self.body(a)?;
        self.body(b)?;
        if a == b {
            return Err(WorldError::Pair);
        }
        let (a, b) = (a.0.slot, b.0.slot);
        let pair = (a.min(b), a.max(b));
        let changed = match contact {
            PairContact::Ignored => self.apart.insert(pair),
            PairContact::Kept => self.apart.remove(&pair),
        };
        if changed {
            self.disturb(a);
            self.disturb(b);
        }
        Ok(())
    }

    /// The pairs excluded by [`World::set_pair_contact`], in the order of their ids.
    pub fn pairs_apart(&self) -> Vec<[BodyHandle; 2]> {
        let rank = |slot: u32| self.bodies.at(slot).map(|record| &record.id);
        let ordered = |&(a, b): &(u32, u32)| if rank(a) <= rank(b) { [a, b] } else { [b, a] };
        let mut pairs: Vec<[u32; 2]> = self.apart.iter().map(ordered).collect();
        pairs.sort_by_key(|pair| pair.map(rank));
        pairs.into_iter().map(|pair| pair.map(|slot| BodyHandle(self.bodies.key(slot)))).collect()
    }

    /// Removes the pairs of a removed body.
    pub(crate) fn forget_pairs(&mut self, slot: u32) {
        self.apart.retain(|(a, b)| *a != slot && *b != slot);
    }
}
