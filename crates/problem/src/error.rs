//! Errors of invalid contact problems, with the index and value of what is wrong.

use thiserror::Error;

/// Why a contact problem was refused. Nothing is built from a refused problem.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The block's law does not come in this number of rows.
    #[error("block {block}: a {law} block cannot have {rows} rows")]
    Rows {
        /// Block index.
        block: usize,
        /// Name of the law.
        law: &'static str,
        /// Rows asked for.
        rows: usize,
    },
    /// A parameter of a law is out of range.
    #[error("block {block}: {parameter} {value} is not allowed for a {law} block")]
    Parameter {
        /// Block index.
        block: usize,
        /// Name of the law.
        law: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// Its value.
        value: f64,
    },
    /// Two parts disagree about a size.
    #[error("{what} has {found} entries, expected {expected}")]
    Size {
        /// Which part.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected from the blocks.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what}: entry {index} is {value}, not a finite number")]
    NotFinite {
        /// Which part.
        what: &'static str,
        /// Index into that part.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A diagonal entry of W is negative: not an inverse mass.
    #[error("block {block}: diagonal entry {value} of W at row {row} is negative")]
    NegativeDiagonal {
        /// Block index.
        block: usize,
        /// Row index.
        row: usize,
        /// The value [1/kg].
        value: f64,
    },
    /// A compliance is negative.
    #[error("row {row}: compliance {value} is negative")]
    NegativeCompliance {
        /// Row index.
        row: usize,
        /// The value [1/kg].
        value: f64,
    },
    /// W (or an inverse mass) is not symmetric to the tolerance stated.
    #[error("{what} is not symmetric: relative asymmetry {asymmetry:e} at ({row}, {column}) exceeds {allowed:e}")]
    NotSymmetric {
        /// Which matrix.
        what: &'static str,
        /// max |W_ij − W_ji| / max |W|.
        asymmetry: f64,
        /// Row of the worst pair.
        row: usize,
        /// Column of the worst pair.
        column: usize,
        /// What was allowed.
        allowed: f64,
    },
    /// A block names a body that does not exist.
    #[error("block {block}: body {body} does not exist, there are {bodies}")]
    UnknownBody {
        /// Block index.
        block: usize,
        /// Body named.
        body: usize,
        /// Bodies there are.
        bodies: usize,
    },
    /// Further columns name a row that does not exist.
    #[error("further columns {index}: row {row} does not exist, there are {rows}")]
    UnknownRow {
        /// Which of them.
        index: usize,
        /// Row named.
        row: usize,
        /// Rows there are.
        rows: usize,
    },
    /// Further columns do not follow each other by row and body.
    #[error("further columns {index} are not in the order of rows and bodies")]
    FurtherOrder {
        /// Which of them.
        index: usize,
    },
    /// A block names the same body twice.
    #[error("block {block}: both sides are body {body}")]
    SameBody {
        /// Block index.
        block: usize,
        /// The body.
        body: usize,
    },
    /// The block-sparse index structure is inconsistent.
    #[error("block-sparse W, block row {block}: {what}")]
    Structure {
        /// Block row.
        block: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A count exceeds its cap; refused before memory is taken.
    #[error("{what}: {found} exceeds the limit of {limit}")]
    Limit {
        /// What was counted.
        what: &'static str,
        /// How many.
        found: usize,
        /// The cap.
        limit: usize,
    },
}
