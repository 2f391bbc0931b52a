//! Errors of starting the view.

use signorini::SceneError;
use signorini_record::RecordError;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use thiserror::Error;

/// Why the server did not start, or why it stopped.
#[derive(Debug, Error)]
pub enum ViewError {
    #[error("port {port} is taken by another program; give --port 0 for any free port, or another number")]
    PortTaken { port: u16 },
    #[error("cannot listen on {address} ({cause}); give another --listen or --port")]
    Listen { address: SocketAddr, cause: io::Error },
    #[error("{address} can be reached from other machines; add --expose if that is meant")]
    Exposed { address: std::net::IpAddr },
    #[error("the system gives no random numbers ({cause}), so there is no safe token")]
    Randomness { cause: String },
    #[error("the server cannot run ({0})")]
    Server(io::Error),
    #[error("'{name}' is neither a file nor a built-in scene; there are: {known}")]
    UnknownScene { name: String, known: String },
    #[error(transparent)]
    SceneFile(SceneError),
    #[error("{path}: {why}", path = .path.display())]
    Recording { path: PathBuf, why: String },
    #[error(transparent)]
    RecordingFile(RecordError),
    #[error("{0}")]
    Plan(String),
    #[error("a recording is shown as it was made: {option} does not go with it")]
    RecordingOption { option: &'static str },
    #[error("scene {name} cannot be built: {why}")]
    Scene { name: String, why: SceneError },
}
