//! Makes the model of moving bodies from a description. Links that are fixed to each other become one body; frames
//! without mass become none.
//!
//! A massless frame between two joints is not a body. A body without mass, or with a little mass to please the
//! solver, would make the equations as badly conditioned as the mass ratios around it. Its joint and the next become
//! one joint of several freedoms, whose motions are conjugated into the frame of the link below: with `C` the pose of
//! that link in the frame, `E(q) C = C (C⁻¹ E(q) C)`. Where no single joint has these axes, a body in between takes
//! [`SHARE`] of the mass.

use super::arrange::{Arrangement, arrange, runs};
use super::description::{
    ActuatorDescription, EqualityDescription, KeyframeDescription, LINK_LIMIT, LinkDescription, LinkShape, Mimic,
    Motion, Notice, RobotDescription, RobotJoint,
};
use crate::body::Inertial;
use crate::scene::{SceneError, TextPlace};
use crate::shape::{joined_mass, moved_mass};
use crate::{BodyId, MassProperties};
use glamx::{DMat3, DPose3, DVec3};
use signorini_problem::math;
use std::collections::BTreeMap;

/// Largest distance between axes that count as intersecting \[m\].
const MEET: f64 = 1e-9;
/// Share of a link's mass that a body between two of its joints gets. Motions are wrong by at most this fraction, and
/// a mass ratio of a hundred is easy to solve.
const SHARE: f64 = 0.01;
/// Density that gives a size, and so an inertia, to a link of mass alone [kg/m³].
const WATER: f64 = 1000.0;

/// A robot ready to be put into a world: trees of moving bodies, and fixed parts.
///
/// ```
/// use signorini::RobotModel;
/// use signorini::scene::RobotOptions;
/// let arm = RobotModel::from_text(r#"
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
/// assert_eq!((arm.freedoms(), arm.joints[0].joint.name.as_str()), (1, "hinge"));
/// # Ok::<(), signorini::SceneError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RobotModel {
    /// Name in the file.
    pub name: String,
    /// The moving bodies, parents before children.
    pub links: Vec<ModelLink>,
    /// The fixed parts: named frames with shapes, in the frame of the base.
    pub fixtures: Vec<Fixture>,
    /// All joints, those of one link together, in the order of the links.
    pub joints: Vec<ModelJoint>,
    /// Every name of a link, and its place.
    pub frames: BTreeMap<String, LinkFrame>,
    /// The actuators, all of whose joints exist.
    pub actuators: Vec<ActuatorDescription>,
    /// Constraints beyond the trees, in terms of the links of the file.
    pub(crate) equalities: Vec<EqualityDescription>,
    /// The body of each link of the file, for `equalities`.
    pub(crate) carriers: Vec<LinkFrame>,
    /// Coordinates at which the constraints between links fit, if not with all coordinates at their references.
    pub(crate) tied_at: Option<Vec<f64>>,
    /// Pairs of bodies that do not touch. An index below the number of links is a link, any other a fixture.
    pub apart: Vec<[usize; 2]>,
    /// Coordinates at the start.
    pub home: Vec<f64>,
    /// Rates at the start.
    pub home_rates: Vec<f64>,
    /// Controls at the start.
    pub home_control: Vec<f64>,
    /// Named states: coordinates, rates, controls.
    pub keyframes: BTreeMap<String, [Vec<f64>; 3]>,
    /// Time step that the file asks for \[s\].
    pub step: Option<f64>,
    /// Acceleration of free fall that the file asks for [m/s²].
    pub gravity: Option<DVec3>,
    /// Parts of the file that have no effect here.
    pub ignored: Vec<Notice>,
}

/// A body that moves.
#[derive(Clone, Debug)]
pub struct ModelLink {
    /// Name of the topmost of the links it is made of.
    pub name: String,
    /// Its place in the file.
    pub at: TextPlace,
    /// Its parent body; `None` is the base.
    pub parent: Option<usize>,
    /// Its frame in that of the parent when all coordinates are at their references.
    pub pose: DPose3,
    /// Its joints: a range in [`RobotModel::joints`].
    pub joints: std::ops::Range<usize>,
    /// Whether it is a body between two joints of the next link, which the file does not have.
    pub(crate) between: bool,
    /// Its joints combined into one joint of the engine.
    pub(crate) arrangement: Arrangement,
    /// Mass properties in its frame.
    pub mass: MassProperties,
    /// Shapes in its frame.
    pub shapes: Vec<LinkShape>,
}

/// A body that stands still.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub at: TextPlace,
    /// In the frame of the base.
    pub pose: DPose3,
    /// Shapes in its frame.
    pub shapes: Vec<LinkShape>,
}

/// A joint and where its coordinates are.
#[derive(Clone, Debug)]
pub struct ModelJoint {
    /// Its description. Points and axes are in the frame of the link it belongs to.
    pub joint: RobotJoint,
    /// The link that it moves.
    pub link: usize,
    /// Its first coordinate.
    pub q: usize,
    /// Its first rate.
    pub v: usize,
}

/// Place of a named link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkFrame {
    /// Its body; `None` if it stands still.
    pub link: Option<usize>,
    /// Its frame in that of the body, or of the base.
    pub pose: DPose3,
}

impl RobotModel {
    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        self.joints.last().map_or(0, |last| last.q + last.joint.motion.coordinates())
    }

    /// Number of rates, and of forces.
    pub fn freedoms(&self) -> usize {
        self.joints.last().map_or(0, |last| last.v + last.joint.motion.freedoms())
    }

    /// The joint of this name.
    pub fn joint(&self, name: &str) -> Option<&ModelJoint> {
        self.joints.iter().find(|joint| joint.joint.name == name)
    }

    /// Makes the bodies from the links.
    pub fn compile(description: RobotDescription) -> Result<RobotModel, SceneError> {
        if let Some(beyond) = description.links.get(LINK_LIMIT) {
            return Err(SceneError::placed(beyond.at.clone(), format!("more than {LINK_LIMIT} links")));
        }
        let RobotDescription { name, mut links, actuators, equalities, excluded, forced, .. } = description;
        let mut ignored = description.ignored;
        super::massless::settle(&mut links, &mut ignored)?;
        let mut model = RobotModel {
            name,
            links: Vec::new(),
            fixtures: Vec::new(),
            joints: Vec::new(),
            frames: BTreeMap::new(),
            actuators,
            equalities,
            carriers: Vec::new(),
            tied_at: None,
            apart: Vec::new(),
            home: Vec::new(),
            home_rates: Vec::new(),
            home_control: Vec::new(),
            keyframes: BTreeMap::new(),
            step: description.step,
            gravity: description.gravity,
            ignored,
        };
        model.place(links)?;
        for joint in &model.joints {
            match joint.joint.motion.coordinates() {
                1 => model.home.push(joint.joint.reference),
                4 => model.home.extend([1.0, 0.0, 0.0, 0.0]),
                _ => {
                    let DPose3 { translation: p, rotation: q } = model.links[joint.link].pose;
                    model.home.extend([p.x, p.y, p.z, q.w, q.x, q.y, q.z]);
                }
            }
        }
        model.home_rates = vec![0.0; model.freedoms()];
        model.home_control = vec![0.0; model.actuators.len()];
        model.resolve_names()?;
        model.note_what_does_not_act();
        model.resolve_keyframes(&description.keyframes)?;
        model.start_within_limits();
        model.check_followers()?;
        model.start_where_followed();
        model.start_where_tied();
        super::pairs::separate(&mut model, &excluded, &forced, description.self_collision)?;
        Ok(model)
    }

    /// Finds the body of every link.
    fn place(&mut self, links: Vec<LinkDescription>) -> Result<(), SceneError> {
        let mut parts: Vec<Vec<MassProperties>> = Vec::new();
        for link in links {
            let above = link.parent.map(|parent| self.carriers[parent]);
            let above = above.unwrap_or(LinkFrame { link: None, pose: DPose3::IDENTITY });
            let frame = if link.joints.is_empty() {
                LinkFrame { link: above.link, pose: above.pose * link.pose }
            } else {
                let refuse = |why| SceneError {
                    at: Some(link.at.clone()),
                    ..SceneError::new(format!("link '{}'", link.name), why)
                };
                let mut runs = runs(link.joints).map_err(refuse)?;
                let last = runs.pop().unwrap_or_default();
                let mut above = LinkFrame { pose: above.pose * link.pose, ..above };
                for run in runs {
                    let name = format!("{}/{}", link.name, run.last().map_or("", |joint| joint.name.as_str()));
                    let what = format!(
                        "no one joint has the freedoms of link '{}': a body in between has {SHARE} of its mass",
                        link.name
                    );
                    self.ignored.push(Notice { at: link.at.clone(), what });
                    above = self.moved_link((name, &link.at), above, run, true)?;
                    parts.push(Vec::new());
                }
                parts.push(Vec::new());
                self.moved_link((link.name.clone(), &link.at), above, last, false)?
            };
            self.carriers.push(frame);
            if self.frames.insert(link.name.clone(), frame).is_some() {
                return Err(SceneError::placed(link.at, format!("there is a link '{}' already", link.name)));
            }
            match frame.link {
                None if !link.shapes.is_empty() => {
                    self.fixtures.push(Fixture { name: link.name, at: link.at, pose: frame.pose, shapes: link.shapes })
                }
                None => {}
                Some(body) => {
                    parts[body].extend(link.inertial.map(|mass| moved_mass(&frame.pose, mass)));
                    let moved = |shape: LinkShape| LinkShape { pose: frame.pose * shape.pose, ..shape };
                    self.links[body].shapes.extend(link.shapes.into_iter().map(moved));
                }
            }
        }
        self.set_masses(&parts)
    }

    /// A body with the joints that move it.
    fn moved_link(
        &mut self,
        (name, at): (String, &TextPlace),
        above: LinkFrame,
        mut joints: Vec<RobotJoint>,
        between: bool,
    ) -> Result<LinkFrame, SceneError> {
        let (first, link) = (self.joints.len(), self.links.len());
        let arrangement = self.arranged(&name, at, &mut joints)?;
        for joint in joints {
            let (q, v) = (self.coordinates(), self.freedoms());
            self.joints.push(ModelJoint { joint, link, q, v });
        }
        self.links.push(ModelLink {
            name,
            at: at.clone(),
            parent: above.link,
            pose: above.pose,
            joints: first..self.joints.len(),
            between,
            arrangement,
            mass: MassProperties { mass: 0.0, centre: DVec3::ZERO, inertia: DMat3::ZERO },
            shapes: Vec::new(),
        });
        Ok(LinkFrame { link: Some(link), pose: DPose3::IDENTITY })
    }

    /// The mass of every body is the sum of its parts; a body in between takes a share of the next that is not one.
    fn set_masses(&mut self, parts: &[Vec<MassProperties>]) -> Result<(), SceneError> {
        for (link, parts) in self.links.iter_mut().zip(parts).filter(|(link, _)| !link.between) {
            let missing = || SceneError::placed(link.at.clone(), format!("link '{}' moves but has no mass", link.name));
            link.mass = joined_mass(parts).ok_or_else(missing)?;
            if let Some(repaired) = repaired(link)? {
                link.mass = repaired;
                let what = "inertia tensors that no body can have (a principal moment is zero or above the sum of the \
                            other two) are those of the link's shapes, or of a ball";
                if self.ignored.iter().all(|notice| notice.what != what) {
                    self.ignored.push(Notice { at: link.at.clone(), what: what.to_owned() });
                }
            }
        }
        let scaled = |m: MassProperties, by: f64| MassProperties { mass: m.mass * by, inertia: m.inertia * by, ..m };
        let mut waiting = 0;
        for at in 0..self.links.len() {
            if self.links[at].between {
                waiting += 1;
                continue;
            }
            let whole = self.links[at].mass;
            for before in at - waiting..at {
                self.links[before].mass = scaled(whole, SHARE);
            }
            if waiting > 0 {
                self.links[at].mass = scaled(whole, 1.0 - SHARE * waiting as f64);
            }
            waiting = 0;
        }
        Ok(())
    }

    /// The joints of a link as coordinates of one joint of the engine.
    fn arranged(&mut self, name: &str, at: &TextPlace, joints: &mut [RobotJoint]) -> Result<Arrangement, SceneError> {
        if let [RobotJoint { motion: Motion::Ball { .. } | Motion::Free, .. }] = joints {
            return Ok(Arrangement { frame: DPose3::IDENTITY, places: Vec::new(), moved: 0.0 });
        }
        let refuse = |why| SceneError { at: Some(at.clone()), ..SceneError::new(format!("link '{name}'"), why) };
        let found = arrange(joints).map_err(refuse)?;
        if found.moved > MEET {
            let (first, millimetres) = (&joints[0].name, 1e3 * found.moved);
            let what = format!(
                "the axes of joint '{first}' and the next of link '{name}' do not meet; each is moved by {millimetres:.3} mm \
                 or less so that they do"
            );
            self.ignored.push(Notice { at: at.clone(), what });
        }
        Ok(found)
    }

    fn resolve_names(&self) -> Result<(), SceneError> {
        let known = |at: &TextPlace, name: &str| match self.joint(name) {
            Some(_) => Ok(()),
            None => {
                let meant = crate::scene::nearest(name, self.joints.iter().map(|j| j.joint.name.as_str()));
                let meant = meant.map_or(String::new(), |meant| format!("; did you mean '{meant}'?"));
                Err(SceneError::placed(at.clone(), format!("no joint that moves is called '{name}'{meant}")))
            }
        };
        let mut names = std::collections::BTreeSet::new();
        for ModelJoint { joint, .. } in &self.joints {
            if !names.insert(joint.name.as_str()) {
                return Err(SceneError::placed(joint.at.clone(), format!("there is a joint '{}' already", joint.name)));
            }
            // A joint that is held at a value follows no other.
            if let Some(mimic) = joint.mimic.as_ref().filter(|mimic| mimic.ratio != 0.0) {
                known(&joint.at, &mimic.joint)?;
            }
        }
        for actuator in &self.actuators {
            actuator.joints.iter().try_for_each(|(name, _)| known(&actuator.at, name))?;
        }
        for tie in &self.equalities {
            self.tied_joints(tie).try_for_each(|name| known(&tie.at, name))?;
        }
        Ok(())
    }

    /// Notes forces and relations that the engine has no counterpart for.
    fn note_what_does_not_act(&mut self) {
        let mut notes = Vec::new();
        for ModelJoint { joint, .. } in &self.joints {
            let acts = joint.damping + joint.friction + joint.armature + joint.stiffness > 0.0;
            let at = || joint.at.clone();
            let follows = |mimic: &Mimic| {
                let other = self.joint(&mimic.joint).map_or(1, |other| other.joint.motion.freedoms());
                other > 1 || joint.motion.freedoms() > 1
            };
            if joint.mimic.as_ref().is_some_and(|mimic| mimic.joint == joint.name) {
                notes.push((at(), "a joint that follows itself ('mimic') moves by itself"));
            } else if joint.mimic.as_ref().is_some_and(follows) {
                notes.push((at(), "ball and free joints neither follow others nor are followed ('mimic')"));
            }
            if joint.motion.freedoms() > 1 && acts {
                notes.push((at(), "damping, friction and armature of ball and free joints do not act"));
            }
            if matches!(joint.motion, Motion::Free) && joint.range.is_some() {
                notes.push((at(), "limits of free joints do not act"));
            }
        }
        for tie in &self.equalities {
            let single = |name: &str| self.joint(name).is_none_or(|joint| joint.joint.motion.freedoms() == 1);
            if !self.tied_joints(tie).all(single) {
                notes.push((tie.at.clone(), "equalities of ball and free joints do not act"));
            }
        }
        for (at, what) in notes {
            if self.ignored.iter().all(|notice| notice.what != what) {
                self.ignored.push(Notice { at, what: what.to_owned() });
            }
        }
    }

    fn resolve_keyframes(&mut self, keyframes: &[KeyframeDescription]) -> Result<(), SceneError> {
        for key in keyframes {
            let full = |given: &Option<Vec<f64>>, home: &[f64], what: &str| match given {
                None => Ok(home.to_vec()),
                Some(values) if values.len() == home.len() => Ok(values.clone()),
                Some(values) => {
                    let what = format!("{what} has {} numbers, this robot has {}", values.len(), home.len());
                    Err(SceneError { at: key.at.clone(), ..SceneError::new(format!("key '{}'", key.name), what) })
                }
            };
            let q = full(&key.q, &self.home, "qpos")?;
            let state = [q, full(&key.qd, &self.home_rates, "qvel")?, full(&key.control, &self.home_control, "ctrl")?];
            self.keyframes.insert(key.name.clone(), state);
        }
        if let Some([q, qd, control]) = self.keyframes.get("home") {
            (self.home, self.home_rates, self.home_control) = (q.clone(), qd.clone(), control.clone());
        }
        Ok(())
    }

    /// Zero may be outside the limits of a joint (a knee that cannot be straight): it starts at the nearest limit.
    fn start_within_limits(&mut self) {
        for joint in &self.joints {
            if let (1, Some([low, high])) = (joint.joint.motion.coordinates(), joint.joint.range) {
                self.home[joint.q] = self.home[joint.q].max(low).min(high);
            }
        }
        for (control, actuator) in self.home_control.iter_mut().zip(&self.actuators) {
            if let Some([low, high]) = actuator.control_range {
                *control = control.max(low).min(high);
            }
        }
    }
}

/// A valid inertia for a link whose given inertia no body can have; `None` if the given one is valid.
fn repaired(link: &ModelLink) -> Result<Option<MassProperties>, SceneError> {
    let check = |mass: MassProperties| Inertial::new(&BodyId::from(link.name.as_str()), mass);
    let refuse = |error: crate::WorldError| SceneError {
        at: Some(link.at.clone()),
        ..SceneError::new(format!("link '{}'", link.name), error)
    };
    match check(link.mass) {
        Ok(_) => return Ok(None),
        Err(crate::WorldError::Inertia { .. }) => {}
        Err(error) => return Err(refuse(error)),
    }
    let of_shapes = super::pairs::joined(&link.shapes).build("").ok().and_then(|shape| shape.mass_properties(1.0).ok());
    let of_ball = || {
        let trace = (0..3).map(|k| link.mass.inertia.col(k)[k]).sum::<f64>();
        // Without any inertia, as a ball of water: m = 4/3 π ρ r³, I = 2/5 m r².
        let radius = math::powf(0.75 * link.mass.mass / (std::f64::consts::PI * WATER), 1.0 / 3.0);
        let moment = if trace > 0.0 { trace / 3.0 } else { 0.4 * link.mass.mass * radius * radius };
        DMat3::from_diagonal(DVec3::splat(moment))
    };
    let inertia = match of_shapes {
        Some(unit) => unit.inertia * (link.mass.mass / unit.mass),
        None => of_ball(),
    };
    let mass = MassProperties { inertia, ..link.mass };
    check(mass).map_err(refuse)?;
    Ok(Some(mass))
}
