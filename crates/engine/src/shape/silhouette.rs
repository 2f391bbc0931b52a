//! Outlines of shapes in parallel projection, for drawings.

use super::{Primitive, Shape};
use glamx::{DPose3, DVec2, DVec3};
use signorini_problem::math;

/// Directions in which a part is asked for its farthest point.
const DIRECTIONS: usize = 96;

impl Shape {
    /// Outlines of the bounded convex parts and of the triangles of surfaces at `pose`, projected along `right × up`: polygons in
    /// the coordinates (right, up) \[m\]. Corners of flat faces are exact; round parts have 96 corners. Half-spaces have none.
    pub fn silhouette(&self, pose: &DPose3, right: DVec3, up: DVec3) -> Vec<Vec<DVec2>> {
        let flat = |p: DVec3| DVec2::new(p.dot(right), p.dot(up));
        let mut outlines = Vec::new();
        for part in self.parts() {
            let placed = *pose * part.pose;
            if let Primitive::Mesh(mesh) = &part.primitive {
                let triangle = |index: u32| mesh.corners(index).map(|c| flat(placed.transform_point(c))).to_vec();
                outlines.extend((0..mesh.normals.len() as u32).map(triangle));
            }
            let Some(convex) = part.primitive.convex() else { continue };
            let mut outline: Vec<DVec2> = Vec::with_capacity(DIRECTIONS);
            for k in 0..DIRECTIONS {
                let (sin, cos) = math::sin_cos(std::f64::consts::TAU * (k as f64 + 0.5) / DIRECTIONS as f64);
                let along = right * cos + up * sin;
                let core = convex.core.support(placed.inverse_transform_vector(along));
                let point = flat(placed.transform_point(core) + along * convex.radius);
                if outline.last() != Some(&point) && outline.first() != Some(&point) {
                    outline.push(point);
                }
            }
            outlines.push(outline);
        }
        outlines
    }
}
