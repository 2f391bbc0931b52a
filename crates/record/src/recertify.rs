//! Certifies recorded steps again from the file alone; no step is computed.

use crate::cursor::Cursor;
use crate::{Contacts, Frame, Origin, Reader, RecordError, RecordedStep};
use signorini::glamx::{DQuat, DVec3};
use signorini::{Check, Part, Recertifier, ReplayBody, ReplayContact, ReplayStep};

/// What a check found in all steps.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckTally {
    /// Which.
    pub check: Check,
    /// Steps in which it could be looked at, if only in part.
    pub measured: usize,
    /// Steps in which it missed its bound.
    pub missed: usize,
    /// The worst against its bound, its step, and the names of the bodies.
    pub worst: Option<(Part, u64, Vec<String>)>,
    /// What the file lacks for the rest.
    pub lacks: Option<&'static str>,
}

/// A step that was recorded as certified and does not hold up.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfounded {
    /// Steps taken.
    pub step: u64,
    /// \[s\].
    pub time: f64,
    /// Why: names of checks, or of parts that its own report says are missed.
    pub why: Vec<String>,
}

/// What came of certifying a recording again.
#[derive(Clone, Debug, PartialEq)]
pub struct Recertification {
    /// Steps looked at.
    pub steps: usize,
    /// Steps that could not be looked at because a state or a report is lost.
    pub lost: usize,
    /// Steps that were recorded as certified.
    pub certified: usize,
    /// Check by check.
    pub checks: Vec<CheckTally>,
    /// Steps recorded as certified that do not hold up, the first ones of them.
    pub unfounded: Vec<Unfounded>,
    /// How many there are.
    pub unfounded_count: usize,
}

/// Most steps that are listed.
const MOST_LISTED: usize = 20;

/// Certifies every recorded step again. `progress` is told the steps taken.
pub fn recertify(reader: &mut Reader, mut progress: impl FnMut(u64)) -> Result<Recertification, RecordError> {
    let header = reader.header().clone();
    let mut judge = Recertifier::new(header.scene.build()?);
    let check = |check| CheckTally { check, measured: 0, missed: 0, worst: None, lacks: None };
    let mut found = Recertification {
        steps: 0,
        lost: 0,
        certified: 0,
        checks: Check::ALL.map(check).to_vec(),
        unfounded: Vec::new(),
        unfounded_count: 0,
    };
    let recorded = reader.contact_steps() > 0;
    let (mut reports, mut touches) = (Cursor::default(), Cursor::default());
    let mut before: Option<Frame> = None;
    for index in 0..reader.frames() {
        let after = reader.frame(index)?;
        let step = after.step;
        let Some(start) = before.replace(after.clone()).filter(|start| start.step + 1 == step) else {
            found.lost += usize::from(step > 0);
            continue;
        };
        let report = reports.find(reader.steps(), step, |at| {
            let read = RecordedStep::read(&reader.step(at)?);
            Ok(read.map(|read| (read.step, read)))
        })?;
        let contacts = touches.find(reader.contact_steps(), step, |at| {
            let read = reader.contacts(at)?;
            Ok(Some((read.step, read)))
        })?;
        let Some(report) = report.filter(|_| contacts.is_some() || !recorded) else {
            found.lost += 1;
            continue;
        };
        let (start, end) = (bodies(&start), bodies(&after));
        let contacts = contacts.as_ref().map(points);
        let looked = judge.judge(&ReplayStep {
            dt: header.scene.step,
            before: &start,
            after: &end,
            contacts: contacts.as_deref(),
            ledger: report.report.as_ref().map(|report| &report.energy),
            // Forces from outside are recorded, but not weighed: where there are some, the state alone does not tell.
            complete: header.origin == Origin::Scene && report.pushes.is_empty(),
            divided: report.report.as_ref().is_some_and(|report| report.counts.divided > 0),
        });
        let Some(looked) = looked else { return Err(RecordError::NotReplayable) };
        found.steps += 1;
        let mut why = Vec::new();
        for ((check, finding), tally) in looked.into_iter().zip(&mut found.checks) {
            tally.lacks = tally.lacks.or(finding.lacks());
            let Some(part) = finding.part() else { continue };
            tally.measured += 1;
            if !part.is_met() {
                tally.missed += 1;
                why.push(check.name().to_owned());
            }
            if tally.worst.as_ref().is_none_or(|(worst, ..)| part.excess() > worst.excess()) {
                tally.worst = Some((*part, step, judge.world().names_at(&part.place)));
            }
        }
        let missed = report.parts.iter().flatten().filter(|told| !told.part.is_met());
        why.extend(missed.map(|told| format!("its own report: {}", told.name.name())));
        found.certified += usize::from(report.certified);
        if report.certified && !why.is_empty() {
            found.unfounded_count += 1;
            if found.unfounded.len() < MOST_LISTED {
                found.unfounded.push(Unfounded { step, time: report.time, why });
            }
        }
        progress(step);
    }
    Ok(found)
}

fn bodies(frame: &Frame) -> Vec<ReplayBody> {
    let body = |(index, (pose, velocity)): (usize, (&[f64; 7], &[f64; 6]))| {
        let flags = frame.flags.get(index).copied().unwrap_or_default();
        ReplayBody {
            position: DVec3::new(pose[0], pose[1], pose[2]),
            orientation: DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3]),
            velocity: DVec3::new(velocity[0], velocity[1], velocity[2]),
            angular_velocity: DVec3::new(velocity[3], velocity[4], velocity[5]),
            asleep: flags.asleep,
            quarantined: flags.quarantined,
        }
    };
    frame.poses.iter().zip(&frame.velocities).enumerate().map(body).collect()
}

fn points(contacts: &Contacts) -> Vec<ReplayContact> {
    let point = |i: usize| ReplayContact {
        bodies: contacts.bodies[i],
        point: DVec3::from_array(contacts.points[i]),
        normal: DVec3::from_array(contacts.normals[i]),
        gap: contacts.gaps[i],
        impulse: DVec3::from_array(contacts.impulses[i]),
        velocity: DVec3::from_array(contacts.velocities[i]),
    };
    (0..contacts.gaps.len()).map(point).collect()
}
