//! Materials of surfaces, and how the coefficients of two touching materials are combined.

use serde::{Deserialize, Serialize};

/// Rule by which the coefficients of two touching surfaces are combined.
///
/// Each material has a rule. If two materials have different rules, the one further down this list is used. So any rule
/// wins over the default, and the order of bodies does not matter.
///
/// ```
/// use signorini::{Combine, Material};
/// let ice = Material::new(0.04, 0.0).friction_rule(Combine::Minimum);
/// let rubber = Material::new(1.0, 0.5);
/// assert_eq!(ice.combine(rubber).friction, 0.04);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Combine {
    /// `√(x_A x_B)`. A coefficient of zero stays zero against any other surface.
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

/// Largest friction coefficient. The product of two of them is still finite, and no real surface comes near it.
pub const MAX_FRICTION: f64 = 1e9;
/// Greatest stiffness [N/m] and damping [N·s/m] of a surface.
pub const MAX_STIFFNESS: f64 = 1e18;

/// Greatest torsional and rolling friction \[m\].
pub const MAX_ROLLING: f64 = 1e9;

/// Anisotropic friction: one coefficient along an axis, another across it.
///
/// ```
/// use signorini::Material;
/// // Wood: 0.3 along the grain, which is the x axis of the body, and 0.5 across it.
/// let wood = Material::new(0.3, 0.0).grain([1.0, 0.0, 0.0], 0.5);
/// assert_eq!(wood.grain.map(|grain| grain.across), Some(0.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Grain {
    /// The axis in the frame of the body, of any nonzero length. Along it the coefficient is `friction`.
    pub axis: [f64; 3],
    /// Friction coefficient across the axis \[1\], above zero.
    pub across: f64,
}

/// Material of a body's surface.
///
/// ```
/// use signorini::Material;
/// let (wood, steel) = (Material::new(0.4, 0.2), Material::new(0.9, 0.8));
/// // By default coefficients combine by their geometric mean.
/// assert!((wood.combine(steel).friction - 0.6).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a table such as { friction = 0.5 }")]
pub struct Material {
    /// Coulomb friction coefficient \[1\], in [0, [`MAX_FRICTION`]].
    pub friction: f64,
    /// Coefficient of restitution \[1\], between 0 (no bounce) and 1 (elastic).
    #[serde(default)]
    pub restitution: f64,
    /// Rule that combines friction with that of another surface.
    #[serde(default, skip_serializing_if = "is_default")]
    pub friction_rule: Combine,
    /// Rule that combines restitution with that of another surface. Every rule keeps it within [0, 1].
    #[serde(default, skip_serializing_if = "is_default")]
    pub restitution_rule: Combine,
    /// Number that identifies the material in rules for pairs ([`crate::World::set_material_pair`]); 0 is none. In
    /// scenes the default is the smallest free number.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tag: u32,
    /// Anisotropic friction: one coefficient along an axis, another across it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub grain: Option<Grain>,
    /// Stiffness of a contact point [N/m]; `None` is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stiffness: Option<f64>,
    /// Damping of a contact point [N·s/m], for surfaces with a stiffness.
    #[serde(default, skip_serializing_if = "is_default")]
    pub damping: f64,
    /// Torsional friction μ_s \[m\]: a point of contact resists spinning about its normal by a moment up to μ_s times its normal
    /// force. For an even pressure on a patch of radius a it is 2/3 μ a.
    #[serde(default, skip_serializing_if = "is_default")]
    pub torsional_friction: f64,
    /// Rolling friction μ_r \[m\]: a point of contact resists rolling by a moment up to μ_r times its normal force. A ball of
    /// radius r starts to roll where the slope is μ_r/r.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rolling_friction: f64,
}

/// Default values are not written to files.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for Material {
    fn default() -> Self {
        Material::new(0.5, 0.0)
    }
}

impl Material {
    /// A rigid surface, the same in all directions, with both rules at their default, the geometric mean.
    pub const fn new(friction: f64, restitution: f64) -> Self {
        let rule = Combine::GeometricMean;
        Material {
            friction,
            restitution,
            friction_rule: rule,
            restitution_rule: rule,
            tag: 0,
            grain: None,
            stiffness: None,
            damping: 0.0,
            torsional_friction: 0.0,
            rolling_friction: 0.0,
        }
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

    /// The same surface with a number for rules of pairs.
    pub const fn tagged(mut self, tag: u32) -> Self {
        self.tag = tag;
        self
    }

    /// The same surface with its friction along an axis of the body, and `across` across it. Friction forces lie in an
    /// ellipse, and sliding follows maximum dissipation.
    pub const fn grain(mut self, axis: [f64; 3], across: f64) -> Self {
        self.grain = Some(Grain { axis, across });
        self
    }

    /// The same surface made soft: every contact point pushes with `stiffness` [N/m] times depth plus `damping` [N·s/m]
    /// times approach speed, and never pulls. The restitution of a pair with a soft surface is zero.
    pub const fn soft(mut self, stiffness: f64, damping: f64) -> Self {
        self.stiffness = Some(stiffness);
        self.damping = damping;
        self
    }

    /// The same surface with torsional and rolling friction \[m\]: moments of up to `torsional` and `rolling` times the
    /// normal force resist spinning about the normal and rolling. The larger value of two surfaces counts, whatever the
    /// rule for friction.
    pub const fn rolling(mut self, torsional: f64, rolling: f64) -> Self {
        self.torsional_friction = torsional;
        self.rolling_friction = rolling;
        self
    }

    /// The pair's coefficients, by the stronger of the two rules (see [`Combine`]): `μ = √(μ_A μ_B)`, `e = √(e_A e_B)`
    /// unless a surface asks otherwise. If both surfaces are soft, the springs are in series, `1/k = 1/k_A + 1/k_B`,
    /// and their dampings count as the springs share the depth, `d = (k_B d_A + k_A d_B)/(k_A + k_B)`. `a.combine(b)`
    /// and `b.combine(a)` are equal bit for bit, but for the grain, whose axis is in the frame of its body: see
    /// [`Material::grain`].
    pub fn combine(self, other: Material) -> Material {
        let friction_rule = self.friction_rule.max(other.friction_rule);
        let restitution_rule = self.restitution_rule.max(other.restitution_rule);
        let restitution = restitution_rule.of(self.restitution, other.restitution);
        let (stiffness, damping) = match (self.stiffness, other.stiffness) {
            (None, None) => (None, 0.0),
            (Some(k), None) => (Some(k), self.damping),
            (None, Some(k)) => (Some(k), other.damping),
            (Some(k), Some(l)) => (Some(k * l / (k + l)), (l * self.damping + k * other.damping) / (k + l)),
        };
        Material {
            friction: friction_rule.of(self.friction, other.friction),
            restitution: if stiffness.is_some() { 0.0 } else { restitution },
            friction_rule,
            restitution_rule,
            tag: 0,
            grain: None,
            stiffness,
            damping,
            torsional_friction: self.torsional_friction.max(other.torsional_friction),
            rolling_friction: self.rolling_friction.max(other.rolling_friction),
        }
    }

    /// The first coefficient that is out of range: its name, value and range.
    pub(crate) fn invalid(&self) -> Option<(&'static str, f64, &'static str)> {
        if !(0.0..=MAX_FRICTION).contains(&self.friction) {
            return Some(("friction", self.friction, "[0, 1e9]"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Some(("restitution", self.restitution, "[0, 1]"));
        }
        if let Some(Grain { axis, across }) = self.grain {
            if !(1e-9..=MAX_FRICTION).contains(&across) {
                return Some(("grain across", across, "[1e-9, 1e9]"));
            }
            let length = glamx::DVec3::from_array(axis).length();
            if !(1e-9..=1e9).contains(&length) {
                return Some(("length of grain axis", length, "[1e-9, 1e9]"));
            }
        }
        if let Some(stiffness) = self.stiffness.filter(|k| !(1e-9..=MAX_STIFFNESS).contains(k)) {
            return Some(("stiffness", stiffness, "[1e-9, 1e18] N/m"));
        }
        if !(0.0..=MAX_STIFFNESS).contains(&self.damping) {
            return Some(("damping", self.damping, "[0, 1e18] N·s/m"));
        }
        if !(0.0..=MAX_ROLLING).contains(&self.torsional_friction) {
            return Some(("torsional friction", self.torsional_friction, "[0, 1e9] m"));
        }
        if !(0.0..=MAX_ROLLING).contains(&self.rolling_friction) {
            return Some(("rolling friction", self.rolling_friction, "[0, 1e9] m"));
        }
        None
    }
}
