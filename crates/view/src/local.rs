//! A page that simulates for itself: requests in, answers and frames out, without sockets, threads or a clock.
//!
//! The caller, which is the worker of the page, decides when a step is due; [`LocalSession::interval`] is the
//! intended time between two steps.

use crate::catalogue::{Catalogue, Plan};
use crate::describe::{describe, origin_of};
use crate::drag::Drag;
use crate::frame::Stamp;
use crate::lane::Lane;
use crate::phase::Phase;
use crate::protocol::{Answer, LaneRequest, MOST_FRAMES, Request, VERSION, text};
use signorini::glamx::DVec3;
use signorini::{Method, Scene};
use std::collections::VecDeque;

/// Most bytes of frames kept, over all lanes. The oldest are dropped first.
const KEPT_BYTES: usize = 128 << 20;

/// A message to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// An answer in JSON.
    Text(String),
    /// A frame as bytes.
    Frame(Vec<u8>),
}

/// A simulation and the page that looks at it.
#[derive(Debug)]
pub struct LocalSession {
    catalogue: Catalogue,
    plan: Plan,
    lanes: Vec<Lane>,
    origin: DVec3,
    epoch: u32,
    phase: Phase,
    /// Seconds of the scene per second; zero means as fast as possible.
    speed: f64,
    steps: u32,
    /// Number of steps of the whole run.
    limit: u32,
    /// Frames `first..first + frames.len()`, each with one entry per lane.
    frames: VecDeque<Vec<Vec<u8>>>,
    first: u32,
    bytes: usize,
}

impl LocalSession {
    /// Starts with the first built-in scene, before its first step.
    pub fn new() -> Result<Self, String> {
        let catalogue = Catalogue::built_in();
        let scene = catalogue.first().cloned().ok_or("there are no scenes")?;
        let lane = LaneRequest { method: None, max_iterations: None, tolerance: None };
        let plan = Plan::new(scene, vec![lane])?;
        let mut session = LocalSession {
            catalogue,
            lanes: Vec::new(),
            origin: DVec3::ZERO,
            epoch: 0,
            phase: Phase::Paused,
            speed: 1.0,
            steps: 0,
            limit: 0,
            frames: VecDeque::new(),
            first: 0,
            bytes: 0,
            plan: plan.clone(),
        };
        session.begin(plan).map(|()| session)
    }

    /// Whether steps are due.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Time between two steps \[s\]; zero means as soon as possible.
    pub fn interval(&self) -> f64 {
        if self.speed > 0.0 { self.plan.scene.step / self.speed } else { 0.0 }
    }

    /// Handles a request of the page, and returns the answers.
    pub fn request(&mut self, request: &str) -> Vec<Message> {
        let outcome = match serde_json::from_str(request) {
            Ok(request) => self.answer(request),
            Err(error) => Err((400, format!("not understood: {error}"))),
        };
        outcome.unwrap_or_else(|(code, message)| vec![Message::Text(text(&Answer::Error { code, message: &message }))])
    }

    /// Takes a step if the simulation runs.
    pub fn advance(&mut self) -> Vec<Message> {
        if !self.is_running() {
            return Vec::new();
        }
        let mut messages = self.step();
        if !self.is_running() {
            messages.push(self.state());
        }
        messages
    }

    fn answer(&mut self, request: Request) -> Result<Vec<Message>, (u16, String)> {
        let bad = |why: String| (400, why);
        match request {
            Request::Hello { .. } => Ok(vec![self.welcome(), self.run(), self.state()]),
            Request::Frames { epoch, lane, from, to } => self.kept(epoch, lane, from, to).map_err(bad),
            Request::Pause {} => {
                if self.is_running() {
                    self.phase = Phase::Paused;
                }
                Ok(vec![self.state()])
            }
            Request::Resume {} => {
                if self.steps >= self.limit {
                    let again = u32::try_from(self.plan.scene.steps()).unwrap_or(u32::MAX);
                    self.limit = self.steps.saturating_add(again.max(1));
                }
                self.phase = Phase::Running;
                Ok(vec![self.state()])
            }
            Request::Step {} => {
                let mut messages = self.step();
                if self.phase == Phase::Running {
                    self.phase = Phase::Paused;
                }
                messages.push(self.state());
                Ok(messages)
            }
            Request::Reset {} => {
                let plan = self.plan.clone();
                self.open(plan).map_err(bad)
            }
            Request::Speed { factor } if (0.0..=100.0).contains(&factor) => {
                self.speed = factor;
                Ok(vec![self.state()])
            }
            Request::Budget { factorizations } => self.set_budget(factorizations).map_err(bad),
            Request::Speed { .. } => Err(bad("a speed is a number from 0 to 100".to_owned())),
            Request::Open { scene, lanes } => {
                let scene = self.catalogue.find(&scene).cloned();
                let scene = scene.ok_or_else(|| (404, "no scene of this name".to_owned()))?;
                Plan::new(scene, lanes).and_then(|plan| self.open(plan)).map_err(bad)
            }
            Request::OpenText { text: scene, lanes } => {
                let mut scene = read_scene(&scene).map_err(bad)?;
                if scene.name.is_empty() {
                    scene.name = "your scene".to_owned();
                }
                let messages = Plan::new(scene.clone(), lanes).and_then(|plan| self.open(plan)).map_err(bad)?;
                self.catalogue.add(scene);
                Ok([vec![self.welcome()], messages].concat())
            }
            Request::SceneText { scene } => {
                let scene = self.catalogue.find(&scene).ok_or_else(|| (404, "no scene of this name".to_owned()))?;
                Ok(vec![Message::Text(text(&Answer::SceneText { text: &scene.to_toml() }))])
            }
            Request::Check { text: scene } => {
                let wrong = read_scene(&scene).err();
                Ok(vec![Message::Text(text(&Answer::Checked { message: wrong.as_deref() }))])
            }
            Request::Drag(drag) => self.pull(Some(drag)).map_err(bad),
            Request::Release {} => self.pull(None).map_err(bad),
        }
    }

    fn set_budget(&mut self, factorizations: Option<usize>) -> Result<Vec<Message>, String> {
        for lane in &mut self.lanes {
            lane.set_budget(factorizations).map_err(|error| error.to_string())?;
        }
        self.plan.scene.solver.budget = factorizations.into();
        Ok(Vec::new())
    }

    fn pull(&mut self, drag: Option<Drag>) -> Result<Vec<Message>, String> {
        if let (Some(drag), Some(lane)) = (&drag, self.lanes.first()) {
            drag.check(lane.world())?;
        }
        for lane in &mut self.lanes {
            lane.drag = drag;
        }
        Ok(Vec::new())
    }

    /// Builds the worlds of a plan. A plan that is refused changes nothing.
    fn begin(&mut self, plan: Plan) -> Result<(), String> {
        let lanes = (0..plan.lanes.len()).map(|index| Lane::new(&plan, index)).collect::<Result<Vec<_>, _>>();
        self.lanes = lanes.map_err(|error| error.to_string())?;
        self.origin = self.lanes.first().map_or(DVec3::ZERO, |lane| origin_of(lane.world()));
        self.limit = u32::try_from(plan.scene.steps()).unwrap_or(u32::MAX);
        self.plan = plan;
        self.epoch += 1;
        self.frames.clear();
        (self.steps, self.first, self.bytes) = (0, 0, 0);
        let (epoch, origin) = (self.epoch, self.origin);
        let beginning = |(index, lane): (usize, &Lane)| {
            lane.beginning(Stamp { epoch, lane: index as u16, index: 0, time: 0.0 }, origin)
        };
        let frames = self.lanes.iter().enumerate().map(beginning).collect();
        self.keep(frames);
        Ok(())
    }

    fn open(&mut self, plan: Plan) -> Result<Vec<Message>, String> {
        self.begin(plan)?;
        self.phase = Phase::Running;
        Ok(vec![self.run(), self.state()])
    }

    /// Takes one step of every lane: returns its frames, or a phase with the reason for the failure.
    fn step(&mut self) -> Vec<Message> {
        let (epoch, index, dt, origin) = (self.epoch, self.steps + 1, self.plan.scene.step, self.origin);
        let mut frames = Vec::new();
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            match lane.step(dt) {
                Ok(report) => {
                    let stamp = Stamp { epoch, lane: number as u16, index, time: lane.world().time() };
                    frames.push(lane.moment(&report, stamp, origin, Vec::new()));
                }
                Err(why) => {
                    self.phase = Phase::Failed(why);
                    return Vec::new();
                }
            }
        }
        self.steps = index;
        if self.steps >= self.limit {
            self.phase = Phase::Finished;
        }
        let messages = frames.iter().cloned().map(Message::Frame).collect();
        self.keep(frames);
        messages
    }

    fn keep(&mut self, frames: Vec<Vec<u8>>) {
        self.bytes += frames.iter().map(Vec::len).sum::<usize>();
        self.frames.push_back(frames);
        while self.bytes > KEPT_BYTES && self.frames.len() > 1 {
            self.bytes -= self.frames.pop_front().map_or(0, |frames| frames.iter().map(Vec::len).sum());
            self.first += 1;
        }
    }

    fn kept(&self, epoch: u32, lane: usize, from: u32, to: u32) -> Result<Vec<Message>, String> {
        if epoch != self.epoch {
            // The page does not know yet that the frame was dropped.
            return Ok(Vec::new());
        }
        if lane >= self.lanes.len() {
            return Err(format!("there is no lane {lane}"));
        }
        if to <= from || to - from > MOST_FRAMES {
            return Err(format!("ask for 1 to {MOST_FRAMES} frames at a time"));
        }
        let at = |index: u32| self.frames.get(index.checked_sub(self.first)? as usize)?.get(lane);
        Ok((from..to).filter_map(at).cloned().map(Message::Frame).collect())
    }

    fn welcome(&self) -> Message {
        Message::Text(text(&Answer::Welcome {
            version: VERSION,
            program: concat!("signorini ", env!("CARGO_PKG_VERSION")),
            control: true,
            editor: true,
            scenes: &self.catalogue.choices(),
            methods: &Method::ALL.iter().map(|method| method.name()).collect::<Vec<_>>(),
        }))
    }

    fn run(&self) -> Message {
        let describe = |lane: &Lane| describe(self.epoch, &self.plan.scene, lane.world(), self.plan.lane_texts());
        Message::Text(self.lanes.first().map(describe).unwrap_or_default())
    }

    fn state(&self) -> Message {
        Message::Text(text(&Answer::State {
            epoch: self.epoch,
            phase: self.phase.name(),
            message: self.phase.message(),
            speed: self.speed,
            first: self.first,
            end: self.steps + 1,
        }))
    }
}

/// A scene file in either notation: JSON begins with a brace. An error says line and column.
pub fn read_scene(text: &str) -> Result<Scene, String> {
    let is_json = text.trim_start().starts_with('{');
    let scene = if is_json { Scene::from_json(text) } else { Scene::from_toml(text) };
    scene.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::Value;

    fn types(messages: &[Message]) -> Vec<String> {
        let kind = |message: &Message| match message {
            Message::Text(text) => serde_json::from_str::<Value>(text).unwrap()["type"].as_str().unwrap().to_owned(),
            Message::Frame(bytes) => String::from_utf8(bytes[..4].to_vec()).unwrap(),
        };
        messages.iter().map(kind).collect()
    }

    #[test]
    fn a_page_is_greeted_steps_goes_back_and_opens_another_scene() {
        let mut session = LocalSession::new().unwrap();
        let hello = session.request(r#"{"type":"hello","token":"","version":1}"#);
        assert_eq!(types(&hello), ["welcome", "run", "state"]);
        assert!(session.advance().is_empty());
        assert_eq!(types(&session.request(r#"{"type":"resume"}"#)), ["state"]);
        let frames: Vec<_> = (0..3).flat_map(|_| session.advance()).collect();
        assert_eq!(types(&frames), ["SGF1"; 3]);
        let again = session.request(r#"{"type":"frames","epoch":1,"lane":0,"from":1,"to":9}"#);
        assert_eq!(again, frames);
        let open =
            session.request(r#"{"type":"open","scene":"billiard","lanes":[{},{"method":"pgs","max_iterations":5}]}"#);
        assert_eq!(types(&open), ["run", "state"]);
        assert_eq!(types(&session.advance()), ["SGF1", "SGF1"]);
        assert_eq!(types(&session.request(r#"{"type":"open","scene":"nosuch","lanes":[{}]}"#)), ["error"]);
        assert!(session.is_running());
    }

    #[test]
    fn a_scene_from_text_runs_and_a_wrong_one_says_the_line_and_changes_nothing() {
        let mut session = LocalSession::new().unwrap();
        let open = |text: &str| serde_json::json!({ "type": "open_text", "text": text, "lanes": [{}] }).to_string();
        let wrong = session.request(&open("[[bodies]]\nname = \"a\"\nshape = { sphere = { radius = -1 } }\n"));
        let Message::Text(wrong) = &wrong[0] else { unreachable!() };
        assert!(wrong.contains("3:") && wrong.contains("radius"), "{wrong}");
        assert_eq!(session.epoch, 1);
        let right = "duration = 0.05\n[[bodies]]\nname = \"a\"\nshape = { sphere = { radius = 1 } }\n";
        assert_eq!(types(&session.request(&open(right))), ["welcome", "run", "state"]);
        assert_eq!(types(&session.advance()), ["SGF1"]);
        session.advance();
        // Three steps of 1/60 s are 0.05 s.
        assert_eq!(types(&session.advance()), ["SGF1", "state"]);
        assert_eq!(session.phase, Phase::Finished);
    }

    #[test]
    fn a_budget_holds_for_every_lane_and_after_a_reset() {
        let mut session = LocalSession::new().unwrap();
        session.request(r#"{"type":"open","scene":"billiard","lanes":[{},{"method":"pgs"}]}"#);
        assert!(session.request(r#"{"type":"budget","factorizations":12}"#).is_empty());
        let budgets = |session: &LocalSession| {
            session.lanes.iter().map(|lane| lane.world().settings().budget).collect::<Vec<_>>()
        };
        assert_eq!(budgets(&session), [Some(12); 2]);
        let Message::Text(run) = &session.request(r#"{"type":"reset"}"#)[0] else { unreachable!() };
        assert_eq!(serde_json::from_str::<Value>(run).unwrap()["lanes"][0]["budget"], 12);
        assert_eq!(budgets(&session), [Some(12); 2]);
        session.request(r#"{"type":"budget","factorizations":null}"#);
        assert_eq!(budgets(&session), [None; 2]);
        assert_eq!(types(&session.request(r#"{"type":"budget","factorizations":-1}"#)), ["error"]);
    }
}
