//! Errors of writing and reading recordings.

use signorini::{SceneError, StepError, WorldError};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why something was not recorded, or not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file cannot be opened or created.
    #[error("{path}: {cause}", path = .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Somebody else is writing the file.
    #[error("{path}: is being written by another program; give another name or wait for it", path = .path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// There is a recording already.
    #[error("{path}: is a recording already and is left alone; give another name, or allow it to be replaced", path = .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file exists and is something else.
    #[error("{path}: exists and is not a recording; it is left alone, give another name", path = .path.display())]
    WouldOverwrite {
        /// The file.
        path: PathBuf,
    },
    /// Writing failed. What was written before can be read.
    #[error("recording stopped: {0}")]
    Write(io::Error),
    /// Writing failed before; nothing more is recorded.
    #[error("recording has stopped after an earlier error")]
    Stopped,
    /// Reading failed.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// Bodies were added or removed. A recording has the same bodies from beginning to end.
    #[error("the world has other bodies than when the recording began; start a new recording")]
    BodiesChanged,
    /// Not a recording at all, or its beginning is damaged.
    #[error("not a recording: {0}")]
    NotARecording(String),
    /// Written by a later version.
    #[error(
        "the recording has format {found}, this program reads up to {known}; use the program that wrote it or newer"
    )]
    Newer {
        /// Of the file.
        found: u32,
        /// Newest that is known.
        known: u32,
    },
    /// A message does not say what its topic says.
    #[error("{topic} message {index}: {why}")]
    Message {
        /// Topic.
        topic: &'static str,
        /// Which of its messages.
        index: usize,
        /// What is wrong.
        why: String,
    },
    /// There is no such message.
    #[error("there is no message {index} on {topic}, there are {count}")]
    NoSuchMessage {
        /// Topic.
        topic: &'static str,
        /// What was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The recording was made of a world that was not built from a scene, so it cannot be run again exactly.
    #[error(
        "the recording does not begin with a scene but with a world built by a program; only that can run it again"
    )]
    NotReplayable,
    /// The scene in the recording cannot be built.
    #[error("the scene in the recording: {0}")]
    Scene(#[from] SceneError),
    /// A recorded force is none that the world takes.
    #[error("the force of step {step}: {source}")]
    Push {
        /// Which step.
        step: u64,
        /// Why.
        source: WorldError,
    },
    /// A step of the replay cannot be taken.
    #[error("step {step}: {source}")]
    Step {
        /// Which step.
        step: u64,
        /// Why.
        source: StepError,
    },
}
