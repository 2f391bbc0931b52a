//! Where a run is.

/// Where a run is.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Moments are being made.
    Running,
    /// Stopped, can go on.
    Paused,
    /// The scene's duration is over.
    Finished,
    /// A step was refused; why.
    Failed(String),
    /// A recording: everything is there.
    Recorded,
}

impl Phase {
    /// As the protocol calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Phase::Running => "running",
            Phase::Paused => "paused",
            Phase::Finished => "finished",
            Phase::Failed(_) => "failed",
            Phase::Recorded => "recorded",
        }
    }

    /// Why it failed.
    pub fn message(&self) -> Option<&str> {
        match self {
            Phase::Failed(why) => Some(why),
            _ => None,
        }
    }
}
