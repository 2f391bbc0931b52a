//! The connection to one page.
//!
//! There is no queue: the session keeps the number of the next frame to send and takes it from the store when the
//! socket is free. A page that reads too slowly skips frames; it may ask for them again later.

use super::access::Token;
use super::run::{Run, Status};
use super::simulation::Command;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use signorini_view::catalogue::{Catalogue, Plan};
use signorini_view::phase::Phase;
use signorini_view::protocol::{Answer, MOST_FRAMES, Request, SceneChoice, VERSION, text};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

/// Longest time until a socket must send its token.
const GREETING: Duration = Duration::from_secs(10);
/// Longest time to send one message.
const STALL: Duration = Duration::from_secs(20);
/// A page that is this many frames behind skips to the newest.
const MOST_BEHIND: u32 = 30;
/// Most requests for frames that may wait.
const MOST_REQUESTS: usize = 16;

/// Data that all sessions share.
pub struct Shared {
    pub token: Token,
    /// Whether pages may control the simulation.
    pub control: bool,
    pub catalogue: Catalogue,
    pub scenes: Vec<SceneChoice>,
    pub methods: Vec<&'static str>,
    pub status: watch::Receiver<Status>,
    /// None for a recording.
    pub orders: Option<SyncSender<Command>>,
    pub seats: Arc<Semaphore>,
}

/// Serves a socket until either side ends it.
pub async fn serve(mut socket: WebSocket, shared: Arc<Shared>) {
    let greeting = timeout(GREETING, greet(&mut socket, &shared)).await;
    let Ok(Some(_seat)) = greeting else {
        if greeting.is_err() {
            refuse(&mut socket, 401, "no token came within 10 s").await;
        }
        return;
    };
    let mut session =
        Session { status: shared.status.clone(), shared, epoch: 0, told: None, next: 0, backlog: VecDeque::new() };
    // `Some` means that the socket is gone; then there is nobody to send an error to.
    while session.turn(&mut socket).await.is_some() {}
}

/// Waits for the token; returns a seat if it is right.
async fn greet(socket: &mut WebSocket, shared: &Shared) -> Option<OwnedSemaphorePermit> {
    let first = loop {
        match socket.recv().await?.ok()? {
            Message::Text(text) => break text,
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) | Message::Close(_) => return None,
        }
    };
    match serde_json::from_str(&first) {
        Ok(Request::Hello { token, .. }) if !shared.token.matches(&token) => {
            refuse(socket, 401, "the token is not that of this run; use the address that was printed last").await;
            None
        }
        Ok(Request::Hello { version, .. }) if version != VERSION => {
            refuse(socket, 400, "page and server are of different versions; load the page again").await;
            None
        }
        Ok(Request::Hello { .. }) => {
            let Ok(seat) = shared.seats.clone().try_acquire_owned() else {
                refuse(socket, 503, "too many pages are open; close one").await;
                return None;
            };
            let welcome = Answer::Welcome {
                version: VERSION,
                program: concat!("signorini ", env!("CARGO_PKG_VERSION")),
                control: shared.control && shared.orders.is_some(),
                editor: false,
                scenes: &shared.scenes,
                methods: &shared.methods,
            };
            send(socket, Message::Text(text(&welcome).into())).await?;
            Some(seat)
        }
        _ => {
            refuse(socket, 401, "the first message must carry the token").await;
            None
        }
    }
}

/// Sends the reason and closes. An error of sending is ignored.
async fn refuse(socket: &mut WebSocket, code: u16, message: &str) {
    let answer = text(&Answer::Error { code, message });
    if send(socket, Message::Text(answer.into())).await.is_some() {
        let close = CloseFrame { code: 4000 + code, reason: Utf8Bytes::from(message) };
        send(socket, Message::Close(Some(close))).await;
    }
}

/// `None` if the socket is gone or too slow.
async fn send(socket: &mut WebSocket, message: Message) -> Option<()> {
    timeout(STALL, socket.send(message)).await.ok()?.ok()
}

struct Session {
    shared: Arc<Shared>,
    status: watch::Receiver<Status>,
    /// The run that was last sent to the page.
    epoch: u32,
    /// The phase and speed that were last sent to the page.
    told: Option<(Phase, f64)>,
    /// The next frame to send.
    next: u32,
    /// Frames that the page asked for: lane and numbers.
    backlog: VecDeque<(usize, Range<u32>)>,
}

impl Session {
    /// Waits for the next event and handles it; `None` when the socket is gone.
    async fn turn(&mut self, socket: &mut WebSocket) -> Option<()> {
        let Status { run, phase, speed, end } = self.status.borrow_and_update().clone();
        if run.epoch != self.epoch {
            (self.epoch, self.told, self.next) = (run.epoch, None, end);
            self.backlog.clear();
            send(socket, Message::Text(run.text.clone().into())).await?;
        }
        if self.told.as_ref() != Some(&(phase.clone(), speed)) {
            send(socket, Message::Text(state(&run, &phase, speed, end).into())).await?;
            self.told = Some((phase, speed));
        }
        let live = self.next < end;
        let pending = live || !self.backlog.is_empty();
        tokio::select! {
            biased;
            message = socket.recv() => match message?.ok()? {
                Message::Text(request) => self.answer(socket, &run, &request).await?,
                Message::Binary(_) => self.complain(socket, 400, "binary messages mean nothing here").await?,
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Close(_) => return None,
            },
            () = std::future::ready(()), if pending => {
                if live {
                    self.send_newest(socket, &run, end).await?;
                } else {
                    self.send_asked(socket, &run).await?;
                }
            }
            changed = self.status.changed(), if !pending => changed.ok()?,
        }
        Some(())
    }

    /// Sends the next frame of every lane.
    async fn send_newest(&mut self, socket: &mut WebSocket, run: &Run, end: u32) -> Option<()> {
        if end - self.next > MOST_BEHIND {
            self.next = end - 1;
        }
        for lane in &run.lanes {
            if let Some(frame) = lane.frame(self.next) {
                send(socket, Message::Binary(frame)).await?;
            }
        }
        self.next += 1;
        Some(())
    }

    /// Sends one frame that the page asked for.
    async fn send_asked(&mut self, socket: &mut WebSocket, run: &Run) -> Option<()> {
        let Some((lane, range)) = self.backlog.front_mut() else { return Some(()) };
        let frame = match (range.next(), run.lanes.get(*lane)) {
            // For a recording this reads a file.
            (Some(index), Some(lane)) => tokio::task::block_in_place(|| lane.frame(index)),
            _ => {
                self.backlog.pop_front();
                return Some(());
            }
        };
        match frame {
            Some(frame) => send(socket, Message::Binary(frame)).await,
            None => Some(()),
        }
    }

    /// Handles a request of the page, or returns the reason why not.
    async fn answer(&mut self, socket: &mut WebSocket, run: &Run, request: &str) -> Option<()> {
        let request = match serde_json::from_str(request) {
            Ok(request) => request,
            Err(error) => return self.complain(socket, 400, &format!("not understood: {error}")).await,
        };
        let command = match request {
            Request::Hello { .. } => return self.complain(socket, 400, "the greeting is over").await,
            Request::Frames { epoch, lane, from, to } => {
                return match self.ask(run, epoch, lane, from..to) {
                    Ok(()) => Some(()),
                    Err(why) => self.complain(socket, 400, &why).await,
                };
            }
            _ if !self.shared.control => {
                return self.complain(socket, 403, "this view is read-only; start it with --control").await;
            }
            Request::Pause {} => Command::Pause,
            Request::Resume {} => Command::Resume,
            Request::Step {} => Command::Step,
            Request::Reset {} => Command::Reset,
            Request::Speed { factor } if (0.0..=100.0).contains(&factor) => Command::Speed(factor),
            Request::Budget { factorizations } => Command::Budget(factorizations),
            Request::Drag(drag) => Command::Pull(Some(drag)),
            Request::Release {} => Command::Pull(None),
            Request::OpenText { .. } | Request::SceneText { .. } | Request::Check { .. } => {
                return self
                    .complain(socket, 400, "scenes as text are for a page without a server; open one by name")
                    .await;
            }
            Request::Speed { .. } => return self.complain(socket, 400, "a speed is a number from 0 to 100").await,
            Request::Open { scene, lanes } => {
                let Some(scene) = self.shared.catalogue.find(&scene).cloned() else {
                    return self.complain(socket, 404, "no scene of this name").await;
                };
                let plan = Plan::new(scene, lanes).and_then(|plan| {
                    // Built here only to find errors; the simulation builds its own.
                    let tried = tokio::task::block_in_place(|| {
                        (0..plan.lanes.len()).try_for_each(|lane| plan.scene_of(lane).build().map(drop))
                    });
                    tried.map(|()| plan).map_err(|error| error.to_string())
                });
                match plan {
                    Ok(plan) => Command::Open(Box::new(plan)),
                    Err(why) => return self.complain(socket, 400, &why).await,
                }
            }
        };
        let why = match self.shared.orders.as_ref().map(|orders| orders.try_send(command)) {
            Some(Ok(())) => return Some(()),
            None => "a recording cannot be changed",
            Some(Err(TrySendError::Full(_))) => "the simulation is busy; try again",
            Some(Err(TrySendError::Disconnected(_))) => "the simulation has ended",
        };
        self.complain(socket, 409, why).await
    }

    fn ask(&mut self, run: &Run, epoch: u32, lane: usize, range: Range<u32>) -> Result<(), String> {
        if epoch != run.epoch {
            // The page does not know yet that the frame was dropped.
            return Ok(());
        }
        if lane >= run.lanes.len() {
            return Err(format!("there is no lane {lane}"));
        }
        if range.is_empty() || range.end - range.start > MOST_FRAMES {
            return Err(format!("ask for 1 to {MOST_FRAMES} frames at a time"));
        }
        if self.backlog.len() >= MOST_REQUESTS {
            return Err(format!("more than {MOST_REQUESTS} requests at a time"));
        }
        self.backlog.push_back((lane, range));
        Ok(())
    }

    async fn complain(&mut self, socket: &mut WebSocket, code: u16, message: &str) -> Option<()> {
        send(socket, Message::Text(text(&Answer::Error { code, message }).into())).await
    }
}

fn state(run: &Run, phase: &Phase, speed: f64, end: u32) -> String {
    let first = run.lanes.iter().map(|lane| lane.range().start).max().unwrap_or(0);
    text(&Answer::State { epoch: run.epoch, phase: phase.name(), message: phase.message(), speed, first, end })
}
