//! Triangle surfaces for fixed bodies: meshes and height fields.

use super::{Aabb, MAX_MESH_SIZE, finite, length};
use crate::error::ShapeError;
use glamx::DVec3;
use parry3d_f64::bounding_volume;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// A triangle whose height is below this fraction of its longest edge has no direction to push in: it is dropped.
const DEGENERATE: f64 = 1e-12;

/// What lies behind the triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// A sheet or the skin of a closed body: a shape whose centre is behind a triangle is not pulled through it.
    Sheet,
    /// Ground: everything below is solid, however deep.
    Ground,
}

/// Triangles with their neighbours and a bounding volume tree.
#[derive(Debug)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Unit normals, counter-clockwise side.
    pub(crate) normals: Vec<DVec3>,
    /// Triangle across the edge from vertex i to i+1, or `u32::MAX`.
    pub(crate) neighbours: Vec<[u32; 3]>,
    pub(crate) side: Side,
    pub(crate) bounds: Aabb,
    /// Degenerate triangles left out.
    pub(crate) dropped: usize,
    pub(crate) tree: Bvh,
}

impl Mesh {
    pub(crate) fn new(vertices: Vec<DVec3>, indices: Vec<[u32; 3]>, side: Side) -> Result<Mesh, ShapeError> {
        if indices.is_empty() {
            return Err(ShapeError::TooFew { field: "mesh triangles", found: 0, needed: 1 });
        }
        for (field, found) in [("number of vertices", vertices.len()), ("number of triangles", indices.len())] {
            if found > MAX_MESH_SIZE {
                return Err(ShapeError::Limit { field, found, limit: MAX_MESH_SIZE });
            }
        }
        for (index, &vertex) in vertices.iter().enumerate() {
            finite("mesh vertex", index, vertex)?;
        }
        let given = indices.len();
        let (mut triangles, mut normals) = (Vec::with_capacity(given), Vec::with_capacity(given));
        for (triangle, corners) in indices.into_iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
                return Err(ShapeError::IndexOutOfRange { triangle, index, vertices: vertices.len() });
            }
            let [a, b, c] = corners.map(|v| vertices[v as usize]);
            let cross = (b - a).cross(c - a);
            let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
            let area = cross.length();
            if area > DEGENERATE * longest && area > f64::MIN_POSITIVE {
                triangles.push(corners);
                normals.push(cross / area);
            }
        }
        if triangles.is_empty() {
            return Err(ShapeError::OnlyDegenerateTriangles { found: given });
        }
        let boxes: Vec<_> = triangles
            .iter()
            .map(|corners| bounding_volume::Aabb::from_points(corners.map(|v| vertices[v as usize])))
            .collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(Aabb { min: b.mins, max: b.maxs }));
        let neighbours = neighbours(&triangles);
        let dropped = given - triangles.len();
        Ok(Mesh { vertices, triangles, normals, neighbours, side, bounds, dropped, tree })
    }

    pub(crate) fn height_field(
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
        heights: &[f64],
    ) -> Result<Mesh, ShapeError> {
        for (field, found) in [("height field columns", columns), ("height field rows", rows)] {
            if found < 2 {
                return Err(ShapeError::TooFew { field, found, needed: 2 });
            }
        }
        length("spacing x", spacing[0])?;
        length("spacing y", spacing[1])?;
        let points = columns.saturating_mul(rows);
        if points > MAX_MESH_SIZE / 2 {
            return Err(ShapeError::Limit { field: "height field points", found: points, limit: MAX_MESH_SIZE / 2 });
        }
        if heights.len() != points {
            return Err(ShapeError::Size { field: "heights", found: heights.len(), expected: points });
        }
        let middle = [0.5 * (columns - 1) as f64, 0.5 * (rows - 1) as f64];
        let mut vertices = Vec::with_capacity(points);
        let mut triangles = Vec::with_capacity(2 * points);
        for j in 0..rows {
            for i in 0..columns {
                let (x, y) = ((i as f64 - middle[0]) * spacing[0], (j as f64 - middle[1]) * spacing[1]);
                vertices.push(DVec3::new(x, y, heights[j * columns + i]));
                if i + 1 < columns && j + 1 < rows {
                    let a = (j * columns + i) as u32;
                    let (b, c) = (a + 1, a + columns as u32);
                    triangles.push([a, b, c + 1]);
                    triangles.push([a, c + 1, c]);
                }
            }
        }
        Mesh::new(vertices, triangles, Side::Ground)
    }

    /// Triangles whose boxes touch `bounds`, ascending.
    pub(crate) fn triangles_in(&self, bounds: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        let bounds = bounding_volume::Aabb::new(bounds.min, bounds.max);
        out.extend(self.tree.intersect_aabb(&bounds));
        out.sort_unstable();
    }

    /// Corners of a triangle.
    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// Other triangles around a corner of a triangle: one way round, and then the other way if there is a free edge.
    pub(crate) fn triangles_around(&self, triangle: u32, corner: usize) -> impl Iterator<Item = u32> {
        let vertex = self.triangles[triangle as usize][corner];
        let walk = move |leaving: usize| {
            std::iter::successors(Some(triangle), move |at| {
                let here = self.triangles[*at as usize].iter().position(|v| *v == vertex)?;
                let next = self.neighbours[*at as usize][(here + leaving) % 3];
                (next != u32::MAX && next != triangle).then_some(next)
            })
            .skip(1)
            .take(self.triangles.len())
        };
        // Across the edge that begins at the corner, or that ends there.
        walk(0).chain(walk(2))
    }
}

/// Triangle across each edge; edges shared by more than two triangles, or by two that disagree on the front side, count
/// as free.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut edges: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
            edges.push((a.min(b), a.max(b), t as u32, i as u8));
        }
    }
    edges.sort_unstable();
    let mut out = vec![[u32::MAX; 3]; triangles.len()];
    for same in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        if let [one, two] = same {
            let start = |e: &(u32, u32, u32, u8)| triangles[e.2 as usize][e.3 as usize];
            if start(one) != start(two) {
                out[one.2 as usize][one.3 as usize] = two.2;
                out[two.2 as usize][two.3 as usize] = one.2;
            }
        }
    }
    out
}
