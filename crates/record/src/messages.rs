//! The messages on the topics, and their schemas.

use crate::cdr::{CdrReader, CdrWriter};
use crate::moment::{BodyMoment, Moment};
use signorini::{BodyHandle, ContactPoint, ContactState, World};

pub(crate) const STATE: &str = "/state";
pub(crate) const STEP: &str = "/step";
pub(crate) const CONTACTS: &str = "/contacts";

pub(crate) const STATE_TYPE: &str = "signorini_msgs/msg/State";
pub(crate) const CONTACTS_TYPE: &str = "signorini_msgs/msg/Contacts";
pub(crate) const STEP_TYPE: &str = "signorini.Step";

/// In the language of ROS 2 messages.
pub(crate) const STATE_SCHEMA: &str = "\
# State of all bodies after a step. SI units, world axes. Bodies are in the order of the recording's header.
uint64 step
float64 time
# Fingerprint of the state, bit by bit.
uint64 hash
# Per body: position of the frame x y z, orientation w x y z.
float64[] pose
# Per body: velocity of the centre of mass x y z, angular velocity x y z.
float64[] velocity
# Per body: 1 asleep, 2 quarantined, added. Since format 2.
uint8[] flags
";

/// In the language of ROS 2 messages.
pub(crate) const CONTACTS_SCHEMA: &str = "\
# Contact points of a step. SI units, world axes.
uint64 step
float64 time
# Indices of the two bodies; the normal points from the first to the second.
uint32[] first
uint32[] second
# Per contact: x y z, in the middle between the surfaces.
float64[] point
# Per contact: unit vector x y z.
float64[] normal
# Per contact: distance of the surfaces, negative if they overlap.
float64[] gap
# Per contact: impulse on the second body x y z.
float64[] impulse
# Per contact: velocity of the second body against the first x y z.
float64[] velocity
# Per contact: 0 open, 1 stick, 2 slip.
uint8[] state
";

pub(crate) const STEP_SCHEMA: &str = include_str!("step.schema.json");

/// State of all bodies after a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Steps taken.
    pub step: u64,
    /// \[s\].
    pub time: f64,
    /// [`World::state_hash`].
    pub hash: u64,
    /// Per body: position of its frame x y z \[m\], orientation w x y z.
    pub poses: Vec<[f64; 7]>,
    /// Per body: velocity of the centre of mass [m/s], angular velocity [rad/s], world axes.
    pub velocities: Vec<[f64; 6]>,
    /// Per body; empty in recordings of format 1, which do not tell.
    pub flags: Vec<BodyFlags>,
}

/// What a body does besides moving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyFlags {
    /// Whether it sleeps.
    pub asleep: bool,
    /// Whether it stands still because it would have left the range of numbers.
    pub quarantined: bool,
}

impl BodyFlags {
    fn to_number(self) -> u8 {
        u8::from(self.asleep) + 2 * u8::from(self.quarantined)
    }

    /// Bits that are not known yet may come with a later format, which is refused before.
    fn from_number(number: u8) -> Option<Self> {
        (number < 4).then_some(BodyFlags { asleep: number & 1 != 0, quarantined: number & 2 != 0 })
    }
}

impl Frame {
    /// The world as it is now.
    pub fn of(world: &World) -> Frame {
        let (mut moment, mut frame) = (Moment::default(), Frame::default());
        moment.take_state(world, |_, _| true);
        frame.copy(&moment);
        frame
    }

    /// That moment, in the memory of another.
    pub(crate) fn copy(&mut self, moment: &Moment) {
        let Frame { step, time, hash, poses, velocities, flags } = self;
        (*step, *time) = (moment.step, moment.time);
        *hash = World::hash_of(moment.bodies.iter().map(|body| body.hashed));
        poses.clear();
        poses.extend(moment.bodies.iter().map(BodyMoment::pose));
        velocities.clear();
        velocities.extend(moment.bodies.iter().map(BodyMoment::velocity));
        flags.clear();
        let told = |body: &BodyMoment| BodyFlags { asleep: body.asleep, quarantined: body.quarantined };
        flags.extend(moment.bodies.iter().map(told));
    }

    pub(crate) fn write(&self, cdr: &mut CdrWriter) {
        cdr.begin();
        cdr.u64(self.step);
        cdr.f64(self.time);
        cdr.u64(self.hash);
        cdr.f64_list(self.poses.as_flattened());
        cdr.f64_list(self.velocities.as_flattened());
        cdr.u8_list(self.flags.len(), self.flags.iter().map(|flags| flags.to_number()));
    }

    pub(crate) fn read(message: &[u8], bodies: usize) -> Result<Frame, String> {
        let read = || {
            let mut cdr = CdrReader::new(message)?;
            let (step, time, hash) = (cdr.u64()?, cdr.f64()?, cdr.u64()?);
            let (poses, velocities) = (cdr.f64_list()?, cdr.f64_list()?);
            // Format 1 ends here.
            let flags = if cdr.is_at_end() { Vec::new() } else { cdr.u8_list()? };
            let flags = flags.into_iter().map(BodyFlags::from_number).collect::<Option<Vec<_>>>()?;
            cdr.is_at_end().then_some((step, time, hash, poses, velocities, flags))
        };
        let (step, time, hash, poses, velocities, flags) = read().ok_or("is not a state")?;
        let ((poses, []), (velocities, [])) = (poses.as_chunks::<7>(), velocities.as_chunks::<6>()) else {
            return Err("poses have seven numbers each, velocities six".to_owned());
        };
        if poses.len() != bodies || velocities.len() != bodies {
            let (p, v) = (poses.len(), velocities.len());
            return Err(format!("{p} poses and {v} velocities of {bodies} bodies"));
        }
        if !flags.is_empty() && flags.len() != bodies {
            return Err(format!("flags of {} of {bodies} bodies", flags.len()));
        }
        Ok(Frame { step, time, hash, poses: poses.to_vec(), velocities: velocities.to_vec(), flags })
    }
}

/// A state by its number in the file.
fn state_of_number(number: u8) -> Option<ContactState> {
    [ContactState::Open, ContactState::Stick, ContactState::Slip].get(usize::from(number)).copied()
}

/// Contact points of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Steps taken.
    pub step: u64,
    /// \[s\].
    pub time: f64,
    /// Indices of the two bodies; the normal points from the first to the second.
    pub bodies: Vec<[u32; 2]>,
    /// In the middle between the surfaces \[m\].
    pub points: Vec<[f64; 3]>,
    /// Unit vectors.
    pub normals: Vec<[f64; 3]>,
    /// Distance of the surfaces, negative if they overlap \[m\].
    pub gaps: Vec<f64>,
    /// Impulse on the second body \[N·s\].
    pub impulses: Vec<[f64; 3]>,
    /// Velocity of the second body against the first [m/s].
    pub velocities: Vec<[f64; 3]>,
    /// What each does.
    pub states: Vec<ContactState>,
}

impl Contacts {
    /// The contacts of a moment; `order` gives each body's index.
    pub(crate) fn of(moment: &Moment, order: &[(BodyHandle, u32)]) -> Contacts {
        let index = |handle: BodyHandle| match order.binary_search_by_key(&handle, |entry| entry.0) {
            Ok(at) => order[at].1,
            Err(_) => u32::MAX,
        };
        let list = &moment.contacts;
        let (mut bodies, mut states) = (Vec::with_capacity(list.len()), Vec::with_capacity(list.len()));
        let mut rest = &list[..];
        for pair in &moment.pairs {
            let (group, others) = rest.split_at(pair.contacts);
            rest = others;
            let indices = [index(pair.a), index(pair.b)];
            bodies.extend(group.iter().map(|_| indices));
            states.extend(group.iter().map(ContactPoint::state));
        }
        Contacts {
            step: moment.step,
            time: moment.time,
            bodies,
            points: list.iter().map(|c| c.point.to_array()).collect(),
            normals: list.iter().map(|c| c.normal.to_array()).collect(),
            gaps: list.iter().map(|c| c.gap).collect(),
            impulses: list.iter().map(|c| c.impulse.to_array()).collect(),
            velocities: list.iter().map(|c| c.velocity.to_array()).collect(),
            states,
        }
    }

    pub(crate) fn write(&self, cdr: &mut CdrWriter) {
        let count = self.gaps.len();
        cdr.begin();
        cdr.u64(self.step);
        cdr.f64(self.time);
        cdr.u32_list(count, self.bodies.iter().map(|pair| pair[0]));
        cdr.u32_list(count, self.bodies.iter().map(|pair| pair[1]));
        cdr.f64_list(self.points.as_flattened());
        cdr.f64_list(self.normals.as_flattened());
        cdr.f64_list(&self.gaps);
        cdr.f64_list(self.impulses.as_flattened());
        cdr.f64_list(self.velocities.as_flattened());
        cdr.u8_list(count, self.states.iter().map(|state| *state as u8));
    }

    pub(crate) fn read(message: &[u8], bodies: usize) -> Result<Contacts, String> {
        let triples = |list: Vec<f64>| match list.as_chunks::<3>() {
            (triples, []) => Some(triples.to_vec()),
            _ => None,
        };
        let read = || {
            let mut cdr = CdrReader::new(message)?;
            let (step, time) = (cdr.u64()?, cdr.f64()?);
            let (first, second) = (cdr.u32_list()?, cdr.u32_list()?);
            let (points, normals, gaps) = (triples(cdr.f64_list()?)?, triples(cdr.f64_list()?)?, cdr.f64_list()?);
            let (impulses, velocities) = (triples(cdr.f64_list()?)?, triples(cdr.f64_list()?)?);
            let states: Vec<ContactState> = cdr.u8_list()?.into_iter().map(state_of_number).collect::<Option<_>>()?;
            let lengths = [second.len(), points.len(), normals.len(), gaps.len(), impulses.len(), velocities.len()];
            let equal = lengths.iter().chain([&states.len()]).all(|length| *length == first.len());
            let pairs: Vec<[u32; 2]> = first.into_iter().zip(second).map(|(a, b)| [a, b]).collect();
            let known = pairs.as_flattened().iter().all(|body| (*body as usize) < bodies);
            let contacts = Contacts { step, time, bodies: pairs, points, normals, gaps, impulses, velocities, states };
            (cdr.is_at_end() && equal && known).then_some(contacts)
        };
        read().ok_or_else(|| "is not a list of contacts of the recorded bodies".to_owned())
    }
}
