//! Problem and solution files.
//!
//! A problem file is a JSON header that names typed arrays, followed by those arrays in binary. [`ProblemFile`] holds
//! one as it is on disk, so that writing what was read gives the same bytes; [`ProblemFile::to_problem`] makes the
//! contact problem of it and [`ProblemFile::from_problem`] stores any contact problem. Four published kinds are read
//! and written, and our own kind `blocks`, which holds every law and every form of W. `docs/problem-files.md` is the
//! reference.
//!
//! Solutions are JSON: [`SolutionFile`], [`read_impulses`].
//!
//! Files come from anywhere. Every size is checked against the bytes there are before memory is taken, every index
//! before it is used, and an error says which array, which entry and which value.

mod blocks;
mod container;
mod error;
mod global;
mod header;
mod index;
mod ldl;
mod published;
mod schema;
mod solution;

pub use blocks::BLOCKS_VERSION;
pub use container::{Array, ArrayData, ProblemFile};
pub use error::FileError;
pub use schema::Kind;
pub use solution::{SolutionFile, parse_impulses, read_impulses};
