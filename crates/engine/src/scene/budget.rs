//! The work budget of a step in a scene file, as a number or a name.

use crate::budget;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most work per group of touching bodies and step.
///
/// ```
/// use signorini::scene::{BudgetDescription, BudgetName, SolverDescription};
/// assert_eq!(SolverDescription::default().budget, BudgetDescription::Named(BudgetName::Balanced));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number of factorizations such as 120, or real-time, balanced, thorough, unlimited")]
pub enum BudgetDescription {
    /// So many factorizations.
    Factorizations(usize),
    /// A usual value.
    Named(BudgetName),
}

/// Usual budgets; see [`crate::budget`].
///
/// ```
/// use signorini::scene::{BudgetDescription, BudgetName};
/// let thorough = BudgetDescription::Named(BudgetName::Thorough);
/// assert_ne!(thorough, BudgetDescription::Factorizations(120));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BudgetName {
    /// [`budget::REAL_TIME`].
    RealTime,
    /// [`budget::BALANCED`].
    Balanced,
    /// [`budget::THOROUGH`].
    Thorough,
    /// Until nothing is left to try.
    Unlimited,
}

impl BudgetDescription {
    /// As [`crate::Settings::budget`].
    pub fn factorizations(self) -> Option<usize> {
        match self {
            BudgetDescription::Factorizations(count) => Some(count),
            BudgetDescription::Named(BudgetName::RealTime) => Some(budget::REAL_TIME),
            BudgetDescription::Named(BudgetName::Balanced) => Some(budget::BALANCED),
            BudgetDescription::Named(BudgetName::Thorough) => Some(budget::THOROUGH),
            BudgetDescription::Named(BudgetName::Unlimited) => None,
        }
    }
}

impl From<Option<usize>> for BudgetDescription {
    fn from(factorizations: Option<usize>) -> Self {
        let names = [BudgetName::RealTime, BudgetName::Balanced, BudgetName::Thorough, BudgetName::Unlimited];
        let named =
            names.map(BudgetDescription::Named).into_iter().find(|name| name.factorizations() == factorizations);
        named.unwrap_or(BudgetDescription::Factorizations(factorizations.unwrap_or(usize::MAX)))
    }
}

impl std::str::FromStr for BudgetDescription {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(count) = text.parse() {
            return Ok(BudgetDescription::Factorizations(count));
        }
        match text {
            "real-time" => Ok(BudgetDescription::Named(BudgetName::RealTime)),
            "balanced" => Ok(BudgetDescription::Named(BudgetName::Balanced)),
            "thorough" => Ok(BudgetDescription::Named(BudgetName::Thorough)),
            "unlimited" => Ok(BudgetDescription::Named(BudgetName::Unlimited)),
            _ => Err(format!(
                "'{text}' is no budget: a number of factorizations such as 120, or real-time, balanced, thorough, unlimited"
            )),
        }
    }
}
