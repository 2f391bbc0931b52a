//! Energy of bodies, and the ledger of where it went in a step.
//!
//! `E = ½ m|v|² + ½ ωᵀ(R I Rᵀ)ω − m g·x`. Every entry of the ledger is computed by its own formula from velocities,
//! impulses and displacements. That the entries add up to the change of energy is checked, not enforced.

use crate::body::{BodyRecord, BodyState, Kind};
use glamx::DVec3;
use serde::{Deserialize, Serialize};

/// Energy of a body or of a world \[J\].
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?).mass(2.0).velocity(DVec3::X).position(DVec3::Z))?;
/// let energy = world.energy();
/// assert!((energy.kinetic() - 1.0).abs() < 1e-12 && (energy.potential - 2.0 * 9.81).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// ½ m|v|² \[J\].
    pub linear: f64,
    /// ½ ω·Iω \[J\].
    pub rotational: f64,
    /// −m g·x, zero at the origin \[J\].
    pub potential: f64,
}

impl Energy {
    /// Energy of one body; zero unless dynamic.
    pub(crate) fn of(body: &BodyRecord, gravity: DVec3) -> Energy {
        Energy::at(body, &body.state, gravity)
    }

    /// Energy of one body in a given state.
    pub(crate) fn at(body: &BodyRecord, state: &BodyState, gravity: DVec3) -> Energy {
        if body.kind != Kind::Dynamic {
            return Energy::default();
        }
        let spin_local = state.orientation.inverse() * state.angular_velocity;
        Energy {
            linear: 0.5 * body.mass.mass * state.velocity.length_squared(),
            rotational: 0.5 * spin_local.dot(body.mass.inertia * spin_local),
            potential: -body.mass.mass * body.gravity(gravity).dot(state.position),
        }
    }

    /// Kinetic energy, linear plus rotational \[J\].
    pub fn kinetic(&self) -> f64 {
        self.linear + self.rotational
    }

    /// Kinetic plus potential energy \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic() + self.potential
    }

    pub(crate) fn add(self, other: Energy) -> Energy {
        Energy {
            linear: self.linear + other.linear,
            rotational: self.rotational + other.rotational,
            potential: self.potential + other.potential,
        }
    }
}

/// Where the energy of a step went. The works add up to the change of energy, [`EnergyLedger::closure`].
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// let ball = Body::dynamic(Shape::cuboid(DVec3::splat(0.5))?).velocity(DVec3::X);
/// world.add(ball.position(DVec3::new(0.0, 0.0, 0.5)))?;
/// let ledger = world.step(0.01)?.energy;
/// // Friction takes kinetic energy, and nothing else does.
/// assert!(ledger.friction < 0.0 && ledger.closure().abs() <= 1e-9 * ledger.scale());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyLedger {
    /// Before the step.
    pub before: Energy,
    /// After the step.
    pub after: Energy,
    /// Work of applied forces and torques \[J\], `h (f·(v⁻+v⁺) + τ·(ω⁻+ω⁺))/2`.
    pub external: f64,
    /// Work of normal impulses \[J\], `Σ r_N (u_N⁻ + u_N⁺)/2`, for a bounce with the velocities around it.
    pub normal: f64,
    /// Work of friction of contacts and in joints \[J\], `Σ r_T·(u_T⁻ + u_T⁺)/2`.
    pub friction: f64,
    /// Work of locked coordinates and limits of joints \[J\], `Σ r·(u⁻ + u⁺)/2`.
    pub joints: f64,
    /// Work of motors, servos and given forces of joints \[J\].
    #[serde(default)]
    pub motor: f64,
    /// Work of springs, dampers and rotors of joints \[J\]: minus what they store and dissipate.
    #[serde(default)]
    pub spring: f64,
    /// Work of kinematic bodies on the others \[J\].
    pub driven: f64,
    /// Energy error of the first-order integrator of bodies in contact \[J\]. It is the sum of: gravity's work along
    /// `h(v⁻+v⁺)/2` minus that along the actual displacement; the work of forces between the start of the step and a
    /// bounce within it; and the change of rotational energy of held bodies when their axes of inertia turn at constant
    /// angular momentum. Zero in flight and for a body that only bounces.
    pub integration: f64,
    /// `T(v⁺) − T(v*)` as `Σ r·(u* + u⁺)/2` over contacts \[J\]: energy that contacts take from the motion by forces
    /// alone. Never positive without bounce. It is not part of the sum, because `normal` and `friction` count from the
    /// velocity before forces.
    pub against_free_motion: f64,
    /// Energy added by the correction of overlap and joint drift, which moves and turns bodies \[J\].
    pub stabilisation: f64,
    /// Minus the kinetic energy of bodies when they came to rest, fell asleep or were quarantined \[J\].
    pub stopped: f64,
}

impl EnergyLedger {
    /// Adds the works of another ledger (of a later step, or of a part of this one), but not its energies.
    pub fn add_works(&mut self, other: &EnergyLedger) {
        self.external += other.external;
        self.normal += other.normal;
        self.friction += other.friction;
        self.joints += other.joints;
        self.motor += other.motor;
        self.spring += other.spring;
        self.driven += other.driven;
        self.integration += other.integration;
        self.against_free_motion += other.against_free_motion;
        self.stabilisation += other.stabilisation;
        self.stopped += other.stopped;
    }

    /// Work supplied from outside: by kinematic bodies, motors, and springs including what they store \[J\].
    pub(crate) fn drives(&self) -> f64 {
        self.driven + self.motor + self.spring
    }

    /// The works that add up to the change of energy \[J\].
    fn works(&self) -> [f64; 10] {
        [
            self.external,
            self.normal,
            self.friction,
            self.joints,
            self.motor,
            self.spring,
            self.driven,
            self.integration,
            self.stabilisation,
            self.stopped,
        ]
    }

    /// Change of energy that no entry explains \[J\]: round-off, or a bug.
    pub fn closure(&self) -> f64 {
        self.after.total() - self.before.total() - self.works().into_iter().sum::<f64>()
    }

    /// The largest energy or work in the ledger \[J\]; the closure is compared with it.
    pub fn scale(&self) -> f64 {
        [self.before, self.after]
            .into_iter()
            .flat_map(|energy| [energy.kinetic(), energy.potential])
            .chain(self.works())
            .fold(0.0, |m, x| f64::max(m, x.abs()))
    }
}
