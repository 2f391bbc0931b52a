//! Identities and handles. Identities are stable and decide every order; handles are for fast access and become stale
//! safely.
//!
//! A [`BodyId`] names a body permanently. All sorting inside a step is by it, so the order in which bodies were added
//! cannot change a bit of the result. A handle gives a program fast access to a body. It contains its world and a
//! generation, so the handle of a removed body or of another world is an error, never a different body.
//!
//! Copies of a world, and worlds restored to an earlier state, share a past. A handle made in that past works in all of
//! them. Handles made afterwards contain a branch number, so a handle from another branch, or from a future that was
//! undone by a restore, is stale everywhere else.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The permanent identity of a body. Numbers sort before names, names before automatic identities.
///
/// ```
/// use signorini::{Body, BodyId, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).named("ball"))?;
/// assert_eq!(world.find("ball"), Some(ball));
/// assert_eq!(world.body(ball)?.id(), &BodyId::Name("ball".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyId {
    /// Chosen by the program.
    Number(u64),
    /// Chosen by the program.
    Name(Arc<str>),
    /// Assigned by the world, counting up, to bodies without number or name. For these the order of insertion matters.
    Automatic(u64),
}

impl BodyId {
    /// The name that scenes and recordings give a body with this identity.
    pub fn label(&self) -> String {
        match self {
            BodyId::Name(name) => name.to_string(),
            BodyId::Number(number) => format!("#{number}"),
            BodyId::Automatic(number) => format!("unnamed #{number}"),
        }
    }
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

/// Key of a value: world, slot, how often the slot was used before, and the branch of the world that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub world: u32,
    pub slot: u32,
    pub generation: u32,
    pub branch: u32,
}

/// Handle of a body in one world.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, WorldError};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// world.remove(ball)?;
/// assert!(matches!(world.body(ball), Err(WorldError::StaleHandle { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyHandle(pub(crate) Key);

/// Handle of a joint in one world.
///
/// ```
/// use signorini::{Body, Joint, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let joint = world.add_joint(Joint::ball(ball, DVec3::ZERO, DVec3::ZERO))?;
/// assert_eq!(world.joints().next().map(|(handle, _)| handle), Some(joint));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointHandle(pub(crate) Key);

/// Handle of a gear in one world.
///
/// ```
/// use signorini::{Body, Frame, Gear, Joint, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let wheel = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let frame = Frame::along(DVec3::ZERO, DVec3::Z);
/// let screw = world.add_joint(Joint::cylindrical(wheel, frame, frame))?;
/// // A screw: 1 mm along the axis per radian.
/// let thread = world.add_gear(Gear::between((screw, 0), (screw, 1), 1e-3))?;
/// assert_eq!(world.gear(thread)?.terms.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GearHandle(pub(crate) Key);

/// Why a handle does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreachable {
    Foreign,
    Stale,
}

static NEXT_WORLD: AtomicU32 = AtomicU32::new(0);
static NEXT_BRANCH: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: u32,
    branch: u32,
    /// Edit count of the arena when it was last borrowed mutably.
    edited: u64,
    value: Option<T>,
}

/// Values with generational keys. Slots of removed values are used again, so memory does not grow under churn.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    world: u32,
    /// Branch number, taken when the first value is added; a copy that adds nothing needs none.
    branch: Option<u32>,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    /// Counts how often a value was added, removed, or borrowed mutably.
    edits: u64,
}

impl<T> Arena<T> {
    pub fn new() -> Self {
        let world = NEXT_WORLD.fetch_add(1, Ordering::Relaxed);
        Arena { world, branch: None, slots: Vec::new(), free: Vec::new(), edits: 0 }
    }

    /// Rebuilds an arena from generations and values slot by slot, and the list of free slots (the last is reused
    /// first). `None` if these contradict each other.
    pub fn from_parts(parts: Vec<(u32, Option<T>)>, free: Vec<u32>) -> Option<Self> {
        let mut arena = Arena::new();
        let branch = NEXT_BRANCH.fetch_add(1, Ordering::Relaxed);
        arena.slots =
            parts.into_iter().map(|(generation, value)| Slot { generation, branch, edited: 0, value }).collect();
        let mut listed = vec![false; arena.slots.len()];
        for slot in &free {
            let vacant = arena.slots.get(*slot as usize).is_some_and(|s| s.value.is_none());
            if !vacant || std::mem::replace(&mut listed[*slot as usize], true) {
                return None;
            }
        }
        // An empty slot that is not free has used up its generations.
        let sound = |(slot, listed): (&Slot<T>, bool)| slot.value.is_some() || listed || slot.generation == u32::MAX;
        let sound = arena.slots.iter().zip(listed).all(sound);
        arena.free = free;
        sound.then_some(arena)
    }

    /// A copy with a shared past: existing keys work in both, later keys only where they were made.
    pub fn fork(&self) -> Self
    where
        T: Clone,
    {
        Arena { world: self.world, branch: None, slots: self.slots.clone(), free: self.free.clone(), edits: self.edits }
    }

    /// Whether the two share a past.
    pub fn is_related(&self, other: &Arena<T>) -> bool {
        self.world == other.world
    }

    /// Makes the keys of `other` valid for values that are in the same slot here and are the `same`.
    pub fn adopt_keys(&mut self, other: &Arena<T>, same: impl Fn(&T, &T) -> bool) {
        self.edits += 1;
        self.world = other.world;
        for (own, old) in self.slots.iter_mut().zip(&other.slots) {
            if let (Some(value), Some(before)) = (&own.value, &old.value)
                && own.generation == old.generation
                && same(value, before)
            {
                own.branch = old.branch;
            }
        }
    }

    /// Generations and values slot by slot.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (u32, Option<&T>)> {
        self.slots.iter().map(|slot| (slot.generation, slot.value.as_ref()))
    }

    /// Free slots, the next to be used last.
    pub fn free(&self) -> &[u32] {
        &self.free
    }

    /// Number of edits so far, counting every mutable borrow.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Edit count when a slot was last borrowed mutably. It differs if the value may differ.
    pub fn edited(&self, slot: u32) -> u64 {
        self.slots.get(slot as usize).map_or(0, |slot| slot.edited)
    }

    pub fn insert(&mut self, value: T) -> Key {
        self.edits += 1;
        let branch = *self.branch.get_or_insert_with(|| NEXT_BRANCH.fetch_add(1, Ordering::Relaxed));
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.slots.push(Slot { generation: 0, branch, edited: 0, value: None });
                (self.slots.len() - 1) as u32
            }
        };
        self.slots[slot as usize].branch = branch;
        self.slots[slot as usize].edited = self.edits;
        self.slots[slot as usize].value = Some(value);
        self.key(slot)
    }

    /// The current key of a slot.
    pub fn key(&self, slot: u32) -> Key {
        let Slot { generation, branch, .. } = &self.slots[slot as usize];
        Key { world: self.world, slot, generation: *generation, branch: *branch }
    }

    fn check(&self, key: Key) -> Result<usize, Unreachable> {
        if key.world != self.world {
            return Err(Unreachable::Foreign);
        }
        match self.slots.get(key.slot as usize) {
            Some(Slot { generation, branch, value: Some(_), .. })
                if (*generation, *branch) == (key.generation, key.branch) =>
            {
                Ok(key.slot as usize)
            }
            _ => Err(Unreachable::Stale),
        }
    }

    pub fn get(&self, key: Key) -> Result<&T, Unreachable> {
        let slot = self.check(key)?;
        self.slots[slot].value.as_ref().ok_or(Unreachable::Stale)
    }

    pub fn get_mut(&mut self, key: Key) -> Result<&mut T, Unreachable> {
        self.edits += 1;
        let slot = self.check(key)?;
        self.slots[slot].edited = self.edits;
        self.slots[slot].value.as_mut().ok_or(Unreachable::Stale)
    }

    pub fn remove(&mut self, key: Key) -> Result<T, Unreachable> {
        self.edits += 1;
        let slot = self.check(key)?;
        let value = self.slots[slot].value.take().ok_or(Unreachable::Stale)?;
        // A slot whose generations are used up is never reused, so that no old key becomes valid by wrap-around.
        if let Some(next) = self.slots[slot].generation.checked_add(1) {
            self.slots[slot].generation = next;
            self.free.push(slot as u32);
        }
        Ok(value)
    }

    /// The value of a slot known to be in use.
    pub fn at(&self, slot: u32) -> Option<&T> {
        self.slots.get(slot as usize).and_then(|s| s.value.as_ref())
    }

    /// The value of a slot known to be in use.
    pub fn at_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.edits += 1;
        let slot = self.slots.get_mut(slot as usize)?;
        slot.edited = self.edits;
        slot.value.as_mut()
    }
}
