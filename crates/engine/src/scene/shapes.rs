//! Shapes from their descriptions and back.

use super::{PartDescription, SceneError, ShapeDescription, UnitMass};
use crate::filter::PartRule;
use crate::shape::{Decomposition, Face, Hull, MAX_NESTING, MassProperties, Part, Primitive};
use crate::{Filter, Shape};
use glamx::{DMat3, DPose3, DQuat, DVec3};

impl ShapeDescription {
    /// The shape. `path` is where it stands in its scene, for messages.
    pub fn build(&self, path: &str) -> Result<Shape, SceneError> {
        self.nested(path, 0)
    }

    fn nested(&self, path: &str, depth: usize) -> Result<Shape, SceneError> {
        let points = |list: &[[f64; 3]]| list.iter().map(|p| DVec3::from_array(*p)).collect::<Vec<_>>();
        let built = match self {
            ShapeDescription::Sphere { radius } => Shape::sphere(*radius),
            ShapeDescription::Cuboid { half_extents } => Shape::cuboid(DVec3::from_array(*half_extents)),
            ShapeDescription::Ellipsoid { half_extents } => Shape::ellipsoid(DVec3::from_array(*half_extents)),
            ShapeDescription::RoundedCuboid { half_extents, radius } => {
                Shape::rounded_cuboid(DVec3::from_array(*half_extents), *radius)
            }
            ShapeDescription::RoundedHull { points: list, radius } => Shape::rounded_hull(&points(list), *radius),
            ShapeDescription::Solid { vertices, triangles, pieces, resolution, concavity, max_parts } => {
                let vertices = points(vertices);
                if pieces.is_empty() {
                    let cut = Decomposition { resolution: *resolution, concavity: *concavity, max_parts: *max_parts };
                    Shape::solid_mesh(&vertices, triangles, &cut)
                } else {
                    let pieces: Vec<_> = pieces.iter().map(|piece| points(piece)).collect();
                    Shape::solid_of_pieces(&vertices, triangles, &pieces)
                }
            }
            ShapeDescription::Capsule { half_height, radius } => Shape::capsule(*half_height, *radius),
            ShapeDescription::Cylinder { half_height, radius } => Shape::cylinder(*half_height, *radius),
            ShapeDescription::Cone { half_height, radius } => Shape::cone(*half_height, *radius),
            ShapeDescription::Hull { points: list } => Shape::convex_hull(&points(list)),
            ShapeDescription::HalfSpace { normal } => Shape::half_space(DVec3::from_array(*normal)),
            ShapeDescription::Mesh { vertices, triangles } => Shape::triangle_mesh(points(vertices), triangles.clone()),
            ShapeDescription::HeightField { columns, rows, spacing, heights } => {
                Shape::height_field(*columns, *rows, *spacing, heights)
            }
            ShapeDescription::None => Ok(Shape::none()),
            ShapeDescription::File { path: file, .. } => {
                let what = format!("mesh file '{file}' has not been read; load the scene from a file, not from text");
                return Err(SceneError::new(path, what));
            }
            ShapeDescription::Compound { parts } => {
                if depth >= MAX_NESTING {
                    let what = format!("compounds are nested deeper than {MAX_NESTING}");
                    return Err(SceneError::new(path, what));
                }
                let part = |(index, part): (usize, &PartDescription)| {
                    let path = format!("{path}.compound.parts[{index}]");
                    let shape = part.shape.nested(&format!("{path}.shape"), depth + 1)?;
                    let shape = match &part.counts_for {
                        Some(mass) => {
                            shape.weighing(mass.properties()).map_err(|error| SceneError::new(&path, error))?
                        }
                        None => shape,
                    };
                    let orientation = quaternion(part.orientation);
                    let filter = Filter::new(part.layers, part.mask);
                    // A compound in a compound keeps what its own parts say.
                    let shape = if filter == Filter::ALL { shape } else { shape.filtered(filter) };
                    let shape = if part.sensor { shape.sensing() } else { shape };
                    Ok((DPose3::from_parts(DVec3::from_array(part.position), orientation), shape))
                };
                Shape::compound(parts.iter().enumerate().map(part).collect::<Result<_, SceneError>>()?)
            }
        };
        built.map_err(|error| SceneError::new(super::places::shape_place(path, self, &error), error))
    }
}

impl UnitMass {
    fn of(mass: MassProperties) -> UnitMass {
        let columns = mass.inertia.to_cols_array_2d();
        UnitMass { volume: mass.mass, centre: mass.centre.to_array(), inertia: columns }
    }

    fn properties(&self) -> MassProperties {
        let inertia = DMat3::from_cols_array_2d(&self.inertia);
        MassProperties { mass: self.volume, centre: DVec3::from_array(self.centre), inertia }
    }
}

/// (w, x, y, z) as a quaternion; none is no turn.
pub(super) fn quaternion(wxyz: Option<[f64; 4]>) -> DQuat {
    wxyz.map_or(DQuat::IDENTITY, |[w, x, y, z]| DQuat::from_xyzw(x, y, z, w))
}

impl Shape {
    /// What the shape is made of, as it would be written in a scene. Compounds come out flat, height fields as meshes.
    pub fn describe(&self) -> ShapeDescription {
        match self.parts() {
            [] => ShapeDescription::None,
            [part] if part.pose == DPose3::IDENTITY && part.mass.is_none() && !self.has_rules() => {
                describe_primitive(&part.primitive)
            }
            parts => {
                let parts = parts.iter().zip(self.rules()).map(|(part, rule)| describe_part(part, rule));
                ShapeDescription::Compound { parts: parts.collect() }
            }
        }
    }

    /// Its parts for drawing: as [`Shape::describe`] returns them, but with hulls as the triangles of their faces.
    pub fn drawn(&self) -> Vec<PartDescription> {
        let part = |(part, rule): (&Part, PartRule)| match &part.primitive {
            Primitive::Hull(hull) => PartDescription { shape: faces(hull), ..describe_part(part, rule) },
            _ => describe_part(part, rule),
        };
        self.parts().iter().zip(self.rules()).map(part).collect()
    }
}

/// Every face as a fan of triangles.
fn faces(hull: &Hull) -> ShapeDescription {
    let fan = |face: &Face| {
        let corners = &hull.loops[face.first as usize..][..face.count as usize];
        let first = corners[0];
        corners[1..].windows(2).map(move |pair| [first, pair[0], pair[1]])
    };
    let vertices = hull.vertices.iter().map(|p| p.to_array()).collect();
    ShapeDescription::Mesh { vertices, triangles: hull.faces.iter().flat_map(fan).collect() }
}

fn describe_part(part: &Part, rule: PartRule) -> PartDescription {
    let q = part.pose.rotation;
    PartDescription {
        shape: describe_primitive(&part.primitive),
        position: part.pose.translation.to_array(),
        orientation: (q != DQuat::IDENTITY).then_some([q.w, q.x, q.y, q.z]),
        layers: rule.filter.layers,
        mask: rule.filter.mask,
        sensor: rule.sensor,
        counts_for: part.mass.map(UnitMass::of),
    }
}

fn describe_primitive(primitive: &Primitive) -> ShapeDescription {
    let triples = |points: &[DVec3]| points.iter().map(|p| p.to_array()).collect();
    match primitive {
        Primitive::Sphere { radius } => ShapeDescription::Sphere { radius: *radius },
        Primitive::Cuboid { half } => ShapeDescription::Cuboid { half_extents: half.to_array() },
        Primitive::Ellipsoid { half } => ShapeDescription::Ellipsoid { half_extents: half.to_array() },
        Primitive::RoundedCuboid { half, radius } => {
            ShapeDescription::RoundedCuboid { half_extents: half.to_array(), radius: *radius }
        }
        Primitive::RoundedHull { hull, radius } => {
            ShapeDescription::RoundedHull { points: triples(&hull.vertices), radius: *radius }
        }
        Primitive::Capsule { half_height, radius } => {
            ShapeDescription::Capsule { half_height: *half_height, radius: *radius }
        }
        Primitive::Cylinder { half_height, radius } => {
            ShapeDescription::Cylinder { half_height: *half_height, radius: *radius }
        }
        Primitive::Cone { half_height, radius } => {
            ShapeDescription::Cone { half_height: *half_height, radius: *radius }
        }
        Primitive::Hull(hull) => ShapeDescription::Hull { points: triples(&hull.vertices) },
        Primitive::HalfSpace { normal } => ShapeDescription::HalfSpace { normal: normal.to_array() },
        Primitive::Mesh(mesh) => {
            ShapeDescription::Mesh { vertices: triples(&mesh.vertices), triangles: mesh.triangles.clone() }
        }
    }
}
