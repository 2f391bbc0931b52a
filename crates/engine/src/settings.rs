//! What holds for a whole world: gravity, the solver, and how impacts and overlap are treated.

use crate::WorldError;
use glamx::DVec3;
use serde::{Deserialize, Serialize};
use signorini_problem::{Certificate, ContactProblem, Measure, Tolerance};
use signorini_solvers::{Method, StoppingRule};

/// How overlap is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
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

/// What happens when several contacts bounce at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ImpactLaw {
    /// Newton's law at all contacts of an island at once, `u_N⁺ = −e u_N⁻`. Touching balls move off together.
    #[default]
    Newton,
    /// Impacts are passed on from contact to contact by generalised reflections (Smith et al. 2012), as in Newton's
    /// cradle. Energy is kept for e = 1 and never made. See [`ImpactLaw::sequential`].
    Sequential {
        /// Most rounds of reflections; what still approaches then is stopped without bounce.
        rounds: usize,
    },
}

impl ImpactLaw {
    /// Sequential, with enough rounds for chains of a hundred bodies.
    pub fn sequential() -> ImpactLaw {
        ImpactLaw::Sequential { rounds: 400 }
    }
}

/// Whether bodies at rest are left out of the steps until something happens to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Sleeping {
    /// Never: every body takes part in every step, and what is measured of a body at rest is what was solved.
    #[default]
    Off,
    /// Islands all of whose bodies have been slower than `speed` and `spin` for `time` sleep: their bodies keep their
    /// poses bit for bit and have no velocity. An island wakes when an awake body touches it or when it, or what it
    /// touches, is changed. See [`Sleeping::islands`] for usual values.
    Islands {
        /// Greatest speed of a still body [m/s].
        speed: f64,
        /// Greatest angular speed of a still body [rad/s].
        spin: f64,
        /// How long it has to be still \[s\].
        time: f64,
    },
}

impl Sleeping {
    /// Half a second below 5 mm/s and 10 mrad/s: what solved contacts hold still is slower by six orders of magnitude,
    /// and what creeps faster is going somewhere.
    pub fn islands() -> Sleeping {
        Sleeping::Islands { speed: 5e-3, spin: 1e-2, time: 0.5 }
    }
}

/// Settings of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// How islands are solved.
    pub method: Method,
    /// What is aimed at while that is cheap, and most iterations of the method.
    pub stop: StoppingRule,
    /// Largest residual of a step that is certified [m/s], in the measure of [`StoppingRule::tolerance`]; a larger
    /// tolerance takes its place. 1e-6 m/s is an error of 17 nm in a step of 1/60 s.
    pub accept: f64,
    /// Most work per island and step in factorizations of its matrix, for [`Method::Exact`]; `None` is without limit.
    /// Counted, never timed: what is reached is returned and graded. See [`budget`].
    pub budget: Option<usize>,
    /// Approach speed below which nothing bounces [m/s].
    pub rest_speed: f64,
    /// How overlap is taken out.
    pub stabilisation: Stabilisation,
    /// Fraction of a joint's position error taken out per step \[1\], in [0, 1]; errors of no more than 1e-4 m or rad go at once.
    pub joint_correction: f64,
    /// Distance within which slow shapes are already looked at \[m\]. Fast ones are looked at from as far as they may
    /// come in a step.
    pub margin: f64,
    /// Most contact points; more are an error, none is dropped.
    pub max_contacts: usize,
    /// Whether islands at rest sleep.
    pub sleeping: Sleeping,
    /// What happens when several contacts bounce at once.
    pub impact: ImpactLaw,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            method: Method::Exact,
            stop: StoppingRule::velocity(1e-9),
            accept: 1e-6,
            budget: Some(budget::BALANCED),
            rest_speed: 0.5,
            stabilisation: Stabilisation::default(),
            joint_correction: 0.5,
            margin: 0.01,
            max_contacts: 1_000_000,
            sleeping: Sleeping::Off,
            impact: ImpactLaw::Newton,
        }
    }
}

/// Usual values of [`Settings::budget`].
pub mod budget {
    /// For a display that must not wait: most steps of moving heaps end within 1e-4 m/s of the answer.
    pub const REAL_TIME: usize = 12;
    /// Nearly every step of a moving heap is certified, and none takes ten times as long as most.
    pub const BALANCED: usize = 120;
    /// For studies: what is left is contradictory in itself.
    pub const THOROUGH: usize = 2000;
}

impl Settings {
    /// What `Certified` asks of the residual.
    pub fn accepted(&self) -> Tolerance {
        let tolerance = self.stop.tolerance;
        Tolerance { value: tolerance.value.max(self.accept), ..tolerance }
    }

    /// The residual of a problem that is compared with [`Settings::accepted`].
    pub(crate) fn measured(&self, certificate: &Certificate) -> f64 {
        match self.stop.tolerance.measure {
            Measure::Velocity => certificate.scaled,
            Measure::Relative => certificate.measured(Measure::Relative),
        }
    }

    /// Whether a problem is solved as `Certified` asks: every block by its own scale.
    pub(crate) fn accepts(&self, certificate: &Certificate) -> bool {
        match self.stop.tolerance.measure {
            Measure::Velocity => certificate.holds(self.accepted().value),
            Measure::Relative => certificate.meets(&self.accepted()),
        }
    }

    /// What a solver is asked for, whose tolerance is relative to the fastest row: the same of every block, as if it were
    /// as slow as 1 m/s. Tolerance and what is accepted.
    pub(crate) fn asked(&self, problem: &ContactProblem) -> (StoppingRule, f64) {
        let StoppingRule { tolerance, max_iterations } = self.stop;
        let scale = match tolerance.measure {
            Measure::Velocity => problem.speed().max(1.0),
            Measure::Relative => 1.0,
        };
        let asked = Tolerance { value: tolerance.value / scale, ..tolerance };
        (StoppingRule { tolerance: asked, max_iterations }, self.accepted().value / scale)
    }

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
        if self.accept.is_nan() || self.accept < 0.0 {
            return refuse("accept", self.accept, "[0, ∞]");
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
        if let Sleeping::Islands { speed, spin, time } = self.sleeping {
            for (field, value) in [("sleeping speed", speed), ("sleeping spin", spin), ("sleeping time", time)] {
                if !(value.is_finite() && value >= 0.0) {
                    return refuse(field, value, "[0, ∞)");
                }
            }
        }
        if let ImpactLaw::Sequential { rounds } = self.impact
            && !(1..=MAX_ROUNDS).contains(&rounds)
        {
            return refuse("rounds of impacts", rounds as f64, "[1, 1e6]");
        }
        Ok(())
    }
}

/// Most rounds of impacts in a step.
const MAX_ROUNDS: usize = 1_000_000;
