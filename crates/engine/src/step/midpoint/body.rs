//! One body of an island in the midpoint scheme: how impulses at its points move it over a piece of the step.
//!
//! ```text
//! x⁺ = x + h v̄,           v̄ = v + (h f + λ)/2m
//! R⁺ = Rot(R, L̄),         L̄ = L + ½(h τ + Σ ½(r + r⁺)×λ)
//! ```
//!
//! with Rot the exact rotation of a free body of angular momentum L̄ (`free_rotation`). r⁺ depends on R⁺, and
//! directions of impulses depend on the poses of other bodies. So v̄ and L̄ are unknowns of the rounds, which reduce
//! the defect of the equations on the right together with the joint errors.

use super::MIDPOINT;
use crate::body::{BodyState, Inertial};
use crate::step::Twist;
use crate::step::free_rotation::free_rotation;
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::InverseMass;

/// Angle of the finite differences in [`MovingBody::find_turn`] [rad]. Their error is about as large, and their
/// round-off 1e-10.
const NUDGE: f64 = 1e-6;
/// Rounds fail if they turn a body further than this from its launch [rad]: four turns in a piece are not resolved.
/// Rounds that got there never fitted (slack and taut bridges), and spent a second on the free rotation of such spins.
const MAX_DEFLECTION: f64 = 25.0;

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
        let local = state.orientation.inverse() * state.angular_velocity;
        State {
            position: state.position,
            orientation: state.orientation,
            velocity: state.velocity,
            momentum: state.orientation * (mass.inertia * local),
        }
    }
    pub fn angular_velocity(&self, mass: &Inertial) -> DVec3 {
        self.orientation * (mass.inverse_inertia * (self.orientation.inverse() * self.momentum))
    }
    /// Angular momentum of an angular velocity [kg·m²/s].
    pub fn angular_momentum(&self, mass: &Inertial, angular_velocity: DVec3) -> DVec3 {
        self.orientation * (mass.inertia * (self.orientation.inverse() * angular_velocity))
    }
    pub fn twist(&self, mass: &Inertial) -> Twist {
        Twist { linear: self.velocity, angular: self.angular_velocity(mass) }
    }
    /// \[J\].
    pub fn kinetic(&self, mass: &Inertial) -> f64 {
        0.5 * (mass.mass * self.velocity.length_squared() + self.momentum.dot(self.angular_velocity(mass)))
    }
}

/// Impulses on a body in a piece of the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Load {
    /// Sum of impulses \[N·s\].
    pub impulse: DVec3,
    /// Angular impulse with arms that do not turn [N·m·s].
    pub torque: DVec3,
    /// Symmetric part of the geometric stiffness of impulses that turn with the body while their arms do not [N·m·s];
    /// see [`Load::follow`]. Only the matrix of a round needs it.
    following: DMat3,
    /// Impulses at anchors that turn with the body: arm from the centre of mass in the body's axes \[m\], and impulse
    /// \[N·s\].
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
    /// Adds an impulse P that turns with the body at an arm c that does not. In the mean over the piece it turns by θ
    /// times the body's rotation: `K = ∂(c×P)/∂φ = θ((c·P)I − Pcᵀ)`.
    pub fn follow(&mut self, theta: f64, arm: DVec3, impulse: DVec3) {
        self.impulse += impulse;
        self.torque += arm.cross(impulse);
        let outer = DMat3::from_cols(impulse * arm.x, impulse * arm.y, impulse * arm.z);
        self.following += (DMat3::from_diagonal(DVec3::splat(arm.dot(impulse))) - symmetric(outer)) * theta;
    }
    /// Angular impulse with mean arms [N·m·s].
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
    /// State at the start of the piece, with the velocities after its impacts.
    pub launch: State,
    /// 1 if forces act along the piece, 0 if they are part of the launch.
    pub forces: f64,
    /// θ, the weight of the end of the piece in means.
    pub theta: f64,
    /// v̄ and L̄, the mean velocity and angular momentum over the piece.
    pub mean: (DVec3, DVec3),
    /// v̄ and L̄ by the solve with the rows of the start, if there was one.
    pub foreseen: Option<(DVec3, DVec3)>,
    /// ∂L̄ by the rotation of the end pose over h [kg·m²]; see [`MovingBody::find_turn`].
    turn: DMat3,
    /// Pose at the end of the piece; its momenta are set by the velocity phase.
    pub end: State,
    pub load: Load,
}

impl MovingBody {
    /// The body at the start of a step, under the forces of the step. `anchors` lends memory.
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

    /// Moves it as launched, under the forces of the piece.
    pub fn drift(&mut self, h: f64) -> bool {
        let push = self.theta * self.forces * h;
        self.mean = (self.launch.velocity + push * self.acceleration, self.launch.momentum + push * self.torque);
        self.go(h)
    }

    /// Moves it as launched, without forces. A body at rest stays in place.
    pub fn coast(&mut self, h: f64) -> bool {
        self.mean = (self.launch.velocity, self.launch.momentum);
        self.go(h)
    }

    /// Moves it as the solve with the rows of the start says.
    pub fn follow(&mut self, h: f64) -> bool {
        self.mean = self.foreseen.unwrap_or((self.launch.velocity, self.launch.momentum));
        self.go(h)
    }

    /// Approximate distance of that motion from free motion [m, rad].
    pub fn deflection(&self, h: f64) -> f64 {
        let Some((velocity, momentum)) = self.foreseen else { return 0.0 };
        let turned = self.start.orientation.inverse() * (momentum - self.launch.momentum);
        h * (velocity - self.launch.velocity).length().max((self.mass.inverse_inertia * turned).length())
    }

    /// Keeps it where it is.
    pub fn stay(&mut self) -> bool {
        self.mean = (DVec3::ZERO, DVec3::ZERO);
        self.end = self.start;
        true
    }

    /// Moves it by its mean velocity and angular momentum. Returns false if that leaves the range of numbers.
    fn go(&mut self, h: f64) -> bool {
        let MovingBody { mass, start, mean, .. } = self;
        let angular_velocity = mass.inverse_inertia * (start.orientation.inverse() * mean.1);
        self.end.position = start.position + h * mean.0;
        self.end.orientation = (start.orientation * free_rotation(mass, angular_velocity, h).1).normalize();
        self.end.orientation.is_finite() && self.end.position.is_finite()
    }

    /// Adds a change of the end pose, given as a velocity. Returns false if that leaves the range of numbers, or turns
    /// the body by more than [`MAX_DEFLECTION`] from its launch.
    pub fn shift(&mut self, change: &Twist, h: f64) -> bool {
        self.mean.0 += change.linear;
        self.mean.1 += self.turn * change.angular;
        let gained = self.start.orientation.inverse() * (self.mean.1 - self.launch.momentum);
        let deflection = h * (self.mass.inverse_inertia * gained).length();
        deflection <= MAX_DEFLECTION && self.go(h)
    }

    /// Computes the change of L̄ for a rotation of the end pose, `δL̄ = R I (∂φ⁺/∂ω)⁻¹ h w` with ω = I⁻¹RᵀL̄ in the
    /// body's axes, by finite differences. (A second-order approximation would leave a hundredth of the error per round
    /// when links swing by 0.1 rad per step.)
    pub fn find_turn(&mut self, h: f64) {
        let MovingBody { mass, start, mean, .. } = self;
        let angular_velocity = mass.inverse_inertia * (start.orientation.inverse() * mean.1);
        let still = free_rotation(mass, angular_velocity, h).1;
        let change = NUDGE / h;
        let column = |axis: DVec3| {
            let turned = free_rotation(mass, angular_velocity + change * axis, h).1 * still.inverse();
            let turned = if turned.w < 0.0 { -turned } else { turned };
            // The vector part is half of the angle, to third order.
            start.orientation * (turned.xyz() * (2.0 / NUDGE))
        };
        let rate = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        let inverse = rate.inverse();
        let whole = if inverse.is_finite() { inverse } else { DMat3::from_quat(start.orientation).transpose() };
        self.turn = DMat3::from_quat(start.orientation) * mass.inertia * whole;
    }

    /// The matrix computed by [`MovingBody::find_turn`] [kg·m²].
    pub fn turn(&self) -> DMat3 {
        self.turn
    }

    /// 1/θ times the defect of its equations of motion under its load [N·s, N·m·s].
    pub fn short_of(&self, h: f64) -> (DVec3, DVec3) {
        let MovingBody { mass, launch, load, theta, .. } = self;
        let push = self.forces * h;
        let torque = push * self.torque + load.mean_torque(*theta, self.start.orientation, self.end.orientation);
        (
            mass.mass * (push * self.acceleration - (self.mean.0 - launch.velocity) / *theta) + load.impulse,
            torque - (self.mean.1 - launch.momentum) / *theta,
        )
    }

    /// Displacement and rotation over the piece, world axes [m, rad].
    pub fn displacement(&self) -> Twist {
        let turn = self.end.orientation * self.start.orientation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Twist { linear: self.end.position - self.start.position, angular: turn.to_scaled_axis() }
    }

    /// Inverse mass for the mean velocity: θ/m, and (I/θ − hK)⁻¹ with the geometric stiffness K of the load. K is left
    /// out if the matrix is not positive definite, that is, under a load that would make the body buckle.
    pub fn mean_inverse_mass(&self, h: f64) -> InverseMass {
        inverse_mass(self.theta * self.mass.inverse_mass, symmetric(self.mean_rotational(h).inverse()))
    }

    fn mean_rotational(&self, h: f64) -> DMat3 {
        let orientation = self.end.orientation;
        let inertia = world(self.mass.inertia, orientation) * self.theta.recip();
        let stiff = inertia - (symmetric(self.load.stiffness(self.theta, orientation)) + self.load.following) * h;
        if is_stiffer_than(&stiff, &inertia, 0.1) { stiff } else { inertia }
    }

    /// Motion that removes its own defect, as a velocity of the end pose.
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

/// Transforms a tensor from the body's axes to world axes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::free_rotation::tests::body;

    /// A rod on its way: a change of its end pose by 2 rad is taken. Rounds that turn it on by 10 rad each fail in the third,
    /// however fast it spins by itself.
    #[test]
    fn rounds_that_turn_a_body_four_times_round_fail() {
        let mass = body(DVec3::new(1.0, 2.0, 2.5));
        let h = 1.0 / 60.0;
        for spin in [0.0, 1e4] {
            let momentum = DVec3::new(spin, 0.0, 0.0);
            let start = State { position: DVec3::ZERO, orientation: DQuat::IDENTITY, velocity: DVec3::ZERO, momentum };
            let mut body = MovingBody::new(mass, start, DVec3::ZERO, (DVec3::ZERO, DVec3::ZERO), Vec::new());
            body.turn = mass.inertia;
            assert!(body.coast(h));
            let by = |angle: f64| Twist { linear: DVec3::ZERO, angular: DVec3::new(0.0, angle / h, 0.0) };
            assert!(body.shift(&by(2.0), h));
            assert_eq!([10.0, 10.0, 10.0].map(|angle| body.shift(&by(angle), h)), [true, true, false]);
        }
    }
}
