//! Estimates from the numbers of rows and bodies whether the impulses of a problem are unique.

use signorini_problem::{ContactProblem, Delassus};

/// A row counts as compliant if its c is at least this share of W \[1\]. Below it sweeps converge as slowly as for
/// rigid rows.
const SOFT: f64 = 0.1;

/// Whether contacts outnumber what the bodies can distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redundancy {
    Yes,
    No,
    /// Not known, because only W is given.
    Unknown,
}

pub(super) fn redundancy(problem: &ContactProblem) -> Redundancy {
    match problem.delassus() {
        Delassus::Factored(w) => {
            // Each compliant row adds a degree of freedom.
            let soft = |(row, scale): (usize, f64)| w.compliance().get(row).is_some_and(|c| *c > SOFT * scale);
            let rows = problem.scales().iter().enumerate().flat_map(|(c, w)| problem.range(c).map(|row| (row, *w)));
            let soft = rows.filter(|row| soft(*row)).count();
            if problem.rows() as f64 <= 0.9 * 6.0 * w.inverse_mass().len() as f64 + 0.9 * soft as f64 {
                Redundancy::No
            } else {
                Redundancy::Yes
            }
        }
        Delassus::Dense(_) | Delassus::BlockSparse(_) => Redundancy::Unknown,
    }
}
