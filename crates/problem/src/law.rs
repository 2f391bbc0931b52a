//! The five laws that a block may obey, with their sizes and parameters.

use serde::{Deserialize, Serialize};

/// The law that relates the impulse of a block to its velocity. The crate documentation has the mathematics.
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
    /// Signorini and Coulomb, with torsional friction about the normal and rolling friction about the tangents. Six
    /// rows `(n, t1, t2, spin, roll1, roll2)`.
    Rolling {
        /// Friction coefficient \[1\], finite and ≥ 0.
        mu: f64,
        /// Torsional friction [m, over the unit of the row], finite and ≥ 0.
        spin: f64,
        /// Rolling friction [m, over the unit of the rows], finite and ≥ 0.
        roll: f64,
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
            Law::Rolling { .. } => "rolling",
        }
    }

    /// Whether a block of this law may have `rows` rows.
    pub fn allows_rows(&self, rows: usize) -> bool {
        match self {
            Law::Equality => (1..=6).contains(&rows),
            Law::NonNegative | Law::Interval { .. } => rows == 1,
            Law::Coulomb { .. } => rows == 2 || rows == 3,
            Law::Rolling { .. } => rows == 6,
        }
    }

    /// What bounds the moments of a rolling contact: the rows within its block, and the bound of their norm over the normal
    /// impulse.
    pub fn moments(&self) -> [(std::ops::Range<usize>, f64); 2] {
        match *self {
            Law::Rolling { spin, roll, .. } => [(3..4, spin), (4..6, roll)],
            _ => [(0..0, 0.0), (0..0, 0.0)],
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
            Law::Rolling { mu, spin, roll } => {
                let named = [("friction coefficient", mu), ("torsional friction", spin), ("rolling friction", roll)];
                named.into_iter().find(|(_, value)| !value.is_finite() || *value < 0.0)
            }
        }
    }
}
