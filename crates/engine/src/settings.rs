//! Settings of a world: gravity, the solver, and how impacts and overlap are treated.

use crate::WorldError;
use glamx::DVec3;
use serde::{Deserialize, Serialize};
use signorini_problem::{Certificate, ContactProblem, Measure, Tolerance};
use signorini_solvers::{Method, StoppingRule};

/// How overlap is removed.
///
/// ```
/// use signorini::{Settings, Stabilisation, World};
/// let world = World::new(Settings { stabilisation: Stabilisation::None, ..Settings::default() })?;
/// assert_eq!(world.settings().stabilisation, Stabilisation::None);
/// # Ok::<(), signorini::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Stabilisation {
    /// Overlap stays.
    None,
    /// Poses are moved by `fraction · (depth − slop)` per step. Velocities do not change, so the only energy added is
    /// potential energy.
    SplitImpulse {
        /// Fraction of the excess overlap removed per step \[1\], in [0, 1].
        fraction: f64,
        /// Overlap left alone \[m\].
        slop: f64,
        /// Largest correction of a contact in one step \[m\].
        cap: f64,
    },
    /// `fraction · depth / h` is added to the separating velocity (Baumgarte). It adds kinetic energy.
    VelocityBias {
        /// Fraction of the overlap removed per step \[1\], in [0, 1].
        fraction: f64,
    },
}

impl Default for Stabilisation {
    fn default() -> Self {
        Stabilisation::SplitImpulse { fraction: 0.2, slop: 1e-4, cap: 0.05 }
    }
}

/// What happens when several contacts bounce at once.
///
/// ```
/// use signorini::{ImpactLaw, Settings, World};
/// // Newton's cradle: impacts go from ball to ball.
/// let world = World::new(Settings { impact: ImpactLaw::sequential(), ..Settings::default() })?;
/// assert!(matches!(world.settings().impact, ImpactLaw::Sequential { .. }));
/// # Ok::<(), signorini::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ImpactLaw {
    /// Newton's law at all contacts of an island at once, `u_N⁺ = −e u_N⁻`. The balls of Newton's cradle move off
    /// together.
    #[default]
    Newton,
    /// Impacts propagate from contact to contact by generalised reflections (Smith et al. 2012), as in Newton's cradle.
    /// Energy is conserved for e = 1 and never increases. See [`ImpactLaw::sequential`].
    Sequential {
        /// Limit on rounds of reflections. Contacts that still approach then are stopped without bounce.
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
///
/// ```
/// use signorini::{Settings, Sleeping, World};
/// let world = World::new(Settings { sleeping: Sleeping::islands(), ..Settings::default() })?;
/// assert!(matches!(world.settings().sleeping, Sleeping::Islands { .. }));
/// # Ok::<(), signorini::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Sleeping {
    /// Never: every body takes part in every step.
    #[default]
    Off,
    /// An island falls asleep when all of its bodies have been slower than `speed` and `angular_speed` for `time`. Its bodies
    /// keep their poses bit for bit and have zero velocity. It wakes when an awake body touches it, or when it or
    /// something it touches is changed. See [`Sleeping::islands`] for usual values.
    Islands {
        /// Greatest speed of a still body [m/s].
        speed: f64,
        /// Greatest angular speed of a still body [rad/s].
        #[serde(alias = "spin")]
        angular_speed: f64,
        /// Time for which it has to be still \[s\].
        time: f64,
    },
}

impl Sleeping {
    /// Half a second below 5 mm/s and 10 mrad/s. Bodies held still by solved contacts are slower by six orders of
    /// magnitude.
    pub fn islands() -> Sleeping {
        Sleeping::Islands { speed: 5e-3, angular_speed: 1e-2, time: 0.5 }
    }
}

/// Settings of a world.
///
/// ```
/// use signorini::{Settings, World, glamx::DVec3};
/// let moon = Settings { gravity: DVec3::new(0.0, 0.0, -1.62), ..Settings::default() };
/// assert_eq!(World::new(moon)?.settings().gravity.z, -1.62);
/// # Ok::<(), signorini::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// How islands are solved.
    pub method: Method,
    /// Tolerance that is aimed at while that is cheap, and limit on iterations of the method.
    pub stop: StoppingRule,
    /// Largest residual of a certified step [m/s], in the measure of [`StoppingRule::tolerance`]. If the tolerance is
    /// larger, the tolerance counts. 1e-6 m/s is an error of 17 nm in a step of 1/60 s.
    pub accept: f64,
    /// Limit on work per contact problem, in factorizations, for [`Method::Exact`]; `None` is no limit. Problems of up to
    /// 96 contacts may spend six times as much. All problems that an island of contacts poses in a step in which
    /// something bounces share eight budgets. Work is counted, not timed; the best answer found is
    /// returned and graded. See [`budget`].
    pub budget: Option<usize>,
    /// Contacts that approach more slowly do not bounce [m/s].
    pub rest_speed: f64,
    /// How overlap is removed.
    pub stabilisation: Stabilisation,
    /// Fraction of a joint's position error removed per step \[1\], in [0, 1]. Errors of at most 1e-4 m or rad are
    /// removed at once.
    pub joint_correction: f64,
    /// Distance within which contacts of slow bodies are computed \[m\]. For fast bodies it is the distance they can
    /// travel in a step, if that is larger.
    pub margin: f64,
    /// Limit on contact points. More are an error; none is dropped.
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
    /// For interactive use: most steps of moving heaps end within 1e-4 m/s of the answer.
    pub const REAL_TIME: usize = 12;
    /// Nearly every step of a moving heap is certified, and none takes ten times as long as most.
    pub const BALANCED: usize = 120;
    /// For studies: problems that still fail are contradictory in themselves.
    pub const THOROUGH: usize = 2000;
}

impl Settings {
    /// Bound on the residual of a certified step.
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

    /// Whether a problem is solved as `Certified` requires: every block relative to its own scale.
    pub(crate) fn accepts(&self, certificate: &Certificate) -> bool {
        match self.stop.tolerance.measure {
            Measure::Velocity => certificate.holds(self.accepted().value),
            Measure::Relative => certificate.meets(&self.accepted()),
        }
    }

    /// Stopping rule and accepted residual for a solver. A solver's tolerance is relative to the fastest row; here it
    /// is divided so that it holds for every block as if the fastest were 1 m/s.
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
        if let Sleeping::Islands { speed, angular_speed, time } = self.sleeping {
            for (field, value) in
                [("sleeping speed", speed), ("sleeping angular speed", angular_speed), ("sleeping time", time)]
            {
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

/// Largest number of rounds that can be set.
const MAX_ROUNDS: usize = 1_000_000;
