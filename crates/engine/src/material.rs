//! What a surface is like, and what two surfaces are like together.

use serde::{Deserialize, Serialize};

/// Surface of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Coulomb friction coefficient \[1\], finite and ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution \[1\], between 0 (no bounce) and 1 (elastic).
    pub restitution: f64,
}

impl Default for Material {
    fn default() -> Self {
        Material { friction: 0.5, restitution: 0.0 }
    }
}

impl Material {
    /// The pair's coefficients: geometric means, `μ = √(μ_A μ_B)`, `e = √(e_A e_B)`. A smooth or dead surface stays so
    /// whatever it meets.
    pub fn combine(self, other: Material) -> Material {
        Material {
            friction: (self.friction * other.friction).sqrt(),
            restitution: (self.restitution * other.restitution).sqrt(),
        }
    }

    /// The coefficient that is out of range, if any: its name, value and range.
    pub(crate) fn invalid(&self) -> Option<(&'static str, f64, &'static str)> {
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Some(("friction", self.friction, "[0, ∞)"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Some(("restitution", self.restitution, "[0, 1]"));
        }
        None
    }
}
