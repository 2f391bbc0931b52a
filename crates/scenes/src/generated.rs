//! What a generator returns: a contact problem, the motion it came from, and what is known about its answer on paper.

use crate::error::SceneError;
use crate::vector::{Vec3, norm, sub};
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus};

/// Families of generated problems; see [`crate::problems`] for what makes each hard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Family {
    /// One column of cubes.
    Stack,
    /// Bricks with half offsets.
    Wall,
    /// Boxes that each rest on two or four others.
    Pyramid,
    /// One plate on many contacts.
    Table,
    /// A stack on a slope.
    Incline,
    /// Spheres on a lattice in a box.
    Spheres,
    /// A pyramid of spheres, each in the hollow of four others.
    Packing,
    /// Voussoirs between two abutments.
    Arch,
    /// Boxes side by side, pushed from one end.
    Row,
    /// A cube in a V-shaped groove.
    Wedge,
    /// One box: dropped and sliding, or a plank against a wall.
    Box,
    /// Frictionless column, masses over many decades.
    Chain,
    /// Linear complementarity problems with a random matrix.
    RandomLcp,
    /// The same contact many times over.
    Redundant,
    /// Bodies hung from one another by ball joints.
    HangingChain,
    /// Drives of limited strength.
    Motor,
    /// Contacts in the plane, two rows each.
    Planar,
    /// All four laws in one problem.
    Mixed,
    /// Steps of a collapsing column of spheres.
    Collapse,
}

impl Family {
    /// The name used in messages and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Family::Stack => "stack",
            Family::Wall => "wall",
            Family::Pyramid => "pyramid",
            Family::Table => "table",
            Family::Incline => "incline",
            Family::Spheres => "spheres",
            Family::Packing => "packing",
            Family::Arch => "arch",
            Family::Row => "row",
            Family::Wedge => "wedge",
            Family::Box => "box",
            Family::Chain => "chain",
            Family::RandomLcp => "random_lcp",
            Family::Redundant => "redundant",
            Family::HangingChain => "hanging_chain",
            Family::Motor => "motor",
            Family::Planar => "planar",
            Family::Mixed => "mixed",
            Family::Collapse => "collapse",
        }
    }
}

/// What is known on paper. Every entry is a statement about the continuous mathematics, evaluated in f64.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// One impulse that solves the problem [N·s]. Where W is singular others do, too.
    pub impulse: Option<Vec<f64>>,
    /// Velocity of the bodies after the step [m/s, rad/s], the same for every solution.
    pub body_velocity: Option<Vec<f64>>,
    /// Total impulse the fixed world gives to the bodies [N·s], the same for every solution.
    pub world_impulse: Option<Vec3>,
}

/// How far an impulse is from what is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Departure {
    /// Largest difference of a body's velocity [m/s, rad/s].
    pub velocity: f64,
    /// Difference of the total impulse of the fixed world over its size \[1\]; [N·s] if it is zero.
    pub world_impulse: f64,
}

/// A contact problem with its origin.
#[derive(Clone, Debug)]
pub struct GeneratedProblem {
    /// Family and parameters in one word, unique in the catalogue.
    pub name: String,
    /// The family.
    pub family: Family,
    /// The problem, `q = J v* + offset`.
    pub problem: ContactProblem,
    /// `v*`, six numbers per body [m/s, rad/s]: after forces, before contact. Empty if W is given directly.
    pub free_velocity: Vec<f64>,
    /// What q has beyond `J v*` [m/s]: gap over step, less the target speed of a motor.
    pub offset: Vec<f64>,
    /// What is known about the answer.
    pub known: Known,
}

impl GeneratedProblem {
    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.free_velocity.len() / 6
    }

    /// Number of blocks: contacts, joints, motors.
    pub fn blocks(&self) -> usize {
        self.problem.blocks().len()
    }

    /// The factored operator; an error if W is given directly.
    pub fn factored(&self) -> Result<&FactoredDelassus, SceneError> {
        match self.problem.delassus() {
            Delassus::Factored(w) => Ok(w),
            Delassus::Dense(_) | Delassus::BlockSparse(_) => Err(SceneError::NoBodies { problem: self.name.clone() }),
        }
    }

    /// `v = v* + M⁻¹ Jᵀ r` [m/s, rad/s], six numbers per body.
    pub fn body_velocity(&self, r: &[f64]) -> Result<Vec<f64>, SceneError> {
        self.check_rows(r)?;
        let mut velocity = vec![0.0; self.free_velocity.len()];
        self.factored()?.body_velocity(self.problem.offsets(), r, &mut velocity);
        for (v, free) in velocity.iter_mut().zip(&self.free_velocity) {
            *v += free;
        }
        Ok(velocity)
    }

    /// Total impulse that the fixed world gives to the bodies [N·s].
    pub fn world_impulse(&self, r: &[f64]) -> Result<Vec3, SceneError> {
        self.check_rows(r)?;
        let w = self.factored()?;
        let mut total = [0.0; 3];
        for (c, pair) in w.bodies().iter().enumerate() {
            let moving = match pair {
                [None, Some(_)] => 6,
                [Some(_), None] => 0,
                _ => continue,
            };
            for row in self.problem.range(c) {
                for (k, total) in total.iter_mut().enumerate() {
                    *total += w.jacobian()[row][moving + k] * r[row];
                }
            }
        }
        Ok(total)
    }

    /// How far `r` is from what is known about every solution; zero where nothing is.
    pub fn departure(&self, r: &[f64]) -> Result<Departure, SceneError> {
        let mut departure = Departure::default();
        if let Some(known) = &self.known.body_velocity {
            for (v, known) in self.body_velocity(r)?.iter().zip(known) {
                departure.velocity = departure.velocity.max((v - known).abs());
            }
        }
        if let Some(known) = self.known.world_impulse {
            let found = self.world_impulse(r)?;
            let size = norm(known);
            let difference = norm(sub(found, known));
            departure.world_impulse = if size > 0.0 { difference / size } else { difference };
        }
        Ok(departure)
    }

    fn check_rows(&self, r: &[f64]) -> Result<(), SceneError> {
        let expected = self.problem.rows();
        if r.len() == expected { Ok(()) } else { Err(SceneError::Size { what: "impulses", found: r.len(), expected }) }
    }
}
