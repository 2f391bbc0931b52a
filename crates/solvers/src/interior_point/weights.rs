//! Weights of the target products of the central path, one per contact. Other weights give another central path, which
//! also ends at an answer.

use signorini_problem::math;
use std::f64::consts::{GOLDEN_RATIO, SQRT_2};

/// Largest weight of uneven targets in the first round; its exponent grows with the rounds.
const UNEVEN: f64 = 1.1;
const GROWTH: f64 = 3.0;

/// How target products are distributed over the contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// The same t everywhere: the analytic centre.
    Uniform,
    /// A different weight for each contact, by its index: within 1.1^±1 in the first round, then 1.1^±3, 1.1^±9 and so
    /// on. This breaks symmetries, which make many contacts fold at the same t, where paths branch.
    Uneven {
        /// Which of these paths, from zero.
        round: u8,
    },
}

impl Weights {
    /// Weights of all contacts.
    pub(super) fn spread(self, weights: &mut [f64]) {
        match self {
            Weights::Uniform => weights.fill(1.0),
            Weights::Uneven { round } => {
                // Multiples of the golden ratio: neighbours differ, and all values are about as frequent.
                let exponent = math::powi(GROWTH, i32::from(round));
                for (c, weight) in weights.iter_mut().enumerate() {
                    let place = (c as f64 * GOLDEN_RATIO + f64::from(round) * SQRT_2).fract();
                    *weight = math::powf(UNEVEN, exponent * (2.0 * place - 1.0));
                }
            }
        }
    }
}
