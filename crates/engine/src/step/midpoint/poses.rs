//! Poses of bodies and joints at the start and at the end of a piece.

use super::{IMPLICIT, Mover};
use crate::joint::geometry::{End, JointGeometry, Placed, Pose};
use crate::step::{Moving, Twist};
use glamx::{DQuat, DVec3};

impl<'a> Mover<'a> {
    /// Pose of a fixed or kinematic body at some time within the step.
    pub(super) fn given_pose(&self, rank: u32, time: f64) -> Pose {
        let Moving { state, kind, .. } = &self.scene.bodies[rank as usize];
        if *kind != crate::Kind::Kinematic {
            return (state.position, state.orientation);
        }
        let turned = (DQuat::from_scaled_axis(time * state.angular_velocity) * state.orientation).normalize();
        (state.position + time * state.velocity, turned)
    }

    pub(super) fn start_pose(&self, end: End) -> Pose {
        match end {
            End::Body(place, _) => (self.bodies[place].start.position, self.bodies[place].start.orientation),
            End::Given(rank, _) => self.given_pose(rank, self.time),
            End::World(_) => (DVec3::ZERO, DQuat::IDENTITY),
        }
    }

    pub(super) fn end_pose(&self, end: End, h: f64) -> Pose {
        match end {
            End::Body(place, _) => (self.bodies[place].end.position, self.bodies[place].end.orientation),
            End::Given(rank, _) => self.given_pose(rank, self.time + h),
            End::World(_) => (DVec3::ZERO, DQuat::IDENTITY),
        }
    }

    /// Computes the pose of every joint at the start of the piece.
    pub(super) fn place_starts(&mut self) {
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        starts.extend(self.joints.iter().map(|joint| joint.place(|end| self.start_pose(end))));
        self.starts = starts;
    }

    /// Computes the pose of every joint at the current end poses.
    pub(super) fn place_ends(&mut self, h: f64) {
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        ends.extend(self.joints.iter().map(|joint| joint.place(|end| self.end_pose(end, h))));
        self.ends = ends;
    }

    /// Joints with their poses at the start of the piece and at the current end poses.
    pub(super) fn placed_joints(&self) -> impl Iterator<Item = (&JointGeometry<'a>, &Placed, &Placed)> {
        self.joints.iter().zip(&self.starts).zip(&self.ends).map(|((joint, start), end)| (joint, start, end))
    }

    /// The pose whose mean with the end pose gives arms and directions of the first phase: the start pose for the
    /// midpoint rule, the end pose itself for backward Euler.
    pub(super) fn mean_start(&self, joint: usize) -> &Placed {
        if self.theta < IMPLICIT { &self.starts[joint] } else { &self.ends[joint] }
    }

    /// Every joint with that pose and the one at the end.
    pub(super) fn mean_placed_joints(&self) -> impl Iterator<Item = (&JointGeometry<'a>, &Placed, &Placed)> {
        self.joints.iter().enumerate().map(|(index, joint)| (joint, self.mean_start(index), &self.ends[index]))
    }

    /// Index of a body in the island; `None` if impulses do not move it.
    pub(super) fn place(&self, rank: u32) -> Option<u32> {
        self.scene.bodies[rank as usize].place
    }

    /// Indices of the bodies of a joint in the island.
    pub(super) fn joint_places(joint: &JointGeometry) -> [Option<u32>; 2] {
        [joint.a, joint.b].map(|end| if let End::Body(place, _) = end { Some(place as u32) } else { None })
    }

    /// Velocity of a fixed or kinematic body.
    pub(super) fn given_velocity(&self, rank: u32) -> Twist {
        self.scene.free[rank as usize].after
    }
}
