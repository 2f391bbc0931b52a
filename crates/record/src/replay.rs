//! Runs a recording again, and reports the first difference.

use crate::cursor::Cursor;
use crate::{Frame, Origin, Push, Reader, RecordError};

/// What came of running it again.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Every recorded state came out again, bit for bit.
    Same {
        /// States compared.
        frames: usize,
        /// The last step.
        steps: u64,
    },
    /// A state came out differently.
    Differs(Difference),
}

/// The first state that came out differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Steps taken.
    pub step: u64,
    /// Time of the recorded state \[s\].
    pub time: f64,
    /// What differs.
    pub what: String,
    /// The recorded value.
    pub recorded: f64,
    /// The value that came out now.
    pub now: f64,
}

/// Builds the recorded scene, runs it with the recorded forces from outside and compares every recorded state, bit by bit. `progress` is told the steps taken.
pub fn check(reader: &mut Reader, mut progress: impl FnMut(u64)) -> Result<Verdict, RecordError> {
    if reader.header().origin != Origin::Scene {
        return Err(RecordError::NotReplayable);
    }
    let scene = reader.header().scene.clone();
    let mut world = scene.build()?;
    let frames = reader.frames();
    let mut reports = Cursor::default();
    for index in 0..frames {
        let recorded = reader.frame(index)?;
        // States between may be lost with their chunk; the simulation goes through them all the same.
        while world.steps() < recorded.step {
            let step = world.steps() + 1;
            let pushes = reports.find(reader.steps(), step, |at| {
                let message = reader.step(at)?;
                Ok(message["step"].as_u64().map(|step| (step, Push::of(&message))))
            })?;
            for push in pushes.iter().flatten() {
                push.apply(&mut world).map_err(|source| RecordError::Push { step, source })?;
            }
            world.step(scene.step).map_err(|source| RecordError::Step { step, source })?;
            progress(step);
        }
        let mut now = Frame::of(&world);
        if reader.header().format < 2 {
            // It knew no flags, and its fingerprint was another one of the same numbers, which are all compared.
            now.flags.clear();
            now.hash = recorded.hash;
        }
        if let Some(difference) = compare(&reader.header().bodies, &recorded, &now) {
            return Ok(Verdict::Differs(difference));
        }
    }
    Ok(Verdict::Same { frames, steps: world.steps() })
}

fn compare(bodies: &[String], recorded: &Frame, now: &Frame) -> Option<Difference> {
    let differs = |what: String, recorded_value: f64, now: f64| {
        Some(Difference { step: recorded.step, time: recorded.time, what, recorded: recorded_value, now })
    };
    if recorded.step != now.step {
        return differs("the number of steps".to_owned(), recorded.step as f64, now.step as f64);
    }
    if recorded.time.to_bits() != now.time.to_bits() {
        return differs("the time".to_owned(), recorded.time, now.time);
    }
    // The world has as many bodies as the header names, or the scene is another one.
    if recorded.poses.len() != now.poses.len() {
        return differs("the number of bodies".to_owned(), recorded.poses.len() as f64, now.poses.len() as f64);
    }
    const POSE: [&str; 7] =
        ["position x", "position y", "position z", "orientation w", "orientation x", "orientation y", "orientation z"];
    const VELOCITY: [&str; 6] =
        ["velocity x", "velocity y", "velocity z", "angular velocity x", "angular velocity y", "angular velocity z"];
    // −0 and +0 count as equal, as they do in the fingerprint.
    let unequal = |pair: &(f64, f64)| (pair.0 + 0.0).to_bits() != (pair.1 + 0.0).to_bits();
    for (body, name) in bodies.iter().enumerate() {
        let pose = recorded.poses[body].into_iter().zip(now.poses[body]);
        let velocity = recorded.velocities[body].into_iter().zip(now.velocities[body]);
        let fields = POSE.into_iter().chain(VELOCITY);
        if let Some((field, (old, new))) = fields.zip(pose.chain(velocity)).find(|(_, pair)| unequal(pair)) {
            return differs(format!("{field} of '{name}'"), old, new);
        }
        if let (Some(old), Some(new)) = (recorded.flags.get(body), now.flags.get(body)) {
            let pairs = [("sleep", old.asleep, new.asleep), ("quarantine", old.quarantined, new.quarantined)];
            if let Some((what, old, new)) = pairs.into_iter().find(|(_, old, new)| old != new) {
                return differs(format!("{what} of '{name}'"), u8::from(old).into(), u8::from(new).into());
            }
        }
    }
    if recorded.hash != now.hash {
        return differs("the fingerprint, though no number does".to_owned(), f64::NAN, f64::NAN);
    }
    None
}
