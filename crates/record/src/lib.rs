//! Recordings of simulations: written step by step, readable after a crash, checked bit by bit.
//!
//! A recording is an MCAP file (<https://mcap.dev/spec>) that tools of the robotics world open as it is. It begins with
//! everything needed to run the simulation again ([`Header`]), followed by one message per step on each of these topics:
//!
//! | topic | encoding | content |
//! |---|---|---|
//! | `/state` | CDR, described by ROS 2 message text | step, time, fingerprint, poses, velocities and flags of all bodies |
//! | `/step` | JSON, described by a JSON schema | verdict, certificate with the names of the bodies, energy account, counts, times, forces from outside |
//! | `/contacts` | CDR | points, normals, gaps, impulses, bodies, states; on request |
//! | `/scene`, `/tf`, `/contact_arrows`, `/plot` | JSON, CDR | the same for programs that draw and plot |
//!
//! Messages are grouped into chunks of at most 10 KiB or a quarter of a second, each with its CRC-32 and handed to the
//! operating system as a whole, by a thread of its own: a program that is killed loses the chunk it was filling and what
//! waits to be written, usually the last few milliseconds and at most six chunks in all. [`Reader`] needs no index, so
//! it reads files that are still being written, were never finished, or are damaged in the middle.
//!
//! ```no_run
//! use signorini::Scene;
//! use signorini_record::{Header, Options, Reader, Writer};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scene = Scene::load("tower.toml")?;
//! let mut world = scene.build()?;
//! let mut writer = Writer::create("tower.mcap", &Header::of_scene(&scene, &world), &world, &Options::default())?;
//! for _ in 0..scene.steps() {
//!     let report = world.step(scene.step)?;
//!     writer.step(&world, &report)?;
//! }
//! writer.finish()?;
//!
//! let mut reader = Reader::open("tower.mcap")?;
//! let last = reader.frame(reader.frames() - 1)?;
//! assert_eq!(last.hash, world.state_hash());
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod cdr;
mod cursor;
mod drawing;
mod error;
mod export;
mod header;
mod messages;
mod moment;
mod parts;
mod push;
mod reader;
mod recertify;
mod repair;
mod replay;
mod scan;
mod topics;
mod writer;
mod writer_thread;

pub use error::RecordError;
pub use export::export_csv;
pub use header::{FORMAT, Header, Origin};
pub use messages::{BodyFlags, Contacts, Frame};
pub use parts::{RecordedPart, RecordedStep};
pub use push::Push;
pub use reader::Reader;
pub use recertify::{CheckTally, Recertification, Unfounded, recertify};
pub use repair::{Repaired, repair};
pub use replay::{Difference, Verdict, check};
pub use scan::Damage;
pub use writer::{ContactRecording, Existing, Options, Writer};
