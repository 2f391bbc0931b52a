//! Who is who: stable identities that decide every order, and handles that go stale safely.
//!
//! A [`BodyId`] names a body for good: all sorting inside a step is by it, so the order in which bodies were added
//! cannot change a bit of the result. A handle is how a program reaches a body quickly; it knows its world and its
//! generation, so a handle of a removed body or of another world is an error, never some other body.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The lasting identity of a body. Numbers come before names, names before automatic identities.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyId {
    /// Chosen by the program.
    Number(u64),
    /// Chosen by the program.
    Name(Arc<str>),
    /// Counted up by the world for bodies that were given neither: for these the order of adding matters.
    Automatic(u64),
}

impl From<u64> for BodyId {
    fn from(number: u64) -> Self {
        BodyId::Number(number)
    }
}

impl From<&str> for BodyId {
    fn from(name: &str) -> Self {
        BodyId::Name(name.into())
    }
}

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyId::Number(number) => write!(f, "body {number}"),
            BodyId::Name(name) => write!(f, "body '{name}'"),
            BodyId::Automatic(number) => write!(f, "unnamed body {number}"),
        }
    }
}

/// Where a value lives: world, slot and how often the slot was used before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub world: u32,
    pub slot: u32,
    pub generation: u32,
}

/// A body of one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyHandle(pub(crate) Key);

/// A joint of one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointHandle(pub(crate) Key);

/// Why a handle does not reach anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreachable {
    Foreign,
    Stale,
}

static NEXT_WORLD: AtomicU32 = AtomicU32::new(0);

/// Values with generational keys. Slots of removed values are used again, so memory does not grow under churn.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    world: u32,
    slots: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Arena<T> {
    pub fn new() -> Self {
        Arena { world: NEXT_WORLD.fetch_add(1, Ordering::Relaxed), slots: Vec::new(), free: Vec::new() }
    }

    pub fn insert(&mut self, value: T) -> Key {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.slots.push((0, None));
                (self.slots.len() - 1) as u32
            }
        };
        self.slots[slot as usize].1 = Some(value);
        self.key(slot)
    }

    /// The current key of a slot.
    pub fn key(&self, slot: u32) -> Key {
        Key { world: self.world, slot, generation: self.slots[slot as usize].0 }
    }

    fn check(&self, key: Key) -> Result<usize, Unreachable> {
        if key.world != self.world {
            return Err(Unreachable::Foreign);
        }
        match self.slots.get(key.slot as usize) {
            Some((generation, Some(_))) if *generation == key.generation => Ok(key.slot as usize),
            _ => Err(Unreachable::Stale),
        }
    }

    pub fn get(&self, key: Key) -> Result<&T, Unreachable> {
        let slot = self.check(key)?;
        self.slots[slot].1.as_ref().ok_or(Unreachable::Stale)
    }

    pub fn get_mut(&mut self, key: Key) -> Result<&mut T, Unreachable> {
        let slot = self.check(key)?;
        self.slots[slot].1.as_mut().ok_or(Unreachable::Stale)
    }

    pub fn remove(&mut self, key: Key) -> Result<T, Unreachable> {
        let slot = self.check(key)?;
        let value = self.slots[slot].1.take().ok_or(Unreachable::Stale)?;
        // A slot whose generations are used up is never used again: no old key may become valid by wrapping.
        if let Some(next) = self.slots[slot].0.checked_add(1) {
            self.slots[slot].0 = next;
            self.free.push(slot as u32);
        }
        Ok(value)
    }

    /// The value of a slot known to be in use.
    pub fn at(&self, slot: u32) -> Option<&T> {
        self.slots.get(slot as usize).and_then(|s| s.1.as_ref())
    }

    /// The value of a slot known to be in use.
    pub fn at_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.slots.get_mut(slot as usize).and_then(|s| s.1.as_mut())
    }
}
