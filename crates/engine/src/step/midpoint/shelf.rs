//! A pool of vectors. They are taken empty and given back after use, so that a steady step allocates nothing. Which
//! vector is taken depends only on the order of calls.

use super::body::MovingBody;
use super::drives::Role;
use super::gears::{MovingGear, MovingTerm};
use super::velocity::Before;
use crate::joint::geometry::{JointGeometry, Placed};
use crate::joint::rows::Posed;
use crate::step::Twist;
use crate::step::contact::Contact;
use crate::step::rolling::Push;
use crate::step::squeeze::Pad;
use glamx::DVec3;

/// Pool of vectors of one item type.
#[derive(Debug)]
pub(crate) struct Shelf<T>(Vec<Vec<T>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf(Vec::new())
    }
}

impl<T> Shelf<T> {
    /// Returns an empty vector with the memory of the one that was given back last.
    pub fn take(&mut self) -> Vec<T> {
        self.0.pop().unwrap_or_default()
    }
    /// Returns a vector of these items.
    pub fn of(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut vector = self.take();
        vector.extend(items);
        vector
    }
    pub fn give(&mut self, mut vector: Vec<T>) {
        vector.clear();
        self.0.push(vector);
    }
    /// Puts a new vector into `place` and takes the old one back.
    pub fn swap(&mut self, place: &mut Vec<T>, new: Vec<T>) {
        let old = std::mem::replace(place, new);
        self.give(old);
    }
}

/// The pools of one island.
#[derive(Debug, Default)]
pub(crate) struct Shelves {
    pub numbers: Shelf<f64>,
    pub pairs: Shelf<(f64, f64)>,
    pub flags: Shelf<bool>,
    pub places: Shelf<usize>,
    pub twists: Shelf<Twist>,
    pub before: Shelf<Before>,
    /// Impulse pairs of bodies, and anchors of their loads.
    pub wrenches: Shelf<(DVec3, DVec3)>,
    pub given: Shelf<(u32, DVec3, DVec3)>,
    pub pushes: Shelf<Push>,
    pub roles: Shelf<Role>,
    pub posed: Shelf<Posed>,
    pub gears: Shelf<MovingGear>,
    pub gear_terms: Shelf<MovingTerm>,
    pub placed: Shelf<Placed>,
    pub pads: Shelf<Option<Pad>>,
    pub bodies: Shelf<MovingBody>,
    pub impulses_at: Shelf<(usize, f64)>,
    /// Always empty between uses; the items live for one step.
    pub contacts: Vec<&'static Contact>,
    pub joints: Vec<JointGeometry<'static>>,
}

/// Reuses the memory of a vector for items of another lifetime. (`collect` keeps the memory if the items have the same
/// size.)
pub(crate) fn emptied<A, B>(mut vector: Vec<A>) -> Vec<B> {
    vector.clear();
    vector.into_iter().filter_map(|_| None).collect()
}
