//! Spheres: on a jittered lattice in a box, and packed in a pyramid.

use super::pile::{Masses, Motion};
use crate::random::SplitMix64;
use crate::vector::{Vec3, add, norm, scale, sub};
use crate::{Assembly, Body, DENSITY, Family, GeneratedProblem, Known, SceneError};

/// Options of [`spheres`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpheresOptions {
    /// Friction coefficient \[1\].
    pub mu: f64,
    /// Largest over smallest mass, the logarithm uniform \[1\].
    pub mass_ratio: f64,
    /// Standard deviation of all six velocities [m/s, rad/s].
    pub speed: f64,
    /// Displacement from the lattice sites \[m\], horizontally; a fifth of it vertically. At most 0.02 keeps the contacts.
    pub jitter: f64,
    /// Seed.
    pub seed: u64,
}

impl Default for SpheresOptions {
    fn default() -> Self {
        SpheresOptions { mu: 0.3, mass_ratio: 1.0, speed: 0.3, jitter: 0.02, seed: 0 }
    }
}

/// `nx × ny × nz` spheres of diameter 1 m, each layer in the hollows of the one below, between four walls, moving at
/// random. Contacts open by up to 0.05 m are part of the problem, with `gap/h` in q. Up to a jitter of 0.02 m there are
/// `nz (nx(ny−1) + ny(nx−1)) + (nz−1)(2nx−1)(2ny−1) + nx ny + nz (nx + ny)` contacts.
///
/// Half of the contacts open, the rest slide or stick: the combinatorial part of the problem, at any mass ratio.
pub fn spheres(nx: usize, ny: usize, nz: usize, options: &SpheresOptions) -> Result<GeneratedProblem, SceneError> {
    for n in [nx, ny, nz] {
        SceneError::at_least("spheres along an edge", n, 1, "at least one")?;
    }
    let SpheresOptions { mu, mass_ratio, speed, jitter, seed } = *options;
    let mut random = SplitMix64::new(seed);
    let mut centers = Vec::with_capacity(nx * ny * nz);
    for k in 0..nz {
        let shift = 0.5 * (k % 2) as f64;
        for i in 0..nx {
            for j in 0..ny {
                let mut displacement = || random.uniform(-jitter, jitter);
                let (dx, dy, dz) = (displacement(), displacement(), displacement());
                let height = 0.5 + k as f64 * 0.5f64.sqrt();
                centers.push([i as f64 + shift + dx, j as f64 + shift + dy, height + 0.2 * dz]);
            }
        }
    }
    let factors = Masses::LogUniform { ratio: mass_ratio, seed: random.bits() }.factors(centers.len())?;
    let radii = vec![0.5; centers.len()];
    let masses: Vec<f64> = factors.iter().map(|f| f * ball_mass(0.5)).collect();
    let floor = Container { walls: Some([[-0.5, nx as f64], [-0.5, ny as f64]]), margin: 0.05, mu };
    let mut bodies: Vec<Body> =
        centers.iter().zip(&masses).map(|(center, mass)| Body::sphere(*mass, 0.5, *center)).collect();
    Motion::Shaken { speed, seed: random.bits() }.apply(&mut bodies);
    let assembly = floor.assemble(bodies, &radii);
    let mut name = format!("sph{nx}x{ny}x{nz}");
    if mass_ratio != 1.0 {
        name.push_str(&format!("_mass{mass_ratio:e}"));
    }
    if mu != SpheresOptions::default().mu {
        name.push_str(&format!("_mu{mu}"));
    }
    assembly.build(name, Family::Spheres, Known::default())
}

/// A pyramid of equal spheres of diameter 1 m (half an octahedron cut from the face-centred cubic lattice): square layers
/// of `base²`, `(base−1)²`, ..., each sphere in the hollow of four. `b(b+1)(2b+1)/6` spheres; `b²` contacts with the
/// floor, `2k(k−1)` in the layer of k², four under every sphere above the floor.
///
/// All contacts are exactly closed, so each sphere may share its load in many ways and the lowest layer is held together
/// by the floor's friction alone.
pub fn packing(base: usize, mu: f64, masses: Masses, motion: Motion) -> Result<GeneratedProblem, SceneError> {
    SceneError::at_least("base", base, 1, "at least one sphere")?;
    let mut centers: Vec<Vec3> = Vec::new();
    for layer in 0..base {
        let along = |i: usize| i as f64 + 0.5 * layer as f64;
        for i in 0..base - layer {
            for j in 0..base - layer {
                centers.push([along(i), along(j), 0.5 + layer as f64 * 0.5f64.sqrt()]);
            }
        }
    }
    let factors = masses.factors(centers.len())?;
    let radii = vec![0.5; centers.len()];
    let mut bodies: Vec<Body> = centers
        .iter()
        .zip(factors)
        .map(|(center, factor)| Body::sphere(factor * ball_mass(0.5), 0.5, *center))
        .collect();
    motion.apply(&mut bodies);
    // Closed contacts only; round-off of the positions must not decide, nor become a gap.
    let floor = Container { walls: None, margin: 1e-9, mu };
    let assembly = floor.assemble(bodies, &radii);
    let suffix = match motion {
        Motion::Rest => "",
        Motion::Hit => "_hit",
        Motion::Shaken { .. } => "_shake",
    };
    assembly.build(format!("fcc{base}{}{suffix}", masses.suffix()), Family::Packing, Known::default())
}

/// Mass of a ball \[kg\].
pub(crate) fn ball_mass(radius: f64) -> f64 {
    DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius
}

/// The floor z = 0, and walls at `[[x_lo, x_hi], [y_lo, y_hi]]`.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    pub walls: Option<[[f64; 2]; 2]>,
    /// Contacts open by less than this are part of the problem \[m\].
    pub margin: f64,
    pub mu: f64,
}

impl Container {
    /// All contacts between balls in order of (i, j), then per ball floor and walls.
    pub(crate) fn assemble(&self, bodies: Vec<Body>, radii: &[f64]) -> Assembly {
        let mut assembly = Assembly::default();
        let centers: Vec<Vec3> = bodies.iter().map(|body| body.position).collect();
        for body in bodies {
            assembly.body(body);
        }
        for i in 0..centers.len() {
            for j in i + 1..centers.len() {
                let reach = radii[i] + radii[j] + self.margin;
                let between = sub(centers[j], centers[i]);
                // Most pairs are far apart: decide that before the square root.
                if between[0].abs() >= reach || between[1].abs() >= reach || between[2].abs() >= reach {
                    continue;
                }
                let distance = norm(between);
                let gap = distance - radii[i] - radii[j];
                if gap < self.margin {
                    let normal = scale(1.0 / distance, between);
                    let point = add(centers[i], scale(radii[i] + 0.5 * gap, normal));
                    assembly.contact([Some(i), Some(j)], normal, point, self.counted(gap), self.mu);
                }
            }
        }
        for (i, center) in centers.iter().enumerate() {
            let mut wall = |axis: usize, at: f64, sign: f64| {
                let gap = sign * (center[axis] - at) - radii[i];
                if gap < self.margin {
                    let (mut normal, mut point) = ([0.0; 3], *center);
                    normal[axis] = sign;
                    point[axis] = at;
                    assembly.contact([None, Some(i)], normal, point, self.counted(gap), self.mu);
                }
            };
            wall(2, 0.0, 1.0);
            for (axis, [lo, hi]) in self.walls.iter().flatten().enumerate() {
                wall(axis, *lo, 1.0);
                wall(axis, *hi, -1.0);
            }
        }
        assembly
    }

    /// A gap of round-off size is none: over the step it would be a speed.
    fn counted(&self, gap: f64) -> f64 {
        if gap.abs() < 1e-12 { 0.0 } else { gap }
    }
}
