//! A body of an island, and how impulses at points of it move it over a piece of the step.
//!
//! ```text
//! x⁺ = x + h(v + (h f + λ)/2m),   R⁺ = Rot(R, L̄),   L̄ = L + ½(h τ + Σ ½(r + r⁺)×λ)
//! ```
//!
//! with Rot the exact rotation of a free body of angular momentum L̄ (`free_rotation`). r⁺ depends on R⁺, so L̄ is found by
//! Newton's method; its slope is the geometric stiffness `K = ∂(Σ ½(r + r⁺)×λ)/∂φ = ½ Σ (r⁺λᵀ − (λ·r⁺)I)`, which is not
//! symmetric where there is a moment: with its symmetric part alone, thirty steps left 5e-9 rad in links under large ones.

use crate::body::{BodyState, Inertial};
use crate::step::Twist;
use crate::step::free_rotation::free_rotation;
use glamx::{DMat3, DQuat, DVec3};
use signorini_problem::InverseMass;

/// Newton steps for one body: four are usual.
const MAX_ITERATIONS: usize = 30;
/// Error of L̄ relative to its size at which the orientation is right to round-off \[1\].
const ACCURACY: f64 = 1e-15;

/// Most that joint impulses may turn a body in a piece [rad].
const MAX_TURN: f64 = 200.0;

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
    pub fn clear(&mut self) {
        self.impulse = DVec3::ZERO;
        self.torque = DVec3::ZERO;
        self.following = DMat3::ZERO;
        self.anchors.clear();
    }
    /// Adds an impulse P over an arm c that does not turn, while P turns with the body, by half as much in the mean over the
    /// piece: `K = ∂(c×P)/∂φ = ½((c·P)I − Pcᵀ)`.
    pub fn follow(&mut self, arm: DVec3, impulse: DVec3) {
        self.impulse += impulse;
        self.torque += arm.cross(impulse);
        let outer = DMat3::from_cols(impulse * arm.x, impulse * arm.y, impulse * arm.z);
        self.following += DMat3::from_diagonal(DVec3::splat(0.5 * arm.dot(impulse))) - symmetric(outer) * 0.5;
    }
    /// Angular impulse over mid arms [N·m·s].
    pub fn mean_torque(&self, before: DQuat, after: DQuat) -> DVec3 {
        let mean = |arm: DVec3| 0.5 * (before * arm + after * arm);
        self.torque + self.anchors.iter().map(|(arm, impulse)| mean(*arm).cross(*impulse)).sum::<DVec3>()
    }
    /// Geometric stiffness K [N·m·s].
    fn stiffness(&self, after: DQuat) -> DMat3 {
        let mut k = DMat3::ZERO;
        for (arm, impulse) in &self.anchors {
            let arm = after * *arm;
            let outer = DMat3::from_cols(arm * impulse.x, arm * impulse.y, arm * impulse.z);
            k += outer * 0.5 - DMat3::from_diagonal(DVec3::splat(0.5 * arm.dot(*impulse)));
        }
        k
    }
}

/// A dynamic body of an island.
#[derive(Clone, Debug)]
pub(crate) struct MovingBody {
    pub mass: Inertial,
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
    /// Pose at the end of the piece; momenta once the velocity phase has found them.
    pub end: State,
    pub load: Load,
}

impl MovingBody {
    /// Moves the body by its load; false if the orientation was not found.
    pub fn advance(&mut self, h: f64) -> bool {
        let MovingBody { mass, launch: start, load, .. } = self;
        let pushed = self.forces * h * self.acceleration + mass.inverse_mass * load.impulse;
        self.end.position = start.position + h * (start.velocity + 0.5 * pushed);
        let kick = self.forces * h * self.torque;
        let turned = |momentum: DVec3| {
            let local = start.orientation.inverse() * momentum;
            (start.orientation * free_rotation(mass, mass.inverse_inertia * local, h).1).normalize()
        };
        let mut momentum = start.momentum + 0.5 * (kick + load.mean_torque(start.orientation, start.orientation));
        for _ in 0..MAX_ITERATIONS {
            // Joint impulses that would spin a body up by turns are those of a round that went astray.
            let spun = mass.inverse_inertia * (start.orientation.inverse() * (momentum - start.momentum - 0.5 * kick));
            let turn = h * spun.length();
            if !load.anchors.is_empty() && (turn.is_nan() || turn > MAX_TURN) {
                return false;
            }
            let orientation = turned(momentum);
            let target = start.momentum + 0.5 * (kick + load.mean_torque(start.orientation, orientation));
            let error = target - momentum;
            if error.length() <= ACCURACY * (momentum.length() + target.length()) {
                self.end.orientation = orientation;
                return orientation.is_finite() && self.end.position.is_finite();
            }
            let slope =
                DMat3::IDENTITY - load.stiffness(orientation) * (0.5 * h) * world(mass.inverse_inertia, orientation);
            let change = slope.inverse() * error;
            momentum += if change.is_finite() { change } else { error };
            self.end.orientation = orientation;
        }
        // Close enough for a further round, which starts from here.
        self.end.orientation.is_finite() && self.end.position.is_finite()
    }

    /// How far it moved and turned, world axes [m, rad].
    pub fn displacement(&self) -> Twist {
        let turn = self.end.orientation * self.start.orientation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Twist { linear: self.end.position - self.start.position, angular: turn.to_scaled_axis() }
    }

    /// What the mean velocity gains by an impulse: 1/2m, and (2I − hK)⁻¹ with the geometric stiffness of the load. Under
    /// a push that would buckle it, where that is not positive definite, K is left out.
    pub fn mean_inverse_mass(&self, h: f64) -> InverseMass {
        let orientation = self.end.orientation;
        let inertia = world(self.mass.inertia, orientation) * 2.0;
        let stiff = inertia - (symmetric(self.load.stiffness(orientation)) + self.load.following) * h;
        let rotational = if is_stiffer_than(&stiff, &inertia, 0.1) { stiff } else { inertia };
        inverse_mass(0.5 * self.mass.inverse_mass, symmetric(rotational.inverse()))
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
