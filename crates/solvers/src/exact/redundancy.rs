//! Whether the impulses of a problem are unique, as far as counting tells.

use signorini_problem::{ContactProblem, Delassus};

/// Whether contacts outnumber what the bodies can distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redundancy {
    Yes,
    No,
    /// W alone does not tell.
    Unknown,
}

pub(super) fn redundancy(problem: &ContactProblem) -> Redundancy {
    match problem.delassus() {
        Delassus::Factored(w) => {
            // A row that gives way is a motion of its own.
            let soft = w.compliance().iter().filter(|c| **c > 0.0).count();
            if problem.rows() as f64 <= 0.9 * 6.0 * w.inverse_mass().len() as f64 + 0.9 * soft as f64 {
                Redundancy::No
            } else {
                Redundancy::Yes
            }
        }
        Delassus::Dense(_) | Delassus::BlockSparse(_) => Redundancy::Unknown,
    }
}
