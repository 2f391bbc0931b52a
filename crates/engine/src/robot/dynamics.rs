//! Mass matrix, gravity and inverse dynamics of a tree, from the masses of its bodies and the twists of its freedoms.
//!
//! Everything is in world axes at the origin of the world, where spatial inertias add up: of a body of mass m with centre
//! c and inertia I, `m`, `h = m c` and `J = I + m (c·c 1 − c cᵀ)`. Its momentum at the twist (ω, v) is
//! `p = m v + ω × h`, `L = J ω + h × v`. Composite inertias give the mass matrix in O(n·depth) [Featherstone, ch. 6], the
//! recursion of Newton and Euler gives the inverse dynamics in O(n) [Featherstone, ch. 5].

use super::description::Motion;
use super::kinematics::{Posture, Twist};
use super::model::RobotModel;
use glamx::{DMat3, DPose3, DVec3};

/// Force and its moment about the origin of the world; also momentum.
#[derive(Clone, Copy, Debug, Default)]
struct Wrench {
    moment: DVec3,
    force: DVec3,
}

impl Wrench {
    /// Power at a twist [W].
    fn along(&self, axis: &Twist) -> f64 {
        self.moment.dot(axis.angular) + self.force.dot(axis.linear)
    }
}

/// Inertia about the origin of the world.
#[derive(Clone, Copy, Debug)]
struct SpatialInertia {
    mass: f64,
    first: DVec3,
    second: DMat3,
}

impl SpatialInertia {
    fn momentum(&self, twist: &Twist) -> Wrench {
        Wrench {
            moment: self.second * twist.angular + self.first.cross(twist.linear),
            force: twist.linear * self.mass + twist.angular.cross(self.first),
        }
    }

    fn add(&mut self, other: &SpatialInertia) {
        self.mass += other.mass;
        self.first += other.first;
        self.second += other.second;
    }
}

impl RobotModel {
    fn inertia_of(&self, link: usize, pose: &DPose3) -> SpatialInertia {
        let mass = &self.links[link].mass;
        let (turn, centre) = (DMat3::from_quat(pose.rotation), pose.transform_point(mass.centre));
        let outer = DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z);
        let steiner = (DMat3::from_diagonal(DVec3::splat(centre.length_squared())) - outer) * mass.mass;
        SpatialInertia {
            mass: mass.mass,
            first: centre * mass.mass,
            second: turn * mass.inertia * turn.transpose() + steiner,
        }
    }

    /// The mass matrix, row by row: kinetic energy is `½ q̇ᵀ M q̇`. Armatures are on its diagonal.
    pub fn mass_matrix(&self, posture: &Posture) -> Vec<Vec<f64>> {
        let mut composite: Vec<SpatialInertia> =
            posture.links.iter().enumerate().map(|(link, pose)| self.inertia_of(link, pose)).collect();
        let n = self.freedoms();
        let mut matrix = vec![vec![0.0; n]; n];
        for link in (0..self.links.len()).rev() {
            let own = composite[link];
            for i in self.freedoms_of(self.links[link].joints.clone()) {
                let momentum = own.momentum(&posture.axes[i]);
                let mut at = Some(link);
                while let Some(above) = at {
                    for j in self.freedoms_of(self.links[above].joints.clone()) {
                        let entry = momentum.along(&posture.axes[j]);
                        (matrix[i][j], matrix[j][i]) = (entry, entry);
                    }
                    at = self.links[above].parent;
                }
            }
            if let Some(parent) = self.links[link].parent {
                composite[parent].add(&own);
            }
        }
        for (i, armature) in self.armatures().into_iter().enumerate() {
            matrix[i][i] += armature;
        }
        matrix
    }

    /// Armature of every freedom.
    pub fn armatures(&self) -> Vec<f64> {
        let each =
            |joint: &super::model::ModelJoint| std::iter::repeat_n(joint.joint.armature, joint.joint.motion.freedoms());
        self.joints.iter().flat_map(each).collect()
    }

    /// Forces in the freedoms that give these accelerations against gravity: `M q̈ + c(q, q̇) + g(q)`. Springs, damping
    /// and friction of the joints are not in it.
    pub fn inverse_dynamics(&self, posture: &Posture, qd: &[f64], qdd: &[f64], gravity: DVec3) -> Vec<f64> {
        let value = |list: &[f64], v: usize| list.get(v).copied().unwrap_or(0.0);
        let mut twists: Vec<Twist> = Vec::with_capacity(self.links.len());
        let mut rates: Vec<Twist> = Vec::with_capacity(self.links.len());
        let mut forces: Vec<Wrench> = Vec::with_capacity(self.links.len());
        // Gravity acts like an upward acceleration of the base.
        let still = (Twist::default(), Twist { angular: DVec3::ZERO, linear: -gravity });
        for (at, link) in self.links.iter().enumerate() {
            let (mut twist, mut rate) = link.parent.map_or(still, |parent| (twists[parent], rates[parent]));
            for joint in &self.joints[link.joints.clone()] {
                let freedoms = joint.v..joint.v + joint.joint.motion.freedoms();
                let before = twist;
                for v in freedoms.clone() {
                    twist = twist.plus(posture.axes[v], value(qd, v));
                }
                for v in freedoms {
                    // The axis of a hinge or slide is carried by the body before it, those of a ball or free body by
                    // the body itself. The first three axes of a free body are fixed in the base.
                    let carrier = match joint.joint.motion {
                        Motion::Hinge { .. } | Motion::Slide { .. } => before,
                        Motion::Ball { .. } => twist,
                        Motion::Free if v < joint.v + 3 => Twist::default(),
                        Motion::Free => twist,
                    };
                    rate = rate.plus(posture.axes[v], value(qdd, v));
                    rate = rate.plus(carrier.carries(posture.axes[v]), value(qd, v));
                }
            }
            let inertia = self.inertia_of(at, &posture.links[at]);
            let (momentum, change) = (inertia.momentum(&twist), inertia.momentum(&rate));
            forces.push(Wrench {
                moment: change.moment + twist.angular.cross(momentum.moment) + twist.linear.cross(momentum.force),
                force: change.force + twist.angular.cross(momentum.force),
            });
            twists.push(twist);
            rates.push(rate);
        }
        let mut result = vec![0.0; self.freedoms()];
        for link in (0..self.links.len()).rev() {
            for v in self.freedoms_of(self.links[link].joints.clone()) {
                result[v] = forces[link].along(&posture.axes[v]);
            }
            if let Some(parent) = self.links[link].parent {
                let Wrench { moment, force } = forces[link];
                forces[parent].moment += moment;
                forces[parent].force += force;
            }
        }
        for (v, armature) in self.armatures().into_iter().enumerate() {
            result[v] += armature * value(qdd, v);
        }
        result
    }

    /// Forces in the freedoms that hold the robot against gravity.
    pub fn gravity_forces(&self, posture: &Posture, gravity: DVec3) -> Vec<f64> {
        self.inverse_dynamics(posture, &[], &[], gravity)
    }
}
