//! The simulating thread: one world per lane, synchronised with each other and with wall-clock time.
//!
//! It receives commands from a bounded channel and writes to [`Store`]s and a watch channel. It never touches a socket
//! and never waits for one.
//!
//! If the simulation cannot keep up with the clock, frames are copied while the next step is taken, and pages are
//! told of new frames every [`TELL`]; otherwise both happen at once.

use super::ViewError;
use super::frame_store::{FrameStore, Gone};
use super::run::{Run, Status, Store};
use crate::error::InputError;
use crate::recording::Recording;
use axum::body::Bytes;
use signorini::StepReport;
use signorini::glamx::DVec3;
use signorini_record::Push;
use signorini_view::catalogue::Plan;
use signorini_view::describe::{describe, origin_of};
use signorini_view::drag::Drag;
use signorini_view::frame::Stamp;
use signorini_view::lane::Lane;
use signorini_view::phase::Phase;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Delay behind the clock beyond which the simulation stops catching up.
const MOST_BEHIND: Duration = Duration::from_millis(250);

/// Interval at which pages are told of new frames when the simulation cannot keep up: shorter than a frame of a
/// screen. Waking the threads of the server takes a tenth of the time of a frame.
const TELL: Duration = Duration::from_millis(8);

/// Most steps that pages are not told of: half the delay after which a page skips frames.
const MOST_UNTOLD: u32 = 15;

/// A command to the simulation.
#[derive(Debug)]
pub enum Command {
    /// Pause.
    Pause,
    /// Resume; after the end, run for another duration of the scene.
    Resume,
    /// Take one step, then pause.
    Step,
    /// Start again from the beginning.
    Reset,
    /// Set the speed in seconds of the scene per second; zero means as fast as possible.
    Speed(f64),
    /// Set the work budget of an island in a step.
    Budget(Option<usize>),
    /// Simulate another plan.
    Open(Box<Plan>),
    /// Pull a body, or release it.
    Pull(Option<Drag>),
}

/// A world of a lane, and its frames so far.
struct Track {
    lane: Lane,
    store: Arc<Store>,
}

/// The worlds of a plan and their progress.
pub struct Simulation {
    plan: Plan,
    tracks: Vec<Track>,
    origin: DVec3,
    epoch: u32,
    frames: FrameStore,
    /// Steps taken.
    steps: u32,
    /// Number of steps that pages know of.
    shown: u32,
    /// Number of steps of the whole run.
    limit: u32,
    /// Recording of the first lane, until its scene or settings change.
    recording: Option<Recording>,
}

impl Simulation {
    /// Builds the worlds.
    pub fn new(plan: Plan, epoch: u32) -> Result<Self, ViewError> {
        let mut tracks = Vec::new();
        for index in 0..plan.lanes.len() {
            let lane = Lane::new(&plan, index);
            let lane = lane.map_err(|why| ViewError::Scene { name: plan.scene.name.clone(), why })?;
            tracks.push(Track { lane, store: Arc::default() });
        }
        let origin = tracks.first().map_or(DVec3::ZERO, |track| origin_of(track.lane.world()));
        let limit = u32::try_from(plan.scene.steps()).unwrap_or(u32::MAX);
        let frames = FrameStore::new(tracks.iter().map(|track| track.store.clone()).collect());
        let frames = frames.map_err(ViewError::Server)?;
        let simulation = Simulation { plan, tracks, origin, epoch, frames, steps: 0, shown: 0, limit, recording: None };
        for (index, Track { lane, store }) in simulation.tracks.iter().enumerate() {
            let stamp = Stamp { epoch, lane: index as u16, index: 0, time: 0.0 };
            store.push(Bytes::from(lane.beginning(stamp, origin)));
        }
        Ok(simulation)
    }

    /// Records from here on; with contacts, and in place of another recording, if asked to.
    pub fn record(&mut self, path: &Path, (contacts, force): (bool, bool)) -> Result<(), InputError> {
        if let Some(Track { lane, .. }) = self.tracks.first() {
            let scene = self.plan.scene_of(0);
            self.recording = Some(Recording::create(path, (contacts, force), &scene, lane.world())?);
        }
        Ok(())
    }

    /// Completes the recording, if there is one, and prints a message.
    fn end_recording(&mut self) -> Result<(), InputError> {
        let Some(recording) = self.recording.take() else { return Ok(()) };
        let (path, bytes) = recording.finish()?;
        complain(&format!("recorded {} steps: {path}, {:.1} MB", self.steps, bytes as f64 / 1e6));
        Ok(())
    }

    /// The status for the sockets.
    pub fn run(&self) -> Arc<Run> {
        let text = match self.tracks.first() {
            Some(track) => describe(self.epoch, &self.plan.scene, track.lane.world(), self.plan.lane_texts()),
            None => String::new(),
        };
        let lanes = self.tracks.iter().map(|track| track.store.clone() as _).collect();
        Arc::new(Run { epoch: self.epoch, text, lanes })
    }

    /// Sets the budget in every lane; a reset keeps it.
    fn set_budget(&mut self, factorizations: Option<usize>) -> Result<(), String> {
        for Track { lane, .. } in &mut self.tracks {
            lane.set_budget(factorizations).map_err(|error| error.to_string())?;
        }
        self.plan.scene.solver.budget = factorizations.into();
        Ok(())
    }

    /// Pulls a body in every lane, or releases it. A request for a body that cannot be pulled is ignored.
    fn pull(&mut self, drag: Option<Drag>) {
        for Track { lane, .. } in &mut self.tracks {
            lane.drag = drag.filter(|drag| drag.check(lane.world()).is_ok());
        }
    }

    /// Takes a step of every lane, or returns the reason why not. Pages are told when all lanes are done.
    fn step(&mut self) -> Result<(), String> {
        let (epoch, index, dt, origin) = (self.epoch, self.steps + 1, self.plan.scene.step, self.origin);
        let one = |track: &mut Track| {
            let lane = &mut track.lane;
            // A defect in a solver must not end the server.
            let outcome = catch_unwind(AssertUnwindSafe(|| lane.step(dt)));
            outcome.unwrap_or_else(|_| Err(format!("{}: broke off; this is a defect, please report it", lane.method())))
        };
        let reports: Vec<StepReport> = match &mut self.tracks[..] {
            [first, second] => {
                let (first, second) = rayon::join(|| one(first), || one(second));
                vec![first?, second?]
            }
            tracks => tracks.iter_mut().map(one).collect::<Result<_, _>>()?,
        };
        // Earlier frames have been copied by now, so their memory can be used again.
        self.frames.settle().map_err(gone)?;
        if let (Some(recording), Some(Track { lane, .. }), Some(report)) =
            (&mut self.recording, self.tracks.first(), reports.first())
        {
            let push = lane.drag.map(|Drag { body, force, at, .. }| Push { body, force, point: at });
            if let Some(warning) = recording.step(lane.world(), report, push) {
                complain(&format!("warning: {warning}"));
            }
        }
        for (number, (Track { lane, .. }, report)) in self.tracks.iter_mut().zip(reports).enumerate() {
            let stamp = Stamp { epoch, lane: number as u16, index, time: lane.world().time() };
            let frame = lane.moment(&report, stamp, origin, self.frames.memory(number));
            self.frames.keep(number, frame).map_err(gone)?;
        }
        self.steps = index;
        Ok(())
    }

    /// Waits until pages can get all frames that were made, so that they may be told of them.
    fn settle(&mut self) -> Result<(), String> {
        self.frames.settle().map_err(gone)?;
        self.shown = self.steps;
        Ok(())
    }
}

fn gone(_: Gone) -> String {
    "the view broke off; this is a defect, please report it".to_owned()
}

/// Prints a message of the server.
fn complain(text: &str) {
    // If standard error is closed, the message is lost.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Runs until the last sender of commands is dropped. An error comes from the recording.
pub fn drive(
    mut simulation: Simulation,
    orders: Receiver<Command>,
    status: watch::Sender<Status>,
) -> Result<(), InputError> {
    let mut phase = status.borrow().phase.clone();
    let mut speed = status.borrow().speed;
    let mut due = Instant::now();
    let mut told = due;
    let mut recorded = Ok(());
    loop {
        let order = match next_order(&orders, &phase, due) {
            Ok(order) => Some(order),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return recorded.and(simulation.end_recording()),
        };
        match order {
            None => {
                phase = advance(&mut simulation, &phase);
                due = next_due(due, simulation.plan.scene.step, speed);
            }
            Some(Command::Step) => {
                advance(&mut simulation, &phase);
                phase = Phase::Paused;
            }
            Some(Command::Pause) if phase == Phase::Running => phase = Phase::Paused,
            Some(Command::Resume) if phase != Phase::Running => {
                if simulation.steps >= simulation.limit {
                    let again = u32::try_from(simulation.plan.scene.steps()).unwrap_or(u32::MAX);
                    simulation.limit = simulation.steps.saturating_add(again.max(1));
                }
                (phase, due) = (Phase::Running, Instant::now());
            }
            Some(Command::Speed(factor)) => (speed, due) = (factor, Instant::now()),
            Some(Command::Pull(drag)) => simulation.pull(drag),
            Some(Command::Budget(factorizations)) => {
                // The plan has another scene than the recording.
                recorded = recorded.and(simulation.end_recording());
                if let Err(why) = simulation.set_budget(factorizations) {
                    phase = Phase::Failed(why);
                }
            }
            Some(Command::Pause | Command::Resume) => {}
            Some(command @ (Command::Reset | Command::Open(_))) => {
                let plan = if let Command::Open(plan) = command { *plan } else { simulation.plan.clone() };
                match Simulation::new(plan, simulation.epoch + 1) {
                    Ok(next) => {
                        recorded = recorded.and(simulation.end_recording());
                        simulation = next;
                        (phase, due) = (Phase::Running, Instant::now());
                        let run = simulation.run();
                        status.send_modify(|status| {
                            *status = Status { run, phase: phase.clone(), speed, end: 1 };
                        });
                    }
                    // Sessions check a plan before they send it, so the page has been told of errors already.
                    Err(error) => phase = Phase::Failed(error.to_string()),
                }
            }
        }
        let now = Instant::now();
        let hurried = phase == Phase::Running && due <= now;
        if hurried && now - told < TELL && simulation.steps - simulation.shown < MOST_UNTOLD {
            continue;
        }
        if let Err(why) = simulation.settle() {
            phase = Phase::Failed(why);
        }
        told = now;
        let end = simulation.shown + 1;
        status.send_if_modified(|status| {
            let changed = status.end != end || status.phase != phase || status.speed != speed;
            if changed {
                (status.end, status.speed) = (end, speed);
                status.phase.clone_from(&phase);
            }
            changed
        });
    }
}

/// Waits for a command, until the next step is due.
fn next_order(orders: &Receiver<Command>, phase: &Phase, due: Instant) -> Result<Command, RecvTimeoutError> {
    if *phase != Phase::Running {
        return orders.recv().map_err(|_| RecvTimeoutError::Disconnected);
    }
    let wait = due.saturating_duration_since(Instant::now());
    if wait.is_zero() {
        // A wait of zero would still spin and yield the processor several times.
        return orders.try_recv().map_err(|none| match none {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        });
    }
    orders.recv_timeout(wait)
}

/// Takes a step, and returns the state of the run after it.
fn advance(simulation: &mut Simulation, phase: &Phase) -> Phase {
    match simulation.step() {
        Err(why) => Phase::Failed(why),
        Ok(()) if simulation.steps >= simulation.limit => Phase::Finished,
        Ok(()) => phase.clone(),
    }
}

/// Time of the next step: on the clock, without hurrying to make up for lost time.
fn next_due(due: Instant, step: f64, speed: f64) -> Instant {
    let now = Instant::now();
    let interval =
        if speed > 0.0 { Duration::try_from_secs_f64(step / speed).unwrap_or(Duration::MAX) } else { Duration::ZERO };
    let next = due.checked_add(interval).unwrap_or(now + Duration::from_secs(3600));
    if next + MOST_BEHIND < now { now } else { next }
}
