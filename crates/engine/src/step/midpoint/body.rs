//! A body of an island, and how impulses at points of it move it over a piece of the step.
//!
//! ```text
//! x⁺ = x + h v̄,           v̄ = v + (h f + λ)/2m
//! R⁺ = Rot(R, L̄),         L̄ = L + ½(h τ + Σ ½(r + r⁺)×λ)
//! ```
//!
//! with Rot the exact rotation of a free body of angular momentum L̄ (`free_rotation`). r⁺ depends on R⁺, and the directions of
//! impulses on those of other bodies: v̄ and L̄ are unknowns of the rounds, and what the equations on the right are short by is
//! taken out there together with the errors of the joints.

use super::MIDPOINT;
use crate::body::{BodyState, Inertial};
use crate::step::Twist;
use crate::step::free_rotation::free_rotation;
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::InverseMass;

/// Turn of the differences of [`MovingBody::find_turn`] [rad]: their error is about as large, and their round-off 1e-10.
const NUDGE: f64 = 1e-6;

/// Position, orientation and momenta.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Centre of mass \[m\].
    pub position: DVec3,
    pub orientation: DQuat,
    /// [m/s].
    pub velocity: DVec3,
    /// Angular momentum about the centre of mass, world axes [kg·m²/s].
    pub momentum: DVec3,
}

impl State {
    pub fn of(state: &BodyState, mass: &Inertial) -> State {
        let local = state.orientation.inverse() * state.spin;
        State {
            position: state.position,
            orientation: state.orientation,
            velocity: state.velocity,
            momentum: state.orientation * (mass.inertia * local),
        }
    }
    pub fn spin(&self, mass: &Inertial) -> DVec3 {
        self.orientation * (mass.inverse_inertia * (self.orientation.inverse() * self.momentum))
    }
    /// Angular momentum of an angular velocity [kg·m²/s].
    pub fn angular_momentum(&self, mass: &Inertial, spin: DVec3) -> DVec3 {
        self.orientation * (mass.inertia * (self.orientation.inverse() * spin))
    }
    pub fn twist(&self, mass: &Inertial) -> Twist {
        Twist { linear: self.velocity, angular: self.spin(mass) }
    }
    /// \[J\].
    pub fn kinetic(&self, mass: &Inertial) -> f64 {
        0.5 * (mass.mass * self.velocity.length_squared() + self.momentum.dot(self.spin(mass)))
    }
}

/// Impulses on a body in a piece of the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Load {
    /// Sum of impulses \[N·s\].
    pub impulse: DVec3,
    /// Angular impulse with arms that do not turn [N·m·s].
    pub torque: DVec3,
    /// Geometric stiffness of impulses that turn with the body while their arms do not, symmetric part [N·m·s]: see
    /// [`Load::follow`]. It is in the matrix of a round; the load itself has them as they are at the poses on hand.
    following: DMat3,
    /// Anchors that turn with the body: where they are in its axes, from the centre of mass \[m\], and the impulse \[N·s\].
    pub anchors: Vec<(DVec3, DVec3)>,
}

impl Load {
    /// No load, with memory for anchors.
    pub fn with_memory(anchors: Vec<(DVec3, DVec3)>) -> Load {
        Load { anchors, ..Load::default() }
    }
    pub fn into_memory(self) -> Vec<(DVec3, DVec3)> {
        self.anchors
    }
    pub fn clear(&mut self) {
        self.impulse = DVec3::ZERO;
        self.torque = DVec3::ZERO;
        self.following = DMat3::ZERO;
        self.anchors.clear();
    }
    /// Adds an impulse P over an arm c that does not turn, while P turns with the body, by θ times as much in the mean over the
    /// piece: `K = ∂(c×P)/∂φ = θ((c·P)I − Pcᵀ)`.
    pub fn follow(&mut self, theta: f64, arm: DVec3, impulse: DVec3) {
        self.impulse += impulse;
        self.torque += arm.cross(impulse);
        let outer = DMat3::from_cols(impulse * arm.x, impulse * arm.y, impulse * arm.z);
        self.following += (DMat3::from_diagonal(DVec3::splat(arm.dot(impulse))) - symmetric(outer)) * theta;
    }
    /// Angular impulse over mean arms [N·m·s].
    pub fn mean_torque(&self, theta: f64, before: DQuat, after: DQuat) -> DVec3 {
        let mean = |arm: DVec3| (1.0 - theta) * (before * arm) + theta * (after * arm);
        self.torque + self.anchors.iter().map(|(arm, impulse)| mean(*arm).cross(*impulse)).sum::<DVec3>()
    }
    /// Geometric stiffness K [N·m·s].
    fn stiffness(&self, theta: f64, after: DQuat) -> DMat3 {
        let mut k = DMat3::ZERO;
        for (arm, impulse) in &self.anchors {
            let arm = after * *arm;
            let outer = DMat3::from_cols(arm * impulse.x, arm * impulse.y, arm * impulse.z);
            k += (outer - DMat3::from_diagonal(DVec3::splat(arm.dot(*impulse)))) * theta;
        }
        k
    }
}

/// A dynamic body of an island.
#[derive(Clone, Debug)]
pub(crate) struct MovingBody {
    pub mass: Inertial,
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// Acceleration by gravity and applied force [m/s²].
    pub acceleration: DVec3,
    /// Applied force \[N\], without gravity.
    pub force: DVec3,
    /// Applied torque [N·m].
    pub torque: DVec3,
    pub start: State,
    /// Start, with the velocities after the impacts of the piece if there are any.
    pub launch: State,
    /// 1 if forces act along the way, 0 if they are in the launch.
    pub forces: f64,
    /// θ: how much the end of the piece counts in its mean.
    pub theta: f64,
    /// Velocity and angular momentum with which it goes through the piece, v̄ and L̄.
    pub mean: (DVec3, DVec3),
    /// The same as the solve with the rows of the start has them, if there was one.
    pub foreseen: Option<(DVec3, DVec3)>,
    /// What L̄ gains by a turn of the end pose over h [kg·m²]: see [`MovingBody::find_turn`].
    turn: DMat3,
    /// Pose at the end of the piece; momenta once the velocity phase has found them.
    pub end: State,
    pub load: Load,
}

impl MovingBody {
    /// At the start of a step, under the forces of the step; its load takes memory for anchors.
    pub fn new(
        mass: Inertial,
        start: State,
        gravity: DVec3,
        (force, torque): (DVec3, DVec3),
        anchors: Vec<(DVec3, DVec3)>,
    ) -> MovingBody {
        MovingBody {
            mass,
            gravity,
            acceleration: gravity + mass.inverse_mass * force,
            force,
            torque,
            start,
            launch: start,
            forces: 1.0,
            theta: MIDPOINT,
            mean: (start.velocity, start.momentum),
            foreseen: None,
            turn: DMat3::ZERO,
            end: start,
            load: Load::with_memory(anchors),
        }
    }

    /// Lets it go on as it was launched, under the forces of the piece.
    pub fn drift(&mut self, h: f64) -> bool {
        let push = self.theta * self.forces * h;
        self.mean = (self.launch.velocity + push * self.acceleration, self.launch.momentum + push * self.torque);
        self.go(h)
    }

    /// Lets it go on as it was launched, as if nothing acted: what is at rest stays where it is.
    pub fn coast(&mut self, h: f64) -> bool {
        self.mean = (self.launch.velocity, self.launch.momentum);
        self.go(h)
    }

    /// Lets it go as the solve with the rows of the start has it.
    pub fn follow(&mut self, h: f64) -> bool {
        self.mean = self.foreseen.unwrap_or((self.launch.velocity, self.launch.momentum));
        self.go(h)
    }

    /// How far that is from where it would coast, roughly [m, rad].
    pub fn deflection(&self, h: f64) -> f64 {
        let Some((velocity, momentum)) = self.foreseen else { return 0.0 };
        let turned = self.start.orientation.inverse() * (momentum - self.launch.momentum);
        h * (velocity - self.launch.velocity).length().max((self.mass.inverse_inertia * turned).length())
    }

    /// Lets it stay where it is.
    pub fn stay(&mut self) -> bool {
        self.mean = (DVec3::ZERO, DVec3::ZERO);
        self.end = self.start;
        true
    }

    /// Moves it by its mean velocity and angular momentum; false if that leaves the range of numbers.
    fn go(&mut self, h: f64) -> bool {
        let MovingBody { mass, start, mean, .. } = self;
        let spin = mass.inverse_inertia * (start.orientation.inverse() * mean.1);
        self.end.position = start.position + h * mean.0;
        self.end.orientation = (start.orientation * free_rotation(mass, spin, h).1).normalize();
        self.end.orientation.is_finite() && self.end.position.is_finite()
    }

    /// Adds to where it goes, as a velocity of the end pose; false if that leaves the range of numbers.
    pub fn shift(&mut self, change: &Twist, h: f64) -> bool {
        self.mean.0 += change.linear;
        self.mean.1 += self.turn * change.angular;
        self.go(h)
    }

    /// Finds what L̄ gains by a turn of the end pose, `δL̄ = R I (∂φ⁺/∂ω)⁻¹ h w` with the spin ω = I⁻¹RᵀL̄ in the body's axes, by
    /// differences. An approximation to second order in the turn, half of it with the inertia half way, leaves a hundredth of the
    /// errors a round where links swing by a tenth of a radian a step.
    pub fn find_turn(&mut self, h: f64) {
        let MovingBody { mass, start, mean, .. } = self;
        let spin = mass.inverse_inertia * (start.orientation.inverse() * mean.1);
        let still = free_rotation(mass, spin, h).1;
        let change = NUDGE / h;
        let column = |axis: DVec3| {
            let turned = free_rotation(mass, spin + change * axis, h).1 * still.inverse();
            let turned = if turned.w < 0.0 { -turned } else { turned };
            // The vector part is half of the angle, to third order.
            start.orientation * (turned.xyz() * (2.0 / NUDGE))
        };
        let rate = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        let inverse = rate.inverse();
        let whole = if inverse.is_finite() { inverse } else { DMat3::from_quat(start.orientation).transpose() };
        self.turn = DMat3::from_quat(start.orientation) * mass.inertia * whole;
    }

    /// What [`MovingBody::find_turn`] found [kg·m²].
    pub fn turn(&self) -> DMat3 {
        self.turn
    }

    /// 1/θ times what its mean velocity and momentum are short of, under its load [N·s, N·m·s].
    pub fn short_of(&self, h: f64) -> (DVec3, DVec3) {
        let MovingBody { mass, launch, load, theta, .. } = self;
        let push = self.forces * h;
        let torque = push * self.torque + load.mean_torque(*theta, self.start.orientation, self.end.orientation);
        (
            mass.mass * (push * self.acceleration - (self.mean.0 - launch.velocity) / *theta) + load.impulse,
            torque - (self.mean.1 - launch.momentum) / *theta,
        )
    }

    /// How far it moved and turned, world axes [m, rad].
    pub fn displacement(&self) -> Twist {
        let turn = self.end.orientation * self.start.orientation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Twist { linear: self.end.position - self.start.position, angular: turn.to_scaled_axis() }
    }

    /// What the mean velocity gains by an impulse: θ/m, and (I/θ − hK)⁻¹ with the geometric stiffness of the load. Under
    /// a push that would buckle it, where that is not positive definite, K is left out.
    pub fn mean_inverse_mass(&self, h: f64) -> InverseMass {
        inverse_mass(self.theta * self.mass.inverse_mass, symmetric(self.mean_rotational(h).inverse()))
    }

    fn mean_rotational(&self, h: f64) -> DMat3 {
        let orientation = self.end.orientation;
        let inertia = world(self.mass.inertia, orientation) * self.theta.recip();
        let stiff = inertia - (symmetric(self.load.stiffness(self.theta, orientation)) + self.load.following) * h;
        if is_stiffer_than(&stiff, &inertia, 0.1) { stiff } else { inertia }
    }

    /// How it would move by what it is short of, alone, as a velocity of the end pose.
    pub fn response(&self, h: f64) -> Twist {
        let (linear, angular) = self.short_of(h);
        let angular = self.mean_rotational(h).inverse() * angular;
        Twist { linear: self.theta * self.mass.inverse_mass * linear, angular }
    }

    /// 1/m and I⁻¹ at an orientation.
    pub fn inverse_mass_at(&self, orientation: DQuat) -> InverseMass {
        inverse_mass(self.mass.inverse_mass, symmetric(world(self.mass.inverse_inertia, orientation)))
    }
}

/// Whether `m − share·reference` is positive definite: by its leading minors.
fn is_stiffer_than(m: &DMat3, reference: &DMat3, share: f64) -> bool {
    let d = *m - *reference * share;
    let second = d.x_axis.x * d.y_axis.y - d.x_axis.y * d.y_axis.x;
    d.x_axis.x > 0.0 && second > 0.0 && d.determinant() > 0.0
}

/// A tensor of the body's axes in those of the world.
fn world(tensor: DMat3, orientation: DQuat) -> DMat3 {
    let r = DMat3::from_quat(orientation);
    r * tensor * r.transpose()
}

fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

fn inverse_mass(linear: f64, rotational: DMat3) -> InverseMass {
    let mut m = [[0.0; 6]; 6];
    for i in 0..3 {
        m[i][i] = linear;
        for j in 0..3 {
            m[3 + i][3 + j] = rotational.col(j)[i];
        }
    }
    m
}
