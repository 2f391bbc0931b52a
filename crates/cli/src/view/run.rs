//! The run that is shown: a scene, its lanes (one run, or two side by side) and their moments so far.
//!
//! The simulation writes moments here and reads nothing back. Sockets read at their own pace. Locks are held only while
//! a reference is copied.

use axum::body::Bytes;
use signorini_view::phase::Phase;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes of moments kept per lane. The oldest go first; at 500 bodies that is about a minute.
const KEPT_BYTES: usize = 256 << 20;

/// Moments of one lane, wherever they come from.
pub trait Frames: Send + Sync {
    /// The moments there are, by number of steps.
    fn range(&self) -> Range<u32>;
    /// One of them, encoded; none if it is gone or damaged.
    fn frame(&self, index: u32) -> Option<Bytes>;
}

/// Moments of a simulation that goes on.
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
    // A thread that panicked while holding the lock left a queue that is still a queue.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next moment.
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
    /// Which one, counted from one.
    pub epoch: u32,
    /// The `run` message.
    pub text: String,
    /// The moments, lane by lane.
    pub lanes: Vec<Arc<dyn Frames>>,
}

/// What sockets watch.
#[derive(Clone)]
pub struct Status {
    /// What is shown.
    pub run: Arc<Run>,
    /// Where it is.
    pub phase: Phase,
    /// How fast it is meant to go, in seconds per second; zero: as fast as it can.
    pub speed: f64,
    /// One past the newest moment of every lane.
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
