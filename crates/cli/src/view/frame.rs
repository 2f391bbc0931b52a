//! One moment of a run, as bytes. The layout is written down in docs/viewer.md; `viewer/src/protocol.ts` reads it.
//!
//! Little endian. Everything is a multiple of four bytes and the header a multiple of eight, so that a page can lay
//! typed arrays over what it received.

use axum::body::Bytes;
use serde::Serialize;
use signorini::glamx::{DQuat, DVec3};
use signorini::{BodyHandle, Kind, StepReport, Tolerance, World};

/// "SGF1".
pub const MAGIC: u32 = u32::from_le_bytes(*b"SGF1");
/// Bytes before the bodies.
pub const HEADER_BYTES: usize = 48;
/// Position, orientation, velocity, spin, flags.
pub const BODY_WORDS: usize = 14;
/// Flag of a body that sleeps.
pub const ASLEEP: u32 = 1;
/// Flag of a body that stands still because it would have left the range of numbers.
pub const QUARANTINED: u32 = 2;
/// Two bodies, point, normal, impulse, gap, friction, slip speed, state.
pub const CONTACT_WORDS: usize = 15;
/// A contact whose normal impulse is below this part of the largest of the moment counts as open: one that carries
/// nothing is often solved to a few 1e-17 N·s instead of zero.
const CARRIES_NOTHING: f64 = 1e-9;
/// Relative distance to the cone's surface below which a contact counts as being on it, as in the certificate.
const ON_CONE: f64 = 1e-6;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactState {
    /// Carries nothing.
    Open = 0,
    /// Strictly inside its cone.
    Stick = 1,
    /// On the surface of its cone; every closed contact without friction.
    Slip = 2,
}

impl ContactState {
    /// From the impulse on the second body, split at the normal.
    pub fn of(normal: f64, tangential: f64, friction: f64, largest: f64) -> Self {
        if normal <= CARRIES_NOTHING * largest {
            return ContactState::Open;
        }
        let bound = friction * normal;
        if tangential < (1.0 - ON_CONE) * bound { ContactState::Stick } else { ContactState::Slip }
    }
}

/// The flags of a body.
pub fn flags(asleep: bool, quarantined: bool) -> u32 {
    ASLEEP * u32::from(asleep) + QUARANTINED * u32::from(quarantined)
}

/// A body at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub position: DVec3,
    pub orientation: DQuat,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// [`ASLEEP`] and [`QUARANTINED`], added.
    pub flags: u32,
}

/// A contact of a moment; bodies by their place in the list.
#[derive(Clone, Copy, Debug)]
pub struct Touching {
    pub a: u32,
    pub b: u32,
    pub point: DVec3,
    pub normal: DVec3,
    pub impulse: DVec3,
    pub gap: f64,
    pub friction: f64,
    /// Speed along the surface after the step [m/s].
    pub slip: f64,
    pub state: ContactState,
}

/// What the page is told of a step beyond poses and contacts.
#[derive(Clone, Debug, Serialize)]
pub struct Report<'a> {
    /// The number that is compared with the tolerance; none if nothing touched.
    pub measured: Option<f64>,
    pub tolerance: f64,
    #[serde(flatten)]
    pub step: &'a StepReport,
}

impl<'a> Report<'a> {
    /// Of a step that was to meet this tolerance.
    pub fn new(step: &'a StepReport, tolerance: &Tolerance) -> Self {
        let measured = step.certificate.map(|certificate| certificate.measured(tolerance.measure));
        Report { measured, tolerance: tolerance.value, step }
    }

    /// As it goes over the wire. Only a defect in the types could keep it from being written.
    pub fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A moment of one lane.
#[derive(Clone, Debug)]
pub struct Frame {
    pub epoch: u32,
    pub lane: u16,
    /// Steps since the beginning.
    pub index: u32,
    /// Time since the beginning \[s\].
    pub time: f64,
    pub bodies: Vec<Placed>,
    pub contacts: Vec<Touching>,
    /// JSON of a [`Report`]; empty before the first step.
    pub report: Vec<u8>,
}

impl Frame {
    /// As it goes over the wire. Positions count from `origin`, so that single precision is enough far out.
    pub fn encode(&self, origin: DVec3) -> Bytes {
        let size = HEADER_BYTES
            + 4 * (self.bodies.len() * BODY_WORDS + self.contacts.len() * CONTACT_WORDS)
            + self.report.len();
        let mut out = Vec::with_capacity(size);
        words(&mut out, [MAGIC, u32::from(self.lane), self.epoch, self.index]);
        out.extend_from_slice(&self.time.to_le_bytes());
        words(&mut out, [self.bodies.len() as u32, self.contacts.len() as u32, self.report.len() as u32]);
        out.resize(HEADER_BYTES, 0);
        for body in &self.bodies {
            let ([x, y, z], q) = (single(body.position - origin), body.orientation);
            let turn = [q.w, q.x, q.y, q.z].map(|x| (x as f32).to_bits());
            let ([u, v, w], [a, b, c]) = (single(body.velocity), single(body.spin));
            let [qw, qx, qy, qz] = turn;
            words::<BODY_WORDS>(&mut out, [x, y, z, qw, qx, qy, qz, u, v, w, a, b, c, body.flags]);
        }
        for contact in &self.contacts {
            let ([x, y, z], [n, o, p]) = (single(contact.point - origin), single(contact.normal));
            let ([r, s, t], state) = (single(contact.impulse), contact.state as u32);
            let [gap, friction, slip] = single(DVec3::new(contact.gap, contact.friction, contact.slip));
            let Touching { a, b, .. } = *contact;
            words::<CONTACT_WORDS>(&mut out, [a, b, x, y, z, n, o, p, r, s, t, gap, friction, slip, state]);
        }
        out.extend_from_slice(&self.report);
        Bytes::from(out)
    }
}

/// Appends words at once: a moment has tens of thousands of them.
fn words<const N: usize>(out: &mut Vec<u8>, words: [u32; N]) {
    out.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
}

/// In single precision, as bits.
fn single(v: DVec3) -> [u32; 3] {
    v.to_array().map(|x| (x as f32).to_bits())
}

/// Reads moments out of a world whose bodies stay the same.
pub struct Observer {
    /// Handles in ascending order, with the place in the list of bodies.
    places: Vec<(BodyHandle, u32)>,
}

impl Observer {
    /// Of the bodies that are there now.
    pub fn new(world: &World) -> Self {
        let mut places: Vec<_> = world.bodies().zip(0..).map(|((handle, _), place)| (handle, place)).collect();
        places.sort_unstable();
        Observer { places }
    }

    fn place(&self, handle: BodyHandle) -> Option<u32> {
        let at = self.places.binary_search_by_key(&handle, |(handle, _)| *handle).ok()?;
        Some(self.places[at].1)
    }

    /// All bodies in the order of their ids.
    pub fn bodies(&self, world: &World) -> Vec<Placed> {
        let place = |body: signorini::BodyView<'_>| Placed {
            position: body.position(),
            orientation: body.orientation(),
            velocity: if body.kind() == Kind::Fixed { DVec3::ZERO } else { body.velocity() },
            spin: if body.kind() == Kind::Fixed { DVec3::ZERO } else { body.spin() },
            flags: flags(body.is_sleeping(), body.is_quarantined()),
        };
        world.bodies().map(|(_, body)| place(body)).collect()
    }

    /// The contacts of the last step.
    pub fn contacts(&self, world: &World) -> Vec<Touching> {
        let normal_part = |c: &signorini::ContactPoint| c.impulse.dot(c.normal);
        let largest = world.contacts().iter().map(normal_part).fold(0.0, f64::max);
        let pair = |a: BodyHandle, b: BodyHandle| {
            let friction = world.body(a).ok()?.material().combine(world.body(b).ok()?.material()).friction;
            Some((self.place(a)?, self.place(b)?, friction))
        };
        let mut touching = Vec::with_capacity(world.contacts().len());
        // Contacts come pair by pair, so that bodies are looked up once for all points of a pair.
        for group in world.contacts().chunk_by(|c, d| (c.a, c.b) == (d.a, d.b)) {
            let Some((a, b, friction)) = pair(group[0].a, group[0].b) else { continue };
            touching.extend(group.iter().map(|c| {
                let normal = normal_part(c);
                let tangential = (c.impulse - normal * c.normal).length();
                Touching {
                    a,
                    b,
                    point: c.point,
                    normal: c.normal,
                    impulse: c.impulse,
                    gap: c.gap,
                    friction,
                    slip: (c.velocity - c.velocity.dot(c.normal) * c.normal).length(),
                    state: ContactState::of(normal, tangential, friction, largest),
                }
            }));
        }
        touching
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use signorini::{Body, Settings, Shape};

    #[test]
    fn a_block_pushed_on_a_floor_sticks_then_slips() {
        // 1 kg on μ = 0.5: friction holds up to 0.5 m g = 4.905 N.
        for (push, expected) in [(4.0, ContactState::Stick), (6.0, ContactState::Slip)] {
            let mut world = World::new(Settings::default()).unwrap();
            world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
            let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
            let block = world.add(Body::dynamic(shape).mass(1.0).position(DVec3::Z * 0.5).named("block")).unwrap();
            let observer = Observer::new(&world);
            world.add_force_at(block, DVec3::X * push, DVec3::ZERO).unwrap();
            world.step(0.01).unwrap();
            let contacts = observer.contacts(&world);
            assert_eq!(contacts.len(), 4);
            let sum: DVec3 = contacts.iter().map(|c| c.impulse * if c.b == 0 { 1.0 } else { -1.0 }).sum();
            assert!((sum.z.abs() - 0.0981).abs() < 1e-9, "{sum}");
            for contact in contacts.iter().filter(|c| c.state != ContactState::Open) {
                assert_eq!(contact.state, expected, "{contact:?}");
            }
            assert!(contacts.iter().any(|c| c.state == expected));
        }
    }

    #[test]
    fn a_frame_has_the_layout_of_the_documentation() {
        let frame = Frame {
            epoch: 3,
            lane: 1,
            index: 7,
            time: 0.25,
            bodies: vec![Placed {
                position: DVec3::new(1e7 + 1.0, 2.0, 3.0),
                orientation: DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8),
                velocity: DVec3::X,
                spin: DVec3::Y,
                flags: ASLEEP,
            }],
            contacts: vec![Touching {
                a: 4,
                b: 5,
                point: DVec3::new(1e7, 0.0, 0.0),
                normal: DVec3::Z,
                impulse: DVec3::new(0.0, 0.0, 2.0),
                gap: -0.5,
                friction: 0.25,
                slip: 0.125,
                state: ContactState::Slip,
            }],
            report: b"{}".to_vec(),
        };
        let bytes = frame.encode(DVec3::new(1e7, 0.0, 0.0));
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
