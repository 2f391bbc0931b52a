//! Why a query of statics has no answer.

use crate::{BodyId, WorldError};
use thiserror::Error;

/// Why a query of statics has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StaticsError {
    /// A handle that reaches no body of this world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A number outside its range.
    #[error("{field} {index}: {value} is outside {range}")]
    Value {
        /// What.
        field: &'static str,
        /// Its place in the list that was given.
        index: usize,
        /// The number.
        value: f64,
        /// Where it must be.
        range: &'static str,
    },
    /// A body that nothing can move is asked to be in balance, or is loaded.
    #[error("{body} is not a dynamic body that must be in balance: it cannot be {operation}")]
    NotDynamic {
        /// The body.
        body: BodyId,
        /// What was asked.
        operation: &'static str,
    },
    /// The question is too large.
    #[error("{found} {field}: at most {limit}")]
    Limit {
        /// What there are too many of.
        field: &'static str,
        /// How many.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// No contact forces hold the bodies, so that there is nothing to be bounded.
    #[error("no admissible forces hold the bodies: {missing:e} N are missing")]
    Falls {
        /// Least total wrench that would have to be added \[N\]; torques divided by the length of the question.
        missing: f64,
    },
    /// The program was not solved to the tolerance. Nothing is claimed.
    #[error(
        "{question} is not resolved: unbalanced {primal:e}, outside the dual cone {dual:e}, gap {gap:e}, allowed {tolerance:e}"
    )]
    Unresolved {
        /// Which question.
        question: &'static str,
        /// See [`super::Proof`].
        primal: f64,
        /// See [`super::Proof`].
        dual: f64,
        /// See [`super::Proof`].
        gap: f64,
        /// What they may be.
        tolerance: f64,
    },
}

impl StaticsError {
    /// The solver said nothing.
    pub(super) fn unanswered(question: &'static str, tolerance: f64) -> StaticsError {
        let nothing = f64::NAN;
        StaticsError::Unresolved { question, primal: nothing, dual: nothing, gap: nothing, tolerance }
    }
}
