//! What stacks, walls, rows and pyramids of boxes share: masses, motion, and finding the faces that touch.

use crate::random::SplitMix64;
use crate::vector::Vec3;
use crate::{Assembly, Body, DENSITY, GRAVITY, Known, STEP, SceneError};
use signorini_problem::math;

/// How far two faces may be apart and still touch \[m\]: positions are exact to round-off.
const TOUCHING: f64 = 1e-6;

/// Masses of the bodies of a pile, in the order they were built (from the floor up).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Masses {
    /// All the same.
    #[default]
    Equal,
    /// The last one is `ratio` times heavier than the others.
    HeavyLast {
        /// Heavy over light \[1\].
        ratio: f64,
    },
    /// Every second one is `ratio` times heavier.
    Alternating {
        /// Heavy over light \[1\].
        ratio: f64,
    },
    /// Growing by a constant factor to `ratio` at the last one.
    Geometric {
        /// Last over first \[1\].
        ratio: f64,
    },
    /// Random, the logarithm uniform between 1 and `ratio`.
    LogUniform {
        /// Largest over smallest \[1\].
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
            Masses::HeavyLast { ratio }
            | Masses::Alternating { ratio }
            | Masses::Geometric { ratio }
            | Masses::LogUniform { ratio, .. } => SceneError::positive("mass ratio", ratio)?,
        }
        Ok(match *self {
            Masses::Equal => vec![1.0; n],
            Masses::HeavyLast { ratio } => (0..n).map(|i| if i + 1 == n { ratio } else { 1.0 }).collect(),
            Masses::Alternating { ratio } => (0..n).map(|i| if i % 2 == 1 { ratio } else { 1.0 }).collect(),
            Masses::Geometric { ratio } => {
                (0..n).map(|i| math::powf(ratio, i as f64 / n.saturating_sub(1).max(1) as f64)).collect()
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
            Masses::HeavyLast { ratio } => format!("_heavy{ratio:e}"),
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
    /// Friction coefficient of all contacts \[1\].
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

/// Boxes of one size, and what touches what.
pub(crate) struct Pile {
    pub assembly: Assembly,
    half: Vec3,
    mu: f64,
    contacts: Vec<PileContact>,
}

/// A contact of a pile, in the order of the blocks: bodies below and above, the axis of its normal, and its place.
struct PileContact {
    pair: [Option<usize>; 2],
    axis: usize,
    point: Vec3,
}

impl Pile {
    /// Boxes at `positions`, from the floor up, and four contacts wherever two faces, or a face and the floor z = 0,
    /// touch: the corners of the common rectangle. Floor first, then pairs in order of their positions along x.
    pub fn new(half: Vec3, positions: &[Vec3], options: &PileOptions) -> Result<Self, SceneError> {
        let mut assembly = Assembly::default();
        let nominal = DENSITY * 8.0 * half[0] * half[1] * half[2];
        for (position, factor) in positions.iter().zip(options.masses.factors(positions.len())?) {
            assembly.body(Body::cuboid(nominal * factor, half, *position));
        }
        let mut pile = Pile { assembly, half, mu: options.mu, contacts: Vec::new() };
        for (i, p) in positions.iter().enumerate() {
            if (p[2] - half[2]).abs() < TOUCHING {
                let (lo, hi) = (std::array::from_fn(|k| p[k] - half[k]), std::array::from_fn(|k| p[k] + half[k]));
                pile.face([None, Some(i)], 2, lo, hi, 0.0);
            }
        }
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by(|&i, &j| positions[i][0].total_cmp(&positions[j][0]));
        for (rank, &i) in order.iter().enumerate() {
            for &j in &order[rank + 1..] {
                if positions[j][0] - positions[i][0] > 2.0 * half[0] + TOUCHING {
                    break;
                }
                pile.touch(i, j, options.sides);
            }
        }
        options.motion.apply(pile.assembly.bodies_mut());
        Ok(pile)
    }

    /// Contacts between boxes i and j, if they share a face.
    fn touch(&mut self, i: usize, j: usize, sides: Sides) {
        let (p, s) = (self.assembly.bodies()[i].position, self.assembly.bodies()[j].position);
        let lo: Vec3 = std::array::from_fn(|k| p[k].max(s[k]) - self.half[k]);
        let hi: Vec3 = std::array::from_fn(|k| p[k].min(s[k]) + self.half[k]);
        let thin = |k: usize| (hi[k] - lo[k]).abs() < TOUCHING;
        let wide = |k: usize| hi[k] - lo[k] > TOUCHING;
        for axis in 0..3 {
            let others = [(axis + 1) % 3, (axis + 2) % 3];
            if !(thin(axis) && wide(others[0]) && wide(others[1])) || (axis != 2 && sides == Sides::Ignored) {
                continue;
            }
            let pair = if p[axis] < s[axis] { [Some(i), Some(j)] } else { [Some(j), Some(i)] };
            self.face(pair, axis, lo, hi, p[axis].min(s[axis]) + self.half[axis]);
        }
    }

    /// Four contacts with normal along `axis` at the corners of the rectangle between `lo` and `hi`.
    fn face(&mut self, pair: [Option<usize>; 2], axis: usize, lo: Vec3, hi: Vec3, level: f64) {
        let (first, second) = if axis == 0 { (1, 2) } else { (0, 3 - axis) };
        let mut normal = [0.0; 3];
        normal[axis] = 1.0;
        for a in [lo[first], hi[first]] {
            for b in [lo[second], hi[second]] {
                let mut point = [0.0; 3];
                (point[axis], point[first], point[second]) = (level, a, b);
                self.assembly.contact(pair, normal, point, 0.0, self.mu);
                self.contacts.push(PileContact { pair, axis, point });
            }
        }
    }

    /// What is known of a pile that does not move before the step. A frictionless equilibrium r° makes rest the motion
    /// of every solution: `vᵀMv = vᵀMv* + rᵀu ≤ vᵀMv* = −r°ᵀu ≤ 0`, as friction takes energy (rᵀu ≤ 0), `r° ≥ 0` has
    /// normal parts only, and no contact closes (u_N ≥ 0).
    pub fn known(&self, motion: Motion) -> Known {
        match motion {
            Motion::Rest => match self.frictionless_equilibrium() {
                Some(impulse) => Known { impulse: Some(impulse), ..self.assembly.known_at_rest() },
                None => Known::default(),
            },
            Motion::Hit | Motion::Shaken { .. } => Known::default(),
        }
    }

    /// Normal impulses that hold the pile at rest, from the top down: each box hands its weight and what lies on it to the
    /// four outermost corners of its support by the lever rule in x and y. `None` if some load lies outside the support.
    fn frictionless_equilibrium(&self) -> Option<Vec<f64>> {
        let bodies = self.assembly.bodies();
        let mut supports = vec![Vec::new(); bodies.len()];
        for (c, contact) in self.contacts.iter().enumerate() {
            if let (2, [_, Some(above)]) = (contact.axis, contact.pair) {
                supports[above].push(c);
            }
        }
        // Load [N·s] and its first moments about the centre of the box that bears it [N·s·m].
        let mut loads: Vec<[f64; 3]> = bodies.iter().map(|body| [body.mass * GRAVITY * STEP, 0.0, 0.0]).collect();
        let mut impulse = vec![0.0; 3 * self.contacts.len()];
        for (i, body) in bodies.iter().enumerate().rev() {
            let [load, moment_x, moment_y] = loads[i];
            let place = [moment_x / load, moment_y / load];
            let along = |c: &usize, k: usize| self.contacts[*c].point[k] - body.position[k];
            let bound = |k: usize| {
                let all = supports[i].iter().map(|c| along(c, k));
                (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
            };
            for c in &supports[i] {
                // A corner shared by two faces is listed twice: the first takes all.
                if supports[i]
                    .iter()
                    .take_while(|k| *k != c)
                    .any(|k| self.contacts[*k].point == self.contacts[*c].point)
                {
                    continue;
                }
                let mut share = 1.0;
                for k in 0..2 {
                    let ((lo, hi), x) = (bound(k), along(c, k));
                    if !(lo..=hi).contains(&place[k]) {
                        return None;
                    }
                    share *= if x == lo {
                        (hi - place[k]) / (hi - lo)
                    } else if x == hi {
                        (place[k] - lo) / (hi - lo)
                    } else {
                        0.0
                    };
                }
                impulse[3 * c] = load * share;
                if let Some(below) = self.contacts[*c].pair[0] {
                    let (point, center) = (self.contacts[*c].point, bodies[below].position);
                    loads[below][0] += load * share;
                    loads[below][1] += load * share * (point[0] - center[0]);
                    loads[below][2] += load * share * (point[1] - center[1]);
                }
            }
        }
        Some(impulse)
    }
}
