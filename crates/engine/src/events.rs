//! What happened in the last step: who touches whom, who is in which sensor, who fell asleep. Lists are in the order of ids, and
//! are part of the state: a copy of a world goes on with the same events.

use crate::body::BodyRecord;
use crate::ids::Arena;
use crate::report::ContactPoint;
use crate::shape::{Primitive, Shape};
use crate::{BodyHandle, World};
use glamx::DVec3;

/// Whether something is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Since this step.
    Begin,
    /// As in the step before.
    Persist,
    /// No longer. The body may be gone, and its handle stale.
    End,
}

impl Phase {
    /// As tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Begin => "begin",
            Phase::Persist => "persist",
            Phase::End => "end",
        }
    }
    fn after(before: bool) -> Phase {
        if before { Phase::Persist } else { Phase::Begin }
    }
}

/// Two parts of bodies that touch: a point of contact carries load, or its surfaces met when the step began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// Whether they are new.
    pub phase: Phase,
    /// First body; the normal points from it.
    pub a: BodyHandle,
    /// Second body.
    pub b: BodyHandle,
    /// Part of the first body's shape; 0 unless it is a compound.
    pub part_a: u32,
    /// Part of the second body's shape.
    pub part_b: u32,
    /// Where the point is that carries the most \[m\].
    pub point: DVec3,
    /// Unit vector from A to B there.
    pub normal: DVec3,
    /// Sum of the normal impulses of all points \[N·s\]; of an end, zero.
    pub impulse: f64,
    /// Fastest approach of a point when the step began, or just before it bounced [m/s]; of an end, zero.
    pub speed: f64,
}

/// A body in a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorEvent {
    /// Whether it is new.
    pub phase: Phase,
    /// The sensor.
    pub sensor: BodyHandle,
    /// Which part of it detects, of a body that is not a sensor as a whole; else 0.
    pub part: u32,
    /// Who is inside.
    pub other: BodyHandle,
    /// Time of the world at the end of the step that found it there first \[s\].
    pub since: f64,
}

/// A body that fell asleep or woke up: see [`crate::Sleeping`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepEvent {
    /// The body.
    pub body: BodyHandle,
    /// Whether it sleeps now.
    pub asleep: bool,
}

/// Events of the last step, and what the next one is told from.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog {
    pub contacts: Vec<ContactEvent>,
    pub sensors: Vec<SensorEvent>,
    pub sleep: Vec<SleepEvent>,
    /// Woken by a change between steps: told with the next.
    pub woken: Vec<BodyHandle>,
    /// Nothing has begun or ended: the same list serves the next step if that is the same again.
    settled: bool,
    earlier_contacts: Vec<ContactEvent>,
    earlier_sensors: Vec<SensorEvent>,
}

impl EventLog {
    /// As it was kept.
    pub fn from_lists(contacts: Vec<ContactEvent>, sensors: Vec<SensorEvent>, woken: Vec<BodyHandle>) -> Self {
        EventLog { contacts, sensors, woken, ..EventLog::default() }
    }

    /// A step that was the last one again.
    pub fn again(&mut self) {
        if self.settled {
            return;
        }
        self.settled = true;
        self.sleep.clear();
        self.contacts.retain(|event| event.phase != Phase::End);
        self.contacts.iter_mut().for_each(|event| event.phase = Phase::Persist);
        self.sensors.retain(|event| event.phase != Phase::End);
        self.sensors.iter_mut().for_each(|event| event.phase = Phase::Persist);
    }

    /// Sleep of the bodies that a step changed, and those that were woken since the last.
    pub fn begin(&mut self) {
        self.settled = false;
        self.sleep.clear();
        self.sleep.extend(self.woken.drain(..).map(|body| SleepEvent { body, asleep: false }));
    }

    /// Compares the contacts of a step with those of the last.
    pub fn touch(&mut self, contacts: &[ContactPoint], bodies: &Arena<BodyRecord>) {
        std::mem::swap(&mut self.contacts, &mut self.earlier_contacts);
        self.contacts.clear();
        for pair in contacts.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
            let first = self.contacts.len();
            let shapes = [pair[0].a, pair[0].b].map(|body| bodies.get(body.0).ok().map(|record| &record.shape));
            for contact in pair {
                let normal = contact.impulse.dot(contact.normal);
                if normal > 0.0 || contact.gap <= 0.0 {
                    let parts = [(shapes[0], contact.part_a), (shapes[1], contact.part_b)]
                        .map(|(shape, sub)| shape.map_or(0, |shape| part_of(shape, sub)));
                    take_in(&mut self.contacts, first, contact, normal, parts);
                }
            }
            self.contacts[first..].sort_by_key(|event| (event.part_a, event.part_b));
        }
        let key = |event: &ContactEvent| (event.a, event.b, event.part_a, event.part_b);
        // Lists are short where little touches, and in the same order where little changes: a look at the same place mostly
        // suffices, and else a search.
        let mut next = 0;
        for event in &mut self.contacts {
            let place =
                find_from(&self.earlier_contacts, next, |other| other.phase != Phase::End && key(other) == key(event));
            event.phase = Phase::after(place.is_some());
            if let Some(place) = place {
                self.earlier_contacts[place].phase = Phase::End;
                next = place + 1;
            }
        }
        // Those that were found again are marked as ended; those that were not have ended now.
        let ended = self.earlier_contacts.iter().filter(|event| event.phase != Phase::End);
        self.contacts.extend(ended.map(|event| ContactEvent { phase: Phase::End, impulse: 0.0, speed: 0.0, ..*event }));
    }

    /// Compares those in sensors with those of the last step; `found` are sensor, part and who is inside.
    pub fn sense(&mut self, found: &[(BodyHandle, u32, BodyHandle)], time: f64) {
        std::mem::swap(&mut self.sensors, &mut self.earlier_sensors);
        self.sensors.clear();
        for (sensor, part, other) in found {
            let same = |event: &&mut SensorEvent| {
                event.phase != Phase::End && (event.sensor, event.part, event.other) == (*sensor, *part, *other)
            };
            let before = self.earlier_sensors.iter_mut().find(same);
            let since = before.as_ref().map_or(time, |event| event.since);
            let phase = Phase::after(before.is_some());
            if let Some(event) = before {
                event.phase = Phase::End;
            }
            self.sensors.push(SensorEvent { phase, sensor: *sensor, part: *part, other: *other, since });
        }
        let ended = self.earlier_sensors.iter().filter(|event| event.phase != Phase::End);
        self.sensors.extend(ended.map(|event| SensorEvent { phase: Phase::End, ..*event }));
    }
}

/// The first place from `next` on, and then from the start, that is the one.
fn find_from<T>(list: &[T], next: usize, is: impl Fn(&T) -> bool) -> Option<usize> {
    let (before, after) = list.split_at(next.min(list.len()));
    match after.iter().position(&is) {
        Some(place) => Some(before.len() + place),
        None => before.iter().position(&is),
    }
}

/// The part of a shape that a contact is on: of a single one the first, of a surface the first surface.
fn part_of(shape: &Shape, sub: u32) -> u32 {
    let parts = shape.parts();
    let surface = |place: usize| matches!(parts[place].primitive, Primitive::Mesh(_));
    match parts.len() {
        0 | 1 => 0,
        count if (sub as usize) < count && !surface(sub as usize) => sub,
        count => (0..count).find(|place| surface(*place)).map_or(0, |place| place as u32),
    }
}

/// Adds a point to the event of its parts.
fn take_in(events: &mut Vec<ContactEvent>, first: usize, contact: &ContactPoint, normal: f64, parts: [u32; 2]) {
    let same = |event: &&mut ContactEvent| [event.part_a, event.part_b] == parts;
    let (impulse, speed) = (normal.max(0.0), contact.approach.max(0.0));
    match events[first..].iter_mut().find(same) {
        Some(event) => {
            // Of points that carry the same the first is told.
            if impulse > event.impulse {
                (event.point, event.normal) = (contact.point, contact.normal);
            }
            event.impulse += impulse;
            event.speed = event.speed.max(speed);
        }
        None => events.push(ContactEvent {
            phase: Phase::Begin,
            a: contact.a,
            b: contact.b,
            part_a: parts[0],
            part_b: parts[1],
            point: contact.point,
            normal: contact.normal,
            impulse,
            speed,
        }),
    }
}

impl World {
    /// Who touches whom after the last step, and who no longer does, in the order of ids.
    ///
    /// ```
    /// use signorini::{Body, Phase, Settings, Shape, World, glamx::DVec3};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::new(Settings::default())?;
    /// let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z)?).named("floor"))?;
    /// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).mass(1.0).position(DVec3::Z).named("ball"))?;
    /// while world.contact_events().is_empty() {
    ///     world.step(0.01)?;
    /// }
    /// let landing = world.contact_events()[0];
    /// assert_eq!((landing.phase, landing.a, landing.b), (Phase::Begin, ball, floor));
    /// // From half a metre: √(2·9.81·0.5) = 3.13 m/s.
    /// assert!((landing.speed - 3.13).abs() < 0.1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn contact_events(&self) -> &[ContactEvent] {
        &self.events.contacts
    }

    /// Contacts of the last step whose surfaces met at `speed` [m/s] or faster.
    pub fn impacts(&self, speed: f64) -> impl Iterator<Item = &ContactEvent> {
        self.events.contacts.iter().filter(move |event| event.impulse > 0.0 && event.speed >= speed)
    }

    /// Who is in which sensor after the last step, and who no longer is, in the order of ids.
    pub fn sensor_events(&self) -> &[SensorEvent] {
        &self.events.sensors
    }

    /// Who is in a sensor after the last step, and for how long \[s\].
    pub fn sensed(&self, sensor: BodyHandle) -> impl Iterator<Item = (BodyHandle, f64)> {
        let inside = move |event: &&SensorEvent| event.sensor == sensor && event.phase != Phase::End;
        self.events.sensors.iter().filter(inside).map(|event| (event.other, self.time - event.since))
    }

    /// Who fell asleep or woke in the last step, in the order of ids; those woken by a change since the step before come first.
    pub fn sleep_events(&self) -> &[SleepEvent] {
        &self.events.sleep
    }
}
