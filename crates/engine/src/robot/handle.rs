//! A robot in a world: reads and sets its state as lists of coordinates, rates and forces.

use super::control::Drive;
use super::description::Motion;
use super::joints::Place;
use super::kinematics::Posture;
use super::model::{ModelJoint, RobotModel};
use crate::scene::SceneError;
use crate::{BodyHandle, JointHandle, World, WorldError};
use glamx::{DPose3, DVec3};

/// Placement of a robot in a world.
///
/// ```
/// use signorini::RobotPlacement;
/// use signorini::glamx::{DPose3, DVec3};
/// let left = RobotPlacement {
///     base: DPose3::from_translation(DVec3::Y),
///     prefix: "left/".into(),
///     ..RobotPlacement::default()
/// };
/// assert!(left.q.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct RobotPlacement {
    /// Frame of the base in the world.
    pub base: DPose3,
    /// Prefix of all names of bodies, so that several robots of one file can be told apart.
    pub prefix: String,
    /// Coordinates; `None` is the home pose.
    pub q: Option<Vec<f64>>,
}

/// A robot in a world. It holds handles, not the world: every query takes the world as an argument.
///
/// ```
/// use signorini::scene::RobotOptions;
/// use signorini::{Robot, RobotModel, RobotPlacement, Settings, World};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = RobotModel::from_text(r#"
///     <robot name="arm">
///       <link name="base"/>
///       <link name="rod">
///         <inertial><origin xyz="0.5 0 0"/><mass value="1"/>
///           <inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
///       </link>
///       <joint name="hinge" type="continuous">
///         <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
///       </joint>
///     </robot>
/// "#, &RobotOptions::default())?;
/// let mut world = World::new(Settings::default())?;
/// let arm = Robot::add(&mut world, &model, &RobotPlacement::default())?;
/// arm.set_q(&mut world, &[0.3])?;
/// assert!((arm.q(&world)?[0] - 0.3).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Robot {
    model: RobotModel,
    base: DPose3,
    bodies: Vec<BodyHandle>,
    fixtures: Vec<BodyHandle>,
    /// The engine's joint of each link; none for free ones.
    joints: Vec<Option<JointHandle>>,
    /// The engine's coordinate of every joint of the model; `None` for balls and free links.
    places: Vec<Option<Place>>,
    pub(super) drives: Vec<Drive>,
}

impl Robot {
    /// Puts a robot into a world: bodies, joints, and pairs that do not touch.
    pub fn add(world: &mut World, model: &RobotModel, placement: &RobotPlacement) -> Result<Robot, SceneError> {
        let q = placement.q.as_deref().unwrap_or(&model.home);
        expect("coordinates", q, model.coordinates()).map_err(|error| SceneError::new("q", error))?;
        let scene = model.scene(&placement.base, q, &placement.prefix);
        let handles = scene.add_to(world)?;
        let named = |name: &str| {
            let name = format!("{}{name}", placement.prefix);
            world.find(name.as_str()).ok_or_else(|| SceneError::new("", format!("no body is called '{name}'")))
        };
        let bodies = model.links.iter().map(|link| named(&link.name)).collect::<Result<Vec<_>, _>>()?;
        let fixtures = model.fixtures.iter().map(|link| named(&link.name)).collect::<Result<Vec<_>, _>>()?;
        let mut handles = handles.into_iter();
        let free = |range: &std::ops::Range<usize>| matches!(model.joints[range.start].joint.motion, Motion::Free);
        let joints = model.links.iter().map(|link| if free(&link.joints) { None } else { handles.next() }).collect();
        let robot = Robot {
            base: placement.base,
            bodies,
            fixtures,
            joints,
            places: model.engine_places(),
            drives: Drive::of(model),
            model: model.clone(),
        };
        let (rates, control) = (model.home_rates.clone(), model.home_control.clone());
        robot.set_state(world, q, &rates).map_err(|error| SceneError::new("", error))?;
        robot.set_control(world, &control).map_err(|error| SceneError::new("", error))?;
        Ok(robot)
    }

    /// Its model.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// Frame of the base in the world.
    pub fn base(&self) -> DPose3 {
        self.base
    }

    /// The bodies of its links, in their order.
    pub fn bodies(&self) -> &[BodyHandle] {
        &self.bodies
    }

    /// The bodies of its fixed parts, in their order.
    pub fn fixtures(&self) -> &[BodyHandle] {
        &self.fixtures
    }

    /// The body of a named link, and the frame of the link in that of the body; `None` for parts of the base.
    pub fn link(&self, name: &str) -> Option<(BodyHandle, DPose3)> {
        let frame = self.model.frames.get(name)?;
        Some((self.bodies[frame.link?], frame.pose))
    }

    /// The engine's joint of a named joint, and the index of its coordinate; `None` for free links.
    pub fn joint(&self, name: &str) -> Option<(JointHandle, usize)> {
        let at = self.model.joints.iter().position(|joint| joint.joint.name == name)?;
        let handle = self.joints[self.model.joints[at].link]?;
        Some((handle, self.places[at].map_or(0, |place| place.coordinate)))
    }

    pub(super) fn place_of(&self, joint: usize) -> Option<(JointHandle, Place)> {
        Some((self.joints[self.model.joints[joint].link]?, self.places[joint]?))
    }

    /// The coordinates.
    pub fn q(&self, world: &World) -> Result<Vec<f64>, WorldError> {
        let mut q = vec![0.0; self.model.coordinates()];
        for (at, joint) in self.model.joints.iter().enumerate() {
            match self.place_of(at) {
                Some((handle, place)) => {
                    let values = world.joint_position(handle)?;
                    q[joint.q] = place.of_engine(values.get(place.coordinate).copied().unwrap_or(0.0));
                }
                None => {
                    let (place, turned) = self.relative(world, joint)?;
                    let start = joint.q + joint.joint.motion.coordinates() - 4;
                    if joint.joint.motion == Motion::Free {
                        q[joint.q..start].copy_from_slice(&place.to_array());
                    }
                    q[start..start + 4].copy_from_slice(&[turned.w, turned.x, turned.y, turned.z]);
                }
            }
        }
        Ok(q)
    }

    /// Position and orientation of a ball or free link relative to its pose at zero coordinates. That of a free link
    /// is the frame of its parent.
    fn relative(&self, world: &World, joint: &ModelJoint) -> Result<(DVec3, glamx::DQuat), WorldError> {
        let link = &self.model.links[joint.link];
        let above = match link.parent {
            Some(parent) => world.body(self.bodies[parent])?.pose(),
            None => self.base,
        };
        let above = if joint.joint.motion == Motion::Free { above } else { above * link.pose };
        let pose = above.inverse() * world.body(self.bodies[joint.link])?.pose();
        Ok((pose.translation, pose.rotation))
    }

    /// The rates.
    pub fn qd(&self, world: &World) -> Result<Vec<f64>, WorldError> {
        let mut qd = vec![0.0; self.model.freedoms()];
        for (at, joint) in self.model.joints.iter().enumerate() {
            if let Some((handle, place)) = self.place_of(at) {
                let rates = world.joint_velocity(handle)?;
                qd[joint.v] = place.sign * rates.get(place.coordinate).copied().unwrap_or(0.0);
                continue;
            }
            let body = world.body(self.bodies[joint.link])?;
            let turned = body.orientation();
            let above = match self.model.links[joint.link].parent {
                Some(parent) => world.body(self.bodies[parent])?.angular_velocity(),
                None => DVec3::ZERO,
            };
            let angular_velocity = turned.inverse() * (body.angular_velocity() - above);
            let start = joint.v + joint.joint.motion.freedoms() - 3;
            qd[start..start + 3].copy_from_slice(&angular_velocity.to_array());
            if joint.joint.motion == Motion::Free {
                let origin = body.velocity() + body.angular_velocity().cross(body.position() - body.centre_of_mass());
                let seen = self.base.rotation.inverse() * origin;
                qd[joint.v..start].copy_from_slice(&seen.to_array());
            }
        }
        Ok(qd)
    }

    /// Places all links so that the coordinates and rates are these.
    pub fn set_state(&self, world: &mut World, q: &[f64], qd: &[f64]) -> Result<(), WorldError> {
        expect("coordinates", q, self.model.coordinates())?;
        expect("rates", qd, self.model.freedoms())?;
        let posture = self.model.posture(&self.base, q);
        let twists = self.model.twists(&posture, qd);
        for ((body, pose), twist) in self.bodies.iter().zip(&posture.links).zip(twists) {
            world.set_orientation(*body, pose.rotation)?;
            world.set_position(*body, pose.translation)?;
            let centre = world.body(*body)?.centre_of_mass();
            world.set_velocity(*body, twist.at(centre))?;
            world.set_angular_velocity(*body, twist.angular)?;
        }
        // Joints count angles over whole turns, so the number of turns is set too.
        for (at, joint) in self.model.joints.iter().enumerate() {
            if let (Some((handle, place)), Motion::Hinge { .. }) = (self.place_of(at), joint.joint.motion) {
                world.set_joint_turns(handle, place.coordinate, place.to_engine(q[joint.q]))?;
            }
        }
        Ok(())
    }

    /// Places all links so that the coordinates are these, at rest.
    pub fn set_q(&self, world: &mut World, q: &[f64]) -> Result<(), WorldError> {
        self.set_state(world, q, &vec![0.0; self.model.freedoms()])
    }

    /// Sets given forces along hinges [N·m] and slides \[N\], one number per rate; they act until they are set again. Numbers
    /// of balls and free links must be zero: use [`World::add_force`] for those.
    pub fn set_forces(&self, world: &mut World, tau: &[f64]) -> Result<(), WorldError> {
        expect("forces", tau, self.model.freedoms())?;
        for (at, joint) in self.model.joints.iter().enumerate() {
            match self.place_of(at) {
                Some((handle, place)) => world.set_joint_force(handle, place.coordinate, place.sign * tau[joint.v])?,
                None if tau[joint.v..joint.v + joint.joint.motion.freedoms()].iter().all(|x| *x == 0.0) => {}
                None => {
                    return Err(WorldError::Joint { why: "forces along balls and free links are not joint forces" });
                }
            }
        }
        Ok(())
    }

    /// The given forces, one number per rate; see [`Robot::set_forces`].
    pub fn forces(&self, world: &World) -> Result<Vec<f64>, WorldError> {
        let mut tau = vec![0.0; self.model.freedoms()];
        for (at, joint) in self.model.joints.iter().enumerate() {
            if let Some((handle, place)) = self.place_of(at) {
                tau[joint.v] = place.sign * world.joint_coordinate(handle, place.coordinate)?.force;
            }
        }
        Ok(tau)
    }

    /// Poses of its links and twists of its freedoms.
    pub fn posture(&self, world: &World) -> Result<Posture, WorldError> {
        Ok(self.model.posture(&self.base, &self.q(world)?))
    }

    /// Forces that produce these accelerations against gravity at the current rates.
    pub fn inverse_dynamics(&self, world: &World, qdd: &[f64]) -> Result<Vec<f64>, WorldError> {
        expect("accelerations", qdd, self.model.freedoms())?;
        let (posture, qd) = (self.posture(world)?, self.qd(world)?);
        Ok(self.model.inverse_dynamics(&posture, &qd, qdd, world.settings().gravity))
    }
}

fn expect(what: &'static str, list: &[f64], wanted: usize) -> Result<(), WorldError> {
    if list.len() != wanted {
        return Err(WorldError::Length { what, found: list.len(), wanted });
    }
    match list.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(WorldError::Entry { what, index, value: list[index] }),
        None => Ok(()),
    }
}
