//! Why a generator refused its arguments.

use signorini_problem::ProblemError;
use thiserror::Error;

/// Why a problem could not be generated.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// An argument is outside what the family is defined for.
    #[error("{name} is {value}, expected {expected}")]
    Parameter {
        /// Name of the argument.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// The operation needs bodies, and this problem states W directly.
    #[error("{problem} has no bodies: its W is given directly")]
    NoBodies {
        /// Name of the problem.
        problem: String,
    },
    /// The vector handed in does not belong to this problem.
    #[error("{what} has {found} entries, expected {expected}")]
    Size {
        /// Which vector.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// The assembled problem was refused.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl SceneError {
    /// Refuses counts below `least`; `expected` says so in words.
    pub(crate) fn at_least(
        name: &'static str,
        value: usize,
        least: usize,
        expected: &'static str,
    ) -> Result<(), SceneError> {
        if value < least { Err(SceneError::Parameter { name, value: value as f64, expected }) } else { Ok(()) }
    }

    /// Refuses numbers that are not finite and positive.
    pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), SceneError> {
        if value > 0.0 && value.is_finite() {
            Ok(())
        } else {
            Err(SceneError::Parameter { name, value, expected: "a positive number" })
        }
    }
}
