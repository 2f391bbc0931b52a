//! Taut joints: joints that leave no freedom of motion, such as a bridge without slack, which only an infinite tension
//! could hold. Their piece is moved by backward Euler, `X⁺ = X + h v⁺` with arms and directions of the end, and with
//! slightly compliant rows. The tension is then finite, and Newton's method finds it. (The midpoint rule would need `v⁺
//! = −v⁻`.) Measured in `docs/decisions/0031-where-impulses-meet-a-body.md`.

use super::drives::Role;
use super::shelf::Shelves;
use super::{IMPLICIT, Mover};
use crate::joint::geometry::End;
use crate::joint::rows::Purpose;
use crate::step::solve::IslandSolution;
use glamx::DVec3;

/// Compliance of rows in an implicit motion, as a share of their own inverse mass \[1\]: 1e-9 m under a ton. Ten times
/// this value leaves gaps of 4e-8 m where a load strikes.
const YIELD: f64 = 1e-12;
/// Joints are taut if their impulse exceeds this multiple of the momentum of their bodies and of forces \[1\].
const TAUT: f64 = 100.0;

/// Bodies on taut joints are slower than this multiple of the speed they would gain by falling through the piece \[1\].
const SLOW: f64 = 6.0;

/// The tension found by rounds is trusted if joint errors are below this [m, rad].
pub(super) const NEARLY_FITS: f64 = 1e-5;

/// A way to take a piece.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Attempt {
    /// By the midpoint rule, after impacts.
    Midpoint,
    /// By backward Euler, with slightly compliant rows.
    Implicit,
    /// By backward Euler, with rounds that start from bodies in place.
    FromRest,
    /// By the midpoint rule, with forces as an impact at the start. The rows of a nearly taut rope turn so fast that
    /// the solve with the rows of the start cannot predict contact impulses along the piece.
    Kicked,
}

impl Attempt {
    /// The usual order.
    pub const USUAL: [Attempt; 4] = [Attempt::Midpoint, Attempt::Implicit, Attempt::FromRest, Attempt::Kicked];
    /// The order for joints that were taut in the last step.
    pub const TAUT: [Attempt; 4] = [Attempt::Implicit, Attempt::FromRest, Attempt::Midpoint, Attempt::Kicked];
}

impl Mover<'_> {
    /// Sets θ, the weight of the end of the piece.
    pub fn set_theta(&mut self, theta: f64) {
        if theta == IMPLICIT {
            self.find_yields();
        }
        self.theta = theta;
        self.bodies.iter_mut().for_each(|body| body.theta = theta);
    }

    /// Leaves all bodies where they are, at rest. Used for taut joints if no attempt found how their loads stop;
    /// anything else would tear the joints. The certificate shows it.
    pub fn stand_still(&mut self, h: f64, shelves: &mut Shelves, out: &mut IslandSolution) {
        self.forget_launch(shelves);
        // Keep the tension as the guess of the next step.
        for (total, part) in out.joint_impulses.iter_mut().zip(&self.lambda) {
            *total += part;
        }
        for body in &mut self.bodies {
            self.motion.ledger.stopped -= body.start.kinetic(&body.mass);
            (body.start.velocity, body.start.momentum) = (DVec3::ZERO, DVec3::ZERO);
            body.end = body.start;
        }
        self.motion.taut = true;
        self.motion.pieces += 1;
        self.motion.missed += 1;
        self.time += h;
    }

    /// Whether all joint rows are locked coordinates. Tension between motors or springs is caused by these, and does
    /// not mean that joints are taut.
    pub fn only_holds(&self) -> bool {
        !self.joints.is_empty()
            && self.joints.iter().all(|joint| joint.rows.iter().all(|spec| spec.purpose == Purpose::Constraint))
    }

    /// Whether joints are taut: their bodies hardly move, under a tension that no load explains.
    pub fn is_taut(&self, h: f64) -> bool {
        let held = |end: End| {
            let End::Body(place, _) = end else { return true };
            let body = &self.bodies[place];
            body.start.velocity.length() <= SLOW * h * body.acceleration.length()
        };
        if !self.only_holds() || !self.joints.iter().all(|joint| held(joint.a) && held(joint.b)) {
            return false;
        }
        let locked = self.roles.iter().zip(&self.lambda).filter(|(role, _)| **role == Role::Held);
        locked.fold(0.0, |most: f64, (_, impulse)| most.max(impulse.abs())) > TAUT * self.momentum_at_hand(h)
    }

    /// Computes the compliance of rows in an implicit motion, with the arms at the start of the piece.
    fn find_yields(&mut self) {
        let mut yields = std::mem::take(&mut self.yields);
        yields.clear();
        for joint in &self.joints {
            let placed = joint.place(|end| self.start_pose(end));
            let places = Mover::joint_places(joint);
            let give = |spec| YIELD * self.give(&places, &joint.jacobian(spec, &placed, &placed));
            yields.extend(joint.rows.iter().map(give));
        }
        self.yields = yields;
    }
}
