//! Events of the last step: contacts that began or ended, bodies in sensors, bodies that fell asleep or woke. Lists are
//! in the order of ids. They are part of the state, so a copy of a world continues with the same events.

use crate::body::BodyRecord;
use crate::ids::Arena;
use crate::report::ContactPoint;
use crate::shape::{Primitive, Shape};
use crate::{BodyHandle, World};
use glamx::DVec3;

/// Whether a contact or overlap is new.
///
/// ```
/// use signorini::Phase;
/// assert_eq!(Phase::Begin.name(), "begin");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It began in this step.
    Begin,
    /// It was there in the previous step too.
    Persist,
    /// It ended. The body may have been removed, so its handle may be stale.
    End,
}

impl Phase {
    /// Its name in tables.
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

/// Contact of two parts of bodies: at least one point carries load, or its surfaces touched at the start of the step.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?).mass(2.0).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// world.step(0.01)?;
/// assert!((world.contact_events()[0].impulse - 2.0 * 9.81 * 0.01).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// Whether the contact is new.
    pub phase: Phase,
    /// First body; the normal points from it.
    pub a: BodyHandle,
    /// Second body.
    pub b: BodyHandle,
    /// Part of the first body's shape; 0 unless it is a compound.
    pub part_a: u32,
    /// Part of the second body's shape.
    pub part_b: u32,
    /// Position of the point with the largest impulse \[m\].
    pub point: DVec3,
    /// Unit vector from A to B there.
    pub normal: DVec3,
    /// Sum of the normal impulses of all points \[N·s\]; zero for an end.
    pub impulse: f64,
    /// Largest approach speed of a point at the start of the step, or just before it bounced [m/s]; zero for an end.
    pub speed: f64,
}

/// A body in a sensor.
///
/// ```
/// use signorini::{Body, Phase, Settings, Shape, World};
/// let mut world = World::new(Settings::default())?;
/// let gate = world.add(Body::fixed(Shape::sphere(1.0)?).sensor())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.1)?))?;
/// world.step(0.01)?;
/// let event = world.sensor_events()[0];
/// assert_eq!((event.phase, event.sensor, event.other), (Phase::Begin, gate, ball));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorEvent {
    /// Whether it is new.
    pub phase: Phase,
    /// The sensor.
    pub sensor: BodyHandle,
    /// The part that is the sensor, if the body as a whole is not one; else 0.
    pub part: u32,
    /// The body inside.
    pub other: BodyHandle,
    /// Time at the end of the step that first found it there \[s\].
    pub since: f64,
}

/// A body that fell asleep or woke up: see [`crate::Sleeping`].
///
/// ```
/// use signorini::{Body, Settings, Shape, Sleeping, World, glamx::DVec3};
/// let mut world = World::new(Settings { sleeping: Sleeping::islands(), ..Settings::default() })?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// while world.sleep_events().is_empty() {
///     world.step(0.1)?;
/// }
/// assert!(world.sleep_events()[0].asleep && world.body(ball)?.is_sleeping());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepEvent {
    /// The body.
    pub body: BodyHandle,
    /// Whether it sleeps now.
    pub asleep: bool,
}

/// Events of the last step, with which the next step is compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog {
    pub contacts: Vec<ContactEvent>,
    pub sensors: Vec<SensorEvent>,
    pub sleep: Vec<SleepEvent>,
    /// Bodies woken by a change between steps; reported with the next step.
    pub woken: Vec<BodyHandle>,
    /// Whether nothing began or ended, so that the lists can be reused if the next step changes nothing.
    settled: bool,
    earlier_contacts: Vec<ContactEvent>,
    earlier_sensors: Vec<SensorEvent>,
}

impl EventLog {
    /// As it was kept.
    pub fn from_lists(contacts: Vec<ContactEvent>, sensors: Vec<SensorEvent>, woken: Vec<BodyHandle>) -> Self {
        EventLog { contacts, sensors, woken, ..EventLog::default() }
    }

    /// Records a step that repeated the last one.
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

    /// Starts a step with the bodies woken since the last one.
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
        // Lists mostly keep their order from step to step, so the same index is tried before a search.
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
        // Events found again are marked as ended; those not marked have ended now.
        let ended = self.earlier_contacts.iter().filter(|event| event.phase != Phase::End);
        self.contacts.extend(ended.map(|event| ContactEvent { phase: Phase::End, impulse: 0.0, speed: 0.0, ..*event }));
    }

    /// Compares bodies in sensors with those of the last step; `found` lists sensor, part and body inside.
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

/// The first matching index, searched from `next` on and then from the start.
fn find_from<T>(list: &[T], next: usize, is: impl Fn(&T) -> bool) -> Option<usize> {
    let (before, after) = list.split_at(next.min(list.len()));
    match after.iter().position(&is) {
        Some(place) => Some(before.len() + place),
        None => before.iter().position(&is),
    }
}

/// The part of a shape that a contact belongs to; 0 for a single primitive or surface.
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
            // Of points with equal impulses the first counts.
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
    /// Contacts after the last step, and contacts that ended in it, in the order of ids.
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

    /// Bodies in sensors after the last step, and bodies that left one in it, in the order of ids.
    pub fn sensor_events(&self) -> &[SensorEvent] {
        &self.events.sensors
    }

    /// Bodies in a sensor after the last step, and for how long \[s\].
    pub fn sensed(&self, sensor: BodyHandle) -> impl Iterator<Item = (BodyHandle, f64)> {
        let inside = move |event: &&SensorEvent| event.sensor == sensor && event.phase != Phase::End;
        self.events.sensors.iter().filter(inside).map(|event| (event.other, self.time - event.since))
    }

    /// Bodies that fell asleep or woke in the last step, in the order of ids. Bodies woken by a change since the
    /// previous step come first.
    pub fn sleep_events(&self) -> &[SleepEvent] {
        &self.events.sleep
    }
}
