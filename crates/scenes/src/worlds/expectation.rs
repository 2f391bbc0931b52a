//! An expected number of a scene with its tolerance, and the measured one.

use super::Observed;

/// A number from paper and how to read it off a motion.
#[derive(Clone, Copy, Debug)]
pub struct Expectation {
    /// What is measured, such as "distance until it stops".
    pub what: &'static str,
    /// Its unit; "1" if it has none.
    pub unit: &'static str,
    /// The closed form, as text.
    pub formula: &'static str,
    /// Its value.
    pub expected: f64,
    /// Largest departure that counts as agreement, same unit.
    pub tolerance: f64,
    /// Reads the number off a motion; NaN if the motion does not say.
    pub measured: fn(&Observed) -> f64,
}

/// One row of a table of answers: what is measured, its unit, the closed form and its value, how far off it may be, and how it is
/// read off.
pub(super) fn answer(
    what: &'static str,
    unit: &'static str,
    formula: &'static str,
    expected: f64,
    tolerance: f64,
    measured: fn(&Observed) -> f64,
) -> Expectation {
    Expectation { what, unit, formula, expected, tolerance, measured }
}

/// An expectation held against a motion.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// What was expected.
    pub expectation: Expectation,
    /// What was seen.
    pub measured: f64,
}

impl Finding {
    /// Measures.
    pub fn of(expectation: Expectation, seen: &Observed) -> Self {
        Finding { expectation, measured: (expectation.measured)(seen) }
    }
    /// Distance from the truth, in the unit of the expectation.
    pub fn error(&self) -> f64 {
        (self.measured - self.expectation.expected).abs()
    }
    /// Whether it is within the tolerance. Nothing measured is not.
    pub fn holds(&self) -> bool {
        self.error() <= self.expectation.tolerance
    }
}
