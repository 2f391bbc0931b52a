//! The numbers of a step that the simulating thread copies. Hash, encoding, checksum and file are the work of
//! [`crate::writer_thread`].

use crate::Push;
use crate::drawing::ARROW_BYTES;
use signorini::{BodyHandle, ContactPoint, HASHED_NUMBERS, StepReport, World};
use std::time::Instant;

/// A body after a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyMoment {
    /// [`signorini::BodyView::hashed_numbers`].
    pub hashed: [f64; HASHED_NUMBERS],
    /// Position of its frame \[m\].
    pub position: [f64; 3],
    pub asleep: bool,
    pub quarantined: bool,
}

impl BodyMoment {
    /// Position of the frame x y z \[m\], orientation w x y z.
    pub fn pose(&self) -> [f64; 7] {
        let ([x, y, z], [.., qx, qy, qz, qw]) = (self.position, self.hashed);
        [x, y, z, qw, qx, qy, qz]
    }
    /// Velocity of the centre of mass [m/s], angular velocity [rad/s].
    pub fn velocity(&self) -> [f64; 6] {
        let [_, _, _, u, v, w, a, b, c, ..] = self.hashed;
        [u, v, w, a, b, c]
    }
}

/// Contacts of a pair of bodies, which follow each other in the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub a: BodyHandle,
    pub b: BodyHandle,
    pub contacts: usize,
}

/// A step. The memory is used again and again.
#[derive(Debug, Default)]
pub(crate) struct Moment {
    pub step: u64,
    pub time: f64,
    pub bodies: Vec<BodyMoment>,
    /// None before the first step.
    pub report: Option<StepReport>,
    /// What pushed in this step.
    pub pushes: Vec<Push>,
    pub contacts: Vec<ContactPoint>,
    pub pairs: Vec<Pair>,
}

impl Moment {
    /// Copies the states of all bodies; says whether `known` said so of every handle.
    pub fn take_state(&mut self, world: &World, mut known: impl FnMut(usize, BodyHandle) -> bool) -> bool {
        (self.step, self.time) = (world.steps(), world.time());
        self.bodies.clear();
        let mut all_known = true;
        for (index, (handle, body)) in world.bodies().enumerate() {
            all_known &= known(index, handle);
            self.bodies.push(BodyMoment {
                hashed: body.hashed_numbers(),
                position: body.position().to_array(),
                asleep: body.is_sleeping(),
                quarantined: body.is_quarantined(),
            });
        }
        all_known
    }

    /// Copies the contacts of the last step.
    pub fn take_contacts(&mut self, world: &World) {
        self.contacts.clear();
        self.contacts.extend_from_slice(world.contacts());
        self.pairs.clear();
        // Contacts come pair by pair, so that bodies are looked up once for all points of a pair.
        self.pairs.extend(world.contacts().chunk_by(|c, d| (c.a, c.b) == (d.a, d.b)).map(|group| {
            let (a, b) = (group[0].a, group[0].b);
            Pair { a, b, contacts: group.len() }
        }));
    }
}

/// Bytes that a message has in a chunk beyond its data: opcode, length, channel, sequence and two times.
pub(crate) const MESSAGE_BYTES: usize = 31;
/// More than a report usually has, which is known when it is written.
const REPORT_BYTES: usize = 3072;

/// Steps that make a chunk.
#[derive(Debug)]
pub(crate) struct Batch {
    moments: Vec<Moment>,
    used: usize,
    /// About as many bytes as the messages will have.
    pub bytes: usize,
    /// When the first of them came.
    pub begun: Instant,
}

impl Batch {
    pub fn new() -> Self {
        Batch { moments: Vec::new(), used: 0, bytes: 0, begun: Instant::now() }
    }

    /// Forgets the steps, not the memory.
    pub fn clear(&mut self) {
        (self.used, self.bytes) = (0, 0);
    }

    /// Where the next step goes: it counts once [`Batch::keep`] is called.
    pub fn next(&mut self) -> &mut Moment {
        if self.used == self.moments.len() {
            self.moments.push(Moment::default());
        }
        &mut self.moments[self.used]
    }

    /// Keeps what [`Batch::next`] gave; returns about how many bytes it will have, of which `drawn` for what other programs
    /// draw besides arrows.
    pub fn keep(&mut self, drawn: usize) -> usize {
        if self.used == 0 {
            self.begun = Instant::now();
        }
        let moment = &self.moments[self.used];
        let contact_bytes = (113 + ARROW_BYTES) * moment.contacts.len();
        let bytes = 105 * moment.bodies.len() + contact_bytes + REPORT_BYTES + 4 * MESSAGE_BYTES + drawn;
        self.used += 1;
        self.bytes += bytes;
        bytes
    }

    pub fn moments(&self) -> &[Moment] {
        &self.moments[..self.used]
    }
}
