//! The frame store: a thread that copies each frame of the simulation to the memory that pages read.
//!
//! A moment of 500 bodies has 0.2 MB. Writing that to memory outside the caches costs more than computing it. So the
//! simulation writes into a small buffer that it reuses, and this thread copies the buffer while the next step is
//! computed.

use super::run::Store;
use axum::body::Bytes;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A frame of a lane, or its memory.
struct Job {
    lane: usize,
    frame: Vec<u8>,
}

/// Handle of the thread for the simulation.
pub struct FrameStore {
    jobs: Sender<Job>,
    done: Receiver<Job>,
    /// Memory to write frames into, by lane.
    spare: Vec<Vec<u8>>,
    /// Frames that were handed over and are not yet confirmed.
    pending: usize,
}

/// The thread has ended, which only a defect can cause.
#[derive(Debug)]
pub struct Gone;

impl FrameStore {
    /// Starts the thread. It ends when the store is dropped.
    pub fn new(stores: Vec<Arc<Store>>) -> io::Result<Self> {
        let (jobs, todo) = channel::<Job>();
        let (finished, done) = channel();
        let spare = vec![Vec::new(); stores.len()];
        let work = move || {
            for job in todo {
                stores[job.lane].push(Bytes::copy_from_slice(&job.frame));
                if finished.send(job).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("server frames".to_owned()).spawn(work)?;
        Ok(FrameStore { jobs, done, spare, pending: 0 })
    }

    /// Memory for the next frame of a lane.
    pub fn memory(&mut self, lane: usize) -> Vec<u8> {
        std::mem::take(&mut self.spare[lane])
    }

    /// Hands over the next frame of a lane.
    pub fn keep(&mut self, lane: usize, frame: Vec<u8>) -> Result<(), Gone> {
        self.jobs.send(Job { lane, frame }).map_err(|_| Gone)?;
        self.pending += 1;
        Ok(())
    }

    /// Waits until pages can get all frames that were handed over.
    pub fn settle(&mut self) -> Result<(), Gone> {
        while self.pending > 0 {
            let Job { lane, frame } = self.done.recv().map_err(|_| Gone)?;
            self.spare[lane] = frame;
            self.pending -= 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::run::Frames;
    use super::*;

    #[test]
    fn what_is_settled_can_be_had_in_order() {
        let stores = vec![Arc::<Store>::default(), Arc::default()];
        let mut frames = FrameStore::new(stores.clone()).unwrap();
        for step in 0..100_u8 {
            for lane in 0..2 {
                let mut frame = frames.memory(lane);
                frame.clear();
                frame.extend([step, lane as u8]);
                frames.keep(lane, frame).unwrap();
            }
            frames.settle().unwrap();
            for (lane, store) in stores.iter().enumerate() {
                assert_eq!(store.range(), 0..u32::from(step) + 1);
                assert_eq!(store.frame(step.into()).unwrap()[..], [step, lane as u8]);
            }
        }
    }
}
