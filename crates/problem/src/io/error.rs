//! Everything that can be wrong with a file, with the place and the value.

use crate::ProblemError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a file was refused. Nothing is built from a refused file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// A count or size exceeds its cap; refused before memory is taken.
    #[error("{what}: {found} exceeds the limit of {limit}")]
    Limit {
        /// What was counted.
        what: &'static str,
        /// How many.
        found: u64,
        /// The cap.
        limit: u64,
    },
    /// The first eight bytes are not those of a problem file.
    #[error("not a problem file: it starts with {found:?} instead of \"FCPROB1\\n\"")]
    Magic {
        /// The first bytes, escaped.
        found: String,
    },
    /// The file ends too early.
    #[error("{what} at byte {offset} needs {needed} bytes, the file has {available} left")]
    Truncated {
        /// What was being read.
        what: String,
        /// Where it starts.
        offset: u64,
        /// Bytes it takes.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// Bytes after the last array.
    #[error("{bytes} unexpected bytes after the last array, at byte {offset}")]
    Trailing {
        /// Where they start.
        offset: u64,
        /// How many.
        bytes: u64,
    },
    /// A padding byte is not zero.
    #[error("padding byte {offset} after array {array} is {value}, not 0")]
    Padding {
        /// The array before it.
        array: String,
        /// Position in the file.
        offset: u64,
        /// The byte.
        value: u8,
    },
    /// The header does not end on a multiple of eight bytes.
    #[error("the header of {length} bytes leaves the data at byte {data}, not a multiple of 8")]
    HeaderAlignment {
        /// Length of the header.
        length: u64,
        /// Where the data would start.
        data: u64,
    },
    /// The header is not UTF-8.
    #[error("the header is not UTF-8 at byte {offset} of the file")]
    HeaderText {
        /// Position in the file.
        offset: u64,
    },
    /// JSON is malformed, or a key has the wrong type.
    #[error("{what}, line {line} column {column}: {message}")]
    Json {
        /// Header or solution.
        what: &'static str,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// A header key is missing.
    #[error("header: key \"{key}\" is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A header key has a value that is not allowed.
    #[error("header: \"{key}\" is {value}, expected {expected}")]
    Key {
        /// The key.
        key: &'static str,
        /// Its value, as JSON.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// The file is of a version this program does not know.
    #[error("kind {kind} is version {found}, this program reads up to {supported}")]
    NewerVersion {
        /// Kind.
        kind: &'static str,
        /// Version of the file.
        found: u64,
        /// Newest version known.
        supported: u64,
    },
    /// The description of an array in the header is not consistent.
    #[error("array {array}: {what} {found}, expected {expected}")]
    Layout {
        /// Name of the array.
        array: String,
        /// Which part of its description.
        what: &'static str,
        /// What it says.
        found: String,
        /// What would be consistent.
        expected: String,
    },
    /// The kind needs an array that is not there.
    #[error("kind {kind} needs array {array}, which is missing")]
    MissingArray {
        /// Kind.
        kind: &'static str,
        /// Name of the array.
        array: &'static str,
    },
    /// The kind has no such array. Skipping it could change the meaning of the problem.
    #[error("kind {kind} has no array {array}")]
    UnexpectedArray {
        /// Kind.
        kind: &'static str,
        /// Name of the array.
        array: String,
    },
    /// An integer is out of range or out of order.
    #[error("array {array}: entry {index} is {value}: {why}")]
    Index {
        /// Name of the array.
        array: &'static str,
        /// Position in it.
        index: usize,
        /// The integer.
        value: i64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A number is not allowed where it is.
    #[error("array {array}: entry {index} is {value}: {why}")]
    Number {
        /// Name of the array.
        array: &'static str,
        /// Position in it.
        index: usize,
        /// The number.
        value: f64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The mass matrix cannot be inverted as one.
    #[error("mass matrix M is not positive definite: pivot {pivot:e} at row {row}")]
    MassNotPositive {
        /// Row of M.
        row: usize,
        /// What was left of its diagonal.
        pivot: f64,
    },
    /// The mass matrix is not symmetric.
    #[error("mass matrix M is not symmetric: {value:e} at ({row}, {column}) and {mirror:e} at ({column}, {row})")]
    MassNotSymmetric {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Entry (row, column).
        value: f64,
        /// Entry (column, row).
        mirror: f64,
    },
    /// A solution has the wrong number of impulses.
    #[error("the solution has {found} impulses, the problem {expected} rows")]
    SolutionLength {
        /// Impulses found.
        found: usize,
        /// Rows of the problem.
        expected: usize,
    },
    /// A solution holds NaN or an infinity.
    #[error("the solution: impulse {index} is {value}, not a finite number")]
    SolutionNotFinite {
        /// Index.
        index: usize,
        /// The value.
        value: f64,
    },
    /// The file is sound, the problem in it is not.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}
