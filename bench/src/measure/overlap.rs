//! How deep shapes overlap: separating axes (Gottschalk 1996) for boxes, distances for balls.

use super::{is_sphere, orientation, position};
use crate::scene::Scene;
use crate::trajectory::Frame;
use signorini::glamx::{DMat3, DVec3};

struct Placed {
    centre: DVec3,
    axes: DMat3,
    half: DVec3,
    reach: f64,
}

/// The deepest overlap of any two bodies, not both static \[m\]; zero if none.
pub fn deepest(scene: &Scene, frame: &Frame) -> f64 {
    let placed: Vec<Placed> = (0..scene.bodies.len())
        .map(|b| {
            let half = DVec3::from_array(scene.bodies[b].half_extents());
            let reach = if is_sphere(scene, b) { half.x } else { half.length() };
            Placed { centre: position(frame, b), axes: DMat3::from_quat(orientation(frame, b)), half, reach }
        })
        .collect();
    let mut worst = 0.0;
    for a in 0..placed.len() {
        for b in a + 1..placed.len() {
            if scene.bodies[a].fixed && scene.bodies[b].fixed {
                continue;
            }
            if placed[a].centre.distance(placed[b].centre) > placed[a].reach + placed[b].reach {
                continue;
            }
            let depth = match (is_sphere(scene, a), is_sphere(scene, b)) {
                (true, true) => placed[a].reach + placed[b].reach - placed[a].centre.distance(placed[b].centre),
                (true, false) => ball_in_box(&placed[a], &placed[b]),
                (false, true) => ball_in_box(&placed[b], &placed[a]),
                (false, false) => boxes(&placed[a], &placed[b]),
            };
            worst = f64::max(worst, depth);
        }
    }
    worst
}

fn ball_in_box(ball: &Placed, solid: &Placed) -> f64 {
    let local = solid.axes.transpose() * (ball.centre - solid.centre);
    let nearest = local.clamp(-solid.half, solid.half);
    let distance = local.distance(nearest);
    // A centre inside the box is as deep as the nearest face says.
    let inside = if distance == 0.0 { (solid.half - local.abs()).min_element() } else { 0.0 };
    ball.reach - distance + inside
}

fn boxes(a: &Placed, b: &Placed) -> f64 {
    boxes_overlap((a.centre, a.axes, a.half), (b.centre, b.axes, b.half))
}

/// Least overlap of two boxes over the fifteen axes \[m\], each given by centre, axes and half extents.
pub fn boxes_overlap(a: (DVec3, DMat3, DVec3), b: (DVec3, DMat3, DVec3)) -> f64 {
    let between = b.0 - a.0;
    let columns = |m: &DMat3| [m.x_axis, m.y_axis, m.z_axis];
    let (u, v) = (columns(&a.1), columns(&b.1));
    let extent = |axes: &[DVec3; 3], half: DVec3, n: DVec3| {
        half.x * axes[0].dot(n).abs() + half.y * axes[1].dot(n).abs() + half.z * axes[2].dot(n).abs()
    };
    let depth = |n: DVec3| extent(&u, a.2, n) + extent(&v, b.2, n) - between.dot(n).abs();
    let faces = u.iter().chain(&v).copied();
    let edges = u.iter().flat_map(|p| v.iter().map(move |q| p.cross(*q)));
    // Parallel edges span no plane of their own: the faces cover that case.
    let edges = edges.filter(|n| n.length_squared() > 1e-10).map(DVec3::normalize);
    faces.chain(edges).map(depth).fold(f64::INFINITY, f64::min)
}
