//! Sums and maxima over the steps of a run.

use super::parts::{self, PartTally};
use crate::solve::Verdict;
use serde::Serialize;
use signorini::{
    BlockOwner, BodyHandle, Energy, EnergyLedger, PartName, Scene, StageTimes, StepReport, StepStatus, World,
};
use signorini_record::RecordedStep;

/// A largest value and where it occurred.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Worst {
    /// The value.
    pub value: f64,
    /// Number of the step.
    pub step: u64,
    /// Time in the scene \[s\].
    pub time: f64,
    /// Index of the island.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub island: Option<usize>,
    /// Block of the island's problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<usize>,
    /// Whether the block is a contact or a joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Names of the bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<String>,
}

/// One point of the plots.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub time: f64,
    /// Residual [m/s]; zero if nothing touched.
    pub residual: f64,
    /// Its bound [m/s].
    pub bound: f64,
    pub certified: bool,
    pub energy: Energy,
}

/// Results of a run.
#[derive(Debug, Serialize)]
pub struct Tally {
    /// Name of the scene.
    pub scene: String,
    /// Name of the method.
    pub method: String,
    /// Tolerance [m/s].
    pub tolerance: f64,
    /// Largest residual of a certified step [m/s].
    pub accept: f64,
    /// Time step \[s\].
    pub step: f64,
    /// Number of bodies.
    pub bodies: usize,
    /// Steps taken.
    pub steps: u64,
    /// Time simulated \[s\].
    pub time: f64,
    /// Steps whose certificate meets every bound.
    pub certified: u64,
    /// Steps whose certificate does not.
    pub degraded: u64,
    /// The first degraded step.
    pub first_degraded: Option<u64>,
    /// Every part of the certificates: its worst value, and how many steps missed its bound.
    pub parts: Vec<PartTally>,
    /// Largest residual [m/s].
    pub worst_residual: Option<Worst>,
    /// Deepest overlap at the start of a step \[m\].
    pub deepest: Option<Worst>,
    /// Most contacts in a step.
    pub most_contacts: usize,
    /// Contacts in the last step.
    pub last_contacts: usize,
    /// Joints.
    pub joints: usize,
    /// Steps in which restitution was scaled down to keep contact from making energy.
    pub guarded: u64,
    /// Energy before the first step and after the last, and all works between.
    pub energy: Account,
    /// Wall time of the stages \[s\].
    pub times: StageTimes,
    /// Wall time of the run, the recording included \[s\].
    pub seconds: Option<f64>,
    /// Fingerprint of the last state, hexadecimal.
    pub hash: String,
    /// Number of steps asked for, if Ctrl-C ended the run earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<u64>,
    /// Path and size \[bytes\] of the recording.
    pub recording: Option<(String, u64)>,
    #[serde(skip)]
    pub points: Vec<Point>,
}

/// The energy account of a run.
#[derive(Debug, Default, Serialize)]
pub struct Account {
    /// Energy before the first step and after the last, and the works of all steps \[J\].
    #[serde(flatten)]
    pub ledger: EnergyLedger,
    /// Largest change of a step that no entry explains \[J\].
    pub closure: f64,
}

impl Tally {
    /// Before the first step.
    pub fn new(scene: &Scene, world: &World) -> Self {
        let energy = world.energy();
        Tally {
            scene: scene.name.clone(),
            method: scene.solver.method.clone(),
            tolerance: scene.solver.tolerance,
            accept: scene.solver.accept.max(scene.solver.tolerance),
            step: scene.step,
            bodies: world.bodies().count(),
            steps: 0,
            time: 0.0,
            certified: 0,
            degraded: 0,
            first_degraded: None,
            parts: parts::none(),
            worst_residual: None,
            deepest: None,
            most_contacts: 0,
            last_contacts: 0,
            joints: 0,
            guarded: 0,
            energy: Account {
                ledger: EnergyLedger { before: energy, after: energy, ..EnergyLedger::default() },
                closure: 0.0,
            },
            times: StageTimes::default(),
            seconds: None,
            hash: format!("{:016x}", world.state_hash()),
            interrupted: None,
            recording: None,
            points: Vec::new(),
        }
    }

    /// Adds a step of a running world.
    pub fn push(&mut self, world: &World, report: &StepReport) {
        let residual = report.velocity.map_or(0.0, |certificate| certificate.natural);
        let worst = self.is_worse(residual);
        for part in &mut self.parts {
            let told = report.certificate.part(part.part);
            part.push(world.steps(), world.time(), told, || world.names_at(&told.place));
        }
        self.push_report(world.steps(), world.time(), report);
        if worst && let Some(record) = &mut self.worst_residual {
            name_block(world, record);
        }
        // The judge of contact problems knows blocks and no bodies.
        let velocity = self.parts.iter_mut().find(|part| part.part == PartName::Velocity);
        if let Some(worst) = velocity.and_then(|part| part.worst.as_mut())
            && worst.step == world.steps()
            && worst.value > 0.0
        {
            (worst.island, worst.block) = (report.worst_island, report.velocity.and_then(|c| c.worst_block));
            name_block(world, worst);
        }
        // Names are looked up only for new worst values, of which there are few.
        if let Some(deepest) = &mut self.deepest
            && deepest.step == world.steps()
            && let Some(contact) = world.contacts().iter().min_by(|a, b| a.gap.total_cmp(&b.gap))
        {
            deepest.bodies = vec![label(world, contact.a), label(world, contact.b)];
        }
        self.hash = format!("{:016x}", world.state_hash());
    }

    fn is_worse(&self, residual: f64) -> bool {
        self.worst_residual.as_ref().is_none_or(|worst| residual > worst.value)
    }

    /// Adds a step of which only the verdict is known.
    fn push_verdict(&mut self, step: u64, time: f64, certified: bool) {
        // Steps are counted, because a damaged recording lacks some numbers.
        (self.steps, self.time) = (self.steps + 1, time);
        if certified {
            self.certified += 1;
        } else {
            self.degraded += 1;
            self.first_degraded.get_or_insert(step);
        }
    }

    /// Adds a step of a recording.
    pub fn push_recorded(&mut self, recorded: &RecordedStep) {
        let &RecordedStep { step, time, certified, .. } = recorded;
        let told = recorded.parts.as_deref();
        for part in &mut self.parts {
            match told.into_iter().flatten().find(|told| told.name == part.part) {
                Some(told) => part.push(step, time, &told.part, || told.names.clone()),
                None => part.unknown += 1,
            }
        }
        match &recorded.report {
            Some(report) => self.push_report(step, time, report),
            None => self.push_verdict(step, time, certified),
        }
    }

    /// Adds the report of a step; parts are counted elsewhere.
    fn push_report(&mut self, step: u64, time: f64, report: &StepReport) {
        let certified = report.status == StepStatus::Certified;
        self.push_verdict(step, time, certified);
        if let Some(certificate) = &report.velocity
            && self.is_worse(certificate.natural)
        {
            let (island, block) = (report.worst_island, certificate.worst_block);
            let at = Worst { value: certificate.natural, step, time, island, block, ..Worst::default() };
            self.worst_residual = Some(at);
        }
        if report.penetration > self.deepest.as_ref().map_or(0.0, |deepest| deepest.value) {
            self.deepest = Some(Worst { value: report.penetration, step, time, ..Worst::default() });
        }
        self.most_contacts = self.most_contacts.max(report.counts.contacts);
        (self.last_contacts, self.joints) = (report.counts.contacts, report.counts.joints);
        self.guarded += u64::from(report.restitution_scale < 1.0);
        self.account(&report.energy);
        for (sum, stage) in [
            (&mut self.times.free_motion, report.times.free_motion),
            (&mut self.times.broad_phase, report.times.broad_phase),
            (&mut self.times.manifold, report.times.manifold),
            (&mut self.times.contact, report.times.contact),
            (&mut self.times.island, report.times.island),
            (&mut self.times.solve, report.times.solve),
            (&mut self.times.position, report.times.position),
            (&mut self.times.integrate, report.times.integrate),
            (&mut self.times.judge, report.times.judge),
        ] {
            *sum += stage;
        }
        self.points.push(Point {
            time,
            residual: report.velocity.map_or(0.0, |c| c.scaled),
            bound: self.accept,
            certified,
            energy: report.energy.after,
        });
    }

    fn account(&mut self, ledger: &EnergyLedger) {
        let account = &mut self.energy;
        account.ledger.after = ledger.after;
        account.ledger.add_works(ledger);
        account.closure = account.closure.max(ledger.closure().abs());
    }

    /// The verdict for the exit code.
    pub fn verdict(&self) -> Verdict {
        if self.degraded == 0 { Verdict::Solved } else { Verdict::Unsolved }
    }
}

fn label(world: &World, body: BodyHandle) -> String {
    world.body(body).map_or_else(|_| "?".to_owned(), |body| body.id().label())
}

fn name_block(world: &World, worst: &mut Worst) {
    let (Some(island), Some(block)) = (worst.island, worst.block) else { return };
    match world.block_owner(island, block) {
        Some(BlockOwner::Contact(a, b)) => {
            worst.kind = Some("contact");
            worst.bodies = vec![label(world, a), label(world, b)];
        }
        Some(BlockOwner::Joint(a, b)) => {
            worst.kind = Some("joint");
            worst.bodies = vec![label(world, a), b.map_or_else(|| "the world".to_owned(), |b| label(world, b))];
        }
        None => {}
    }
}
