//! Shapes of bodies (`geom`), with their masses.

use super::Reader;
use super::compiler::turn_of_z;
use super::defaults::{Styled, numbers, vector};
use super::inertia::{mass_inside, scaled_to};
use super::tag::Tag;
use crate::robot::{Filter, LinkShape};
use crate::scene::mesh_file::Surface;
use crate::scene::xml::Element;
use crate::scene::{MeshUse, SceneError, ShapeDescription};
use crate::{Combine, MassProperties, Material};
use glamx::{DPose3, DQuat, DVec3};
use std::collections::BTreeMap;

/// Attributes that are used, or that concern appearance.
const KNOWN: [&str; 32] = [
    "name",
    "class",
    "type",
    "pos",
    "quat",
    "euler",
    "axisangle",
    "xyaxes",
    "zaxis",
    "size",
    "fromto",
    "mass",
    "density",
    "contype",
    "conaffinity",
    "condim",
    "friction",
    "mesh",
    "rgba",
    "material",
    "group",
    "user",
    "fitscale",
    "hfield",
    "shellinertia",
    "priority",
    "solref",
    "solimp",
    "solmix",
    "margin",
    "gap",
    "fluidshape",
];

/// Attributes of soft contact, which have no counterpart here.
const SOFT: [&str; 6] = ["solref", "solimp", "solmix", "margin", "gap", "fluidshape"];

/// A shape in the frame of its body.
pub(super) struct Geom {
    pub shape: LinkShape,
    /// In the frame of the body.
    pub mass: Option<MassProperties>,
    pub collides: bool,
}

/// Meshes by name.
#[derive(Default)]
pub(super) struct Assets<'d> {
    meshes: BTreeMap<String, Element<'d>>,
}

impl<'d> Assets<'d> {
    pub fn read(root: &Tag<'d>) -> Result<Assets<'d>, SceneError> {
        let mut assets = Assets::default();
        for mesh in root.sections("asset").flat_map(|section| section.sections("mesh")) {
            // A mesh without a name has that of its file.
            let file = || {
                let file = mesh.element.optional("file")?.rsplit(['/', '\\']).next()?;
                Some(file.rsplit_once('.').map_or(file, |(stem, _)| stem))
            };
            let Some(name) = mesh.element.optional("name").or_else(file) else {
                return Err(mesh.element.refuse("a mesh needs a 'name' or a 'file'"));
            };
            assets.meshes.insert(name.to_owned(), mesh.element.clone());
        }
        Ok(assets)
    }
}

impl<'d> Reader<'_, 'd> {
    /// The shape of an element; `None` if it is of a kind that is not used. `weighs`: whether the mass of its body is
    /// that of its shapes.
    pub fn geom(&mut self, tag: &Tag<'d>, class: &'d str, weighs: bool) -> Result<Option<Geom>, SceneError> {
        let element = &tag.element;
        element.note_attributes(&KNOWN, &mut self.notes);
        let styled = self.styled(element, class)?;
        let kind = match (styled.text("type"), styled.text("mesh")) {
            (Some(kind), _) => kind,
            (None, Some(_)) => "mesh",
            (None, None) => "sphere",
        };
        if let "hfield" | "sdf" = kind {
            let what = format!("geoms of type '{kind}' are left out");
            self.notes.add(element.place(), what);
            return Ok(None);
        }
        let soft = SOFT.iter().any(|name| styled.text(name).is_some());
        let mut pose = self.compiler.pose(&styled)?;
        let filter = Filter { is: styled.bits("contype")?, meets: styled.bits("conaffinity")? };
        let paired = element.optional("name").is_some_and(|name| self.paired.contains(name));
        let collides = self.compiler.contacts && (filter.is != 0 || filter.meets != 0 || paired);
        let group = styled.number("group", 0.0)?;
        let weighs = weighs && (self.compiler.heavy_groups[0]..=self.compiler.heavy_groups[1]).contains(&group);
        let material = surface(&styled)?;
        let (density, given) = (styled.number("density", 1000.0)?, styled.numbers("mass")?);
        let mut notes = std::mem::take(&mut self.notes);
        if soft {
            notes.add(element.place(), "soft contact ('solref', 'solimp', 'margin', 'gap' and the like) is rigid");
        }
        let styled = self.styled(element, class)?;
        let (shape, unit) = if kind == "mesh" || styled.text("mesh").is_some() {
            if kind != "mesh" {
                notes.add(element.place(), "primitives fitted to meshes ('type' and 'mesh' together) are the meshes");
            }
            let name = styled.text("mesh").ok_or_else(|| element.refuse("the attribute 'mesh' is missing"))?.to_owned();
            let weighs =
                weighs && given.as_ref().and_then(|list| list.first()).map_or(density > 0.0, |mass| *mass > 0.0);
            self.mesh(element, &name, collides, weighs)?
        } else {
            primitive(&styled, kind, &mut pose)?
        };
        self.notes = notes;
        if collides {
            shape.build("").map_err(|error| element.refuse(error.what))?;
        }
        let mass = match (unit, given.as_ref().and_then(|list| list.first())) {
            (None, _) => None,
            (Some(unit), Some(mass)) => (*mass > 0.0).then(|| scaled_to(unit, *mass)),
            (Some(unit), None) => (density > 0.0).then(|| scaled_to(unit, unit.mass * density)),
        };
        let mass = mass.filter(|_| weighs).map(|mass| crate::shape::moved_mass(&pose, mass));
        let name = element.optional("name").unwrap_or_default().to_owned();
        Ok(Some(Geom { shape: LinkShape { name, at: element.place(), pose, shape, filter, material }, mass, collides }))
    }

    /// Hull of a mesh, and mass properties of its interior at density one. A mesh for display only is not read: its
    /// file may be missing or in a format of renderers only.
    fn mesh(
        &mut self,
        element: &Element<'d>,
        name: &str,
        collides: bool,
        weighs: bool,
    ) -> Result<(ShapeDescription, Option<MassProperties>), SceneError> {
        let Some(asset) = self.assets.meshes.get(name).cloned() else {
            return Err(element.refuse(format!("no mesh is called '{name}'")));
        };
        if !collides && !weighs {
            return Ok((ShapeDescription::None, None));
        }
        let styled = self.styled(&asset, super::defaults::MAIN)?;
        let scale: [f64; 3] = styled.vector("scale")?.unwrap_or([1.0; 3]);
        if scale.contains(&0.0) {
            return Err(asset.refuse("a factor of zero leaves nothing of the mesh"));
        }
        let place = DVec3::from_array(styled.vector("refpos")?.unwrap_or([0.0; 3]));
        let [w, x, y, z] = styled.vector("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let back = DPose3::from_parts(place, DQuat::from_xyzw(x, y, z, w).normalize()).inverse();
        let mut surface = match (styled.text("vertex"), styled.text("file")) {
            (Some(text), _) => inline(&asset, text, styled.text("face"))?,
            (None, Some(file)) => {
                let folder = self.compiler.mesh_folder.trim_end_matches('/');
                let file = if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
                self.meshes.surface(&file).map_err(|why| asset.refuse(format!("'{file}': {why}")))?
            }
            (None, None) => return Err(asset.refuse("a mesh needs a 'file' or 'vertex'")),
        };
        for vertex in &mut surface.vertices {
            *vertex = back.transform_point(DVec3::from_array(*vertex)).to_array();
        }
        let refuse = |why: String| asset.refuse(why);
        let mass = mass_inside(&surface, scale);
        if !collides && mass.is_some() {
            return Ok((ShapeDescription::None, mass));
        }
        let shape = self.meshes.shape(surface, MeshUse::Hull, scale).map_err(refuse)?;
        let hull = || shape.build("").ok()?.mass_properties(1.0).ok();
        Ok((shape.clone(), mass.or_else(hull)))
    }
}

/// Vertices and faces that are written in the model itself.
fn inline(asset: &Element, vertices: &str, faces: Option<&str>) -> Result<Surface, SceneError> {
    let list = numbers(asset, "vertex", vertices)?;
    let triple = |chunk: &[f64]| [chunk[0], chunk[1], chunk[2]];
    let mut surface = Surface { vertices: list.chunks_exact(3).map(triple).collect(), triangles: Vec::new() };
    let corners = numbers(asset, "face", faces.unwrap_or_default())?;
    for corner in corners.chunks_exact(3) {
        if corner.iter().any(|index| *index < 0.0 || *index >= surface.vertices.len() as f64) {
            return Err(asset.refuse("'face' names a vertex that does not exist"));
        }
        surface.triangles.push([corner[0] as u32, corner[1] as u32, corner[2] as u32]);
    }
    Ok(surface)
}

/// Friction of a pair is the larger of the two coefficients, unless both shapes are frictionless (`condim` 1).
fn surface(styled: &Styled) -> Result<Material, SceneError> {
    let sliding = styled.number("friction", 1.0)?;
    let friction = if styled.number("condim", 3.0)? < 2.0 { 0.0 } else { sliding };
    let material = Material { friction_rule: Combine::Maximum, ..Material::new(friction, 0.0) };
    match material.invalid() {
        Some((field, value, range)) => Err(styled.element.refuse(format!("{field} {value} is not in {range}"))),
        None => Ok(material),
    }
}

/// A shape in its own frame, which `fromto` places, and its mass properties at density one.
fn primitive(
    styled: &Styled,
    kind: &str,
    pose: &mut DPose3,
) -> Result<(ShapeDescription, Option<MassProperties>), SceneError> {
    let element = styled.element;
    let mut size = styled.numbers("size")?.unwrap_or_default();
    if let Some(ends) = styled.text("fromto").filter(|_| !matches!(kind, "sphere" | "plane")) {
        let [a, b, c, d, e, f] = vector(element, "fromto", ends)?;
        let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
        let length = (from - to).length();
        let Some(direction) = (from - to).try_normalize() else {
            return Err(element.refuse("the ends of 'fromto' coincide"));
        };
        *pose = DPose3::from_parts((from + to) * 0.5, turn_of_z(direction));
        let radius = size.first().copied().unwrap_or(0.0);
        size = match kind {
            "box" | "ellipsoid" => vec![radius, radius, 0.5 * length],
            _ => vec![radius, 0.5 * length],
        };
    }
    let needed = match kind {
        "plane" => 0,
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        "box" | "ellipsoid" => 3,
        other => return Err(element.refuse(format!("'type': '{other}' is no shape"))),
    };
    if size.len() < needed || size[..needed].iter().any(|length| *length <= 0.0) {
        return Err(element.refuse(format!("'size' of a {kind} has {needed} numbers above zero")));
    }
    let shape = match kind {
        "plane" => return Ok((ShapeDescription::HalfSpace { normal: [0.0, 0.0, 1.0] }, None)),
        "sphere" => ShapeDescription::Sphere { radius: size[0] },
        "capsule" => ShapeDescription::Capsule { half_height: size[1], radius: size[0] },
        "cylinder" => ShapeDescription::Cylinder { half_height: size[1], radius: size[0] },
        "box" => ShapeDescription::Cuboid { half_extents: [size[0], size[1], size[2]] },
        _ => ShapeDescription::Ellipsoid { half_extents: [size[0], size[1], size[2]] },
    };
    let built = shape.build("").map_err(|error| element.refuse(error.what))?;
    let mass = built.mass_properties(1.0).map_err(|error| element.refuse(error))?;
    Ok((shape, Some(mass)))
}
