//! The joints of a robot as joints of a scene.

use super::description::{EqualityKind, Motion, RobotJoint};
use super::model::{ModelJoint, ModelLink, RobotModel};
use crate::joint::MAX_VALUE;
use crate::scene::{EndDescription, JointDescription};
use crate::{Coordinate, JointKind};
use glamx::{DPose3, DQuat, DVec3};

/// The engine's coordinate of a joint: its index among the free coordinates of the engine's joint, and `x = sign · (q
/// − reference)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub coordinate: usize,
    pub sign: f64,
    pub reference: f64,
}

impl Place {
    pub fn to_engine(self, q: f64) -> f64 {
        self.sign * (q - self.reference)
    }
    pub fn of_engine(self, x: f64) -> f64 {
        self.reference + self.sign * x
    }
}

impl RobotModel {
    /// The joints of the links that are not free, in their order, then the constraints beyond the trees.
    pub(super) fn joints_of(&self, base: &DPose3, prefix: &str) -> Vec<JointDescription> {
        let tree = self.links.iter().filter_map(|link| self.joint_of(link, base, prefix));
        tree.chain(self.ties(base, prefix)).collect()
    }

    fn joint_of(&self, link: &ModelLink, base: &DPose3, prefix: &str) -> Option<JointDescription> {
        let joints = &self.joints[link.joints.clone()];
        let (kind, frame, coordinates) = match joints {
            [ModelJoint { joint: RobotJoint { motion: Motion::Free, .. }, .. }] => return None,
            [ModelJoint { joint: RobotJoint { motion: Motion::Ball { point }, range, .. }, .. }] => {
                let frame = DPose3::from_parts(*point, DQuat::IDENTITY);
                match range {
                    // The angle of the whole turn.
                    Some([_, most]) if *most > 0.0 => {
                        let free = Coordinate::free();
                        (JointKind::SwingTwist, frame, vec![free, free.limits(0.0, *most), free])
                    }
                    _ => (JointKind::Ball, frame, Vec::new()),
                }
            }
            [ModelJoint { joint, .. }] => {
                let (kind, point, axis) = match joint.motion {
                    Motion::Hinge { point, axis } => (JointKind::Revolute, point, axis),
                    Motion::Slide { axis } => (JointKind::Prismatic, DVec3::ZERO, axis),
                    Motion::Ball { .. } | Motion::Free => return None,
                };
                let turn = crate::Frame::along(point, axis).axes;
                (kind, DPose3::from_parts(point, turn), vec![coordinate(joint, 1.0)])
            }
            joints => {
                let mut six = vec![Coordinate::locked(); 6];
                for (joint, (axis, sign)) in joints.iter().zip(&link.arrangement.places) {
                    six[*axis] = coordinate(&joint.joint, *sign);
                }
                (JointKind::Generic, link.arrangement.frame, six)
            }
        };
        let a = end(Some(format!("{prefix}{}", link.name)), &frame);
        let above = link.pose * frame;
        let b = match link.parent {
            Some(parent) => end(Some(format!("{prefix}{}", self.links[parent].name)), &above),
            None => end(None, &(*base * above)),
        };
        let coordinates =
            if coordinates.iter().all(|c| *c == Coordinate::default()) { Vec::new() } else { coordinates };
        Some(JointDescription { coordinates, ..JointDescription::new(kind, a, b) })
    }

    /// Index of each joint among the free coordinates of its link's joint; `None` for balls and free links.
    pub(super) fn engine_places(&self) -> Vec<Option<Place>> {
        let place = |joint: &ModelJoint| {
            let link = &self.links[joint.link];
            let reference = joint.joint.reference;
            match joint.joint.motion {
                Motion::Ball { .. } | Motion::Free => None,
                _ if link.joints.len() == 1 => Some(Place { coordinate: 0, sign: 1.0, reference }),
                _ => {
                    let at = self.joints[link.joints.clone()].iter().position(|other| other.v == joint.v)?;
                    let (axis, sign) = *link.arrangement.places.get(at)?;
                    // Free coordinates are counted in the order of the six.
                    let coordinate = link.arrangement.places.iter().filter(|(other, _)| *other < axis).count();
                    Some(Place { coordinate, sign, reference })
                }
            }
        };
        self.joints.iter().map(place).collect()
    }

    /// Constraints between points or links. They hold the offsets that the file has with all coordinates at their
    /// references.
    fn ties(&self, base: &DPose3, prefix: &str) -> Vec<JointDescription> {
        let reference = |joint: &ModelJoint| match joint.joint.motion.coordinates() {
            1 => vec![joint.joint.reference],
            n => self.home[joint.q..joint.q + n].to_vec(),
        };
        let references = || self.joints.iter().flat_map(reference).collect();
        let posture = self.posture(base, &self.tied_at.clone().unwrap_or_else(references));
        let mut ties = Vec::new();
        for tie in &self.equalities {
            let (kind, link, other, point) = match tie.kind {
                EqualityKind::Connect { link, other, point } => (JointKind::Ball, link, other, point),
                EqualityKind::Weld { link, other } => (JointKind::Fixed, link, other, DVec3::ZERO),
                EqualityKind::Joint { .. } | EqualityKind::Tendon { .. } => continue,
            };
            let first = self.carriers[link];
            let above = first.link.map_or(posture.base, |link| posture.links[link]);
            let at = above * first.pose * DPose3::from_parts(point, DQuat::IDENTITY);
            // One end has to be on a body that moves.
            let (body, other) = match (first.link, other.and_then(|other| self.carriers[other].link)) {
                (Some(body), other) => (body, other),
                (None, Some(body)) => (body, None),
                (None, None) => continue,
            };
            let on = |body: Option<usize>| match body {
                Some(body) => {
                    end(Some(format!("{prefix}{}", self.links[body].name)), &(posture.links[body].inverse() * at))
                }
                None => end(None, &at),
            };
            ties.push(JointDescription {
                bodies_touch: true,
                ..JointDescription::new(kind, on(Some(body)), on(other))
            });
        }
        ties
    }
}

fn end(body: Option<String>, frame: &DPose3) -> EndDescription {
    let q = frame.rotation;
    let axes = (q != DQuat::IDENTITY).then_some([q.w, q.x, q.y, q.z]);
    EndDescription { body, point: frame.translation.to_array(), axes }
}

/// Friction, limits, springs and other forces of a joint, along the engine's coordinate.
fn coordinate(joint: &RobotJoint, sign: f64) -> Coordinate {
    let place = Place { coordinate: 0, sign, reference: joint.reference };
    let mut coordinate =
        Coordinate { friction: joint.friction, damping: joint.damping, armature: joint.armature, ..Coordinate::free() };
    if let Some([low, high]) = joint.range {
        // A limit beyond the engine's range of coordinates is no limit.
        let ends = [low, high].map(|end| if end.abs() > MAX_VALUE { f64::INFINITY.copysign(end) } else { end });
        let ends = ends.map(|end| place.to_engine(end));
        coordinate = coordinate.limits(ends[0].min(ends[1]), ends[0].max(ends[1]));
    }
    if joint.stiffness > 0.0 {
        coordinate = coordinate.spring(joint.stiffness, 0.0, place.to_engine(joint.spring_rest));
    }
    coordinate
}
