//! Mass properties of boxes and hulls grown by a radius r, exactly: the core, a slab on every face, a sector of a cylinder along every
//! edge, and a sector of a ball at every vertex.
//!
//! With θ the angle between the normals of the two faces of an edge, and Ω the directions that a vertex is farthest in:
//!
//! ```text
//! |Ω| = 2π − Σ angles of the faces at the vertex                                 (Descartes)
//! ∫ω dΩ = −½ Σ θ d                                                               d: unit edges out of the vertex
//! ∫ωωᵀdΩ = (|Ω|·1 − Σ d Wᵀ)/3,   W = ∫ω ds over the arc from normal to normal    from div(ω_j ∇ω_i) = δ_ij − 3ω_iω_j
//! ```

use super::Hull;
use super::mass::{MassProperties, Moments, outer, tetrahedra};
use glamx::{DMat3, DVec3};
use signorini_problem::math;
use std::f64::consts::{PI, TAU};

/// A box with this half of its core, at 1 kg/m³.
pub(super) fn cuboid(half: DVec3, r: f64) -> MassProperties {
    let [a, b, c] = half.to_array();
    let volume =
        8.0 * a * b * c + 8.0 * r * (a * b + b * c + c * a) + TAU * r * r * (a + b + c) + 4.0 / 3.0 * PI * r * r * r;
    // ∫x² of everything, a being the half along x: core and slabs beside; the two slabs across; rods along x; rods along y and z; the ball.
    let square = |a: f64, b: f64, c: f64| {
        let along = a * a / 3.0 * (8.0 * a * b * c + 8.0 * a * (b + c) * r + TAU * a * r * r);
        let across = 8.0 / 3.0 * b * c * (math::powi(a + r, 3) - math::powi(a, 3));
        let rods = 8.0 * (b + c) * (a * a * PI / 4.0 + 2.0 / 3.0 * a * r + PI / 16.0 * r * r) * r * r;
        let ball = PI * math::powi(r, 3) * (4.0 / 3.0 * a * a + a * r + 4.0 / 15.0 * r * r);
        along + across + rods + ball
    };
    let (x, y, z) = (square(a, b, c), square(b, c, a), square(c, a, b));
    let inertia = DMat3::from_diagonal(DVec3::new(y + z, z + x, x + y));
    MassProperties { mass: volume, centre: DVec3::ZERO, inertia }
}

/// A hull grown by r, at 1 kg/m³.
pub(super) fn hull(hull: &Hull, r: f64) -> MassProperties {
    let about = hull.vertices[0];
    let mut sum = Moments::of_tetrahedra(about, tetrahedra(hull));
    let at = |v: u32| hull.vertices[v as usize] - about;
    // Faces at each edge by its number: normals on its two sides.
    let mut sides: Vec<[Option<(DVec3, u32, u32)>; 2]> = vec![[None; 2]; hull.loops.len() / 2];
    let mut open = vec![TAU; hull.vertices.len()];
    for face in &hull.faces {
        let (ring, edges) = (hull.face_loop(face), hull.face_edges(face));
        let lift = face.normal * r;
        for i in 0..ring.len() {
            let (before, here, after) = (ring[(i + ring.len() - 1) % ring.len()], ring[i], ring[(i + 1) % ring.len()]);
            let side = &mut sides[edges[i] as usize];
            side[usize::from(side[0].is_some())] = Some((face.normal, here, after));
            let (p, q) = (at(before) - at(here), at(after) - at(here));
            open[here as usize] -= math::atan2(p.cross(q).length(), p.dot(q));
            // The slab over the triangle (0, i, i+1) of the fan, as three tetrahedra.
            if i > 0 && i + 1 < ring.len() {
                let [a, b, c] = [at(ring[0]), at(here), at(after)];
                let [d, e, f] = [a + lift, b + lift, c + lift];
                for [p, q, s, t] in [[a, b, c, f], [a, b, f, e], [a, e, f, d]] {
                    add_tetrahedron(&mut sum, [p, q, s, t]);
                }
            }
        }
    }
    // ∫ω dΩ and ∫ωωᵀ dΩ of every vertex.
    let mut first = vec![DVec3::ZERO; open.len()];
    let mut second: Vec<DMat3> = open.iter().map(|area| DMat3::from_diagonal(DVec3::splat(*area / 3.0))).collect();
    for side in &sides {
        let [Some((n, start, end)), Some((m, _, _))] = *side else { continue };
        let cosine = n.dot(m);
        let sine = n.cross(m).length();
        let angle = math::atan2(sine, cosine);
        let (p, q) = (at(start), at(end));
        let length = (q - p).length();
        if sine <= 0.0 || length <= 0.0 {
            continue;
        }
        let (d, w) = ((q - p) / length, (m - n * cosine) / sine);
        let arc = n * sine + w * (1.0 - cosine);
        for (vertex, out) in [(start, d), (end, -d)] {
            first[vertex as usize] -= out * (0.5 * angle);
            let product = outer(out, arc);
            second[vertex as usize] -= (product + product.transpose()) * (0.5 / 3.0);
        }
        add_rod(&mut sum, [p, q], r, [n, w, arc], [sine, cosine, angle]);
    }
    for (v, area) in open.iter().enumerate() {
        let p = hull.vertices[v] - about;
        let volume = math::powi(r, 3) / 3.0 * area;
        let lever = first[v] * (math::powi(r, 4) / 4.0);
        sum.volume += volume;
        sum.first += p * volume + lever;
        sum.second += outer(p, p) * volume + outer(p, lever) + outer(lever, p) + second[v] * (math::powi(r, 5) / 5.0);
    }
    sum.properties()
}

/// A tetrahedron that has no corner at the point of reference.
fn add_tetrahedron(sum: &mut Moments, [p, q, s, t]: [DVec3; 4]) {
    let volume = ((q - p).dot((s - p).cross(t - p)) / 6.0).abs();
    let total = p + q + s + t;
    sum.volume += volume;
    sum.first += total * (volume / 4.0);
    let squares = outer(p, p) + outer(q, q) + outer(s, s) + outer(t, t);
    sum.second += (squares + outer(total, total)) * (volume / 20.0);
}

/// The sector of a cylinder about an edge: from the normal u by an angle towards w; `arc` is ∫ω ds.
fn add_rod(sum: &mut Moments, [p, q]: [DVec3; 2], r: f64, [u, w, arc]: [DVec3; 3], [sine, cosine, angle]: [f64; 3]) {
    let (middle, along) = ((p + q) * 0.5, q - p);
    let length = along.length();
    let area = 0.5 * r * r * angle;
    let lever = arc * (math::powi(r, 3) / 3.0);
    let twice = 0.5 * sine * cosine;
    let cross = outer(u, w) + outer(w, u);
    let section =
        outer(u, u) * (0.5 * angle + twice) + outer(w, w) * (0.5 * angle - twice) + cross * (0.5 * sine * sine);
    sum.volume += length * area;
    sum.first += (middle * area + lever) * length;
    let line = (outer(middle, middle) + outer(along, along) / 12.0) * (length * area);
    let mixed = (outer(middle, lever) + outer(lever, middle)) * length;
    sum.second += line + mixed + section * (length * math::powi(r, 4) / 4.0);
}
