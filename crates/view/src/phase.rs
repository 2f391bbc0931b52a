//! State of a run.

/// State of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The simulation takes steps.
    Running,
    /// Paused.
    Paused,
    /// The duration of the scene is over.
    Finished,
    /// A step was refused, with the reason.
    Failed(String),
    /// A recording is shown; all frames exist.
    Recorded,
}

impl Phase {
    /// Name in the protocol.
    pub fn name(&self) -> &'static str {
        match self {
            Phase::Running => "running",
            Phase::Paused => "paused",
            Phase::Finished => "finished",
            Phase::Failed(_) => "failed",
            Phase::Recorded => "recorded",
        }
    }

    /// The reason of a failure.
    pub fn message(&self) -> Option<&str> {
        match self {
            Phase::Failed(why) => Some(why),
            _ => None,
        }
    }
}
