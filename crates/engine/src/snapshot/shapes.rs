//! Shapes as bytes: lengths, finished hulls face by face, triangles. What follows from these (normals, neighbours,
//! trees) is made again when they are read, which gives the same bits and proves the shape once more.

use super::bytes::{Payload, Read, Section, Stored, stored, stored_enum};
use super::values::direction;
use crate::World;
use crate::filter::PartRule;
use crate::shape::{Hull, MAX_LENGTH, MIN_LENGTH, MassProperties, Mesh, Part, Primitive, Shape, Side};
use glamx::DVec3;
use std::sync::Arc;

/// The shapes of a world, each once however many bodies share it, in the order of first use.
pub(super) fn distinct(world: &World) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for (_, body) in world.bodies.parts() {
        let Some(body) = body else { continue };
        if index_of(&shapes, &body.shape).is_none() {
            shapes.push(body.shape.clone());
        }
    }
    shapes
}

/// Where a shape is in the list. A body's shape is usually one of the last.
pub(super) fn index_of(shapes: &[Shape], shape: &Shape) -> Option<usize> {
    shapes.iter().rposition(|s| s.shares_data(shape))
}

/// The list of shapes.
pub(super) struct Shapes(pub Vec<Shape>);

impl Stored for Shapes {
    fn write(&self, out: &mut Payload) {
        self.0.write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let mut shapes = Vec::new();
        for index in 0..section.count()? {
            section.shape = index;
            shapes.push(Shape::read(section)?);
        }
        Ok(Shapes(shapes))
    }
}

impl Stored for Shape {
    fn write(&self, out: &mut Payload) {
        self.nesting().write(out);
        self.parts().len().write(out);
        self.parts().iter().for_each(|part| part.write(out));
        self.has_rules().then(|| self.rules().collect::<Vec<_>>()).write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let nesting = usize::read(section)?;
        let parts = Vec::<Part>::read(section)?;
        let shape = Shape::from_parts(parts, nesting).map_err(|source| section.refuse(source))?;
        Ok(match Option::<Vec<PartRule>>::read(section)? {
            Some(rules) => shape.with_rules(rules),
            None => shape,
        })
    }
}

stored!(Part { pose, primitive, mass as volume });
stored_enum!(Primitive, "unknown kind of shape" {
    0u8 => Sphere { radius as length },
    1u8 => Cuboid { half as lengths },
    2u8 => Capsule { half_height as length, radius as length },
    3u8 => Cylinder { half_height as length, radius as length },
    4u8 => Cone { half_height as length, radius as length },
    5u8 => Hull(hull),
    6u8 => HalfSpace { normal as direction },
    7u8 => Mesh(mesh),
    8u8 => RoundedCuboid { half as lengths, radius as length },
    9u8 => RoundedHull { hull, radius as length },
    10u8 => Ellipsoid { half as lengths },
});
stored_enum!(Side, "unknown side of a mesh" { 0u8 => Sheet, 1u8 => Ground });

mod length {
    use super::*;
    pub(super) fn write(value: &f64, out: &mut Payload) {
        value.write(out);
    }
    pub(super) fn read(section: &mut Section) -> Read<f64> {
        let value = f64::read(section)?;
        let usable = (MIN_LENGTH..=MAX_LENGTH).contains(&value);
        if usable { Ok(value) } else { Err(section.invalid("not a usable length")) }
    }
}

mod lengths {
    use super::*;
    pub(super) fn write(value: &DVec3, out: &mut Payload) {
        value.write(out);
    }
    pub(super) fn read(section: &mut Section) -> Read<DVec3> {
        Ok(DVec3::new(length::read(section)?, length::read(section)?, length::read(section)?))
    }
}

/// What a part counts for at 1 kg/m³.
mod volume {
    use super::*;
    pub(super) fn write(value: &Option<MassProperties>, out: &mut Payload) {
        value.write(out);
    }
    pub(super) fn read(section: &mut Section) -> Read<Option<MassProperties>> {
        let value = Option::<MassProperties>::read(section)?;
        let sound = value.is_none_or(|properties| properties.mass >= 0.0);
        if sound { Ok(value) } else { Err(section.invalid("not a volume")) }
    }
}

impl Stored for Arc<Hull> {
    fn write(&self, out: &mut Payload) {
        self.vertices.write(out);
        self.faces.iter().map(|face| self.face_loop(face).to_vec()).collect::<Vec<Vec<u32>>>().write(out);
        self.size.write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (vertices, polygons) = <(Vec<DVec3>, Vec<Vec<u32>>)>::read(section)?;
        let size = length::read(section)?;
        Hull::from_faces(vertices, &polygons, size).map(Arc::new).map_err(|source| section.refuse(source))
    }
}

impl Stored for Arc<Mesh> {
    fn write(&self, out: &mut Payload) {
        self.side.write(out);
        self.vertices.write(out);
        self.triangles.write(out);
        self.dropped.write(out);
    }
    fn read(section: &mut Section) -> Read<Self> {
        let (side, vertices, triangles) = Stored::read(section)?;
        let dropped = usize::read(section)?;
        let mesh = Mesh::new(vertices, triangles, side).map_err(|source| section.refuse(source))?;
        Ok(Arc::new(Mesh { dropped: mesh.dropped.saturating_add(dropped), ..mesh }))
    }
}
