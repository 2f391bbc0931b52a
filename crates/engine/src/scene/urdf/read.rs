//! Links and joints as a file says them, each checked by itself.

use super::xml::{Element, single};
use crate::body::Inertial;
use crate::scene::{SceneError, ShapeDescription, Triple};
use crate::{BodyId, MassProperties};
use glamx::{DMat3, DPose3, DQuat, DVec3};

/// What has no bearing on how rigid bodies move, or is not part of the language: read over.
const READ_OVER: [&str; 4] = ["material", "transmission", "gazebo", "sensor"];

pub(super) struct Robot<'d> {
    pub element: Element<'d>,
    pub name: &'d str,
    pub links: Vec<Link<'d>>,
    pub joints: Vec<Joint<'d>>,
}

pub(super) struct Link<'d> {
    pub element: Element<'d>,
    pub name: &'d str,
    /// In the axes of the link, about the centre of mass; none for a link without mass.
    pub inertial: Option<MassProperties>,
    pub collisions: Vec<Collision<'d>>,
}

pub(super) struct Collision<'d> {
    /// The element of the geometry.
    pub element: Element<'d>,
    /// In the axes of the link.
    pub pose: DPose3,
    pub geometry: Geometry<'d>,
}

pub(super) enum Geometry<'d> {
    Primitive(ShapeDescription),
    /// A file and the factors from its unit to metres along x, y and z.
    Mesh(&'d str, Triple),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointType {
    Fixed,
    Floating,
    Ball,
}

pub(super) struct Joint<'d> {
    pub element: Element<'d>,
    pub kind: JointType,
    pub parent: &'d str,
    pub child: &'d str,
    /// Frame of the child in that of the parent.
    pub origin: DPose3,
}

impl<'d> Robot<'d> {
    pub fn read(element: Element<'d>) -> Result<Robot<'d>, SceneError> {
        if element.tag() != "robot" {
            return Err(element.refuse("a robot description begins with the element 'robot'"));
        }
        element.allow(&["name", "version"])?;
        let name = element.name()?;
        let (mut links, mut joints) = (Vec::new(), Vec::new());
        let [a, b, c, d] = READ_OVER;
        for child in element.children(&["link", "joint", a, b, c, d])? {
            match child.tag() {
                "link" => links.push(Link::read(child)?),
                "joint" => joints.push(Joint::read(child)?),
                _ => {}
            }
        }
        Ok(Robot { element, name, links, joints })
    }
}

impl<'d> Link<'d> {
    fn read(mut element: Element<'d>) -> Result<Link<'d>, SceneError> {
        let name = element.name()?;
        element.path = format!("link '{name}'");
        element.allow(&["name"])?;
        let parts = element.children(&["inertial", "collision", "visual", "sensor"])?;
        let inertial = match single(&parts, "inertial")? {
            Some(inertial) => read_inertial(inertial, name)?,
            None => None,
        };
        let collisions = parts.into_iter().filter(|part| part.tag() == "collision").map(read_collision);
        let collisions = collisions.collect::<Result<_, _>>()?;
        Ok(Link { element, name, inertial, collisions })
    }
}

/// The frame that `origin` gives: turned by roll, pitch and yaw about the fixed axes x, y and z in this order.
fn read_origin(parts: &[Element]) -> Result<DPose3, SceneError> {
    let Some(origin) = single(parts, "origin")? else { return Ok(DPose3::IDENTITY) };
    origin.allow(&["xyz", "rpy"])?;
    let (place, [roll, pitch, yaw]) = (origin.triple_or_zero("xyz")?, origin.triple_or_zero("rpy")?);
    let turn = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
    Ok(DPose3::from_parts(DVec3::from_array(place), turn))
}

fn read_inertial(element: &Element, link: &str) -> Result<Option<MassProperties>, SceneError> {
    element.allow(&[])?;
    let parts = element.children(&["origin", "mass", "inertia"])?;
    let missing = |tag: &str| element.refuse(format!("the element '{tag}' is missing"));
    let mass = single(&parts, "mass")?.ok_or_else(|| missing("mass"))?;
    let inertia = single(&parts, "inertia")?.ok_or_else(|| missing("inertia"))?;
    mass.allow(&["value"])?;
    let names = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
    inertia.allow(&names)?;
    let mut entries = [0.0; 6];
    for (entry, name) in entries.iter_mut().zip(names) {
        *entry = inertia.number(name)?;
    }
    let value = mass.number("value")?;
    // Frames without mass are often written this way.
    if value == 0.0 && entries == [0.0; 6] {
        return Ok(None);
    }
    let [xx, xy, xz, yy, yz, zz] = entries;
    let tensor = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let properties = moved(&read_origin(&parts)?, MassProperties { mass: value, centre: DVec3::ZERO, inertia: tensor });
    match Inertial::new(&BodyId::from(link), properties) {
        Ok(_) => Ok(Some(properties)),
        Err(error) => Err(element.refuse(error)),
    }
}

/// Mass properties in the axes in which their own axes stand at `pose`.
pub(super) fn moved(pose: &DPose3, properties: MassProperties) -> MassProperties {
    let turn = DMat3::from_quat(pose.rotation);
    let inertia = turn * properties.inertia * turn.transpose();
    MassProperties {
        mass: properties.mass,
        centre: pose.transform_point(properties.centre),
        inertia: (inertia + inertia.transpose()) * 0.5,
    }
}

fn read_collision(element: Element) -> Result<Collision, SceneError> {
    element.allow(&["name"])?;
    let parts = element.children(&["origin", "geometry"])?;
    let pose = read_origin(&parts)?;
    let Some(geometry) = single(&parts, "geometry")? else {
        return Err(element.refuse("the element 'geometry' is missing"));
    };
    geometry.allow(&[])?;
    let kinds = ["box", "cylinder", "sphere", "capsule", "mesh"];
    let [shape] = &geometry.children(&kinds)?[..] else {
        return Err(geometry.refuse(format!("exactly one shape is needed: {}", kinds.join(", "))));
    };
    let about_z = || -> Result<(f64, f64), SceneError> {
        shape.allow(&["radius", "length"])?;
        Ok((0.5 * shape.number("length")?, shape.number("radius")?))
    };
    let primitive = match shape.tag() {
        "box" => {
            shape.allow(&["size"])?;
            ShapeDescription::Cuboid { half_extents: shape.triple("size")?.map(|length| 0.5 * length) }
        }
        "cylinder" => {
            let (half_height, radius) = about_z()?;
            ShapeDescription::Cylinder { half_height, radius }
        }
        "capsule" => {
            let (half_height, radius) = about_z()?;
            ShapeDescription::Capsule { half_height, radius }
        }
        "sphere" => {
            shape.allow(&["radius"])?;
            ShapeDescription::Sphere { radius: shape.number("radius")? }
        }
        _ => {
            shape.allow(&["filename", "scale"])?;
            let scale = if shape.optional("scale").is_some() { shape.triple("scale")? } else { [1.0; 3] };
            if scale.contains(&0.0) {
                return Err(shape.refuse("a factor of zero leaves nothing of the mesh"));
            }
            let geometry = Geometry::Mesh(shape.required("filename")?, scale);
            return Ok(Collision { element: shape.clone(), pose, geometry });
        }
    };
    // Here and not when the body is built, so that the message names the element.
    primitive.build("").map_err(|error| shape.refuse(error.what))?;
    Ok(Collision { element: shape.clone(), pose, geometry: Geometry::Primitive(primitive) })
}

impl<'d> Joint<'d> {
    fn read(mut element: Element<'d>) -> Result<Joint<'d>, SceneError> {
        element.path = format!("joint '{}'", element.name()?);
        element.allow(&["name", "type"])?;
        let kind = match element.required("type")? {
            "fixed" => JointType::Fixed,
            "floating" => JointType::Floating,
            "spherical" | "ball" => JointType::Ball,
            other => {
                let what = format!(
                    "joints of type '{other}' are not supported; there are fixed (the links become one body), floating \
                     (they move freely) and spherical or ball"
                );
                return Err(element.refuse(what));
            }
        };
        let details = ["axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"];
        let [a, b, c, d, e, f] = details;
        let parts = element.children(&["origin", "parent", "child", a, b, c, d, e, f])?;
        // Between links that do not move against each other they mean nothing; programs write them all the same.
        if kind != JointType::Fixed
            && let Some(part) = parts.iter().find(|part| details[1..].contains(&part.tag()))
        {
            return Err(part.refuse(format!("a joint of this type has no '{}' here; take it out", part.tag())));
        }
        let link = |tag: &str| -> Result<&'d str, SceneError> {
            let Some(end) = single(&parts, tag)? else {
                return Err(element.refuse(format!("the element '{tag}' is missing")));
            };
            end.allow(&["link"])?;
            end.required("link")
        };
        let (parent, child) = (link("parent")?, link("child")?);
        let origin = read_origin(&parts)?;
        Ok(Joint { element, kind, parent, child, origin })
    }
}
