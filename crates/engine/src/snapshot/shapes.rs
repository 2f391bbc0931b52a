//! Shapes as bytes: lengths, finished hulls face by face, triangles. What follows from these (normals, neighbours,
//! trees) is made again when they are read, which gives the same bits and proves the shape once more.

use super::bytes::{Payload, Section};
use crate::error::ShapeError;
use crate::shape::{Hull, MAX_LENGTH, MIN_LENGTH, MassProperties, Mesh, Part, Primitive, Shape, Side};
use crate::{SnapshotError, World};
use glamx::{DMat3, DVec3};
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

pub(super) fn encode(shapes: &[Shape], out: &mut Payload) {
    out.count(shapes.len());
    for shape in shapes {
        out.count(shape.nesting());
        out.count(shape.parts().len());
        for part in shape.parts() {
            out.pose(&part.pose);
            if let Some(mass) = &part.mass {
                out.u8(WEIGHED);
                out.f64(mass.mass);
                out.vector(mass.centre);
                (0..3).for_each(|i| out.vector(mass.inertia.col(i)));
            }
            encode_primitive(&part.primitive, out);
        }
    }
}

pub(super) fn decode(mut section: Section) -> Result<Vec<Shape>, SnapshotError> {
    let count = section.count(16)?;
    let mut shapes = Vec::with_capacity(count);
    for index in 0..count {
        let refuse = |source| SnapshotError::Shape { index, source };
        let nesting = section.u64()?;
        let nesting = usize::try_from(nesting).map_err(|_| section.invalid("nesting is too deep"))?;
        let parts = section.count(PART_SIZE)?;
        let parts = (0..parts).map(|_| {
            let pose = section.pose()?;
            let mut kind = section.u8()?;
            let mut mass = None;
            if kind == WEIGHED {
                mass = Some(decode_mass(&mut section)?);
                kind = section.u8()?;
            }
            Ok(Part { pose, primitive: decode_primitive(kind, &mut section)?.map_err(refuse)?, mass })
        });
        let parts = parts.collect::<Result<Vec<Part>, SnapshotError>>()?;
        shapes.push(Shape::from_parts(parts, nesting).map_err(refuse)?);
    }
    section.finish()?;
    Ok(shapes)
}

/// Least size of a part: pose, kind and one length.
const PART_SIZE: usize = 56 + 1 + 8;
/// In place of a kind: a mass of its own comes first.
const WEIGHED: u8 = 10;

fn decode_mass(section: &mut Section) -> Result<MassProperties, SnapshotError> {
    let (mass, centre) = (section.f64()?, section.vector()?);
    if !(mass >= 0.0 && mass.is_finite()) {
        return Err(section.invalid("not a volume"));
    }
    let inertia = DMat3::from_cols(section.vector()?, section.vector()?, section.vector()?);
    Ok(MassProperties { mass, centre, inertia })
}

fn encode_primitive(primitive: &Primitive, out: &mut Payload) {
    let mut round = |kind: u8, half_height: f64, radius: f64| {
        out.u8(kind);
        out.f64(half_height);
        out.f64(radius);
    };
    match primitive {
        Primitive::Sphere { radius } => {
            out.u8(0);
            out.f64(*radius);
        }
        Primitive::Cuboid { half } => {
            out.u8(1);
            out.vector(*half);
        }
        Primitive::Capsule { half_height, radius } => round(2, *half_height, *radius),
        Primitive::Cylinder { half_height, radius } => round(3, *half_height, *radius),
        Primitive::Cone { half_height, radius } => round(4, *half_height, *radius),
        Primitive::Hull(hull) => {
            out.u8(5);
            encode_hull(hull, out);
        }
        Primitive::Ellipsoid { half } => {
            out.u8(11);
            out.vector(*half);
        }
        Primitive::RoundedCuboid { half, radius } => {
            out.u8(8);
            out.vector(*half);
            out.f64(*radius);
        }
        Primitive::RoundedHull { hull, radius } => {
            out.u8(9);
            out.f64(*radius);
            encode_hull(hull, out);
        }
        Primitive::HalfSpace { normal } => {
            out.u8(6);
            out.vector(*normal);
        }
        Primitive::Mesh(mesh) => {
            out.u8(7);
            out.u8(match mesh.side {
                Side::Sheet => 0,
                Side::Ground => 1,
            });
            encode_points(&mesh.vertices, out);
            out.count(mesh.triangles.len());
            mesh.triangles.iter().flatten().for_each(|v| out.u32(*v));
            out.count(mesh.dropped);
        }
    }
}

fn encode_hull(hull: &Hull, out: &mut Payload) {
    encode_points(&hull.vertices, out);
    out.count(hull.faces.len());
    for face in &hull.faces {
        let corners = hull.face_loop(face);
        out.count(corners.len());
        corners.iter().for_each(|v| out.u32(*v));
    }
    out.f64(hull.size);
}

/// The outer error is one of reading, the inner one of the hull.
fn decode_hull(section: &mut Section) -> Result<Result<Arc<Hull>, ShapeError>, SnapshotError> {
    let vertices = decode_points(section)?;
    let mut polygons = Vec::new();
    for _ in 0..section.count(8)? {
        let corners = section.count(4)?;
        polygons.push((0..corners).map(|_| section.u32()).collect::<Result<Vec<u32>, _>>()?);
    }
    let size = length(section)?;
    Ok(Hull::from_faces(vertices, &polygons, size).map(Arc::new))
}

fn length(section: &mut Section) -> Result<f64, SnapshotError> {
    let value = section.f64()?;
    // A NaN is in no range.
    if (MIN_LENGTH..=MAX_LENGTH).contains(&value) { Ok(value) } else { Err(section.invalid("not a usable length")) }
}

fn encode_points(points: &[DVec3], out: &mut Payload) {
    out.count(points.len());
    points.iter().for_each(|p| out.vector(*p));
}

/// The outer error is one of reading, the inner one of the shape.
fn decode_primitive(kind: u8, section: &mut Section) -> Result<Result<Primitive, ShapeError>, SnapshotError> {
    let primitive = match kind {
        0 => Primitive::Sphere { radius: length(section)? },
        1 => Primitive::Cuboid { half: DVec3::new(length(section)?, length(section)?, length(section)?) },
        2 => Primitive::Capsule { half_height: length(section)?, radius: length(section)? },
        3 => Primitive::Cylinder { half_height: length(section)?, radius: length(section)? },
        4 => Primitive::Cone { half_height: length(section)?, radius: length(section)? },
        5 => return Ok(decode_hull(section)?.map(Primitive::Hull)),
        6 => {
            let normal = section.vector()?;
            if (normal.length() - 1.0).abs() > 1e-6 {
                return Err(section.invalid("normal is not unit"));
            }
            Primitive::HalfSpace { normal }
        }
        7 => {
            let side = match section.u8()? {
                0 => Side::Sheet,
                1 => Side::Ground,
                _ => return Err(section.invalid("unknown side of a mesh")),
            };
            let vertices = decode_points(section)?;
            let count = section.count(12)?;
            let corners = (0..count).map(|_| Ok([section.u32()?, section.u32()?, section.u32()?]));
            let triangles = corners.collect::<Result<Vec<[u32; 3]>, SnapshotError>>()?;
            let dropped = section.u64()? as usize;
            return Ok(Mesh::new(vertices, triangles, side).map(|mesh| {
                let dropped = mesh.dropped.saturating_add(dropped);
                Primitive::Mesh(Arc::new(Mesh { dropped, ..mesh }))
            }));
        }
        8 => {
            let half = DVec3::new(length(section)?, length(section)?, length(section)?);
            Primitive::RoundedCuboid { half, radius: length(section)? }
        }
        9 => {
            let radius = length(section)?;
            return Ok(decode_hull(section)?.map(|hull| Primitive::RoundedHull { hull, radius }));
        }
        11 => Primitive::Ellipsoid { half: DVec3::new(length(section)?, length(section)?, length(section)?) },
        _ => return Err(section.invalid("unknown kind of shape")),
    };
    Ok(Ok(primitive))
}

fn decode_points(section: &mut Section) -> Result<Vec<DVec3>, SnapshotError> {
    let count = section.count(24)?;
    (0..count).map(|_| section.vector()).collect()
}
