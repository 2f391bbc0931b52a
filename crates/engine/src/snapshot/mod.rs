//! Snapshots: the whole state of a world, to restore, to copy, and to save as bytes.
//!
//! A snapshot contains everything that can influence the future by a bit: settings, shapes, bodies with their applied
//! forces, joints and contacts with their cached impulses, time, counters, and the list of free slots. A restored world
//! takes the same steps, bit for bit and at any number of threads, as one that was never interrupted. Buffers and
//! factorizations are not part of it, because they must not influence results; tests that restore at every step of a
//! busy scene check that.
//!
//! # Handles
//!
//! A handle either refers to the object it was made for, or is stale:
//!
//! * In a copy ([`World::fork`], [`World::from_snapshot`]) the handles of the original work. Handles made later work
//!   only in the world that made them and are stale in the other.
//! * After [`World::restore`], handles from before the snapshot work again, also those of bodies removed since. Handles
//!   made after it stay stale forever.
//! * Bytes carry no handles: [`World::from_snapshot`] of bytes gives a world in which bodies are reached by
//!   [`World::find`]. When bytes are restored into a world, its handles go on to work for bodies of the same identity
//!   in the same slot, which is to say, for all bodies of a snapshot of this world that still exist.

mod bytes;
mod gears;
mod joints;
mod scene;
mod shapes;
mod values;

use crate::joint::{Anchor, JointRecord};
use crate::query::QueryCache;
use crate::read_out::ReadOut;
use crate::step::ContactCache;
use crate::{BodyHandle, JointHandle, SnapshotError, World};

/// The state of a world at one time.
///
/// ```
/// use signorini::{Body, Settings, Shape, Snapshot, World};
/// use glamx::DVec3;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(0.0, 0.0, 2.0)))?;
/// let before = world.snapshot();
/// world.step(0.1)?;
/// let after = world.state_hash();
/// world.restore(&before)?;
/// world.step(0.1)?;
/// assert_eq!(world.state_hash(), after);
///
/// let mut elsewhere = World::from_snapshot(&Snapshot::from_bytes(&before.to_bytes())?);
/// elsewhere.step(0.1)?;
/// assert_eq!(elsewhere.state_hash(), after);
/// # let _ = ball;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    world: World,
    origin: Origin,
}

/// Whether the snapshot contains the handles of its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Memory,
    Bytes,
}

impl Snapshot {
    /// Writes the snapshot as bytes, with a version and a checksum per section. The same state gives the same bytes in
    /// every process.
    pub fn to_bytes(&self) -> Vec<u8> {
        scene::encode(&self.world)
    }

    /// Reads a snapshot from untrusted bytes: they may be damaged, truncated, of another version, or malicious. Every
    /// number is checked, and no memory is allocated for a count that the remaining bytes cannot fill. Settings come
    /// from the bytes too: before stepping such a world check [`World::settings`], which may ask for any number of
    /// iterations.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        Ok(Snapshot { world: scene::decode(bytes)?, origin: Origin::Bytes })
    }

    /// Time since the beginning \[s\].
    pub fn time(&self) -> f64 {
        self.world.time
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.world.steps
    }

    /// [`World::state_hash`] of the state that is kept.
    pub fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}

impl World {
    /// The current state. Shapes are shared, not copied.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { world: self.fork(), origin: Origin::Memory }
    }

    /// Goes back (or on) to a snapshot of this world or of a copy of it, or to one read from bytes.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let mut restored = snapshot.world.fork();
        match snapshot.origin {
            Origin::Memory if !restored.bodies.is_related(&self.bodies) => return Err(SnapshotError::OtherWorld),
            Origin::Memory => {}
            Origin::Bytes => restored.adopt_handles(self),
        }
        *self = restored;
        Ok(())
    }

    /// A new world in the state of a snapshot.
    pub fn from_snapshot(snapshot: &Snapshot) -> World {
        snapshot.world.fork()
    }

    /// An independent copy of the world. Handles made so far work in both.
    pub fn fork(&self) -> World {
        // Every field by name: whoever adds one has to decide whether it is state.
        let World {
            settings,
            bodies,
            order,
            joints,
            joint_order,
            gears,
            gear_order,
            apart,
            pair_filter,
            material_pairs,
            queries: _,
            cache,
            contacts,
            events,
            read_out: _,
            workspace: _,
            time,
            steps,
            next_automatic,
            next_sleeping_island,
        } = self;
        World {
            settings: *settings,
            bodies: bodies.fork(),
            order: order.clone(),
            joints: joints.fork(),
            joint_order: joint_order.clone(),
            gears: gears.fork(),
            gear_order: gear_order.clone(),
            apart: apart.clone(),
            pair_filter: pair_filter.clone(),
            material_pairs: material_pairs.clone(),
            queries: QueryCache::default(),
            cache: cache.clone(),
            contacts: contacts.clone(),
            events: events.clone(),
            read_out: ReadOut::default(),
            workspace: None,
            time: *time,
            steps: *steps,
            next_automatic: *next_automatic,
            next_sleeping_island: *next_sleeping_island,
        }
    }

    /// Takes over the handles of a world for the bodies and joints that are the same here.
    fn adopt_handles(&mut self, other: &World) {
        self.bodies.adopt_keys(&other.bodies, |body, before| body.id == before.id);
        self.rekey();
        let same = |joint: &JointRecord, before: &JointRecord| joint.joint == before.joint;
        self.joints.adopt_keys(&other.joints, same);
        let joints = &self.joints;
        for slot in &self.gear_order {
            let Some(record) = self.gears.at_mut(*slot) else { continue };
            for term in &mut record.gear.terms {
                term.joint = JointHandle(joints.key(term.joint.0.slot));
            }
        }
        self.gears.adopt_keys(&other.gears, |gear, before| gear.gear == before.gear);
    }

    /// Writes the current keys into everything that names bodies.
    fn rekey(&mut self) {
        let bodies = &self.bodies;
        let current = |handle: BodyHandle| BodyHandle(bodies.key(handle.0.slot));
        for slot in &self.joint_order {
            let Some(record) = self.joints.at_mut(*slot) else { continue };
            record.joint.a.0 = current(record.joint.a.0);
            if let Anchor::Body(handle, _) = &mut record.joint.b {
                *handle = current(*handle);
            }
        }
        for contact in &mut self.contacts {
            (contact.a, contact.b) = (current(contact.a), current(contact.b));
        }
        for event in &mut self.events.contacts {
            (event.a, event.b) = (current(event.a), current(event.b));
        }
        for event in &mut self.events.sensors {
            (event.sensor, event.other) = (current(event.sensor), current(event.other));
        }
        self.events.woken.iter_mut().for_each(|body| *body = current(*body));
        self.read_out.forget();
        let (entries, dt) = self.cache.entries();
        let entries = entries.map(|((a, b), entry)| ((current(*a), current(*b)), entry.clone()));
        self.cache = ContactCache::from_entries(entries, dt);
    }
}

impl Clone for World {
    /// The same as [`World::fork`].
    fn clone(&self) -> World {
        self.fork()
    }
}
