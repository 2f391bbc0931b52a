//! What the web page is told: scenes to choose from, moments of a run as bytes, and the messages in between.
//!
//! The command serves it over a socket, the WebAssembly package from a worker thread of the page; the page cannot tell. The
//! protocol is written down in `docs/viewer.md`.

#![forbid(unsafe_code)]

pub mod catalogue;
pub mod describe;
pub mod drag;
pub mod frame;
pub mod lane;
pub mod local;
pub mod phase;
pub mod protocol;
