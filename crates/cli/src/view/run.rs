//! The run that is shown: a scene, its lanes (one run, or two side by side) and their frames so far.
//!
//! The simulation writes frames and reads nothing back. Sockets read at their own pace. Locks are held only while a
//! reference is copied.

use axum::body::Bytes;
use signorini_view::phase::Phase;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes of frames kept per lane. The oldest are dropped first; at 500 bodies the limit is reached after about a
/// minute.
const KEPT_BYTES: usize = 256 << 20;

/// Frames of one lane, from a simulation or a recording.
pub trait Frames: Send + Sync {
    /// The frames that exist, by number of steps.
    fn range(&self) -> Range<u32>;
    /// A frame, encoded; `None` if it was dropped or is damaged.
    fn frame(&self, index: u32) -> Option<Bytes>;
}

/// Frames of a running simulation.
#[derive(Default)]
pub struct Store {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    first: u32,
    frames: VecDeque<Bytes>,
    bytes: usize,
}

impl Store {
    // If a thread panicked while it held the lock, the queue is still valid.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next frame.
    pub fn push(&self, frame: Bytes) {
        let mut kept = self.kept();
        kept.bytes += frame.len();
        kept.frames.push_back(frame);
        while kept.bytes > KEPT_BYTES && kept.frames.len() > 1 {
            kept.bytes -= kept.frames.pop_front().map_or(0, |frame| frame.len());
            kept.first += 1;
        }
    }
}

impl Frames for Store {
    fn range(&self) -> Range<u32> {
        let kept = self.kept();
        kept.first..kept.first + kept.frames.len() as u32
    }

    fn frame(&self, index: u32) -> Option<Bytes> {
        let kept = self.kept();
        kept.frames.get(index.checked_sub(kept.first)? as usize).cloned()
    }
}

/// A scene with its lanes. A new one is made whenever anything but time changes.
pub struct Run {
    /// Its number, from one.
    pub epoch: u32,
    /// The `run` message.
    pub text: String,
    /// The frames, by lane.
    pub lanes: Vec<Arc<dyn Frames>>,
}

/// The state that sockets watch.
#[derive(Clone)]
pub struct Status {
    /// The run that is shown.
    pub run: Arc<Run>,
    /// State of the run.
    pub phase: Phase,
    /// Intended speed in seconds of the scene per second; zero means as fast as possible.
    pub speed: f64,
    /// One past the newest frame of every lane.
    pub end: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_forgets_the_oldest_when_it_is_full_and_never_the_newest() {
        let store = Store::default();
        let frame = Bytes::from(vec![0_u8; KEPT_BYTES / 4]);
        for _ in 0..6 {
            store.push(frame.clone());
        }
        assert_eq!(store.range(), 2..6);
        assert!(store.frame(1).is_none() && store.frame(2).is_some() && store.frame(6).is_none());
        store.push(Bytes::from(vec![0_u8; KEPT_BYTES + 1]));
        assert_eq!(store.range(), 6..7);
    }
}
