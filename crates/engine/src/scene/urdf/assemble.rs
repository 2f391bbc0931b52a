//! From links and joints to bodies.

use super::robot::{Geometry, Joint, JointType, Link, Robot, moved};
use super::xml::Element;
use crate::scene::mesh_file::{self, MESH_LIMIT};
use crate::scene::text::nearest;
use crate::scene::{
    BodyDescription, EndDescription, InertialDescription, JointDescription, JointKindDescription, MeshUse,
    PartDescription, Scene, SceneError, ShapeDescription,
};
use crate::{Kind, MassProperties};
use glamx::{DMat3, DPose3, DQuat, DVec3};
use std::collections::BTreeMap;
use std::path::Path;

/// A root of this name is the world: what is fixed to it does not move.
const WORLD: &str = "world";

/// A scene and the elements that its bodies and joints came from, for messages.
pub(super) struct Assembly<'r, 'd> {
    pub scene: Scene,
    pub bodies: Vec<&'r Element<'d>>,
    pub joints: Vec<&'r Element<'d>>,
}

/// Where a link is.
#[derive(Clone, Copy)]
struct Place {
    /// The topmost of the links it is fixed to.
    top: usize,
    /// Its frame in that of the topmost.
    within: DPose3,
    /// Its frame in the world.
    pose: DPose3,
}

pub(super) fn assemble<'r, 'd>(robot: &'r Robot<'d>, folder: Option<&Path>) -> Result<Assembly<'r, 'd>, SceneError> {
    let (links, tree) = (&robot.links, Tree::of(robot)?);
    let places = tree.places(robot)?;
    let root_is_world = links[tree.root].name == WORLD;
    if let (true, Some(_)) = (root_is_world, links[tree.root].inertial) {
        return Err(links[tree.root].element.refuse("the root 'world' is the world, which has no mass"));
    }
    let stands = |link: usize| root_is_world && places[link].top == tree.root;
    let mut scene = Scene { name: robot.name.to_owned(), ..Scene::default() };
    let (mut body_elements, mut joint_elements) = (Vec::new(), Vec::new());
    let mut shapes = Shapes { folder, left: MESH_LIMIT };
    let mut members = vec![Vec::new(); links.len()];
    for (link, place) in places.iter().enumerate() {
        members[place.top].push(link);
    }
    for (top, link) in links.iter().enumerate() {
        let body = if stands(top) {
            // What stands still keeps its parts and their names.
            let parts = shapes.parts(link, &DPose3::IDENTITY, MeshUse::Surface)?;
            let Some(shape) = joined(parts) else { continue };
            BodyDescription { kind: Kind::Fixed, ..placed(link, &places[top], shape) }
        } else if places[top].top == top {
            merged(links, &members[top], &places, &mut shapes)?
        } else {
            continue;
        };
        scene.bodies.push(body);
        body_elements.push(&link.element);
    }
    for joint in robot.joints.iter().filter(|joint| joint.kind == JointType::Ball) {
        let (parent, child) = (tree.index[joint.parent], tree.index[joint.child]);
        let place = &places[parent];
        let a = if !stands(parent) {
            let point = (place.within * joint.origin).translation.to_array();
            EndDescription::new(Some(links[place.top].name), point)
        } else if links[parent].collisions.is_empty() {
            EndDescription::new(None, (place.pose * joint.origin).translation.to_array())
        } else {
            EndDescription::new(Some(joint.parent), joint.origin.translation.to_array())
        };
        let b = EndDescription::new(Some(links[child].name), [0.0; 3]);
        scene.joints.push(JointDescription::new(JointKindDescription::Ball, a, b));
        joint_elements.push(&joint.element);
    }
    if scene.bodies.is_empty() {
        return Err(robot.element.refuse("nothing in it can be simulated: no link has a shape"));
    }
    Ok(Assembly { scene, bodies: body_elements, joints: joint_elements })
}

/// Which link hangs on which.
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
            if names.insert(joint.element.name()?, ()).is_some() {
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

    /// Follows the joints from the root, without recursion: chains may be long.
    fn places(&self, robot: &Robot) -> Result<Vec<Place>, SceneError> {
        let mut places: Vec<Option<Place>> = vec![None; robot.links.len()];
        let start = Place { top: self.root, within: DPose3::IDENTITY, pose: DPose3::IDENTITY };
        let mut waiting = vec![(self.root, start)];
        while let Some((link, place)) = waiting.pop() {
            places[link] = Some(place);
            for joint in &self.below[link] {
                let (child, pose) = (self.index[joint.child], place.pose * joint.origin);
                let next = match joint.kind {
                    JointType::Fixed => Place { top: place.top, within: place.within * joint.origin, pose },
                    JointType::Floating | JointType::Ball => Place { top: child, within: DPose3::IDENTITY, pose },
                };
                waiting.push((child, next));
            }
        }
        let lost = |(link, place): (usize, Option<Place>)| {
            place.ok_or_else(|| robot.links[link].element.refuse("this link hangs on itself by a loop of joints"))
        };
        places.into_iter().enumerate().map(lost).collect()
    }
}

/// Shapes of collisions, mesh files read within a limit on all of them.
struct Shapes<'f> {
    folder: Option<&'f Path>,
    left: usize,
}

impl Shapes<'_> {
    /// The shapes of a link whose frame is at `within`.
    fn parts(&mut self, link: &Link, within: &DPose3, purpose: MeshUse) -> Result<Vec<PartDescription>, SceneError> {
        let mut parts = Vec::with_capacity(link.collisions.len());
        for collision in &link.collisions {
            let shape = match &collision.geometry {
                Geometry::Primitive(shape) => shape.clone(),
                Geometry::Mesh(file, scale) => {
                    let refuse = |why: String| collision.element.refuse(format!("'{file}': {why}"));
                    let Some(folder) = self.folder else {
                        return Err(refuse("load the robot from a file, not from text, to read meshes".to_owned()));
                    };
                    let shape = mesh_file::load(folder, file, purpose, *scale, &mut self.left).map_err(refuse)?;
                    shape.build("").map_err(|error| refuse(error.what))?;
                    shape
                }
            };
            let pose = *within * collision.pose;
            parts.push(PartDescription {
                shape,
                position: pose.translation.to_array(),
                orientation: turned(pose.rotation),
            });
        }
        Ok(parts)
    }
}

/// (w, x, y, z), unless it is no turn at all.
fn turned(q: DQuat) -> Option<[f64; 4]> {
    (q != DQuat::IDENTITY).then_some([q.w, q.x, q.y, q.z])
}

fn joined(mut parts: Vec<PartDescription>) -> Option<ShapeDescription> {
    match &parts[..] {
        [] => None,
        [part] if part.position == [0.0; 3] && part.orientation.is_none() => parts.pop().map(|part| part.shape),
        _ => Some(ShapeDescription::Compound { parts }),
    }
}

fn placed(link: &Link, place: &Place, shape: ShapeDescription) -> BodyDescription {
    BodyDescription {
        position: place.pose.translation.to_array(),
        orientation: turned(place.pose.rotation),
        ..BodyDescription::new(link.name, shape)
    }
}

/// The body that links fixed to each other are: named after the topmost, in whose frame it is.
fn merged(
    links: &[Link],
    members: &[usize],
    places: &[Place],
    shapes: &mut Shapes,
) -> Result<BodyDescription, SceneError> {
    let top = places[members[0]].top;
    let mut parts = Vec::new();
    for member in members {
        parts.extend(shapes.parts(&links[*member], &places[*member].within, MeshUse::Hull)?);
    }
    let refuse = |what: &str| Err(links[top].element.refuse(what));
    let Some(shape) = joined(parts) else {
        return refuse("neither this link nor what is fixed to it has a 'collision'; a body needs a shape");
    };
    let with_mass = members.iter().filter_map(|m| Some(moved(&places[*m].within, links[*m].inertial?)));
    let Some(mass) = together(&with_mass.collect::<Vec<_>>()) else {
        return refuse(
            "neither this link nor what is fixed to it has an 'inertial' with mass. For a robot that stands on the \
             ground, call the root 'world'",
        );
    };
    let inertia = mass.inertia.to_cols_array_2d();
    Ok(BodyDescription {
        inertial: Some(InertialDescription {
            mass: mass.mass,
            centre: mass.centre.to_array(),
            moments: [inertia[0][0], inertia[1][1], inertia[2][2]],
            products: [inertia[0][1], inertia[0][2], inertia[1][2]],
        }),
        ..placed(&links[top], &places[top], shape)
    })
}

/// Mass properties of several bodies as one: `c = Σ mᵢcᵢ / Σ mᵢ` and, by Steiner's theorem,
/// `I = Σ Iᵢ + mᵢ(|dᵢ|²·1 − dᵢdᵢᵀ)` with `dᵢ = cᵢ − c`. One alone stays as it is, bit for bit.
pub(super) fn together(parts: &[MassProperties]) -> Option<MassProperties> {
    if let [] | [_] = parts {
        return parts.first().copied();
    }
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let centre = parts.iter().map(|part| part.centre * part.mass).sum::<DVec3>() / mass;
    let mut inertia = DMat3::ZERO;
    for part in parts {
        let d = part.centre - centre;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        inertia += part.inertia + (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * part.mass;
    }
    Some(MassProperties { mass, centre, inertia })
}
