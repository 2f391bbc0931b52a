//! A semicircular arch of voussoirs: stands by compression and friction alone.

use crate::contact::in_frame;
use crate::vector::Vec3;
use crate::{Assembly, Body, DENSITY, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};
use signorini_problem::math;
use std::f64::consts::PI;

/// Mean radius, thickness and depth of the ring \[m\].
const RADIUS: f64 = 2.5;
const THICKNESS: f64 = 0.45;
const DEPTH: f64 = 0.5;

/// What loads the arch besides its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ArchLoad {
    /// Nothing.
    #[default]
    Weight,
    /// The keystone moves down at this speed [m/s].
    Keystone {
        /// Speed [m/s].
        speed: f64,
    },
    /// Random masses, the logarithm uniform.
    Masses {
        /// Largest over smallest \[1\].
        ratio: f64,
        /// Seed.
        seed: u64,
    },
}

/// `n` equal voussoirs (prisms of trapezoidal section) over a half circle, in the xz-plane, between two fixed abutments:
/// n bodies, `4(n+1)` contacts at the corners of the joints.
///
/// Under its own weight one solution is a thrust line: choose the horizontal thrust H and where the resultant meets the
/// springing; equilibrium of each voussoir then gives the resultant at every joint, and a resultant of normal part N at
/// radius ρ inside the joint loads its inner and outer corners by `N (R_o − ρ)/t` and `N (ρ − R_i)/t`, with friction in
/// the same proportion. Of all thrust lines the one that keeps furthest from edges and friction limits is returned
/// (Heyman 1966: an arch stands if one such line exists).
pub fn arch(n: usize, mu: f64, load: ArchLoad) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("voussoirs", n, 3, "at least three")?;
    let mut assembly = Assembly::default();
    let (inner, outer) = (RADIUS - 0.5 * THICKNESS, RADIUS + 0.5 * THICKNESS);
    let joints: Vec<Joint> = (0..=n).map(|k| Joint::at(PI * k as f64 / n as f64)).collect();
    let factors = match load {
        ArchLoad::Masses { ratio, seed } => super::Masses::LogUniform { ratio, seed }.factors(n)?,
        ArchLoad::Weight | ArchLoad::Keystone { .. } => vec![1.0; n],
    };
    for (k, factor) in factors.into_iter().enumerate() {
        let section =
            [joints[k].point(inner), joints[k].point(outer), joints[k + 1].point(outer), joints[k + 1].point(inner)];
        assembly.body(prism(section, DEPTH, DENSITY * factor));
    }
    if let ArchLoad::Keystone { speed } = load {
        assembly.bodies_mut()[n / 2].velocity[2] = -speed;
    }
    let thrusts = match load {
        ArchLoad::Weight => thrust_line(assembly.bodies(), &joints, mu),
        ArchLoad::Keystone { .. } | ArchLoad::Masses { .. } => None,
    };
    let mut impulse = Vec::with_capacity(12 * (n + 1));
    for (k, joint) in joints.iter().enumerate() {
        let pair = [k.checked_sub(1), (k < n).then_some(k)];
        let normal = [joint.along[0], 0.0, joint.along[1]];
        for radius in [inner, outer] {
            for y in [-0.5 * DEPTH, 0.5 * DEPTH] {
                let [x, z] = joint.point(radius);
                let frame = assembly.contact(pair, normal, [x, y, z], 0.0, mu);
                if let Some(thrusts) = &thrusts {
                    let share = thrusts[k].share(radius);
                    let [px, pz] = thrusts[k].impulse;
                    impulse.extend(in_frame(&frame, [share * px, 0.0, share * pz]));
                }
            }
        }
    }
    let known = Known { impulse: thrusts.is_some().then_some(impulse), ..Known::default() };
    let suffix = match load {
        ArchLoad::Weight => String::new(),
        ArchLoad::Keystone { .. } => "_load".to_owned(),
        ArchLoad::Masses { ratio, .. } => format!("_mass{ratio:e}"),
    };
    assembly.build(format!("arch{n}{suffix}"), Family::Arch, known)
}

/// A joint: radial direction (inside to outside) and the direction along the arch, both (x, z).
struct Joint {
    radial: [f64; 2],
    along: [f64; 2],
}

impl Joint {
    fn at(angle: f64) -> Self {
        let (sin, cos) = math::sin_cos(angle);
        Joint { radial: [cos, sin], along: [-sin, cos] }
    }

    fn point(&self, radius: f64) -> [f64; 2] {
        self.radial.map(|x| radius * x)
    }
}

/// The impulse through a joint, on the later voussoir, and the radius at which it passes.
struct Thrust {
    impulse: [f64; 2],
    radius: f64,
}

impl Thrust {
    /// The part of it that a corner at `radius` carries: half of the lever rule, for two corners in depth.
    fn share(&self, radius: f64) -> f64 {
        let outward = if radius > RADIUS { 1.0 } else { -1.0 };
        0.5 * (0.5 + outward * (self.radius - RADIUS) / THICKNESS)
    }
}

/// The safest thrust line of a symmetric arch on a grid of thrusts and springing points, if any is admissible.
fn thrust_line(bodies: &[Body], joints: &[Joint], mu: f64) -> Option<Vec<Thrust>> {
    const GRID: usize = 100;
    let weight: f64 = bodies.iter().map(|body| body.mass * GRAVITY * STEP).sum();
    let mut best = (0.0, None);
    for i in 1..GRID {
        for j in 1..GRID {
            let thrust = 0.5 * weight * i as f64 / GRID as f64;
            let springing = RADIUS + THICKNESS * (j as f64 / GRID as f64 - 0.5);
            let line = follow(bodies, joints, thrust, springing);
            let margin = line.iter().zip(joints).map(|(t, joint)| margin(t, joint, mu)).fold(1.0, f64::min);
            if margin > best.0 {
                best = (margin, Some(line));
            }
        }
    }
    best.1
}

/// The resultants from the springing on: each voussoir takes its weight off the vertical part, and its moment about the
/// centre of the circle off the moment.
fn follow(bodies: &[Body], joints: &[Joint], thrust: f64, springing: f64) -> Vec<Thrust> {
    let mut vertical: f64 = 0.5 * bodies.iter().map(|body| body.mass * GRAVITY * STEP).sum::<f64>();
    let mut moment = springing * vertical;
    let mut line = Vec::with_capacity(joints.len());
    for (k, joint) in joints.iter().enumerate() {
        let impulse = [-thrust, vertical];
        let normal = impulse[0] * joint.along[0] + impulse[1] * joint.along[1];
        line.push(Thrust { impulse, radius: moment / normal });
        if let Some(body) = bodies.get(k) {
            let weight = body.mass * GRAVITY * STEP;
            vertical -= weight;
            moment -= body.position[0] * weight;
        }
    }
    line
}

/// How far a resultant is inside its joint and its friction cone, 1 in the middle of both, 0 at a limit.
fn margin(thrust: &Thrust, joint: &Joint, mu: f64) -> f64 {
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let (normal, across) = (dot(thrust.impulse, joint.along), dot(thrust.impulse, joint.radial));
    if normal <= 0.0 {
        return -1.0;
    }
    let off_center = (thrust.radius - RADIUS).abs() / (0.5 * THICKNESS);
    f64::min(1.0 - off_center, 1.0 - across.abs() / (mu * normal))
}

/// A homogeneous prism over a convex section given counter-clockwise in (x, z), of `depth` along y. Area, centroid and
/// second moments by Green's theorem; the section's principal axes by one rotation.
fn prism(section: [[f64; 2]; 4], depth: f64, density: f64) -> Body {
    let mut area = 0.0;
    let mut center = [0.0; 2];
    for (p, s) in edges(&section) {
        let cross = p[0] * s[1] - s[0] * p[1];
        area += 0.5 * cross;
        for k in 0..2 {
            center[k] += cross * (p[k] + s[k]) / 6.0;
        }
    }
    let center = center.map(|x| x / area);
    // Second moments about the centroid: ∫x², ∫z², ∫xz.
    let (mut xx, mut zz, mut xz) = (0.0, 0.0, 0.0);
    let local = section.map(|p| [p[0] - center[0], p[1] - center[1]]);
    for (p, s) in edges(&local) {
        let cross = p[0] * s[1] - s[0] * p[1];
        xx += cross * (p[0] * p[0] + p[0] * s[0] + s[0] * s[0]) / 12.0;
        zz += cross * (p[1] * p[1] + p[1] * s[1] + s[1] * s[1]) / 12.0;
        xz += cross * (2.0 * p[0] * p[1] + p[0] * s[1] + s[0] * p[1] + 2.0 * s[0] * s[1]) / 24.0;
    }
    let (mass, line) = (density * area * depth, density * depth);
    let angle = 0.5 * math::atan2(2.0 * xz, xx - zz);
    let (sin, cos) = math::sin_cos(angle);
    let spread = math::hypot(0.5 * (xx - zz), xz);
    let (major, minor) = (0.5 * (xx + zz) + spread, 0.5 * (xx + zz) - spread);
    let thick = mass * depth * depth / 12.0;
    let inertia = [line * minor + thick, line * (major + minor), line * major + thick];
    let axes: [Vec3; 3] = [[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]];
    Body { mass, inertia, axes, position: [center[0], 0.0, center[1]], velocity: [0.0; 6] }
}

fn edges(section: &[[f64; 2]; 4]) -> [([f64; 2], [f64; 2]); 4] {
    std::array::from_fn(|i| (section[i], section[(i + 1) % 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prism_of_a_turned_rectangle_is_the_turned_box() {
        let (sin, cos) = math::sin_cos(0.7);
        let corner = |a: f64, b: f64| [3.0 + a * cos - b * sin, -1.0 + a * sin + b * cos];
        let body = prism([corner(-2.0, -0.5), corner(2.0, -0.5), corner(2.0, 0.5), corner(-2.0, 0.5)], 0.6, 10.0);
        let expected = Body::cuboid(10.0 * 4.0 * 0.6, [2.0, 0.3, 0.5], [3.0, 0.0, -1.0]).with_axes([
            [cos, 0.0, sin],
            [0.0, 1.0, 0.0],
            [-sin, 0.0, cos],
        ]);
        assert!((body.mass - expected.mass).abs() < 1e-12);
        for k in 0..3 {
            assert!((body.position[k] - expected.position[k]).abs() < 1e-12);
        }
        for (a, b) in body.inverse_mass().as_flattened().iter().zip(expected.inverse_mass().as_flattened()) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }
}
