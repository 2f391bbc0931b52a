//! What holds for a whole world: gravity, the solver, and how impacts and overlap are treated.

use crate::WorldError;
use glamx::DVec3;
use signorini_solvers::{Method, StoppingRule};

/// How overlap is taken out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stabilisation {
    /// Not at all.
    None,
    /// Poses are moved by `fraction · (depth − slop)` per step, velocities stay bit for bit as they are: no energy but
    /// that of lifting.
    SplitImpulse {
        /// Fraction of the excess overlap taken out per step \[1\], in [0, 1].
        fraction: f64,
        /// Overlap left alone \[m\].
        slop: f64,
        /// Most that a contact is pushed apart in one step \[m\].
        cap: f64,
    },
    /// `fraction · depth / h` is added to the separating velocity. The classical way; it puts in kinetic energy.
    VelocityBias {
        /// Fraction of the overlap taken out per step \[1\], in [0, 1].
        fraction: f64,
    },
}

impl Default for Stabilisation {
    fn default() -> Self {
        Stabilisation::SplitImpulse { fraction: 0.2, slop: 1e-4, cap: 0.05 }
    }
}

/// Settings of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// How islands are solved.
    pub method: Method,
    /// What counts as solved.
    pub stop: StoppingRule,
    /// Approach speed below which nothing bounces [m/s].
    pub rest_speed: f64,
    /// How overlap is taken out.
    pub stabilisation: Stabilisation,
    /// Fraction of a joint's position error taken out per step \[1\], in [0, 1].
    pub joint_correction: f64,
    /// Distance within which slow shapes are already looked at \[m\]. Fast ones are looked at from as far as they may
    /// come in a step.
    pub margin: f64,
    /// Most contact points; more are an error, none is dropped.
    pub max_contacts: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            method: Method::Exact,
            stop: StoppingRule::velocity(1e-9),
            rest_speed: 0.5,
            stabilisation: Stabilisation::default(),
            joint_correction: 0.5,
            margin: 0.01,
            max_contacts: 1_000_000,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let refuse = |field, value, range| Err(WorldError::Setting { field, value, range });
        for (field, value) in ["gravity x", "gravity y", "gravity z"].into_iter().zip(self.gravity.to_array()) {
            if !(-1e6..=1e6).contains(&value) {
                return refuse(field, value, "±1e6 m/s²");
            }
        }
        let tolerance = self.stop.tolerance.value;
        if tolerance.is_nan() || tolerance < 0.0 {
            return refuse("tolerance", tolerance, "[0, ∞]");
        }
        let (fraction, slop, cap) = match self.stabilisation {
            Stabilisation::None => (0.0, 0.0, 0.0),
            Stabilisation::SplitImpulse { fraction, slop, cap } => (fraction, slop, cap),
            Stabilisation::VelocityBias { fraction } => (fraction, 0.0, 0.0),
        };
        for (field, value) in [("stabilisation fraction", fraction), ("joint correction", self.joint_correction)] {
            if !(0.0..=1.0).contains(&value) {
                return refuse(field, value, "[0, 1]");
            }
        }
        for (field, value) in [("rest speed", self.rest_speed), ("slop", slop), ("cap", cap), ("margin", self.margin)] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(field, value, "[0, ∞)");
            }
        }
        Ok(())
    }
}
