//! Reads links and joints of a file; each is checked by itself.

use crate::robot::Mimic;
use crate::scene::xml::{Element, Notes, single};
use crate::scene::{SceneError, ShapeDescription, Triple};
use crate::shape::moved_mass;
use crate::{MassProperties, Material};
use glamx::{DMat3, DPose3, DQuat, DVec3};

/// Elements that do not affect the motion of rigid bodies, or are not part of the language; they are skipped without
/// a notice.
const READ_OVER: [&str; 4] = ["material", "transmission", "gazebo", "sensor"];

pub(super) struct Robot<'d> {
    pub element: Element<'d>,
    pub name: &'d str,
    pub links: Vec<Link<'d>>,
    pub joints: Vec<Joint<'d>>,
    /// Pairs of links that do not touch.
    pub apart: Vec<(Element<'d>, [&'d str; 2])>,
}

pub(super) struct Link<'d> {
    pub element: Element<'d>,
    pub name: &'d str,
    /// In the axes of the link, about the centre of mass; none for a link without mass.
    pub inertial: Option<MassProperties>,
    /// Density of its shapes, in place of mass and inertia [kg/m³].
    pub density: Option<f64>,
    pub collisions: Vec<Collision<'d>>,
    pub material: Material,
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
    Hinge,
    Slide,
    Planar,
}

pub(super) struct Joint<'d> {
    pub element: Element<'d>,
    pub name: &'d str,
    pub kind: JointType,
    pub parent: &'d str,
    pub child: &'d str,
    /// Frame of the child in that of the parent.
    pub origin: DPose3,
    /// A unit vector in the frame of the child.
    pub axis: DVec3,
    pub limit: Limit,
    pub damping: f64,
    pub friction: f64,
    pub mimic: Option<Mimic>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Limit {
    pub range: Option<[f64; 2]>,
    pub effort: Option<f64>,
    pub velocity: Option<f64>,
}

impl<'d> Robot<'d> {
    pub fn read(element: Element<'d>, notes: &mut Notes) -> Result<Robot<'d>, SceneError> {
        if element.tag() != "robot" {
            return Err(element.refuse("a robot description begins with the element 'robot'"));
        }
        element.note_attributes(&["name", "version"], notes);
        let name = element.name()?;
        let (mut links, mut joints, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        let [a, b, c, d] = READ_OVER;
        for child in element.children(&["link", "joint", "disable_collisions", a, b, c, d], notes)? {
            match child.tag() {
                "link" => links.push(Link::read(child, notes)?),
                "joint" => joints.push(Joint::read(child, notes)?),
                "disable_collisions" => {
                    child.note_attributes(&["link1", "link2", "reason"], notes);
                    let pair = [child.required("link1")?, child.required("link2")?];
                    apart.push((child, pair));
                }
                _ => {}
            }
        }
        Ok(Robot { element, name, links, joints, apart })
    }
}

impl<'d> Link<'d> {
    fn read(mut element: Element<'d>, notes: &mut Notes) -> Result<Link<'d>, SceneError> {
        let name = element.name()?;
        element.path = format!("link '{name}'");
        element.note_attributes(&["name"], notes);
        let parts = element.children(&["inertial", "collision", "contact", "visual", "sensor", "material"], notes)?;
        let mut inertials = parts.iter().filter(|part| part.tag() == "inertial");
        let [inertial, second] = [inertials.next(), inertials.next()];
        if let Some(second) = second {
            notes.add(second.place(), "a second 'inertial' of a link is not used");
        }
        let (inertial, density) = match inertial {
            Some(inertial) => read_inertial(inertial, notes)?,
            None => (None, None),
        };
        let material = read_contact(single(&parts, "contact")?, notes)?;
        let mut collisions = Vec::new();
        for part in parts.into_iter().filter(|part| part.tag() == "collision") {
            collisions.push(read_collision(part, notes)?);
        }
        Ok(Link { element, name, inertial, density, collisions, material })
    }
}

/// The surface in the notation of PyBullet; URDF itself has none.
fn read_contact(contact: Option<&Element>, notes: &mut Notes) -> Result<Material, SceneError> {
    let mut material = Material::default();
    let Some(contact) = contact else { return Ok(material) };
    for part in contact.children(&["lateral_friction", "restitution"], notes)? {
        let value = part.number("value")?;
        match part.tag() {
            "lateral_friction" => material.friction = value,
            _ => material.restitution = value,
        }
    }
    match material.invalid() {
        Some((field, value, range)) => Err(contact.refuse(format!("{field} {value} is not in {range}"))),
        None => Ok(material),
    }
}

/// The frame that `origin` gives: turned by roll, pitch and yaw about the fixed axes x, y and z in this order.
fn read_origin(parts: &[Element], notes: &mut Notes) -> Result<DPose3, SceneError> {
    let Some(origin) = single(parts, "origin")? else { return Ok(DPose3::IDENTITY) };
    origin.note_attributes(&["xyz", "rpy"], notes);
    let mut part = |name: &str| match origin.optional(name) {
        Some(_) => origin.loose_triple(name, notes),
        None => Ok([0.0; 3]),
    };
    let (place, [roll, pitch, yaw]) = (part("xyz")?, part("rpy")?);
    let turn = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
    Ok(DPose3::from_parts(DVec3::from_array(place), turn))
}

/// Mass, centre and inertia, or a density that stands in place of them, as SAPIEN and Isaac read it.
fn read_inertial(element: &Element, notes: &mut Notes) -> Result<(Option<MassProperties>, Option<f64>), SceneError> {
    element.note_attributes(&[], notes);
    let parts = element.children(&["origin", "mass", "inertia", "density"], notes)?;
    if let (Some(density), None) = (single(&parts, "density")?, single(&parts, "mass")?) {
        let value = density.number("value")?;
        return match value > 0.0 {
            true => Ok((None, Some(value))),
            false => Err(density.refuse(format!("'value': {value} is not above zero"))),
        };
    }
    let missing = |tag: &str| element.refuse(format!("the element '{tag}' is missing"));
    let mass = single(&parts, "mass")?.ok_or_else(|| missing("mass"))?;
    let inertia = single(&parts, "inertia")?.ok_or_else(|| missing("inertia"))?;
    mass.note_attributes(&["value"], notes);
    let names = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
    inertia.note_attributes(&names, notes);
    let mut entries = [0.0; 6];
    for (entry, name) in entries.iter_mut().zip(names) {
        // Many files leave out zeros off the diagonal.
        *entry = if name.starts_with("ixx") || name.ends_with("yy") || name.ends_with("zz") {
            inertia.number(name)?
        } else {
            inertia.number_or(name, 0.0)?
        };
    }
    let value = mass.number("value")?;
    if value < 0.0 {
        return Err(element.refuse(format!("mass {value} is below zero")));
    }
    // Frames without mass, and bases that stand still, are often written this way.
    if value == 0.0 {
        return Ok((None, None));
    }
    let [xx, xy, xz, yy, yz, zz] = entries;
    let tensor = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let properties = MassProperties { mass: value, centre: DVec3::ZERO, inertia: tensor };
    Ok((Some(moved_mass(&read_origin(&parts, notes)?, properties)), None))
}

fn read_collision<'d>(element: Element<'d>, notes: &mut Notes) -> Result<Collision<'d>, SceneError> {
    element.note_attributes(&["name"], notes);
    let parts = element.children(&["origin", "geometry", "material"], notes)?;
    let pose = read_origin(&parts, notes)?;
    let Some(geometry) = single(&parts, "geometry")? else {
        return Err(element.refuse("the element 'geometry' is missing"));
    };
    geometry.note_attributes(&[], notes);
    let kinds = ["box", "cylinder", "sphere", "capsule", "plane", "mesh"];
    let [shape] = &geometry.children(&kinds, notes)?[..] else {
        return Err(geometry.refuse(format!("exactly one shape is needed: {}", kinds.join(", "))));
    };
    let known: &[&str] = match shape.tag() {
        "box" => &["size"],
        "cylinder" | "capsule" => &["radius", "length"],
        "sphere" => &["radius"],
        "plane" => &["normal"],
        _ => &["filename", "scale"],
    };
    shape.note_attributes(known, notes);
    let about_z = || -> Result<(f64, f64), SceneError> { Ok((0.5 * shape.number("length")?, shape.number("radius")?)) };
    let primitive = match shape.tag() {
        "box" => {
            ShapeDescription::Cuboid { half_extents: shape.loose_triple("size", notes)?.map(|length| 0.5 * length) }
        }
        "cylinder" => {
            let (half_height, radius) = about_z()?;
            ShapeDescription::Cylinder { half_height, radius }
        }
        "capsule" => {
            let (half_height, radius) = about_z()?;
            ShapeDescription::Capsule { half_height, radius }
        }
        "sphere" => ShapeDescription::Sphere { radius: shape.number("radius")? },
        "plane" => ShapeDescription::HalfSpace { normal: shape.loose_triple("normal", notes)? },
        _ => {
            let scale = if shape.optional("scale").is_some() { shape.loose_triple("scale", notes)? } else { [1.0; 3] };
            if scale.contains(&0.0) {
                return Err(shape.refuse("a factor of zero leaves nothing of the mesh"));
            }
            let geometry = Geometry::Mesh(shape.required("filename")?, scale);
            return Ok(Collision { element: shape.clone(), pose, geometry });
        }
    };
    // Checked here, so that the message names the element.
    primitive.build("").map_err(|error| shape.refuse(error.what))?;
    Ok(Collision { element: shape.clone(), pose, geometry: Geometry::Primitive(primitive) })
}

const TYPES: &str = "revolute, continuous, prismatic, fixed, floating, planar, spherical or ball";

impl<'d> Joint<'d> {
    fn read(mut element: Element<'d>, notes: &mut Notes) -> Result<Joint<'d>, SceneError> {
        let name = element.name()?;
        element.path = format!("joint '{name}'");
        element.note_attributes(&["name", "type"], notes);
        let written = element.required("type")?;
        let kind = match written {
            "fixed" => JointType::Fixed,
            "floating" => JointType::Floating,
            "spherical" | "ball" => JointType::Ball,
            "revolute" | "continuous" => JointType::Hinge,
            "prismatic" => JointType::Slide,
            "planar" => JointType::Planar,
            other => return Err(element.refuse(format!("there is no joint of type '{other}'; there are {TYPES}"))),
        };
        let known = ["origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller"];
        let parts = element.children(&known, notes)?;
        let link = |tag: &str| -> Result<&'d str, SceneError> {
            let Some(end) = single(&parts, tag)? else {
                return Err(element.refuse(format!("the element '{tag}' is missing")));
            };
            end.required("link")
        };
        let (parent, child) = (link("parent")?, link("child")?);
        let origin = read_origin(&parts, notes)?;
        let moves = matches!(kind, JointType::Hinge | JointType::Slide | JointType::Planar);
        let mut axes = parts.iter().filter(|part| part.tag() == "axis");
        let axis = if moves { read_axis(axes.next(), notes)? } else { DVec3::X };
        if let (true, Some(second)) = (moves, axes.next()) {
            notes.add(second.place(), "a second 'axis' of a joint is not used");
        }
        let limit = match single(&parts, "limit")? {
            Some(limit) => read_limit(limit, kind, written == "continuous", notes)?,
            None => {
                if matches!(written, "revolute" | "prismatic") {
                    notes.add(element.place(), "a revolute or prismatic joint without 'limit' moves without limits");
                }
                Limit::default()
            }
        };
        let (mut damping, mut friction) = (0.0, 0.0);
        if let Some(dynamics) = single(&parts, "dynamics")? {
            dynamics.note_attributes(&["damping", "friction"], notes);
            damping = not_below_zero(dynamics, "damping")?;
            friction = not_below_zero(dynamics, "friction")?;
        }
        if let Some(part) = parts.iter().find(|part| part.tag() == "safety_controller") {
            notes.add(part.place(), "element 'safety_controller' in 'joint' is not used");
        }
        let mimic = match single(&parts, "mimic")? {
            None => None,
            Some(mimic) => {
                mimic.note_attributes(&["joint", "multiplier", "offset"], notes);
                Some(Mimic {
                    joint: mimic.required("joint")?.to_owned(),
                    ratio: mimic.number_or("multiplier", 1.0)?,
                    offset: mimic.number_or("offset", 0.0)?,
                })
            }
        };
        Ok(Joint { element, name, kind, parent, child, origin, axis, limit, damping, friction, mimic })
    }
}

fn not_below_zero(element: &Element, name: &str) -> Result<f64, SceneError> {
    let value = element.number_or(name, 0.0)?;
    if value < 0.0 { Err(element.refuse(format!("'{name}': {value} is below zero"))) } else { Ok(value) }
}

/// Along x unless it is given.
fn read_axis(axis: Option<&Element>, notes: &mut Notes) -> Result<DVec3, SceneError> {
    let Some(axis) = axis else { return Ok(DVec3::X) };
    axis.note_attributes(&["xyz", "rpy"], notes);
    let direction = DVec3::from_array(axis.loose_triple("xyz", notes)?);
    let length = direction.length();
    if !(length > 1e-12 && length.is_finite()) {
        return Err(axis.refuse("an axis needs a length above zero"));
    }
    Ok(direction / length)
}

fn read_limit(limit: &Element, kind: JointType, turns: bool, notes: &mut Notes) -> Result<Limit, SceneError> {
    limit.note_attributes(&["lower", "upper", "effort", "velocity"], notes);
    let given = limit.optional("lower").is_some() || limit.optional("upper").is_some();
    let [low, high] = [limit.number_or("lower", 0.0)?, limit.number_or("upper", 0.0)?];
    let single = matches!(kind, JointType::Hinge | JointType::Slide) && !turns;
    if !single && given && kind != JointType::Fixed && (low, high) != (0.0, 0.0) {
        notes.add(limit.place(), "'lower' and 'upper' of a joint that is neither revolute nor prismatic are not used");
    }
    if single && given && low > high {
        notes.add(limit.place(), "'lower' is above 'upper': the joint moves without limits");
    }
    // Zero means unknown.
    let positive = |value: f64| (value > 0.0).then_some(value);
    Ok(Limit {
        range: (single && given && low <= high).then_some([low, high]),
        effort: positive(limit.number_or("effort", 0.0)?),
        velocity: positive(limit.number_or("velocity", 0.0)?),
    })
}
