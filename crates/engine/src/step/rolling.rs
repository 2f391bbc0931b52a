//! Torsional and rolling friction. In: coefficients of a pair, bodies. Out: rows and moments of its contacts. Eq.: ‖m‖
//! ≤ μ_m r_N, and ω = 0 or m = −μ_m r_N ω/‖ω‖; once for spinning about n, and once for rolling about t₁ and t₂.
//!
//! The rows are ℓ ω, in m/s like those of friction, with the lever `ℓ² = (1/m_A + 1/m_B)/(mean of 1/I_A + 1/I_B)`; that
//! is the radius of gyration if the other body is fixed. All rows of a contact then share a unit and a tolerance, and
//! rotation does not dominate the trace of its block of W. Moments are `m = ℓ r`, and their bounds μ_m/ℓ.

use crate::material_pair::PairSurface;
use crate::step::assembly::row;
use crate::step::contact::Contact;
use crate::step::{Moving, Twist};
use glamx::DVec3;
use signorini_problem::{Block, JacobianRow};

/// Impulse and moment of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Push {
    /// Impulse on B at the contact, world axes \[N·s\].
    pub impulse: DVec3,
    /// Additional angular impulse on B, by torsional and rolling friction \[N·m·s\].
    pub moment: DVec3,
}

impl Push {
    pub const NONE: Push = Push { impulse: DVec3::ZERO, moment: DVec3::ZERO };

    /// Impulse and moment times a factor.
    pub fn times(&self, factor: f64) -> Push {
        Push { impulse: factor * self.impulse, moment: factor * self.moment }
    }
}

impl std::ops::AddAssign for Push {
    fn add_assign(&mut self, other: Push) {
        self.impulse += other.impulse;
        self.moment += other.moment;
    }
}

/// Torsional and rolling friction of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rolling {
    /// Torsional friction \[m\].
    spin: f64,
    /// Rolling friction \[m\].
    roll: f64,
    /// ℓ \[m\].
    lever: f64,
    /// Angular velocity of the driven surface of B relative to that of A, in addition to the bodies' own [rad/s].
    running: DVec3,
}

impl Rolling {
    /// Made for two surfaces if they have such friction and one of the bodies can turn.
    pub fn of(surface: &PairSurface, bodies: [&Moving; 2]) -> Option<Rolling> {
        let (spin, roll) = (surface.material.torsional_friction, surface.material.rolling_friction);
        if spin == 0.0 && roll == 0.0 {
            return None;
        }
        let moved = || bodies.into_iter().filter(|body| body.is_dynamic() && !body.is_held());
        let linear: f64 = moved().map(|body| body.inverse_mass).sum();
        let trace = |body: &Moving| (0..3).map(|i| body.inverse_inertia.col(i)[i]).sum::<f64>();
        let angular = moved().map(trace).sum::<f64>() / 3.0;
        let lever = (linear / angular).sqrt();
        let usable = lever.is_finite() && lever > 0.0 && (spin / lever).is_finite() && (roll / lever).is_finite();
        usable.then_some(Rolling { spin, roll, lever, running: surface.running_angular_velocity() })
    }
}

impl Contact {
    /// The block of the contact's law.
    pub fn block(&self) -> Block {
        match self.rolling {
            Some(rolling) => {
                Block::rolling_contact(self.friction, rolling.spin / rolling.lever, rolling.roll / rolling.lever)
            }
            None if self.friction > 0.0 => Block::contact(self.friction),
            None => Block::normal(),
        }
    }

    /// Number of rows of its block.
    pub fn row_count(&self) -> usize {
        self.directions().len() + if self.rolling.is_some() { 3 } else { 0 }
    }

    /// The rotational rows of J, and the relative angular velocity times ℓ along them [m/s].
    pub fn turning_rows(&self, a: &Twist, b: &Twist) -> impl Iterator<Item = (JacobianRow, f64)> {
        let spin = self.rolling.map_or(DVec3::ZERO, |rolling| b.angular - a.angular + rolling.running);
        self.turns().map(move |turn| (row(DVec3::ZERO, -turn, DVec3::ZERO, turn), turn.dot(spin)))
    }

    /// The directions ℓ n, ℓ t₁, ℓ t₂ of the rotational rows.
    fn turns(&self) -> impl Iterator<Item = DVec3> {
        let frame = self.frame;
        self.rolling.into_iter().flat_map(move |rolling| frame.map(|axis| rolling.lever * axis))
    }

    /// Converts impulses of the block's rows to vectors.
    pub fn push_of(&self, rows: &[f64]) -> Push {
        let directions = self.directions();
        let impulse = rows.iter().zip(directions.iter()).map(|(r, d)| *r * *d).sum();
        let turning = rows.iter().skip(directions.len());
        Push { impulse, moment: turning.zip(self.turns()).map(|(r, turn)| *r * turn).sum() }
    }

    /// Converts vectors to impulses of the block's rows.
    pub fn rows_of(&self, push: &Push) -> impl Iterator<Item = f64> {
        let moment = push.moment;
        let turning = self.turns().map(move |turn| turn.dot(moment) / turn.length_squared());
        self.along_directions(push.impulse).chain(turning)
    }

    /// Work of the moment along the mean angular velocities: on the bodies, and by the drive of the surfaces \[J\].
    pub fn turning_work(&self, push: &Push, a: &Twist, b: &Twist) -> Option<(f64, f64)> {
        let rolling = self.rolling?;
        Some((push.moment.dot(b.angular - a.angular), push.moment.dot(rolling.running)))
    }
}
