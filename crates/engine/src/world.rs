//! The world: bodies, joints, settings and time.

use crate::body::{self, BodyRecord, Kind};
use crate::body_view::{BodyView, HASHED_NUMBERS};
use crate::events::EventLog;
use crate::filter::PairFilter;
use crate::ids::{Arena, Key, Unreachable};
use crate::joint::{Anchor, GearRecord, JointRecord};
use crate::material_pair::MaterialPairs;
use crate::query::QueryCache;
use crate::read_out::ReadOut;
use crate::step::{ContactCache, Workspace};
use crate::{
    Body, BodyHandle, BodyId, ContactPoint, Energy, Joint, Material, Settings, StepError, StepReport, WorldError,
};
use glamx::{DQuat, DVec3};
use signorini_problem::ContactProblem;
use std::collections::BTreeSet;

/// A simulated world of bodies and joints.
///
/// ```
/// use signorini::{Body, Settings, Shape, World};
/// use glamx::DVec3;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?).named("floor"))?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(0.0, 0.0, 0.5)).named("ball"))?;
/// let report = world.step(0.016)?;
/// assert_eq!(report.status, signorini::StepStatus::Certified);
/// assert!(world.body(ball)?.velocity().length() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) bodies: Arena<BodyRecord>,
    /// Slots of the bodies in the order of their ids.
    pub(crate) order: Vec<u32>,
    pub(crate) joints: Arena<JointRecord>,
    /// Slots of the joints in the order of their bodies' ids; equal ones in order of insertion.
    pub(crate) joint_order: Vec<u32>,
    pub(crate) gears: Arena<GearRecord>,
    pub(crate) gear_order: Vec<u32>,
    /// Pairs of slots of bodies that do not touch, the smaller first.
    pub(crate) apart: BTreeSet<(u32, u32)>,
    pub(crate) pair_filter: PairFilter,
    pub(crate) material_pairs: MaterialPairs,
    pub(crate) queries: QueryCache,
    pub(crate) cache: ContactCache,
    /// Contacts of the last step as they were solved.
    pub(crate) contacts: Vec<ContactPoint>,
    pub(crate) events: EventLog,
    pub(crate) read_out: ReadOut,
    /// The memory of the stages; none before the first step, and while one is taken.
    pub(crate) workspace: Option<Box<Workspace>>,
    pub(crate) time: f64,
    pub(crate) steps: u64,
    pub(crate) next_automatic: u64,
    /// Number that the next island to fall asleep gets.
    pub(crate) next_sleeping_island: u64,
}

impl World {
    /// An empty world.
    pub fn new(settings: Settings) -> Result<World, WorldError> {
        settings.check()?;
        Ok(World {
            settings,
            bodies: Arena::new(),
            order: Vec::new(),
            joints: Arena::new(),
            joint_order: Vec::new(),
            gears: Arena::new(),
            gear_order: Vec::new(),
            apart: BTreeSet::new(),
            pair_filter: PairFilter::default(),
            material_pairs: MaterialPairs::default(),
            queries: QueryCache::default(),
            cache: ContactCache::default(),
            contacts: Vec::new(),
            events: EventLog::default(),
            read_out: ReadOut::default(),
            workspace: None,
            time: 0.0,
            steps: 0,
            next_automatic: 0,
            next_sleeping_island: 0,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// Changes the settings from the next step on.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), WorldError> {
        settings.check()?;
        if settings != self.settings {
            self.settings = settings;
            self.wake_where(|record| record.rest.sleeping_island.is_some());
        }
        Ok(())
    }
    /// Time since the beginning \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }
    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Adds a body.
    pub fn add(&mut self, body: Body) -> Result<BodyHandle, WorldError> {
        let id = body.id().cloned().unwrap_or(BodyId::Automatic(self.next_automatic));
        let record = body.into_record(id)?;
        let at = match self.rank_of(&record.id) {
            Ok(_) => return Err(WorldError::DuplicateId { body: record.id }),
            Err(at) => at,
        };
        if matches!(record.id, BodyId::Automatic(_)) {
            self.next_automatic += 1;
        }
        let key = self.bodies.insert(record);
        self.order.insert(at, key.slot);
        Ok(BodyHandle(key))
    }

    /// Removes a body, every joint that holds it, and the gears of these.
    pub fn remove(&mut self, body: BodyHandle) -> Result<(), WorldError> {
        self.body(body)?;
        self.remove_gears_on(body)?;
        self.disturb(body.0.slot);
        self.bodies.remove(body.0).map_err(|why| unreachable(why, body.0))?;
        self.order.retain(|slot| *slot != body.0.slot);
        let holds = |joint: &Joint| joint.a.0 == body || matches!(joint.b, Anchor::Body(b, _) if b == body);
        let (gone, kept): (Vec<u32>, Vec<u32>) =
            self.joint_order.iter().partition(|slot| self.joints.at(**slot).is_some_and(|j| holds(&j.joint)));
        self.joint_order = kept;
        for slot in gone {
            let key = self.joints.key(slot);
            self.joints.remove(key).map_err(|why| unreachable(why, key))?;
        }
        self.forget_pairs(body.0.slot);
        self.cache.forget(body);
        self.contacts.retain(|c| c.a != body && c.b != body);
        self.read_out.forget();
        Ok(())
    }

    /// A read-only view of a body.
    pub fn body(&self, body: BodyHandle) -> Result<BodyView<'_>, WorldError> {
        Ok(BodyView { record: self.bodies.get(body.0).map_err(|why| unreachable(why, body.0))? })
    }

    /// All bodies in the order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyHandle, BodyView<'_>)> {
        let look = |slot: &u32| {
            let record = self.bodies.at(*slot)?;
            Some((BodyHandle(self.bodies.key(*slot)), BodyView { record }))
        };
        self.order.iter().filter_map(look)
    }

    /// The body with this identity.
    pub fn find(&self, id: impl Into<BodyId>) -> Option<BodyHandle> {
        let rank = self.rank_of(&id.into()).ok()?;
        Some(BodyHandle(self.bodies.key(self.order[rank])))
    }

    pub(crate) fn rank_of(&self, id: &BodyId) -> Result<usize, usize> {
        self.order.binary_search_by(|slot| match self.bodies.at(*slot) {
            Some(record) => record.id.cmp(id),
            None => std::cmp::Ordering::Less,
        })
    }

    pub(crate) fn record_mut(&mut self, body: BodyHandle) -> Result<&mut BodyRecord, WorldError> {
        self.bodies.get_mut(body.0).map_err(|why| unreachable(why, body.0))
    }

    /// Sets the position of the origin of a body's frame \[m\].
    pub fn set_position(&mut self, body: BodyHandle, position: DVec3) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        body::check_vector(&record.id, &body::POSITION, position)?;
        record.state.position = position + record.state.orientation * record.mass.centre;
        record.quarantined = false;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Sets the orientation of a body, turning it about the origin of its frame.
    pub fn set_orientation(&mut self, body: BodyHandle, orientation: DQuat) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        let orientation = body::checked_orientation(&record.id, orientation)?;
        let origin = record.origin();
        record.state.orientation = orientation;
        record.state.position = origin + orientation * record.mass.centre;
        record.quarantined = false;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Sets the velocity of the centre of mass [m/s].
    pub fn set_velocity(&mut self, body: BodyHandle, velocity: DVec3) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        movable(record, "set in motion")?;
        body::check_vector(&record.id, &body::VELOCITY, velocity)?;
        record.state.velocity = velocity;
        record.quarantined = false;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Sets the angular velocity, world axes [rad/s].
    pub fn set_angular_velocity(&mut self, body: BodyHandle, angular_velocity: DVec3) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        movable(record, "set in motion")?;
        body::check_vector(&record.id, &body::ANGULAR_VELOCITY, angular_velocity)?;
        record.state.angular_velocity = angular_velocity;
        record.quarantined = false;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Changes the material of a body.
    pub fn set_material(&mut self, body: BodyHandle, material: Material) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        if let Some((field, value, range)) = material.invalid() {
            return Err(WorldError::BodyValue { body: record.id.clone(), field, value, range });
        }
        record.material = material;
        self.read_out.forget();
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Turns continuous collision detection of a body on or off: see [`Body::fast`].
    pub fn set_fast(&mut self, body: BodyHandle, fast: bool) -> Result<(), WorldError> {
        self.record_mut(body)?.fast = fast;
        Ok(())
    }

    /// Adds a force at the centre of mass for the next step \[N\].
    pub fn add_force(&mut self, body: BodyHandle, force: DVec3) -> Result<(), WorldError> {
        self.add_force_and_torque(body, force, DVec3::ZERO)
    }

    /// Adds a force at a point of the world for the next step \[N\].
    pub fn add_force_at(&mut self, body: BodyHandle, force: DVec3, point: DVec3) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        body::check_vector(&record.id, &body::POINT, point)?;
        let torque = (point - record.state.position).cross(force);
        self.add_force_and_torque(body, force, torque)
    }

    /// Adds a torque for the next step, world axes [N·m].
    pub fn add_torque(&mut self, body: BodyHandle, torque: DVec3) -> Result<(), WorldError> {
        self.add_force_and_torque(body, DVec3::ZERO, torque)
    }

    fn add_force_and_torque(&mut self, body: BodyHandle, force: DVec3, torque: DVec3) -> Result<(), WorldError> {
        let record = self.record_mut(body)?;
        if record.kind != Kind::Dynamic {
            return Err(WorldError::Kind { body: record.id.clone(), operation: "push", kind: record.kind.name() });
        }
        let (force, torque) = (record.force + force, record.torque + torque);
        body::check_vector(&record.id, &body::FORCE, force)?;
        body::check_vector(&record.id, &body::TORQUE, torque)?;
        record.force = force;
        record.torque = torque;
        if record.rest.sleeping_island.is_some() && (force, torque) != (record.options.force, record.options.torque) {
            self.disturb(body.0.slot);
        }
        Ok(())
    }

    /// Clears forces and torques added since the last step; constant ones stay.
    pub fn clear_forces(&mut self) {
        for slot in &self.order {
            if let Some(record) = self.bodies.at_mut(*slot) {
                record.force = record.options.force;
                record.torque = record.options.torque;
            }
        }
    }

    /// Wakes a body and its sleeping island.
    pub fn wake(&mut self, body: BodyHandle) -> Result<(), WorldError> {
        self.body(body)?;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Advances the world by `dt` \[s\]. On an error the world is unchanged, bit for bit. A step of zero is allowed and
    /// changes nothing.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        crate::step::step(self, dt)
    }

    /// The contact problems that a step of `dt` \[s\] would solve, one per island, without taking the step. They can be
    /// saved to files, or given to other methods and judges.
    pub fn problems(&mut self, dt: f64) -> Result<Vec<ContactProblem>, StepError> {
        crate::step::problems(self, dt)
    }

    /// The contacts of the last step, in the order of the bodies' ids. If contacts at rest share a load, their impulses
    /// are those with the least friction and then the most even normal parts; this is computed at the first call after
    /// a step.
    pub fn contacts(&self) -> &[ContactPoint] {
        self.read_out.of(self)
    }

    /// Energy of all bodies.
    pub fn energy(&self) -> Energy {
        self.order
            .iter()
            .filter_map(|slot| self.bodies.at(*slot))
            .map(|body| Energy::of(body, self.settings.gravity))
            .fold(Energy::default(), Energy::add)
    }

    /// Fingerprint of the state of all bodies, bit by bit, in the order of their ids: positions, orientations, velocities
    /// and applied forces, number by number. −0 and +0 count as equal. Each number is mixed in by a bijection, so two
    /// states that differ in one number never have the same fingerprint.
    pub fn state_hash(&self) -> u64 {
        World::hash_of(self.bodies().map(|(_, body)| body.hashed_numbers()))
    }

    /// [`World::state_hash`] of bodies with these [`BodyView::hashed_numbers`]. Useful to compute the hash of copied
    /// numbers later, on another thread, because hashing takes longer than copying.
    pub fn hash_of(bodies: impl IntoIterator<Item = [f64; HASHED_NUMBERS]>) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for body in bodies {
            for value in body {
                // An odd factor (2⁶⁴ over the golden ratio), then what came out on top into what is below.
                hash = (hash ^ (value + 0.0).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                hash ^= hash >> 32;
            }
        }
        hash
    }
}

fn movable(record: &BodyRecord, operation: &'static str) -> Result<(), WorldError> {
    match record.kind {
        Kind::Fixed => Err(WorldError::Kind { body: record.id.clone(), operation, kind: record.kind.name() }),
        Kind::Dynamic | Kind::Kinematic => Ok(()),
    }
}

pub(crate) fn unreachable(why: Unreachable, key: Key) -> WorldError {
    match why {
        Unreachable::Foreign => WorldError::ForeignHandle,
        Unreachable::Stale => WorldError::StaleHandle { slot: key.slot, generation: key.generation },
    }
}
