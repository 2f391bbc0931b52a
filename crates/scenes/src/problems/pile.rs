//! What stacks, walls, rows and pyramids of boxes share: masses, motion, and finding the faces that touch.

use crate::random::SplitMix64;
use crate::vector::Vec3;
use crate::{Assembly, Body, DENSITY, SceneError};

/// How far two faces may be apart and still touch \[m\]: positions are exact to round-off.
const TOUCHING: f64 = 1e-6;

/// Masses of the bodies of a pile, in the order they were built (from the floor up).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Masses {
    /// All the same.
    #[default]
    Equal,
    /// The last one is `ratio` times heavier than the others.
    HeavyTop {
        /// Heavy over light [1].
        ratio: f64,
    },
    /// Every second one is `ratio` times heavier.
    Alternating {
        /// Heavy over light [1].
        ratio: f64,
    },
    /// Growing by a constant factor to `ratio` at the last one.
    Geometric {
        /// Last over first [1].
        ratio: f64,
    },
    /// Random, the logarithm uniform between 1 and `ratio`.
    LogUniform {
        /// Largest over smallest [1].
        ratio: f64,
        /// Seed.
        seed: u64,
    },
}

impl Masses {
    /// Multiples of the nominal mass of `n` bodies.
    pub fn factors(&self, n: usize) -> Result<Vec<f64>, SceneError> {
        match *self {
            Masses::Equal => {}
            Masses::HeavyTop { ratio }
            | Masses::Alternating { ratio }
            | Masses::Geometric { ratio }
            | Masses::LogUniform { ratio, .. } => SceneError::positive("mass ratio", ratio)?,
        }
        Ok(match *self {
            Masses::Equal => vec![1.0; n],
            Masses::HeavyTop { ratio } => (0..n).map(|i| if i + 1 == n { ratio } else { 1.0 }).collect(),
            Masses::Alternating { ratio } => (0..n).map(|i| if i % 2 == 1 { ratio } else { 1.0 }).collect(),
            Masses::Geometric { ratio } => {
                (0..n).map(|i| ratio.powf(i as f64 / n.saturating_sub(1).max(1) as f64)).collect()
            }
            Masses::LogUniform { ratio, seed } => {
                let mut random = SplitMix64::new(seed);
                (0..n).map(|_| random.log_uniform(ratio)).collect()
            }
        })
    }

    /// For names of problems.
    pub(crate) fn suffix(&self) -> String {
        match self {
            Masses::Equal => String::new(),
            Masses::HeavyTop { ratio } => format!("_top{ratio:e}"),
            Masses::Alternating { ratio } => format!("_alt{ratio:e}"),
            Masses::Geometric { ratio } => format!("_geo{ratio:e}"),
            Masses::LogUniform { ratio, .. } => format!("_mass{ratio:e}"),
        }
    }
}

/// How a pile moves before the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Motion {
    /// Not at all.
    #[default]
    Rest,
    /// The middle body at 5 m/s along y, the one after it at 2 m/s along x.
    Hit,
    /// All six velocities of every body random with this deviation [m/s, rad/s].
    Shaken {
        /// Standard deviation [m/s, rad/s].
        speed: f64,
        /// Seed.
        seed: u64,
    },
}

impl Motion {
    pub(crate) fn apply(&self, bodies: &mut [Body]) {
        match *self {
            Motion::Rest => {}
            Motion::Hit => {
                let middle = bodies.len() / 2;
                if let Some(body) = bodies.get_mut(middle) {
                    body.velocity[1] = 5.0;
                }
                if let Some(body) = bodies.get_mut(middle + 1) {
                    body.velocity[0] = 2.0;
                }
            }
            Motion::Shaken { speed, seed } => {
                let mut random = SplitMix64::new(seed);
                for v in bodies.iter_mut().flat_map(|body| &mut body.velocity) {
                    *v += speed * random.normal();
                }
            }
        }
    }

    fn suffix(&self) -> &'static str {
        match self {
            Motion::Rest => "",
            Motion::Hit => "_hit",
            Motion::Shaken { .. } => "_shake",
        }
    }
}

/// Whether boxes side by side touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Only faces one above the other.
    #[default]
    Ignored,
    /// All faces.
    Included,
}

/// What a pile of boxes is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PileOptions {
    /// Friction coefficient of all contacts [1].
    pub mu: f64,
    /// Masses; the nominal one is that of water.
    pub masses: Masses,
    /// Motion before the step.
    pub motion: Motion,
    /// Contacts between neighbours of a row.
    pub sides: Sides,
}

impl Default for PileOptions {
    fn default() -> Self {
        PileOptions { mu: 0.5, masses: Masses::Equal, motion: Motion::Rest, sides: Sides::Ignored }
    }
}

impl PileOptions {
    /// What is not default, for the name of the problem.
    pub(crate) fn suffix(&self) -> String {
        let mu = if self.mu == PileOptions::default().mu { String::new() } else { format!("_mu{}", self.mu) };
        let sides = match self.sides {
            Sides::Ignored => "",
            Sides::Included => "_sides",
        };
        format!("{}{mu}{sides}{}", self.masses.suffix(), self.motion.suffix())
    }
}

/// Boxes of one size at `positions`, and four contacts wherever two faces, or a face and the floor z = 0, touch: the
/// corners of the common rectangle. Floor first, then pairs in order of their first corner along x.
pub(crate) fn boxes(half: Vec3, positions: &[Vec3], options: &PileOptions) -> Result<Assembly, SceneError> {
    let mut assembly = Assembly::default();
    let nominal = DENSITY * 8.0 * half[0] * half[1] * half[2];
    for (position, factor) in positions.iter().zip(options.masses.factors(positions.len())?) {
        assembly.body(Body::cuboid(nominal * factor, half, *position));
    }
    for (i, p) in positions.iter().enumerate() {
        if (p[2] - half[2]).abs() < TOUCHING {
            face(&mut assembly, [None, Some(i)], 2, corner(p, half, -1.0), corner(p, half, 1.0), 0.0, options.mu);
        }
    }
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&i, &j| positions[i][0].total_cmp(&positions[j][0]));
    for (rank, &i) in order.iter().enumerate() {
        for &j in &order[rank + 1..] {
            if positions[j][0] - positions[i][0] > 2.0 * half[0] + TOUCHING {
                break;
            }
            touch(&mut assembly, i, j, half, positions, options);
        }
    }
    options.motion.apply(assembly.bodies_mut());
    Ok(assembly)
}

/// Contacts between boxes i and j, if they share a face.
fn touch(assembly: &mut Assembly, i: usize, j: usize, half: Vec3, positions: &[Vec3], options: &PileOptions) {
    let (p, s) = (&positions[i], &positions[j]);
    let lo: Vec3 = std::array::from_fn(|k| p[k].max(s[k]) - half[k]);
    let hi: Vec3 = std::array::from_fn(|k| p[k].min(s[k]) + half[k]);
    let thin = |k: usize| (hi[k] - lo[k]).abs() < TOUCHING;
    let wide = |k: usize| hi[k] - lo[k] > TOUCHING;
    for axis in 0..3 {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        if !(thin(axis) && wide(others[0]) && wide(others[1])) || (axis != 2 && options.sides == Sides::Ignored) {
            continue;
        }
        let (below, above) = if p[axis] < s[axis] { (i, j) } else { (j, i) };
        let level = positions[below][axis] + half[axis];
        face(assembly, [Some(below), Some(above)], axis, lo, hi, level, options.mu);
    }
}

fn corner(p: &Vec3, half: Vec3, sign: f64) -> Vec3 {
    std::array::from_fn(|k| p[k] + sign * half[k])
}

/// Four contacts with normal along `axis` at the corners of the rectangle between `lo` and `hi`.
fn face(assembly: &mut Assembly, pair: [Option<usize>; 2], axis: usize, lo: Vec3, hi: Vec3, level: f64, mu: f64) {
    let (first, second) = if axis == 0 { (1, 2) } else { (0, 3 - axis) };
    let mut normal = [0.0; 3];
    normal[axis] = 1.0;
    for a in [lo[first], hi[first]] {
        for b in [lo[second], hi[second]] {
            let mut point = [0.0; 3];
            (point[axis], point[first], point[second]) = (level, a, b);
            assembly.contact(pair, normal, point, 0.0, mu);
        }
    }
}
