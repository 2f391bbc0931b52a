//! Data for the web page: scenes to choose from, frames of a run as bytes, and messages in both directions.
//!
//! The command serves it over a socket, the WebAssembly package from a worker thread of the page; the page sees no
//! difference. The protocol is described in `docs/viewer.md`.

#![forbid(unsafe_code)]

pub mod catalogue;
pub mod describe;
pub mod drag;
pub mod frame;
pub mod lane;
pub mod local;
pub mod phase;
pub mod protocol;
