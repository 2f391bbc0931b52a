//! From the links and joints of a file to a description: parents before children, meshes read.

use super::read::{Geometry, Joint, JointType, Link, Robot};
use crate::robot::{Filter, LINK_LIMIT, LinkDescription, LinkShape, Motion, RobotDescription, RobotJoint, displaced};
use crate::scene::robot_files::{Base, Meshes, RobotOptions};
use crate::scene::text::nearest;
use crate::scene::xml::Notes;
use crate::scene::{MeshUse, SceneError};
use glamx::{DPose3, DVec3};
use std::collections::BTreeMap;

/// A root of this name is the world; links that are fixed to it do not move.
const WORLD: &str = "world";
/// Name of the joint by which a root moves freely.
const FREE: &str = "floating_base";
/// Density of links that have a shape but no mass [kg/m³], as MuJoCo takes it.
const WATER: f64 = 1000.0;

pub(super) fn assemble(
    robot: &Robot,
    meshes: &mut Meshes,
    options: &RobotOptions,
    mut notes: Notes,
) -> Result<RobotDescription, SceneError> {
    if let Some(beyond) = robot.links.get(LINK_LIMIT) {
        return Err(beyond.element.refuse(format!("more than {LINK_LIMIT} links")));
    }
    let tree = Tree::of(robot)?;
    let order = tree.order(robot)?;
    let root = &robot.links[tree.root];
    if root.name == WORLD && root.inertial.is_some() {
        notes.add(root.element.place(), "the mass of the root 'world' is not used: the world stands still");
    }
    let stands = match options.base {
        Base::AsInFile => root.name == WORLD || root.inertial.is_none() && root.density.is_none(),
        Base::Fixed => true,
        Base::Free => false,
    };
    let mut description = RobotDescription { name: robot.name.to_owned(), ..RobotDescription::default() };
    let mut place = vec![0; robot.links.len()];
    let mut still = vec![false; robot.links.len()];
    let mut poses = vec![DPose3::IDENTITY; robot.links.len()];
    for (at, (link, joint)) in order.into_iter().enumerate() {
        place[link] = at;
        let element = &robot.links[link].element;
        let (parent, pose, joints) = match joint {
            None if stands => (None, DPose3::IDENTITY, Vec::new()),
            None => (None, DPose3::IDENTITY, vec![RobotJoint::new(FREE, element.place(), Motion::Free)]),
            Some(joint) => {
                let above = tree.index[joint.parent];
                poses[link] = poses[above] * joint.origin;
                match joint.kind {
                    // A floating joint constrains nothing: its child is the root of another tree and starts where the
                    // joint says.
                    JointType::Floating => {
                        let free = RobotJoint::new(joint.name, joint.element.place(), Motion::Free);
                        (None, poses[link], vec![free])
                    }
                    _ => {
                        let (pose, joints) = motions(joint);
                        (Some(place[above]), pose, joints)
                    }
                }
            }
        };
        still[link] = joints.is_empty() && joint.map_or(stands, |joint| still[tree.index[joint.parent]]);
        let purpose = if still[link] { MeshUse::Surface } else { MeshUse::Hull };
        let shapes = shapes(&robot.links[link], meshes, purpose)?;
        let mut inertial = robot.links[link].inertial;
        if inertial.is_none() && !still[link] && !shapes.is_empty() {
            let density = robot.links[link].density;
            inertial = Some(from_shapes(&shapes, density.unwrap_or(WATER)).map_err(|error| element.refuse(error))?);
            if density.is_none() {
                notes.add(
                    element.place(),
                    "links that move and have no 'inertial' get the mass of their shapes in water",
                );
            }
        }
        let (name, at) = (robot.links[link].name.to_owned(), element.place());
        description.links.push(LinkDescription { name, at, parent, pose, joints, inertial, shapes });
    }
    for (element, names) in &robot.apart {
        let find = |name: &str| tree.index.get(name).map(|link| place[*link]);
        let pair = [find(names[0]), find(names[1])];
        let [Some(a), Some(b)] = pair else { return Err(element.refuse("no link has one of these names")) };
        description.excluded.push([a, b]);
    }
    for joint in description.links.iter_mut().flat_map(|link| &mut link.joints) {
        let Some(mimic) = &mut joint.mimic else { continue };
        // A joint that follows a held joint is held too.
        let followed = robot.joints.iter().find(|other| other.name == mimic.joint);
        if let Some(value) = followed.and_then(held_at) {
            mimic.offset += mimic.ratio * value;
            mimic.ratio = 0.0;
        }
    }
    if let Some(loss) = meshes.loss() {
        notes.add(robot.element.place(), loss);
    }
    description.ignored = notes.0;
    Ok(description)
}

/// Value of a joint that does not move: it is fixed, or its limits leave one value.
fn held_at(joint: &Joint) -> Option<f64> {
    match (joint.kind, joint.limit.range) {
        (JointType::Fixed, _) => Some(0.0),
        (JointType::Hinge | JointType::Slide, Some([low, high])) if low == high => Some(low),
        _ => None,
    }
}

/// The pose of the child at zero and how it moves from there, in its own frame.
fn motions(joint: &Joint) -> (DPose3, Vec<RobotJoint>) {
    let plain = |name: String, motion: Motion| RobotJoint {
        range: joint.limit.range,
        max_speed: joint.limit.velocity,
        max_force: joint.limit.effort,
        damping: joint.damping,
        friction: joint.friction,
        mimic: joint.mimic.clone(),
        ..RobotJoint::new(name, joint.element.place(), motion)
    };
    let hinge = Motion::Hinge { point: DVec3::ZERO, axis: joint.axis };
    let name = joint.name.to_owned();
    let joints = match joint.kind {
        JointType::Fixed | JointType::Floating => Vec::new(),
        JointType::Ball => vec![plain(name, Motion::Ball { point: DVec3::ZERO })],
        JointType::Hinge => vec![plain(name, hinge)],
        JointType::Slide => vec![plain(name, Motion::Slide { axis: joint.axis })],
        JointType::Planar => {
            // Any two directions in the plane serve; these are x and y for the usual axis z.
            let x = if joint.axis.z.abs() > 0.9 { DVec3::X } else { joint.axis.cross(DVec3::Z).normalize() };
            let x = (x - joint.axis * x.dot(joint.axis)).normalize();
            let y = joint.axis.cross(x);
            let slide = |end: &str, axis: DVec3| plain(format!("{name}/{end}"), Motion::Slide { axis });
            vec![slide("x", x), slide("y", y), plain(format!("{name}/turn"), hinge)]
        }
    };
    if let ([only], Some(value)) = (&joints[..], held_at(joint)) {
        return (joint.origin * displaced(&only.motion, value), Vec::new());
    }
    (joint.origin, joints)
}

fn shapes(link: &Link, meshes: &mut Meshes, purpose: MeshUse) -> Result<Vec<LinkShape>, SceneError> {
    let mut shapes = Vec::with_capacity(link.collisions.len());
    for collision in &link.collisions {
        let shape = match &collision.geometry {
            Geometry::Primitive(shape) => shape.clone(),
            Geometry::Mesh(file, scale) => {
                let refuse = |why: String| collision.element.refuse(format!("'{file}': {why}"));
                meshes.load(file, purpose, *scale).map_err(refuse)?
            }
        };
        shapes.push(LinkShape {
            name: link.name.to_owned(),
            at: collision.element.place(),
            pose: collision.pose,
            shape,
            filter: Filter::default(),
            material: link.material,
        });
    }
    Ok(shapes)
}

fn from_shapes(shapes: &[LinkShape], density: f64) -> Result<crate::MassProperties, SceneError> {
    let mut parts = Vec::new();
    for shape in shapes {
        let built = shape.shape.build("")?;
        let mass = built.mass_properties(density).map_err(|error| SceneError::new("", error))?;
        parts.push(crate::shape::moved_mass(&shape.pose, mass));
    }
    crate::shape::joined_mass(&parts).ok_or_else(|| SceneError::new("", "there is no shape"))
}

/// Parents and children of links.
struct Tree<'r, 'd> {
    index: BTreeMap<&'d str, usize>,
    root: usize,
    /// Joints below each link.
    below: Vec<Vec<&'r Joint<'d>>>,
}

impl<'r, 'd> Tree<'r, 'd> {
    fn of(robot: &'r Robot<'d>) -> Result<Self, SceneError> {
        let mut index = BTreeMap::new();
        for (at, link) in robot.links.iter().enumerate() {
            if index.insert(link.name, at).is_some() {
                return Err(link.element.refuse("there is a link of this name already"));
            }
        }
        let mut names = BTreeMap::new();
        let mut above: Vec<Option<&Joint>> = vec![None; robot.links.len()];
        let mut below = vec![Vec::new(); robot.links.len()];
        for joint in &robot.joints {
            if names.insert(joint.name, ()).is_some() {
                return Err(joint.element.refuse("there is a joint of this name already"));
            }
            let find = |name: &str| {
                index.get(name).copied().ok_or_else(|| {
                    let meant = nearest(name, index.keys().copied());
                    let meant = meant.map_or(String::new(), |meant| format!("; did you mean '{meant}'?"));
                    joint.element.refuse(format!("no link is called '{name}'{meant}"))
                })
            };
            let (parent, child) = (find(joint.parent)?, find(joint.child)?);
            if let Some(other) = above[child].replace(joint) {
                let what = format!("link '{}' hangs on {} already", joint.child, other.element.path);
                return Err(joint.element.refuse(what));
            }
            below[parent].push(joint);
        }
        let mut roots = (0..robot.links.len()).filter(|link| above[*link].is_none());
        let Some(root) = roots.next() else {
            let what =
                if robot.links.is_empty() { "a robot has at least one link" } else { "every link hangs on another" };
            return Err(robot.element.refuse(what));
        };
        if let Some(second) = roots.next() {
            let what = format!(
                "neither this link nor '{}' hangs on another; a robot is one tree. Tie them by a floating joint",
                robot.links[root].name
            );
            return Err(robot.links[second].element.refuse(what));
        }
        Ok(Tree { index, root, below })
    }

    /// The links with their joints, depth first, without recursion: chains may be long.
    fn order(&self, robot: &Robot) -> Result<Vec<(usize, Option<&'r Joint<'d>>)>, SceneError> {
        let mut order = Vec::with_capacity(robot.links.len());
        let mut waiting = vec![(self.root, None)];
        let mut reached = vec![false; robot.links.len()];
        while let Some((link, joint)) = waiting.pop() {
            order.push((link, joint));
            reached[link] = true;
            waiting.extend(self.below[link].iter().rev().map(|joint| (self.index[joint.child], Some(*joint))));
        }
        match reached.iter().position(|reached| !reached) {
            Some(link) => Err(robot.links[link].element.refuse("this link hangs on itself by a loop of joints")),
            None => Ok(order),
        }
    }
}
