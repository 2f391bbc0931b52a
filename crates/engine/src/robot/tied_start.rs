//! Start pose of a robot with constraints between links beyond its trees, such as closed loops.
//!
//! MuJoCo's constraints are soft, and its files rely on that: key frames close loops only to a millimetre, and
//! constraints that are defined with all joints at their references do not fit where limits exclude that pose.

use super::description::{EqualityKind, Notice};
use super::handle::{Robot, RobotPlacement};
use super::model::RobotModel;
use crate::joint::MISFIT;
use crate::{Settings, World};

/// How far beyond a limit round-off may take a coordinate [m, rad].
const BEYOND: f64 = 1e-9;

impl RobotModel {
    /// Moves the home pose by the smallest mass-weighted motion that makes all constraints fit. If no pose within the
    /// limits does, the constraints hold the offsets of the home pose.
    pub(super) fn start_where_tied(&mut self) {
        let of_bodies = |kind: &EqualityKind| matches!(kind, EqualityKind::Connect { .. } | EqualityKind::Weld { .. });
        let Some(at) = self.equalities.iter().find(|tie| of_bodies(&tie.kind)).map(|tie| tie.at.clone()) else {
            return;
        };
        let mut bare = self.clone();
        bare.links.iter_mut().for_each(|link| link.shapes.clear());
        bare.fixtures.clear();
        bare.apart.clear();
        bare.actuators.clear();
        bare.home_control.clear();
        let Ok(mut world) = World::new(Settings::default()) else { return };
        // An error of building is reported later, when the robot is put into a world.
        let Ok(robot) = Robot::add(&mut world, &bare, &RobotPlacement::default()) else { return };
        let off = world.largest_error();
        if off <= MISFIT {
            return;
        }
        let fitting = world.assemble().ok().and_then(|_| robot.q(&world).ok());
        let what = match fitting.filter(|q| self.is_within_limits(q)) {
            Some(q) => {
                self.home = q;
                format!(
                    "bodies are tied ('equality') {off:.1e} m or rad away from where they are at home, and begin where they fit"
                )
            }
            None => {
                self.tied_at = Some(self.home.clone());
                "ties of bodies ('equality') that fit nowhere within the limits hold what they find in the home pose"
                    .to_owned()
            }
        };
        self.ignored.push(Notice { at, what });
    }

    fn is_within_limits(&self, q: &[f64]) -> bool {
        self.joints.iter().all(|joint| match (joint.joint.motion.coordinates(), joint.joint.range) {
            (1, Some([low, high])) => (low - BEYOND..=high + BEYOND).contains(&q[joint.q]),
            _ => true,
        })
    }
}
