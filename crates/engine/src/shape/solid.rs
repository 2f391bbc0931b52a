//! Solids bounded by a closed mesh, convex or not. They collide as convex pieces, and have the mass of what the mesh
//! encloses.
//!
//! The pieces are given, or found by approximate convex decomposition (VHACD, Mamou and Ghorbel 2009, from parry: voxels, cut by planes
//! in a fixed order, so that the same mesh gives the same pieces). Pieces found this way lie within a voxel of the mesh. Mass, centre and
//! inertia are those of the mesh itself, by signed tetrahedra: exact, however coarse the pieces are.

use super::mass::Moments;
use super::{Hull, MAX_MESH_SIZE, MAX_PARTS, MassProperties, Part, Primitive, Shape, finite};
use crate::error::ShapeError;
use glamx::{DMat3, DPose3, DVec3};
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use std::sync::Arc;

/// Largest number of voxels along the longest side: the work grows with its cube.
const MAX_RESOLUTION: u32 = 256;
/// Most pieces a decomposition may be asked for.
const MAX_PIECES: u32 = 1024;

/// How a mesh is cut into convex pieces.
///
/// ```
/// let fine = signorini::shape::Decomposition { resolution: 128, ..Default::default() };
/// assert_eq!(fine.max_parts, 32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// Voxels along the longest side, from 8 to 256.
    pub resolution: u32,
    /// Share of its volume that a piece may lack to its hull before it is cut again, from 0 to 1.
    pub concavity: f64,
    /// Most pieces, up to 1024.
    pub max_parts: u32,
}

impl Default for Decomposition {
    fn default() -> Self {
        Decomposition { resolution: 64, concavity: 0.01, max_parts: 32 }
    }
}

impl Shape {
    /// The solid inside a closed surface of triangles, counter-clockwise seen from outside, collided as convex pieces that are found.
    /// For bodies of any kind.
    ///
    /// ```
    /// use signorini::Shape;
    /// use signorini::glamx::DVec3;
    /// use signorini::shape::Decomposition;
    /// # fn main() -> Result<(), signorini::ShapeError> {
    /// // A tetrahedron: one sixth of a unit cube.
    /// let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let solid = Shape::solid_mesh(&vertices, &triangles, &Decomposition::default())?;
    /// assert!((solid.volume()? - 1.0 / 6.0).abs() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    pub fn solid_mesh(vertices: &[DVec3], triangles: &[[u32; 3]], cut: &Decomposition) -> Result<Shape, ShapeError> {
        let mass = enclosed(vertices, triangles)?;
        for (field, value, limit) in
            [("resolution", cut.resolution, MAX_RESOLUTION), ("number of pieces", cut.max_parts, MAX_PIECES)]
        {
            if value > limit {
                return Err(ShapeError::Limit { field, found: value as usize, limit: limit as usize });
            }
        }
        for (field, value, needed) in [("resolution", cut.resolution, 8), ("number of pieces", cut.max_parts, 1)] {
            if value < needed {
                return Err(ShapeError::TooFew { field, found: value as usize, needed: needed as usize });
            }
        }
        if !(0.0..=1.0).contains(&cut.concavity) {
            return Err(ShapeError::NotFinite { field: "concavity", index: 0, value: cut.concavity });
        }
        // What is convex already is its own only piece.
        if let Ok(whole) = Hull::new(vertices)
            && (super::mass::hull_volume(&whole) - mass.mass).abs() <= 1e-9 * mass.mass
        {
            return Ok(weighed(vec![whole], mass));
        }
        let parameters = VHACDParameters {
            resolution: cut.resolution,
            concavity: cut.concavity,
            max_convex_hulls: cut.max_parts,
            ..VHACDParameters::default()
        };
        let found = VHACD::decompose(&parameters, vertices, triangles, true);
        let pieces = found.compute_primitive_intersections(vertices, triangles);
        // Slivers without volume hold nothing up.
        let hulls: Vec<Hull> = pieces.iter().filter_map(|points| Hull::new(points).ok()).collect();
        if hulls.is_empty() {
            return Err(ShapeError::TooFew { field: "pieces of the mesh", found: 0, needed: 1 });
        }
        Ok(weighed(hulls, mass))
    }

    /// The solid inside a closed surface, collided as the hulls of the given sets of points.
    pub fn solid_of_pieces(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        pieces: &[Vec<DVec3>],
    ) -> Result<Shape, ShapeError> {
        let mass = enclosed(vertices, triangles)?;
        if pieces.is_empty() {
            return Err(ShapeError::TooFew { field: "pieces of the mesh", found: 0, needed: 1 });
        }
        if pieces.len() > MAX_PARTS {
            return Err(ShapeError::Limit { field: "number of pieces", found: pieces.len(), limit: MAX_PARTS });
        }
        Ok(weighed(pieces.iter().map(|points| Hull::new(points)).collect::<Result<_, _>>()?, mass))
    }
}

impl Shape {
    /// The same shape, counting for this mass at 1 kg/m³ whatever its size.
    #[cfg(feature = "scene")]
    pub(crate) fn weighing(&self, unit: MassProperties) -> Result<Shape, ShapeError> {
        let numbers = unit.inertia.to_cols_array().into_iter().chain(unit.centre.to_array()).chain([unit.mass]);
        if let Some((index, value)) = numbers.enumerate().find(|(_, x)| !x.is_finite()) {
            return Err(ShapeError::NotFinite { field: "mass property", index, value });
        }
        if unit.mass < 0.0 {
            return Err(ShapeError::InsideOut { volume: unit.mass });
        }
        let nothing = MassProperties { mass: 0.0, centre: DVec3::ZERO, inertia: DMat3::ZERO };
        let weigh = |(index, part): (usize, &Part)| Part {
            mass: Some(if index == 0 { unit } else { nothing }),
            ..part.clone()
        };
        Ok(Shape { parts: self.parts.iter().enumerate().map(weigh).collect(), ..self.clone() })
    }
}

/// Pieces of which the first has all of the mass.
fn weighed(hulls: Vec<Hull>, mass: MassProperties) -> Shape {
    let nothing = MassProperties { mass: 0.0, centre: DVec3::ZERO, inertia: DMat3::ZERO };
    let part = |(index, hull): (usize, Hull)| Part {
        pose: DPose3::IDENTITY,
        primitive: Primitive::Hull(Arc::new(hull)),
        mass: Some(if index == 0 { mass } else { nothing }),
    };
    let nesting = usize::from(hulls.len() > 1);
    Shape { parts: hulls.into_iter().enumerate().map(part).collect(), nesting, rules: None }
}

/// Mass properties at 1 kg/m³ of what a closed surface encloses; refused unless it is closed and its volume is positive.
fn enclosed(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<MassProperties, ShapeError> {
    if triangles.len() < 4 {
        return Err(ShapeError::TooFew { field: "triangles of a solid", found: triangles.len(), needed: 4 });
    }
    for (field, found) in [("number of vertices", vertices.len()), ("number of triangles", triangles.len())] {
        if found > MAX_MESH_SIZE {
            return Err(ShapeError::Limit { field, found, limit: MAX_MESH_SIZE });
        }
    }
    for (index, &vertex) in vertices.iter().enumerate() {
        finite("mesh vertex", index, vertex)?;
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(ShapeError::IndexOutOfRange { triangle, index, vertices: vertices.len() });
        }
    }
    check_closed(vertices, triangles)?;
    let about = vertices[triangles[0][0] as usize];
    let from = |v: u32| vertices[v as usize] - about;
    let mass = Moments::of_tetrahedra(about, triangles.iter().map(|corners| corners.map(from)));
    if !(mass.volume > 0.0 && mass.volume.is_finite()) {
        return Err(ShapeError::InsideOut { volume: mass.volume });
    }
    Ok(mass.properties())
}

/// Every edge is walked once each way. Vertices at one place are one: mesh files repeat them.
fn check_closed(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    let bits = |v: usize| vertices[v].to_array().map(|x| (x + 0.0).to_bits());
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.sort_by_key(|v| (bits(*v), *v));
    let mut place = vec![0; vertices.len()];
    for pair in 0..order.len() {
        let same = pair > 0 && bits(order[pair]) == bits(order[pair - 1]);
        place[order[pair]] = if same { place[order[pair - 1]] } else { order[pair] };
    }
    // (the edge, +1 or −1 by the way it is walked, the triangle).
    let mut edges: Vec<(usize, usize, i32, usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (place[triangle[i] as usize], place[triangle[(i + 1) % 3] as usize]);
            if a != b {
                edges.push((a.min(b), a.max(b), if a < b { 1 } else { -1 }, t));
            }
        }
    }
    edges.sort_unstable();
    for same in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        if same.iter().map(|edge| edge.2).sum::<i32>() != 0 {
            return Err(ShapeError::NotClosed { triangle: same[0].3, vertices: [same[0].0, same[0].1] });
        }
    }
    Ok(())
}
