//! Bounds of contact forces: the range of every contact force over all admissible equilibrium forces.
//!
//! The normal force of a point, or of all points of a patch, is linear in the unknowns: its least and greatest value
//! are two programs. The least tangential force is a third, a convex one. The greatest is the longest vector of a
//! convex set, which is no convex program; but the set is plane, the resultant `(Σ f_T1, Σ f_T2)`. A program along a
//! direction d gives a point of the set, and a line that the set does not cross. These lines form a polygon around the
//! set, and the next program goes towards its farthest corner. The longest point found and the farthest corner (or μ
//! times the greatest normal forces, if less) enclose the answer.

use super::balance::balance;
use super::model::Model;
use super::program::Posed;
use super::{Proof, StaticsError, StaticsOptions};
use crate::{BodyHandle, World};
use glamx::{DVec2, DVec3};
use signorini_solvers::cone_program::{Cone, ConeProgram, Ending};

/// Most programs for the greatest tangential force of one contact.
const MAX_DIRECTIONS: usize = 24;
/// Relative distance of lower and upper bound at which the greatest tangential force counts as known \[1\].
const KNOWN: f64 = 1e-4;
/// Most contacts whose forces are bounded.
const MAX_BOUNDED: usize = 2_000;

/// What is bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// The resultant of a patch: all points where one part of a body meets one part of another, with one normal.
    #[default]
    Patch,
    /// Every point of contact.
    Point,
}

/// From the least to the greatest \[N\]; infinite where forces can be arbitrarily large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

/// Bounds of one contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounded {
    /// The body that the normal points out of.
    pub a: BodyHandle,
    /// The body that is pushed.
    pub b: BodyHandle,
    /// Where \[m\]; the middle of the points of a patch.
    pub point: DVec3,
    /// Unit normal from A to B.
    pub normal: DVec3,
    /// Number of points.
    pub points: usize,
    /// Normal force \[N\].
    pub normal_force: Range,
    /// Length of the tangential force \[N\]. The greatest is attained by admissible forces.
    pub tangential_force: Range,
    /// No admissible forces have a larger tangential force than this \[N\].
    pub tangential_at_most: f64,
}

/// Bounds of all contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceBounds {
    /// In the order of the ids of the bodies.
    pub contacts: Vec<Bounded>,
    /// Cone programs solved.
    pub programs: usize,
    /// The check of the worst of them.
    pub proof: Proof,
}

/// The least and greatest force of every contact over all admissible answers.
///
/// A block on a floor carries its weight W in the middle of its face; how much of it each of two neighbours of four corners takes is
/// open, but none can take more than half:
///
/// ```
/// use signorini::glamx::DVec3;
/// use signorini::{Body, Settings, Shape, World, statics};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// world.add(Body::dynamic(Shape::cuboid(DVec3::splat(0.1))?).mass(2.0).position(DVec3::new(0.0, 0.0, 0.1)))?;
/// let bounds = statics::force_bounds(&world, statics::Per::Point, &statics::StaticsOptions::default())?;
/// let corner = bounds.contacts[0].normal_force;
/// assert!(corner.least.abs() < 1e-5 && (corner.greatest - 9.81).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
pub fn force_bounds(world: &World, per: Per, options: &StaticsOptions) -> Result<ForceBounds, StaticsError> {
    let model = Model::new(world, options)?;
    let possible = balance(&model, Posed::new(&model, 1.0), options.tolerance)?;
    if !possible.stable {
        return Err(StaticsError::Falls { missing: possible.missing });
    }
    let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, touch) in model.touches.iter().enumerate() {
        match groups.last_mut() {
            Some(last) if per == Per::Patch && model.touches[last.start].patch == touch.patch => last.end = index + 1,
            _ => groups.push(index..index + 1),
        }
    }
    if groups.len() > MAX_BOUNDED {
        let (field, found, limit) = ("contacts to bound", groups.len(), MAX_BOUNDED);
        return Err(StaticsError::Limit { field, found, limit });
    }
    let posed = Posed::new(&model, 1.0);
    let tolerance = options.tolerance;
    let program = posed.program().ok_or(StaticsError::unanswered(QUESTION, tolerance))?;
    let mut search = Search { posed, program, tolerance, programs: 1, proof: possible.proof };
    let contacts = groups.into_iter().map(|group| search.bounded(&model, group)).collect::<Result<_, _>>()?;
    Ok(ForceBounds { contacts, programs: search.programs, proof: search.proof })
}

const QUESTION: &str = "the bounds of a contact force";

struct Search {
    posed: Posed,
    program: ConeProgram,
    tolerance: f64,
    programs: usize,
    proof: Proof,
}

/// Where a linear objective ends.
enum End {
    /// The variables there.
    At(Vec<f64>),
    Nowhere,
}

impl Search {
    fn bounded(&mut self, model: &Model, group: std::ops::Range<usize>) -> Result<Bounded, StaticsError> {
        let first = &model.touches[group.start];
        let points = group.len();
        let middle = model.touches[group.clone()].iter().map(|touch| touch.point).sum::<DVec3>() / points as f64;
        let normal = self.sums(&group, [1.0, 0.0, 0.0]);
        let least = self.extreme(&normal, 1.0)?.unwrap_or(0.0).max(0.0);
        let greatest = self.extreme(&normal, -1.0)?.unwrap_or(f64::INFINITY);
        let mut tangential = Range { least: 0.0, greatest: 0.0 };
        let mut at_most = 0.0;
        if first.friction > 0.0 {
            tangential.least = self.least_tangential(&group)?;
            (tangential.greatest, at_most) = self.greatest_tangential(&group, first.friction * greatest)?;
            // One of the two may be more accurate than the other by the tolerance.
            tangential.greatest = tangential.greatest.max(tangential.least);
            at_most = at_most.max(tangential.greatest);
        }
        let scaled = |range: Range| Range { least: model.force * range.least, greatest: model.force * range.greatest };
        Ok(Bounded {
            a: first.a,
            b: first.b,
            point: middle,
            normal: first.frame[0],
            points,
            normal_force: scaled(Range { least, greatest: greatest.max(least) }),
            tangential_force: scaled(tangential),
            tangential_at_most: model.force * at_most,
        })
    }

    /// The objective `weights·(f_N, f_T1, f_T2)`, summed over a group.
    fn sums(&self, group: &std::ops::Range<usize>, weights: [f64; 3]) -> Vec<f64> {
        let mut cost = vec![0.0; self.posed.columns];
        for index in group.clone() {
            for ((column, factor), weight) in self.posed.parts(index).zip(weights) {
                cost[column] = weight * factor;
            }
        }
        cost
    }

    /// Least value of an objective (sign 1) or greatest (sign −1); none if it has no end.
    fn extreme(&mut self, objective: &[f64], sign: f64) -> Result<Option<f64>, StaticsError> {
        let cost: Vec<f64> = objective.iter().map(|c| sign * c).collect();
        Ok(match self.minimise(&cost)? {
            End::At(x) => Some(super::proof::dot(objective, &x)),
            End::Nowhere => None,
        })
    }

    fn minimise(&mut self, cost: &[f64]) -> Result<End, StaticsError> {
        self.programs += 1;
        let answer = self.program.minimise(cost);
        let proof = match answer.ending {
            Ending::Answered => Proof::of(&self.posed, cost, &answer.x, &answer.y),
            Ending::Unbounded => Proof::of_unbounded(&self.posed, cost, &answer.x),
            Ending::Infeasible | Ending::Lost => return Err(StaticsError::unanswered(QUESTION, self.tolerance)),
        };
        self.proof = self.proof.worst(proof.within(self.tolerance, QUESTION)?);
        Ok(if answer.ending == Ending::Answered { End::At(answer.x) } else { End::Nowhere })
    }

    /// `min s`, `s ≥ ‖Σ f_T‖`.
    fn least_tangential(&mut self, group: &std::ops::Range<usize>) -> Result<f64, StaticsError> {
        let mut posed = self.posed.clone();
        let length = posed.add(Cone::SecondOrder(3));
        for axis in 0..2 {
            let row = posed.b.len();
            posed.b.push(0.0);
            posed.entries.push((row, length + 1 + axis, -1.0));
            for index in group.clone() {
                posed
                    .entries
                    .extend(self.posed.parts(index).nth(1 + axis).map(|(column, factor)| (row, column, factor)));
            }
        }
        let mut cost = vec![0.0; posed.columns];
        cost[length] = 1.0;
        self.programs += 1;
        let answer = posed.program().map(|mut program| program.minimise(&cost));
        let answer = answer.filter(|answer| answer.ending == Ending::Answered);
        let answer = answer.ok_or(StaticsError::unanswered(QUESTION, self.tolerance))?;
        let proof = Proof::of(&posed, &cost, &answer.x, &answer.y);
        self.proof = self.proof.worst(proof.within(self.tolerance, QUESTION)?);
        Ok(answer.x[length].max(0.0))
    }

    /// The longest tangential resultant found, and what none exceeds.
    fn greatest_tangential(
        &mut self,
        group: &std::ops::Range<usize>,
        by_friction: f64,
    ) -> Result<(f64, f64), StaticsError> {
        let mut lines: Vec<(DVec2, f64)> = Vec::new();
        let (mut longest, mut at_most): (f64, f64) = (0.0, by_friction);
        let axes = [DVec2::X, DVec2::Y, -DVec2::X, -DVec2::Y];
        for asked in 0..MAX_DIRECTIONS {
            let direction = match axes.get(asked) {
                Some(axis) => *axis,
                None => {
                    let far = farthest_corner(&lines);
                    at_most = at_most.min(far.length()).max(longest);
                    if at_most - longest <= KNOWN * longest + self.tolerance {
                        break;
                    }
                    far.normalize_or(DVec2::X)
                }
            };
            let cost = self.sums(group, [0.0, -direction.x, -direction.y]);
            let End::At(x) = self.minimise(&cost)? else { return Ok((f64::INFINITY, f64::INFINITY)) };
            let mut sum = DVec2::ZERO;
            for index in group.clone() {
                for ((column, factor), axis) in self.posed.parts(index).skip(1).zip([DVec2::X, DVec2::Y]) {
                    sum += factor * x[column] * axis;
                }
            }
            longest = longest.max(sum.length());
            lines.push((direction, direction.dot(sum)));
            if asked >= 3 && at_most - longest <= KNOWN * longest + self.tolerance {
                break;
            }
        }
        Ok((longest, at_most.max(longest)))
    }
}

/// The corner of the polygon `d·p ≤ h` that is farthest from the origin. The lines go round, so neighbours by angle meet in corners.
fn farthest_corner(lines: &[(DVec2, f64)]) -> DVec2 {
    let mut sorted = lines.to_vec();
    // Grows with the angle from −π to π: the order is all that is needed.
    let turn = |d: DVec2| (1.0 - d.x / (d.x.abs() + d.y.abs())).copysign(d.y);
    sorted.sort_by(|p, q| turn(p.0).total_cmp(&turn(q.0)));
    let mut far = DVec2::ZERO;
    for (i, (d, h)) in sorted.iter().enumerate() {
        let (e, k) = sorted[(i + 1) % sorted.len()];
        let det = d.perp_dot(e);
        // Two directions that are one: their corner is that of their neighbours.
        if det.abs() < 1e-12 {
            continue;
        }
        let corner = DVec2::new(h * e.y - k * d.y, k * d.x - h * e.x) / det;
        if corner.length_squared() > far.length_squared() {
            far = corner;
        }
    }
    far
}
