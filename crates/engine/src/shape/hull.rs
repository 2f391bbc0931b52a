//! Convex hulls with whole faces.
//!
//! parry finds the triangles; this file joins coplanar ones into polygons with all their vertices (parry's own join
//! accepts faces that differ by 1.7e-4 rad and its contact features keep four vertices at most), then proves the
//! result: every face planar, every edge shared by two faces, Euler's count right, every input point inside.

use super::clusters::Clusters;
use super::{MAX_HULL_POINTS, MAX_HULL_VERTICES, finite};
use crate::error::ShapeError;
use glamx::{DQuat, DVec3};
use parry3d_f64::transformation::try_convex_hull;

/// Vertices of one face lie in its plane to this fraction of the hull's size; flatter neighbours are joined.
const PLANAR: f64 = 1e-9;
/// Input points may stick out of the finished hull by this fraction of its size.
const INSIDE: f64 = 1e-6;

/// A closed convex polyhedron.
#[derive(Debug)]
pub(crate) struct Hull {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
    /// Vertex indices of all faces, counter-clockwise seen from outside, face after face.
    pub(crate) loops: Vec<u32>,
    /// Undirected edge under each entry of `loops`: the edge from that vertex to the next one of the loop.
    pub(crate) loop_edges: Vec<u32>,
    /// Unit directions of the edges, one of each set of parallel edges.
    pub(crate) edge_directions: Vec<DVec3>,
    /// Largest extent \[m\].
    pub(crate) size: f64,
    clusters: Clusters,
}

/// One polygon of a hull: the plane `normal · p = offset` and its stretch of `Hull::loops`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Hull {
    pub(crate) fn new(points: &[DVec3]) -> Result<Hull, ShapeError> {
        if points.len() < 4 {
            return Err(ShapeError::TooFew { field: "hull points", found: points.len(), needed: 4 });
        }
        if points.len() > MAX_HULL_POINTS {
            return Err(ShapeError::Limit {
                field: "number of hull points",
                found: points.len(),
                limit: MAX_HULL_POINTS,
            });
        }
        for (index, &point) in points.iter().enumerate() {
            finite("hull point", index, point)?;
        }
        let (size, spread) = check_spans_volume(points)?;

        // Turning the points changes which of parry's tolerances they meet: one in 3000 hulls of grid points needs it.
        let turns = [
            DQuat::IDENTITY,
            DQuat::from_xyzw(0.2, 0.4, 0.4, 0.8),
            DQuat::from_xyzw(2.0 / 9.0, 4.0 / 9.0, 5.0 / 9.0, 2.0 / 3.0),
            DQuat::from_xyzw(0.1, 0.3, 0.3, 0.9),
        ];
        let mut answer = Hull::attempt(points, size, &spread, turns[0]);
        for turn in &turns[1..] {
            if answer.is_ok() {
                break;
            }
            answer = Hull::attempt(points, size, &spread, *turn).or(answer);
        }
        answer
    }

    fn attempt(points: &[DVec3], size: f64, spread: &Spread, turn: DQuat) -> Result<Hull, ShapeError> {
        let bad = |reason| ShapeError::BadHull { points: points.len(), reason };
        let (vertices, triangles) = triangulate(points, spread, turn).ok_or_else(|| bad("no hull found"))?;
        if vertices.len() > MAX_HULL_VERTICES {
            return Err(ShapeError::Limit {
                field: "number of hull vertices",
                found: vertices.len(),
                limit: MAX_HULL_VERTICES,
            });
        }
        let polygons = join_coplanar(&vertices, &triangles, size).ok_or_else(|| bad("faces do not close"))?;
        let hull =
            Hull::assemble(vertices, &polygons, size).ok_or_else(|| bad("an edge is not shared by two faces"))?;
        hull.check(points)?;
        Ok(hull)
    }

    /// A finished hull from its vertices, the loops of its faces and its size: proved again, and bit for bit the same.
    pub(crate) fn from_faces(vertices: Vec<DVec3>, polygons: &[Vec<u32>], size: f64) -> Result<Hull, ShapeError> {
        let points = vertices.clone();
        let bad = |reason| ShapeError::BadHull { points: points.len(), reason };
        if points.len() > MAX_HULL_VERTICES {
            let (found, limit) = (points.len(), MAX_HULL_VERTICES);
            return Err(ShapeError::Limit { field: "number of hull vertices", found, limit });
        }
        for (index, &point) in points.iter().enumerate() {
            finite("hull vertex", index, point)?;
        }
        super::length("hull size", size)?;
        let known = |v: &u32| (*v as usize) < points.len();
        if !polygons.iter().all(|polygon| polygon.len() >= 3 && polygon.iter().all(known)) {
            return Err(bad("a face names a vertex that does not exist"));
        }
        let hull = Hull::assemble(vertices, polygons, size).ok_or_else(|| bad("an edge is not shared by two faces"))?;
        if hull.vertices.len() != points.len() {
            return Err(bad("a vertex belongs to no face"));
        }
        hull.check(&points)?;
        Ok(hull)
    }

    /// The vertex farthest along a direction, the first of several.
    pub(crate) fn farthest(&self, dir: DVec3) -> DVec3 {
        self.clusters.farthest(&self.vertices, dir).unwrap_or_else(|| super::core::farthest(&self.vertices, dir))
    }

    /// Vertex indices of a face.
    pub(crate) fn face_loop(&self, face: &Face) -> &[u32] {
        &self.loops[face.first as usize..(face.first + face.count) as usize]
    }

    /// Edge indices of a face; entry `i` runs from vertex `i` of the loop to the next.
    pub(crate) fn face_edges(&self, face: &Face) -> &[u32] {
        &self.loop_edges[face.first as usize..(face.first + face.count) as usize]
    }

    fn assemble(points: Vec<DVec3>, polygons: &[Vec<u32>], size: f64) -> Option<Hull> {
        // Keep the vertices that faces use, in their order.
        let mut new_index = vec![u32::MAX; points.len()];
        for &v in polygons.iter().flatten() {
            new_index[v as usize] = 0;
        }
        let mut vertices = Vec::new();
        for (old, index) in new_index.iter_mut().enumerate() {
            if *index == 0 {
                *index = vertices.len() as u32;
                vertices.push(points[old]);
            }
        }
        let mut hull = Hull {
            vertices,
            faces: vec![],
            loops: vec![],
            loop_edges: vec![],
            edge_directions: vec![],
            size,
            clusters: Clusters::default(),
        };
        let mut sides: Vec<(u32, u32, usize)> = Vec::new();
        for polygon in polygons {
            let first = hull.loops.len();
            for (i, &v) in polygon.iter().enumerate() {
                let (a, b) = (new_index[v as usize], new_index[polygon[(i + 1) % polygon.len()] as usize]);
                sides.push((a.min(b), a.max(b), first + i));
                hull.loops.push(a);
            }
            let (normal, _) = newell(&hull.vertices, &hull.loops[first..])?;
            let offset =
                hull.loops[first..].iter().map(|&v| hull.vertices[v as usize].dot(normal)).fold(f64::MIN, f64::max);
            hull.faces.push(Face { normal, offset, first: first as u32, count: polygon.len() as u32 });
        }
        sides.sort_unstable();
        hull.loop_edges = vec![0; hull.loops.len()];
        for (edge, pair) in sides.chunks(2).enumerate() {
            let [one, two] = pair else { return None };
            if (one.0, one.1) != (two.0, two.1) {
                return None;
            }
            hull.loop_edges[one.2] = edge as u32;
            hull.loop_edges[two.2] = edge as u32;
            let direction = (hull.vertices[one.1 as usize] - hull.vertices[one.0 as usize]).try_normalize()?;
            // Comparing all pairs of edges pays for small hulls only.
            let small = sides.len() < 1024;
            if !small || !hull.edge_directions.iter().any(|d| d.cross(direction).length_squared() < 1e-24) {
                hull.edge_directions.push(direction);
            }
        }
        hull.clusters = Clusters::of(&hull.vertices);
        // Euler: V − E + F = 2 for a sphere-like surface.
        (hull.vertices.len() + hull.faces.len() == 2 + sides.len() / 2).then_some(hull)
    }

    /// Positive volume and all of `points` inside.
    fn check(&self, points: &[DVec3]) -> Result<(), ShapeError> {
        let tolerance = INSIDE * self.size;
        for face in &self.faces {
            for (index, point) in points.iter().enumerate() {
                let distance = point.dot(face.normal) - face.offset;
                if distance > tolerance {
                    return Err(ShapeError::PointOutsideHull { index, distance });
                }
            }
        }
        let volume = super::mass::hull_volume(self);
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(ShapeError::NoVolume { points: points.len(), thickness: 0.0, size: self.size });
        }
        Ok(())
    }
}

/// Axes along which the points spread, each divided by its extent.
struct Spread {
    origin: DVec3,
    axes: [DVec3; 3],
}

/// Triangles of the hull by parry, found in axes that make the points equally wide in all directions. Hulls do not
/// change under such a map, and parry's tolerances, which suit round bodies, then suit slabs and needles too: without
/// it a slab of aspect 1e-5 collapses and points are left outside of 5 % of hulls of aspect 1e-3.
fn triangulate(points: &[DVec3], spread: &Spread, turn: DQuat) -> Option<(Vec<DVec3>, Vec<[u32; 3]>)> {
    let round: Vec<DVec3> = points
        .iter()
        .map(|p| {
            let r = *p - spread.origin;
            turn * DVec3::from_array(spread.axes.map(|axis| r.dot(axis)))
        })
        .collect();
    let (corners, triangles) = try_convex_hull(&round).ok()?;
    // parry returns copies of some of its input: find which.
    let bits = |p: &DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
    let mut index: Vec<_> = round.iter().enumerate().map(|(i, p)| (bits(p), i)).collect();
    index.sort_unstable();
    let vertices = corners.iter().map(|corner| {
        let at = index.partition_point(|entry| entry.0 < bits(corner));
        index.get(at).filter(|entry| entry.0 == bits(corner)).map(|entry| points[entry.1])
    });
    Some((vertices.collect::<Option<Vec<_>>>()?, triangles))
}

/// Refuses points in one point, line or plane; returns their largest extent and how they spread.
///
/// The plane through three well-spread points: the pair that is farthest along an axis, the point farthest from their
/// line, then the greatest distance of any point from the plane of the three.
fn check_spans_volume(points: &[DVec3]) -> Result<(f64, Spread), ShapeError> {
    let (min, max) = points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    let extent = max - min;
    let size = extent.max_element();
    let flat = |thickness| Err(ShapeError::NoVolume { points: points.len(), thickness, size });
    if size < super::MIN_LENGTH {
        return flat(size);
    }
    let axis = if extent.x >= size {
        DVec3::X
    } else if extent.y >= size {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points
            .iter()
            .map(|&p| (measure(p), p))
            .fold((f64::MIN, points[0]), |best, x| if x.0 > best.0 { x } else { best })
    };
    let (_, low) = farthest(&|p| -p.dot(axis));
    let (_, high) = farthest(&|p| p.dot(axis));
    let along = (high - low).normalize_or_zero();
    let (width, third) = farthest(&|p| (p - low).cross(along).length());
    if width < PLANAR * size {
        return flat(width);
    }
    let normal = along.cross(third - low).normalize_or_zero();
    let (thickness, _) = farthest(&|p| (p - low).dot(normal).abs());
    if thickness < PLANAR * size {
        return flat(thickness);
    }
    let axes = [along / (high - low).length(), normal.cross(along) / width, normal / thickness];
    Ok((size, Spread { origin: low, axes }))
}

/// Newell's normal of a loop (unit) and its area.
fn newell(vertices: &[DVec3], polygon: &[u32]) -> Option<(DVec3, f64)> {
    let origin = vertices[polygon[0] as usize];
    let mut sum = DVec3::ZERO;
    for (i, &v) in polygon.iter().enumerate() {
        let w = polygon[(i + 1) % polygon.len()];
        sum += (vertices[v as usize] - origin).cross(vertices[w as usize] - origin);
    }
    let length = sum.length();
    (length > 0.0).then(|| (sum / length, 0.5 * length))
}

/// Triangles to polygons: from the largest triangle down, gather neighbours whose vertices lie in its plane, and walk
/// the rim of each group. `None` if a rim is not one closed loop.
fn join_coplanar(vertices: &[DVec3], triangles: &[[u32; 3]], size: f64) -> Option<Vec<Vec<u32>>> {
    // Directed edge -> triangle, sorted for binary search.
    let mut edges: Vec<(u32, u32, usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        for i in 0..3 {
            edges.push((triangle[i], triangle[(i + 1) % 3], t));
        }
    }
    edges.sort_unstable();
    let owner = |a: u32, b: u32| edges.binary_search_by(|e| (e.0, e.1).cmp(&(a, b))).ok().map(|at| edges[at].2);
    let area: Vec<f64> = triangles.iter().map(|t| newell(vertices, t).map_or(0.0, |(_, area)| area)).collect();
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&a, &b| area[b].total_cmp(&area[a]).then(a.cmp(&b)));

    let mut group = vec![usize::MAX; triangles.len()];
    let mut polygons = Vec::new();
    for &seed in &order {
        if group[seed] != usize::MAX {
            continue;
        }
        let id = polygons.len();
        let (normal, _) = newell(vertices, &triangles[seed])?;
        let origin = vertices[triangles[seed][0] as usize];
        let (mut queue, mut rim) = (vec![seed], Vec::new());
        group[seed] = id;
        let mut next = 0;
        while next < queue.len() {
            let triangle = triangles[queue[next]];
            next += 1;
            for i in 0..3 {
                let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
                let neighbour = owner(b, a)?;
                if group[neighbour] == usize::MAX
                    && lies_in_plane(vertices, &triangles[neighbour], origin, normal, size)
                {
                    group[neighbour] = id;
                    queue.push(neighbour);
                }
            }
        }
        for &t in &queue {
            for i in 0..3 {
                let (a, b) = (triangles[t][i], triangles[t][(i + 1) % 3]);
                if group[owner(b, a)?] != id {
                    rim.push((a, b));
                }
            }
        }
        polygons.push(walk_rim(&mut rim)?);
    }
    Some(polygons)
}

fn lies_in_plane(vertices: &[DVec3], triangle: &[u32; 3], origin: DVec3, normal: DVec3, size: f64) -> bool {
    let flat = triangle.iter().all(|&v| (vertices[v as usize] - origin).dot(normal).abs() <= PLANAR * size);
    // Slivers have no trustworthy normal of their own: lying in the plane is enough for them.
    flat && newell(vertices, triangle).is_none_or(|(own, area)| own.dot(normal) > 0.0 || area < PLANAR * size * size)
}

/// The rim edges as one loop starting from its least vertex.
fn walk_rim(rim: &mut [(u32, u32)]) -> Option<Vec<u32>> {
    rim.sort_unstable();
    let start = rim.first()?.0;
    let mut polygon = vec![start];
    let mut at = rim[0].1;
    while at != start {
        if polygon.len() > rim.len() {
            return None;
        }
        polygon.push(at);
        let next = rim.binary_search_by(|e| e.0.cmp(&at)).ok()?;
        at = rim[next].1;
    }
    (polygon.len() == rim.len() && polygon.len() >= 3).then_some(polygon)
}
