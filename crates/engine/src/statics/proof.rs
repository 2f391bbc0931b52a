//! The check of an answer, from the matrix, the loads and the answer alone. It shares nothing with the solver.

use super::StaticsError;
use super::program::Posed;
use signorini_solvers::cone_program::Cone;

/// How far an answer is from being one, as fractions of the largest load (of the largest force in the answer if that is more).
///
/// With all three zero the answer is exact: the forces are admissible, and no other admissible forces do better, since weak duality
/// bounds them by the value of the dual answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Proof {
    /// Largest force or torque that is left unbalanced, or by which a force is outside its cone.
    pub primal: f64,
    /// Largest amount by which the dual answer, a virtual motion of the bodies, breaks what contacts and joints allow.
    pub dual: f64,
    /// Difference of the primal and the dual value.
    pub gap: f64,
}

impl Proof {
    /// Of x and y, as answers of a program.
    pub(super) fn of(posed: &Posed, cost: &[f64], x: &[f64], y: &[f64]) -> Proof {
        let (value, bound) = (dot(cost, x), dot(&posed.b, y));
        Proof {
            primal: posed.unbalanced(x, 1.0).max(outside(&posed.cones, x, false)) / size(x),
            dual: outside(&posed.cones, &posed.reduced(cost, y), true) / size(y),
            gap: (value - bound).abs() / value.abs().max(1.0),
        }
    }

    /// Of x, as a direction without end: `cᵀx = −1`, `A x = 0`, `x ∈ K`.
    pub(super) fn of_unbounded(posed: &Posed, cost: &[f64], x: &[f64]) -> Proof {
        let descent = -dot(cost, x);
        if descent.is_nan() || descent <= 0.0 {
            return Proof { primal: f64::INFINITY, ..Proof::default() };
        }
        let error = posed.unbalanced(x, 0.0).max(outside(&posed.cones, x, false));
        Proof { primal: error / descent, ..Proof::default() }
    }

    /// The worse of two in every number.
    pub(super) fn worst(self, other: Proof) -> Proof {
        Proof { primal: self.primal.max(other.primal), dual: self.dual.max(other.dual), gap: self.gap.max(other.gap) }
    }

    /// Itself if it is good enough.
    pub(super) fn within(self, tolerance: f64, question: &'static str) -> Result<Proof, StaticsError> {
        let Proof { primal, dual, gap } = self;
        // A NaN is not within anything.
        if primal <= tolerance && dual <= tolerance && gap <= tolerance {
            return Ok(self);
        }
        Err(StaticsError::Unresolved { question, primal, dual, gap, tolerance })
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Largest number of a list, at least 1.
fn size(list: &[f64]) -> f64 {
    list.iter().fold(1.0, |largest: f64, x| largest.max(x.abs()))
}

/// Largest distance from the cones, or from their duals. A second-order cone is its own dual; the dual of free
/// variables is zero.
fn outside(cones: &[Cone], x: &[f64], dual: bool) -> f64 {
    let (mut worst, mut at): (f64, usize) = (0.0, 0);
    for cone in cones {
        let part = &x[at..at + cone.size()];
        at += cone.size();
        let out = match cone {
            Cone::Free(_) if dual => part.iter().fold(0.0, |worst: f64, x| worst.max(x.abs())),
            Cone::Free(_) => 0.0,
            Cone::NonNegative(_) => part.iter().fold(0.0, |worst: f64, x| worst.max(-x)),
            Cone::SecondOrder(_) => part[1..].iter().map(|x| x * x).sum::<f64>().sqrt() - part[0],
        };
        worst = worst.max(out);
    }
    worst
}
