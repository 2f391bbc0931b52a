//! Reads frames from a recording.

use super::ViewError;
use super::run::{Frames, Run};
use axum::body::Bytes;
use serde::Deserialize;
use serde_json::Value;
use signorini::glamx::{DQuat, DVec3};
use signorini::{Certificate, Material, Tolerance};
use signorini_record::{Contacts, Reader, RecordError};
use signorini_view::describe::{describe, origin_of};
use signorini_view::frame::{Frame, Placed, Stamp, Touching, flags};
use signorini_view::protocol::LaneText;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of the only run.
const EPOCH: u32 = 1;

/// A recording that is shown.
pub struct Recording {
    reader: Mutex<Reader>,
    origin: DVec3,
    /// Surfaces in the order of bodies. The friction of a pair is computed from them, because it is not recorded.
    materials: Vec<Material>,
    tolerance: Tolerance,
    count: u32,
}

impl Recording {
    /// Opens a file; returns the run, its name, and the number of its frames.
    pub fn open(path: &Path) -> Result<(Arc<Run>, String, u32), ViewError> {
        let bad = |why: RecordError| match why {
            // This error contains the name of the file.
            why @ RecordError::Open { .. } => ViewError::RecordingFile(why),
            why => ViewError::Recording { path: path.to_owned(), why: why.to_string() },
        };
        let reader = Reader::open(path).map_err(bad)?;
        let header = reader.header().clone();
        let world = header.scene.build().map_err(|why| ViewError::Scene { name: header.scene.name.clone(), why })?;
        if !world.bodies().map(|(_, body)| body.id().label()).eq(header.bodies.iter().cloned()) {
            let why = "its list of bodies is not that of its scene".to_owned();
            return Err(ViewError::Recording { path: path.to_owned(), why });
        }
        let count = u32::try_from(reader.frames()).unwrap_or(u32::MAX);
        if count == 0 {
            let why = "no state in it can be read".to_owned();
            return Err(ViewError::Recording { path: path.to_owned(), why });
        }
        let lane = LaneText {
            method: header.method.clone(),
            max_iterations: header.scene.solver.max_iterations,
            tolerance: header.tolerance,
            budget: header.scene.solver.budget.factorizations(),
        };
        let text = describe(EPOCH, &header.scene, &world, vec![lane]);
        let recording = Recording {
            origin: origin_of(&world),
            materials: world.bodies().map(|(_, body)| body.material()).collect(),
            tolerance: Tolerance::velocity(header.tolerance),
            count,
            reader: Mutex::new(reader),
        };
        Ok((Arc::new(Run { epoch: EPOCH, text, lanes: vec![Arc::new(recording)] }), header.scene.name, count))
    }

    fn read(&self, index: u32) -> Result<Bytes, RecordError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let state = reader.frame(index as usize)?;
        // The first state has no report. Later states and reports have equal numbers, unless part of the file is
        // lost.
        let guess = (index as usize).saturating_sub(1);
        let report = aligned(reader.steps(), guess, state.step, |k| {
            let message = reader.step(k)?;
            Ok((message["step"].as_u64().unwrap_or(0), message))
        })?;
        let contacts = aligned(reader.contact_steps(), guess, state.step, |k| {
            let contacts = reader.contacts(k)?;
            Ok((contacts.step, contacts))
        })?;
        let stamp = Stamp { epoch: EPOCH, lane: 0, index, time: state.time };
        let mut frame = Frame::new(stamp, self.origin, Vec::new());
        for (body, (pose, velocity)) in state.poses.iter().zip(&state.velocities).enumerate() {
            frame.body(&Placed {
                position: DVec3::new(pose[0], pose[1], pose[2]),
                orientation: DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3]),
                velocity: DVec3::new(velocity[0], velocity[1], velocity[2]),
                angular_velocity: DVec3::new(velocity[3], velocity[4], velocity[5]),
                // Recordings of format 1 have no flags.
                flags: state.flags.get(body).map_or(0, |body| flags(body.asleep, body.quarantined)),
            });
        }
        if let Some(contacts) = contacts {
            (0..contacts.gaps.len())
                .filter_map(|c| self.touching(&contacts, c))
                .for_each(|contact| frame.contact(&contact));
        }
        let frame = frame.finish(|out| {
            if let Some(report) = report {
                out.extend(self.report(report));
            }
        });
        Ok(Bytes::from(frame))
    }

    fn touching(&self, contacts: &Contacts, c: usize) -> Option<Touching> {
        let [a, b] = contacts.bodies[c];
        let (first, second) = (self.materials.get(a as usize)?, self.materials.get(b as usize)?);
        let (normal, velocity) = (DVec3::from_array(contacts.normals[c]), DVec3::from_array(contacts.velocities[c]));
        Some(Touching {
            a,
            b,
            point: DVec3::from_array(contacts.points[c]),
            normal,
            impulse: DVec3::from_array(contacts.impulses[c]),
            gap: contacts.gaps[c],
            friction: first.combine(*second).friction,
            slip: (velocity - velocity.dot(normal) * normal).length(),
            state: contacts.states[c],
        })
    }

    /// The report as in a live run, with the residual that is compared with the tolerance.
    fn report(&self, mut message: Value) -> Vec<u8> {
        // A certificate with an infinite entry has no JSON. Its residual is null, which pages take for infinite.
        let certificate = Certificate::deserialize(&message["velocity"]).ok();
        // Older recordings have no `scaled`; the measure of their tolerance is never larger.
        let measure = self.tolerance.measure;
        let measured = certificate.map(|certificate| certificate.scaled.max(certificate.measured(measure)));
        if let Value::Object(fields) = &mut message {
            fields.insert("measured".to_owned(), measured.into());
            fields.insert("tolerance".to_owned(), self.tolerance.value.into());
        }
        serde_json::to_vec(&message).unwrap_or_default()
    }
}

/// The message of a step in a list that is ordered by steps. Tries the guess first, then bisects.
fn aligned<T>(
    count: usize,
    guess: usize,
    step: u64,
    mut read: impl FnMut(usize) -> Result<(u64, T), RecordError>,
) -> Result<Option<T>, RecordError> {
    let (mut low, mut high, mut at) = (0, count, guess.min(count.saturating_sub(1)));
    while low < high {
        let (found, message) = read(at)?;
        match found.cmp(&step) {
            std::cmp::Ordering::Equal => return Ok(Some(message)),
            std::cmp::Ordering::Less => low = at + 1,
            std::cmp::Ordering::Greater => high = at,
        }
        at = low + (high - low) / 2;
    }
    Ok(None)
}

impl Frames for Recording {
    fn range(&self) -> Range<u32> {
        0..self.count
    }

    fn frame(&self, index: u32) -> Option<Bytes> {
        // A damaged part of the file is a gap in the sequence.
        self.read(index).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn messages_are_found_by_step_also_where_some_are_lost() {
        // Steps 3 and 4 are lost.
        let steps = [1_u64, 2, 5, 6, 7];
        let find = |guess: usize, step: u64| aligned(steps.len(), guess, step, |k| Ok((steps[k], k))).unwrap();
        for guess in 0..9 {
            assert_eq!(find(guess, 1), Some(0));
            assert_eq!(find(guess, 6), Some(3));
            assert_eq!(find(guess, 7), Some(4));
            assert_eq!(find(guess, 3), None);
            assert_eq!(find(guess, 0), None);
            assert_eq!(find(guess, 8), None);
        }
        assert_eq!(aligned(0, 0, 1, |k| Ok((0, k))).unwrap(), None);
    }
}
