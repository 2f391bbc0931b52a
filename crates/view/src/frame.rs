//! One moment of a run, as bytes. The layout is written down in docs/viewer.md; `viewer/src/protocol.ts` reads it.
//!
//! Little endian. Everything is a multiple of four bytes and the header a multiple of eight, so that a page can lay
//! typed arrays over what it received.
//!
//! Every step is kept with its contacts, also at full speed, because a user may want to see the contacts of the worst
//! step. So frames must be cheap: they are written front to back from the world into the bytes that are sent, without
//! lists in between, in memory that is reused.

use crate::drag::Drag;
use serde::Serialize;
use signorini::glamx::{DQuat, DVec3};
use signorini::{BodyHandle, ContactState, Kind, StepReport, Tolerance, World};

/// "SGF1".
pub const MAGIC: u32 = u32::from_le_bytes(*b"SGF1");
/// Bytes before the bodies.
pub const HEADER_BYTES: usize = 48;
/// Where in the header the numbers of bodies, contacts and bytes of the report are.
const COUNTS_AT: usize = 24;
/// Words of a body: position, orientation, velocity, angular velocity, flags.
pub const BODY_WORDS: usize = 14;
/// Flag of a body that sleeps.
pub const ASLEEP: u32 = 1;
/// Flag of a body that stands still because it would have left the range of numbers.
pub const QUARANTINED: u32 = 2;
/// Words of a contact: two bodies, point, normal, impulse, gap, friction, slip speed, state.
pub const CONTACT_WORDS: usize = 15;
/// A contact whose normal impulse is below this fraction of the largest of the frame counts as open: solvers often
/// leave a few 1e-17 N·s at contacts that carry nothing.
const CARRIES_NOTHING: f64 = 1e-9;
/// The flags of a body.
pub fn flags(asleep: bool, quarantined: bool) -> u32 {
    ASLEEP * u32::from(asleep) + QUARANTINED * u32::from(quarantined)
}

/// A body at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Origin of its frame \[m\].
    pub position: DVec3,
    /// Orientation of its frame.
    pub orientation: DQuat,
    /// Velocity of the centre of mass [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
    /// [`ASLEEP`] and [`QUARANTINED`], added.
    pub flags: u32,
}

/// A contact of a moment; bodies by their place in the list.
#[derive(Clone, Copy, Debug)]
pub struct Touching {
    /// The first body.
    pub a: u32,
    /// The second body.
    pub b: u32,
    /// Where they touch \[m\].
    pub point: DVec3,
    /// Unit vector from the first to the second.
    pub normal: DVec3,
    /// Impulse on the second body [N·s].
    pub impulse: DVec3,
    /// Gap, negative where they overlap \[m\].
    pub gap: f64,
    /// Coefficient of friction \[1\].
    pub friction: f64,
    /// Speed along the surface after the step [m/s].
    pub slip: f64,
    /// Open, stick or slip.
    pub state: ContactState,
}

/// Data of a step for the page, beyond poses and contacts.
#[derive(Clone, Debug, Serialize)]
pub struct Report<'a> {
    /// The residual that is compared with the tolerance; none if nothing touched.
    pub measured: Option<f64>,
    /// The tolerance.
    pub tolerance: f64,
    /// The body that a page pulls, and the force on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drag: Option<&'a Drag>,
    /// The report of the step.
    #[serde(flatten)]
    pub step: &'a StepReport,
}

impl<'a> Report<'a> {
    /// The report of a step with this tolerance.
    pub fn new(step: &'a StepReport, tolerance: &Tolerance, drag: Option<&'a Drag>) -> Self {
        let measured = step.velocity.map(|certificate| certificate.scaled);
        Report { measured, tolerance: tolerance.value, drag, step }
    }

    /// Appends it as JSON. This can fail only if the types are wrong.
    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        if serde_json::to_writer(&mut *out, self).is_err() {
            out.truncate(start);
        }
    }
}

/// Which frame of which lane.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Number of the run.
    pub epoch: u32,
    /// Index of the lane.
    pub lane: u16,
    /// Steps since the beginning.
    pub index: u32,
    /// Time since the beginning \[s\].
    pub time: f64,
}

/// A frame under construction: first all bodies, then all contacts, then the report.
#[derive(Debug)]
pub struct Frame {
    out: Vec<u8>,
    origin: DVec3,
    bodies: u32,
    contacts: u32,
}

impl Frame {
    /// Begins a frame in the memory of another. Positions count from `origin`, so that single precision suffices far
    /// from the world's origin.
    pub fn new(stamp: Stamp, origin: DVec3, memory: Vec<u8>) -> Self {
        let mut out = memory;
        out.clear();
        words(&mut out, [MAGIC, u32::from(stamp.lane), stamp.epoch, stamp.index]);
        out.extend_from_slice(&stamp.time.to_le_bytes());
        out.resize(HEADER_BYTES, 0);
        Frame { out, origin, bodies: 0, contacts: 0 }
    }

    /// Adds the next body.
    pub fn body(&mut self, body: &Placed) {
        let (x, q, v, w) = (body.position - self.origin, body.orientation, body.velocity, body.angular_velocity);
        let numbers = singles([x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z]);
        let mut all = [body.flags; BODY_WORDS];
        all[..13].copy_from_slice(&numbers);
        words(&mut self.out, all);
        self.bodies += 1;
    }

    /// Adds the next contact.
    pub fn contact(&mut self, contact: &Touching) {
        let (x, n, r) = (contact.point - self.origin, contact.normal, contact.impulse);
        let (gap, friction, slip) = (contact.gap, contact.friction, contact.slip);
        let numbers = singles([x.x, x.y, x.z, n.x, n.y, n.z, r.x, r.y, r.z, gap, friction, slip]);
        let mut all = [contact.state as u32; CONTACT_WORDS];
        (all[0], all[1]) = (contact.a, contact.b);
        all[2..14].copy_from_slice(&numbers);
        words(&mut self.out, all);
        self.contacts += 1;
    }

    /// Marks a contact that was added as open.
    fn set_open(&mut self, contact: usize) {
        let end = HEADER_BYTES + 4 * (self.bodies as usize * BODY_WORDS + (contact + 1) * CONTACT_WORDS);
        self.out[end - 4..end].copy_from_slice(&(ContactState::Open as u32).to_le_bytes());
    }

    /// The finished frame, as it is sent.
    pub fn finish(self, report: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let Frame { mut out, bodies, contacts, .. } = self;
        let start = out.len();
        report(&mut out);
        let counts = [bodies, contacts, (out.len() - start) as u32].map(u32::to_le_bytes);
        out[COUNTS_AT..COUNTS_AT + 12].copy_from_slice(counts.as_flattened());
        out
    }
}

/// Appends words at once: a moment has tens of thousands of them.
fn words<const N: usize>(out: &mut Vec<u8>, words: [u32; N]) {
    out.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
}

/// In single precision, as bits; all at once, so that several are taken together.
fn singles<const N: usize>(numbers: [f64; N]) -> [u32; N] {
    numbers.map(|x| (x as f32).to_bits())
}

/// Two bodies that touch.
#[derive(Clone, Copy, Debug)]
struct Pair {
    handles: (BodyHandle, BodyHandle),
    places: [u32; 2],
    friction: f64,
}

/// Makes frames of a world whose bodies and materials stay the same.
#[derive(Debug)]
pub struct Observer {
    /// Handles in ascending order, with the place in the list of bodies.
    places: Vec<(BodyHandle, u32)>,
    /// Pairs of the last frame in the order of its contacts, and memory for those of the next one. Most pairs stay in
    /// their order from step to step and need not be looked up again.
    pairs: Vec<Pair>,
    next_pairs: Vec<Pair>,
    /// Normal impulses of the moment, contact by contact \[N·s\].
    normals: Vec<f64>,
}

/// Number of consecutive pairs that may end between two steps before the pairs after them are looked up again.
const MOST_ENDED: usize = 8;

impl Observer {
    /// Makes the tables for the current bodies.
    pub fn new(world: &World) -> Self {
        let mut places: Vec<_> = world.bodies().zip(0..).map(|((handle, _), place)| (handle, place)).collect();
        places.sort_unstable();
        Observer { places, pairs: Vec::new(), next_pairs: Vec::new(), normals: Vec::new() }
    }

    fn place(&self, handle: BodyHandle) -> Option<u32> {
        let at = self.places.binary_search_by_key(&handle, |(handle, _)| *handle).ok()?;
        Some(self.places[at].1)
    }

    fn look_up(&self, world: &World, handles: (BodyHandle, BodyHandle)) -> Option<Pair> {
        let (a, b) = handles;
        let friction = world.body(a).ok()?.material().combine(world.body(b).ok()?.material()).friction;
        Some(Pair { handles, places: [self.place(a)?, self.place(b)?], friction })
    }

    /// The frame before the first step.
    pub fn beginning(&self, world: &World, stamp: Stamp, origin: DVec3) -> Vec<u8> {
        let mut frame = Frame::new(stamp, origin, Vec::new());
        bodies(world, &mut frame);
        frame.finish(|_| {})
    }

    /// The frame after a step with this tolerance, in the memory of another frame.
    pub fn moment(
        &mut self,
        world: &World,
        (report, tolerance, drag): (&StepReport, &Tolerance, Option<&Drag>),
        stamp: Stamp,
        origin: DVec3,
        memory: Vec<u8>,
    ) -> Vec<u8> {
        let mut frame = Frame::new(stamp, origin, memory);
        bodies(world, &mut frame);
        self.contacts(world, &mut frame);
        frame.finish(|out| Report::new(report, tolerance, drag).write(out))
    }

    /// The contacts of the last step.
    fn contacts(&mut self, world: &World, frame: &mut Frame) {
        let (mut normals, mut largest) = (std::mem::take(&mut self.normals), 0.0);
        normals.clear();
        let mut next_pairs = std::mem::take(&mut self.next_pairs);
        next_pairs.clear();
        let mut known = &self.pairs[..];
        // Contacts come pair by pair, so that bodies are looked up once for all points of a pair.
        for group in world.contacts().chunk_by(|c, d| (c.a, c.b) == (d.a, d.b)) {
            let handles = (group[0].a, group[0].b);
            let pair = match known.iter().take(1 + MOST_ENDED).position(|pair| pair.handles == handles) {
                Some(at) => {
                    let pair = known[at];
                    known = &known[at + 1..];
                    pair
                }
                None => match self.look_up(world, handles) {
                    Some(pair) => pair,
                    None => continue,
                },
            };
            next_pairs.push(pair);
            let Pair { places: [a, b], friction, .. } = pair;
            for c in group {
                let normal = c.impulse.dot(c.normal);
                let along = c.velocity - c.velocity.dot(c.normal) * c.normal;
                largest = f64::max(largest, normal);
                normals.push(normal);
                frame.contact(&Touching {
                    a,
                    b,
                    point: c.point,
                    normal: c.normal,
                    impulse: c.impulse,
                    gap: c.gap,
                    friction,
                    slip: along.length(),
                    state: c.state(),
                });
            }
        }
        // Open contacts are known when all have been seen. A second pass over the contacts would take longer.
        for (contact, normal) in normals.iter().enumerate() {
            if *normal <= CARRIES_NOTHING * largest {
                frame.set_open(contact);
            }
        }
        self.normals = normals;
        self.next_pairs = std::mem::replace(&mut self.pairs, next_pairs);
    }
}

/// All bodies in the order of their ids.
fn bodies(world: &World, frame: &mut Frame) {
    for (_, body) in world.bodies() {
        let still = body.kind() == Kind::Fixed;
        frame.body(&Placed {
            position: body.position(),
            orientation: body.orientation(),
            velocity: if still { DVec3::ZERO } else { body.velocity() },
            angular_velocity: if still { DVec3::ZERO } else { body.angular_velocity() },
            flags: flags(body.is_sleeping(), body.is_quarantined()),
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use signorini::{Body, Material, Settings, Shape};

    /// The words of all contacts.
    fn contacts_of(observer: &mut Observer, world: &World) -> Vec<[u32; CONTACT_WORDS]> {
        let mut frame = Frame::new(Stamp { epoch: 1, lane: 0, index: 1, time: world.time() }, DVec3::ZERO, Vec::new());
        observer.contacts(world, &mut frame);
        let bytes = frame.finish(|_| {});
        let words: Vec<u32> = bytes[HEADER_BYTES..].as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        words.as_chunks::<CONTACT_WORDS>().0.to_vec()
    }

    #[test]
    fn a_block_pushed_on_a_floor_sticks_then_slips() {
        // 1 kg on μ = 0.5: friction holds up to 0.5 m g = 4.905 N.
        for (push, expected) in [(4.0, ContactState::Stick), (6.0, ContactState::Slip)] {
            let mut world = World::new(Settings::default()).unwrap();
            world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
            let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
            let block = world.add(Body::dynamic(shape).mass(1.0).position(DVec3::Z * 0.5).named("block")).unwrap();
            let mut observer = Observer::new(&world);
            world.add_force_at(block, DVec3::X * push, DVec3::ZERO).unwrap();
            world.step(0.01).unwrap();
            let contacts = contacts_of(&mut observer, &world);
            assert_eq!(contacts.len(), 4);
            let impulse = |c: &[u32; CONTACT_WORDS]| f32::from_bits(c[10]) * if c[1] == 0 { 1.0 } else { -1.0 };
            let sum: f32 = contacts.iter().map(impulse).sum();
            assert!((sum.abs() - 0.0981).abs() < 1e-6, "{sum}");
            let state = |c: &[u32; CONTACT_WORDS]| c[14];
            let closed: Vec<u32> =
                contacts.iter().map(state).filter(|state| *state != ContactState::Open as u32).collect();
            assert!(!closed.is_empty() && closed.iter().all(|state| *state == expected as u32), "{closed:?}");
            let moves = world.body(block).unwrap().velocity().x > 1e-6;
            assert_eq!(moves, expected == ContactState::Slip);
        }
    }

    #[test]
    fn a_contact_that_carries_next_to_nothing_is_open() {
        // A box on a floor and, far from it, one of a billionth of its mass in a billionth of its weight's trouble.
        let mut world = World::new(Settings::default()).unwrap();
        world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
        for (name, mass, x) in [("heavy", 1e6, 0.0), ("light", 1e-6, 5.0)] {
            let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
            world.add(Body::dynamic(shape).mass(mass).position(DVec3::new(x, 0.0, 0.5)).named(name)).unwrap();
        }
        let mut observer = Observer::new(&world);
        world.step(0.01).unwrap();
        // Bodies are in the order of their names: floor, heavy, light.
        for contact in contacts_of(&mut observer, &world) {
            let light = contact[..2].contains(&2);
            assert_eq!(contact[14] == ContactState::Open as u32, light, "{contact:?}");
        }
    }

    #[test]
    fn pairs_that_come_and_go_keep_their_bodies() {
        // Balls of their own friction, dropped from different heights: some land while others bounce off again.
        let mut world = World::new(Settings::default()).unwrap();
        let bouncy = Material { restitution: 0.9, ..Material::default() };
        world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(bouncy).named("floor")).unwrap();
        for ball in 0..12_u32 {
            let place = DVec3::new(2.0 * f64::from(ball), 0.0, 0.5 + 0.01 * f64::from(ball * 7 % 12));
            let surface = Material { friction: 0.1 + 0.05 * f64::from(ball), ..bouncy };
            let shape = Shape::sphere(0.5).unwrap();
            world.add(Body::dynamic(shape).material(surface).position(place).numbered(ball.into())).unwrap();
        }
        let (mut observer, mut seen) = (Observer::new(&world), std::collections::BTreeSet::new());
        for _ in 0..150 {
            world.step(0.01).unwrap();
            let met = contacts_of(&mut observer, &world);
            // Looked up anew, with nothing remembered.
            assert_eq!(met, contacts_of(&mut Observer::new(&world), &world));
            seen.insert(met.iter().map(|contact| [contact[0], contact[1]]).collect::<Vec<_>>());
        }
        assert!(seen.len() > 10, "only {} different sets of pairs", seen.len());
    }

    #[test]
    fn a_frame_has_the_layout_of_the_documentation() {
        let stamp = Stamp { epoch: 3, lane: 1, index: 7, time: 0.25 };
        // What the memory held before is not in the moment.
        let mut frame = Frame::new(stamp, DVec3::new(1e7, 0.0, 0.0), vec![0xff; 300]);
        frame.body(&Placed {
            position: DVec3::new(1e7 + 1.0, 2.0, 3.0),
            orientation: DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8),
            velocity: DVec3::X,
            angular_velocity: DVec3::Y,
            flags: ASLEEP,
        });
        frame.contact(&Touching {
            a: 4,
            b: 5,
            point: DVec3::new(1e7, 0.0, 0.0),
            normal: DVec3::Z,
            impulse: DVec3::new(0.0, 0.0, 2.0),
            gap: -0.5,
            friction: 0.25,
            slip: 0.125,
            state: ContactState::Slip,
        });
        let bytes = frame.finish(|out| out.extend(b"{}"));
        assert_eq!(bytes.len(), 48 + 56 + 60 + 2);
        assert_eq!(&bytes[..4], b"SGF1");
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let float = |at: usize| f32::from_bits(word(at));
        assert_eq!([word(4), word(8), word(12)], [1, 3, 7]);
        assert_eq!(f64::from_le_bytes(bytes[16..24].try_into().unwrap()), 0.25);
        assert_eq!([word(24), word(28), word(32)], [1, 1, 2]);
        assert_eq!([float(48), float(52), float(56)], [1.0, 2.0, 3.0]);
        assert_eq!([float(60), float(64), float(68), float(72)], [0.8, 0.0, 0.0, 0.6]);
        assert_eq!([word(104), word(108)], [4, 5]);
        assert_eq!([float(112), float(132), float(144)], [0.0, 1.0, 2.0]);
        assert_eq!([float(148), float(152), float(156)], [-0.5, 0.25, 0.125]);
        assert_eq!([word(100), word(160)], [1, 2]);
        assert_eq!(&bytes[164..], b"{}");
    }
}
