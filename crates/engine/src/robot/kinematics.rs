//! Poses and velocities of links from coordinates and rates.
//!
//! Every freedom is a twist in world axes, taken at the origin of the world: `(a, p × a)` for a turn about the axis `a`
//! through `p`, `(0, a)` for a slide along `a`. The twist of a link is `V = Σ S_i q̇_i` over the freedoms between it and the
//! base; the velocity of its point x is `V.v + V.ω × x`.

use super::description::Motion;
use super::model::RobotModel;
use glamx::{DPose3, DQuat, DVec3};

/// A twist: angular velocity, and velocity of the body's point at the origin of the world. Axes of joints are twists
/// at unit rate.
///
/// ```
/// use signorini::glamx::DVec3;
/// let slide = signorini::robot::Twist { angular: DVec3::ZERO, linear: DVec3::X };
/// assert_eq!(slide.linear, DVec3::X);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// [rad/s].
    pub angular: DVec3,
    /// [m/s].
    pub linear: DVec3,
}

impl Twist {
    pub(crate) fn plus(self, other: Twist, factor: f64) -> Twist {
        Twist { angular: self.angular + other.angular * factor, linear: self.linear + other.linear * factor }
    }

    /// Rate of change of a twist that moves along with this one.
    pub(crate) fn carries(self, other: Twist) -> Twist {
        Twist {
            angular: self.angular.cross(other.angular),
            linear: self.angular.cross(other.linear) + self.linear.cross(other.angular),
        }
    }

    /// Velocity of the body's point at this place in the world [m/s].
    pub fn at(self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point)
    }
}

/// A robot in a pose.
#[derive(Clone, Debug)]
pub struct Posture {
    /// Frame of each link in the world.
    pub links: Vec<DPose3>,
    /// Twist of each freedom at unit rate.
    pub axes: Vec<Twist>,
    /// Frame of the base in the world.
    pub base: DPose3,
}

/// Unit quaternion of four coordinates (w, x, y, z); zeros are no turn.
pub(crate) fn turn(wxyz: &[f64]) -> DQuat {
    let q = DQuat::from_xyzw(wxyz[1], wxyz[2], wxyz[3], wxyz[0]);
    let length = q.length();
    if length > 0.0 && length.is_finite() { q / length } else { DQuat::IDENTITY }
}

/// `E(q)` of a motion of one coordinate, away from its reference.
pub(crate) fn displaced(motion: &Motion, value: f64) -> DPose3 {
    match *motion {
        Motion::Hinge { point, axis } => {
            let turn = DQuat::from_axis_angle(axis, value);
            DPose3::from_parts(point - turn * point, turn)
        }
        Motion::Slide { axis } => DPose3::from_parts(axis * value, DQuat::IDENTITY),
        Motion::Ball { .. } | Motion::Free => DPose3::IDENTITY,
    }
}

impl RobotModel {
    /// Places every link. `q` has [`RobotModel::coordinates`] numbers; missing ones count as zero.
    pub fn posture(&self, base: &DPose3, q: &[f64]) -> Posture {
        let mut posture = Posture { links: Vec::with_capacity(self.links.len()), axes: Vec::new(), base: *base };
        let mut padded = q.to_vec();
        padded.resize(self.coordinates(), 0.0);
        for link in &self.links {
            let above = link.parent.map_or(*base, |parent| posture.links[parent]);
            let mut pose = above * link.pose;
            for joint in &self.joints[link.joints.clone()] {
                let q = &padded[joint.q..joint.q + joint.joint.motion.coordinates()];
                pose = self.follow(&mut posture, &above, pose, &joint.joint.motion, q, joint.joint.reference);
            }
            pose.rotation = pose.rotation.normalize();
            posture.links.push(pose);
        }
        posture
    }

    /// The frame after a motion; its axes are added.
    fn follow(
        &self,
        posture: &mut Posture,
        above: &DPose3,
        pose: DPose3,
        motion: &Motion,
        q: &[f64],
        reference: f64,
    ) -> DPose3 {
        let about = |axis: DVec3, point: DVec3| Twist { angular: axis, linear: point.cross(axis) };
        let unit = [DVec3::X, DVec3::Y, DVec3::Z];
        match *motion {
            Motion::Hinge { point, axis } => {
                posture.axes.push(about(pose.rotation * axis, pose.transform_point(point)));
                pose * displaced(motion, q[0] - reference)
            }
            Motion::Slide { axis } => {
                posture.axes.push(Twist { angular: DVec3::ZERO, linear: pose.rotation * axis });
                pose * displaced(motion, q[0] - reference)
            }
            Motion::Ball { point } => {
                let turned = turn(q);
                let after = pose * DPose3::from_parts(point - turned * point, turned);
                let centre = after.transform_point(point);
                posture.axes.extend(unit.map(|axis| about(after.rotation * axis, centre)));
                after
            }
            Motion::Free => {
                let after = *above * DPose3::from_parts(DVec3::new(q[0], q[1], q[2]), turn(&q[3..]));
                let along = |axis: DVec3| Twist { angular: DVec3::ZERO, linear: above.rotation * axis };
                posture.axes.extend(unit.map(along));
                posture.axes.extend(unit.map(|axis| about(after.rotation * axis, after.translation)));
                after
            }
        }
    }

    /// Frame of a named link in the world.
    pub fn frame(&self, posture: &Posture, name: &str) -> Option<DPose3> {
        let frame = self.frames.get(name)?;
        Some(frame.link.map_or(posture.base, |link| posture.links[link]) * frame.pose)
    }

    /// Twist of every link at these rates, with the base at rest.
    pub fn twists(&self, posture: &Posture, qd: &[f64]) -> Vec<Twist> {
        let mut twists: Vec<Twist> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let above = link.parent.map_or(Twist::default(), |parent| twists[parent]);
            let freedoms = self.freedoms_of(link.joints.clone());
            let along = freedoms.fold(above, |sum, v| sum.plus(posture.axes[v], qd.get(v).copied().unwrap_or(0.0)));
            twists.push(along);
        }
        twists
    }

    /// The freedoms of a run of joints.
    pub(crate) fn freedoms_of(&self, joints: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let Some(first) = self.joints.get(joints.start) else { return 0..0 };
        let end = self.joints.get(joints.end).map_or(self.freedoms(), |next| next.v);
        first.v..end
    }

    /// Whether a freedom moves a link.
    fn path(&self, link: usize) -> Vec<usize> {
        let (mut path, mut at) = (Vec::new(), Some(link));
        while let Some(link) = at {
            path.extend(self.freedoms_of(self.links[link].joints.clone()));
            at = self.links[link].parent;
        }
        path
    }

    /// Jacobian of a point of the world that is carried by a link: three rows for its velocity, three for the angular
    /// velocity of the link, each with one entry per rate.
    pub fn jacobian(&self, posture: &Posture, link: usize, point: DVec3) -> [Vec<f64>; 6] {
        let mut rows = std::array::from_fn(|_| vec![0.0; self.freedoms()]);
        for v in self.path(link) {
            let axis = posture.axes[v];
            let (linear, angular) = (axis.at(point).to_array(), axis.angular.to_array());
            for (k, (linear, angular)) in linear.into_iter().zip(angular).enumerate() {
                rows[k][v] = linear;
                rows[3 + k][v] = angular;
            }
        }
        rows
    }
}
