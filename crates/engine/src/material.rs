//! What a surface is like, and what two surfaces are like together.

use serde::{Deserialize, Serialize};

/// How the coefficients of two surfaces make one.
///
/// The rule belongs to the surface. Where two surfaces ask for different rules the one further down this list is taken,
/// whichever body it belongs to: a surface that asks for anything but the default gets its way against one that does
/// not, and the order of bodies never matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Combine {
    /// `√(x_A x_B)`. A smooth or dead surface stays so whatever it meets.
    #[default]
    GeometricMean,
    /// `(x_A + x_B)/2`.
    Average,
    /// `min(x_A, x_B)`.
    Minimum,
    /// `max(x_A, x_B)`.
    Maximum,
    /// `x_A x_B`.
    Multiply,
}

impl Combine {
    /// The coefficient of a pair. Symmetric in its arguments, bit for bit.
    pub fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Combine::GeometricMean => (x * y).sqrt(),
            Combine::Average => 0.5 * (x + y),
            Combine::Minimum => x.min(y),
            Combine::Maximum => x.max(y),
            Combine::Multiply => x * y,
        }
    }
}

/// Greatest friction coefficient: two of them can be multiplied, and no real surface comes near.
pub const MAX_FRICTION: f64 = 1e9;

/// Surface of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Coulomb friction coefficient \[1\], in [0, [`MAX_FRICTION`]].
    pub friction: f64,
    /// Coefficient of restitution \[1\], between 0 (no bounce) and 1 (elastic).
    pub restitution: f64,
    /// How friction meets that of another surface.
    #[serde(default)]
    pub friction_rule: Combine,
    /// How restitution meets that of another surface. Every rule keeps it within [0, 1].
    #[serde(default)]
    pub restitution_rule: Combine,
}

impl Default for Material {
    fn default() -> Self {
        Material::new(0.5, 0.0)
    }
}

impl Material {
    /// A surface with both rules at their default, the geometric mean.
    pub const fn new(friction: f64, restitution: f64) -> Self {
        let rule = Combine::GeometricMean;
        Material { friction, restitution, friction_rule: rule, restitution_rule: rule }
    }

    /// The same surface with another rule for friction.
    pub const fn friction_rule(mut self, rule: Combine) -> Self {
        self.friction_rule = rule;
        self
    }

    /// The same surface with another rule for restitution.
    pub const fn restitution_rule(mut self, rule: Combine) -> Self {
        self.restitution_rule = rule;
        self
    }

    /// The pair's coefficients, by the stronger of the two rules (see [`Combine`]): `μ = √(μ_A μ_B)`, `e = √(e_A e_B)`
    /// unless a surface asks otherwise. `a.combine(b)` and `b.combine(a)` are equal bit for bit.
    pub fn combine(self, other: Material) -> Material {
        let friction_rule = self.friction_rule.max(other.friction_rule);
        let restitution_rule = self.restitution_rule.max(other.restitution_rule);
        Material {
            friction: friction_rule.of(self.friction, other.friction),
            restitution: restitution_rule.of(self.restitution, other.restitution),
            friction_rule,
            restitution_rule,
        }
    }

    /// The coefficient that is out of range, if any: its name, value and range.
    pub(crate) fn invalid(&self) -> Option<(&'static str, f64, &'static str)> {
        if !(0.0..=MAX_FRICTION).contains(&self.friction) {
            return Some(("friction", self.friction, "[0, 1e9]"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Some(("restitution", self.restitution, "[0, 1]"));
        }
        None
    }
}
