//! Joints that leave no way to go: a bridge without slack, which only an infinite tension holds. Its piece is moved by backward Euler,
//! `X⁺ = X + h v⁺` with arms and directions of the end, and rows that give way a little: the tension is finite then, and Newton's method
//! finds it. (The midpoint rule would need `v⁺ = −v⁻`; its filter is stiffer than such a tension.) Measured:
//! `docs/decisions/0031-where-impulses-meet-a-body.md`.

use super::drives::Role;
use super::shelf::Shelves;
use super::{IMPLICIT, Mover};
use crate::joint::geometry::End;
use crate::joint::rows::Purpose;
use crate::step::solve::IslandSolution;
use glamx::DVec3;

/// Compliance of rows in an implicit motion, as a share of what they would give way alone \[1\]: 1e-9 m under a
/// ton. Ten times as much leaves gaps of 4e-8 m where a load strikes.
const YIELD: f64 = 1e-12;
/// Tension of joints over all the momentum that their bodies have and get, above which they are taut \[1\].
const TAUT: f64 = 100.0;

/// Speed that bodies on taut joints may have from what struck them, over what they would gain by falling through the piece \[1\].
const SLOW: f64 = 6.0;

/// Error of joints below which the tension that rounds ended with is believed [m, rad].
pub(super) const NEARLY_FITS: f64 = 1e-5;

/// How a piece is tried.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Attempt {
    /// By the midpoint rule, after impacts.
    Midpoint,
    /// By backward Euler, with rows that give way a little.
    Implicit,
    /// The same, from where the bodies are.
    FromRest,
    /// By the midpoint rule, with the forces in the launch. In a rope that is nearly taut rows turn so fast that those of the
    /// start are no guide to what contacts carry along the way: then it acts at the start, like an impact.
    Kicked,
}

impl Attempt {
    /// In the usual order.
    pub const USUAL: [Attempt; 4] = [Attempt::Midpoint, Attempt::Implicit, Attempt::FromRest, Attempt::Kicked];
    /// Where the tension that the last step left says that joints are taut.
    pub const TAUT: [Attempt; 4] = [Attempt::Implicit, Attempt::FromRest, Attempt::Midpoint, Attempt::Kicked];
}

impl Mover<'_> {
    /// Sets how much the end of the piece counts.
    pub fn set_theta(&mut self, theta: f64) {
        if theta == IMPLICIT {
            self.find_yields();
        }
        self.theta = theta;
        self.bodies.iter_mut().for_each(|body| body.theta = theta);
    }

    /// Leaves all bodies where they are, at rest: taut joints leave no way to go, and how their loads stop could not be found. The
    /// certificate says so. Anything else would tear the joints.
    pub fn stand_still(&mut self, h: f64, shelves: &mut Shelves, out: &mut IslandSolution) {
        self.forget_launch(shelves);
        // The tension is remembered for the next step.
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

    /// Whether all joints only hold. Tension between drives is explained by what these do.
    pub fn only_holds(&self) -> bool {
        !self.joints.is_empty()
            && self.joints.iter().all(|joint| joint.rows.iter().all(|spec| spec.purpose == Purpose::Constraint))
    }

    /// Whether joints leave their bodies no way to go: these hardly move, under a tension that no load explains.
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

    /// How much rows give way in an implicit motion, with the arms of the start of the piece.
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
