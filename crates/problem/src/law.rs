//! What each block may do: the four laws, their sizes and parameters.

use serde::{Deserialize, Serialize};

/// The law that ties the impulse of a block to its velocity. See the crate documentation for the mathematics.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "snake_case")]
pub enum Law {
    /// `u = 0`, `r` free: a joint. One to six rows.
    Equality,
    /// `0 ≤ r ⊥ u ≥ 0`: frictionless contact. One row.
    NonNegative,
    /// `lo ≤ r ≤ hi` [N·s] with `u = 0` strictly inside: limits, motors, dry joint friction. One row.
    Interval {
        /// Least impulse [N·s]; may be −∞.
        lo: f64,
        /// Greatest impulse [N·s]; may be +∞.
        hi: f64,
    },
    /// Signorini and Coulomb. Three rows `(n, t1, t2)`, or two in a planar problem `(n, t)`.
    Coulomb {
        /// Friction coefficient \[1\], finite and ≥ 0.
        mu: f64,
    },
}

impl Law {
    /// The name used in messages and files.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Equality => "equality",
            Law::NonNegative => "non_negative",
            Law::Interval { .. } => "interval",
            Law::Coulomb { .. } => "coulomb",
        }
    }

    /// Whether a block of this law may have `rows` rows.
    pub fn allows_rows(&self, rows: usize) -> bool {
        match self {
            Law::Equality => (1..=6).contains(&rows),
            Law::NonNegative | Law::Interval { .. } => rows == 1,
            Law::Coulomb { .. } => rows == 2 || rows == 3,
        }
    }

    /// The parameter that is out of range, if any: its name and value.
    pub(crate) fn invalid_parameter(&self) -> Option<(&'static str, f64)> {
        match *self {
            Law::Equality | Law::NonNegative => None,
            Law::Interval { lo, hi } => {
                if lo.is_nan() || lo == f64::INFINITY {
                    Some(("lo", lo))
                } else if hi.is_nan() || hi == f64::NEG_INFINITY || hi < lo {
                    Some(("hi", hi))
                } else {
                    None
                }
            }
            Law::Coulomb { mu } => (!mu.is_finite() || mu < 0.0).then_some(("friction coefficient", mu)),
        }
    }
}
