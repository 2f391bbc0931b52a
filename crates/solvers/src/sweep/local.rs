//! One block of a sweep: its prepared inverse, and the update of its impulse while all others stay.

use super::contact_step::{ContactStep, Planar, inverse};
use super::coupling::Coupling;
use crate::cone::{Mat3, Vec3};
use signorini_problem::{ContactProblem, Law};
use std::ops::Range;

/// Which friction a sweep is to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Friction {
    /// The problem's own.
    Coulomb,
    /// None, and tangential impulses that are zero already: the normal problem.
    Absent,
}

impl Friction {
    #[inline]
    fn coefficient(self, mu: f64) -> f64 {
        match self {
            Friction::Coulomb => mu,
            Friction::Absent => 0.0,
        }
    }
}

/// Pivot, relative to the largest, below which a joint row repeats others.
const REDUNDANT: f64 = 1e-12;

/// The data of a visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreparedBlock<S> {
    first: usize,
    rows: usize,
    /// w_c [1/kg].
    scale: f64,
    local: Local<S>,
}

#[derive(Clone, Copy, Debug)]
enum Local<S> {
    Contact {
        mu: f64,
        step: S,
    },
    NonNegative {
        mass: f64,
    },
    Interval {
        lo: f64,
        hi: f64,
        mass: f64,
    },
    /// Start of the generalised inverse.
    Joint {
        start: usize,
    },
}

impl<S: ContactStep> PreparedBlock<S> {
    /// Block `c` with its diagonal block `k` (row-major, overwritten).
    pub(super) fn new(problem: &ContactProblem, c: usize, k: &mut [f64; 36], joint_inverses: &mut Vec<f64>) -> Self {
        let block = problem.blocks()[c];
        let (n, scale) = (block.rows, problem.scales()[c]);
        // A diagonal that is not positive (general matrices only) still has a magnitude to step with.
        let mass = if k[0] > 0.0 { 1.0 / k[0] } else { inverse(scale) };
        let local = match block.law {
            // Methods that sweep refuse moments before: here such a contact has none.
            Law::Coulomb { mu } | Law::Rolling { mu, .. } => {
                let planar = if n == 2 { Planar::Yes } else { Planar::No };
                let mut k3: Mat3 = [[0.0; 3]; 3];
                let few = n.min(3);
                for i in 0..few {
                    k3[i][..few].copy_from_slice(&k[i * n..i * n + few]);
                }
                Local::Contact { mu, step: S::prepare(&k3, planar) }
            }
            Law::NonNegative => Local::NonNegative { mass },
            Law::Interval { lo, hi } => Local::Interval { lo, hi, mass },
            Law::Equality => {
                let start = joint_inverses.len();
                joint_inverses.resize(start + n * n, 0.0);
                generalised_inverse(n, &mut k[..n * n], &mut joint_inverses[start..]);
                Local::Joint { start }
            }
        };
        PreparedBlock { first: problem.offsets()[c], rows: n, scale, local }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.first..self.first + self.rows
    }

    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// Replaces the impulse of block `c`; returns the square of `w‖δr‖` [m²/s²].
    #[inline]
    pub(super) fn visit<C: Coupling>(
        &self,
        c: usize,
        joint_inverses: &[f64],
        coupling: &mut C,
        q: &[f64],
        r: &mut [f64],
        friction: Friction,
    ) -> f64 {
        let squared = match self.local {
            Local::Contact { mu, ref step } => {
                let mu = friction.coefficient(mu);
                if self.rows == 3 {
                    let u: Vec3 = self.velocity(c, coupling, q, r);
                    let old = [r[self.first], r[self.first + 1], r[self.first + 2]];
                    self.commit(c, coupling, r, &old, &step.advance(mu, &u, &old))
                } else {
                    let u: [f64; 2] = self.velocity(c, coupling, q, r);
                    let old = [r[self.first], r[self.first + 1]];
                    let new = step.advance(mu, &[u[0], u[1], 0.0], &[old[0], old[1], 0.0]);
                    self.commit(c, coupling, r, &old, &[new[0], new[1]])
                }
            }
            Local::NonNegative { mass } => self.scalar(c, coupling, q, r, mass, 0.0, f64::INFINITY),
            Local::Interval { lo, hi, mass } => self.scalar(c, coupling, q, r, mass, lo, hi),
            Local::Joint { start } => {
                let inverse = &joint_inverses[start..start + self.rows * self.rows];
                match self.rows {
                    1 => self.joint::<1, C>(c, inverse, coupling, q, r),
                    2 => self.joint::<2, C>(c, inverse, coupling, q, r),
                    3 => self.joint::<3, C>(c, inverse, coupling, q, r),
                    4 => self.joint::<4, C>(c, inverse, coupling, q, r),
                    5 => self.joint::<5, C>(c, inverse, coupling, q, r),
                    _ => self.joint::<6, C>(c, inverse, coupling, q, r),
                }
            }
        };
        self.scale * self.scale * squared
    }

    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn scalar<C: Coupling>(
        &self,
        c: usize,
        coupling: &mut C,
        q: &[f64],
        r: &mut [f64],
        mass: f64,
        lo: f64,
        hi: f64,
    ) -> f64 {
        let u: [f64; 1] = self.velocity(c, coupling, q, r);
        let old = [r[self.first]];
        let new = (old[0] - u[0] * mass).max(lo).min(hi);
        self.commit(c, coupling, r, &old, &[new])
    }

    fn joint<const N: usize, C: Coupling>(
        &self,
        c: usize,
        inverse: &[f64],
        coupling: &mut C,
        q: &[f64],
        r: &mut [f64],
    ) -> f64 {
        let u: [f64; N] = self.velocity(c, coupling, q, r);
        let old: [f64; N] = std::array::from_fn(|i| r[self.first + i]);
        let new: [f64; N] = std::array::from_fn(|i| old[i] - (0..N).map(|j| inverse[i * N + j] * u[j]).sum::<f64>());
        self.commit(c, coupling, r, &old, &new)
    }

    #[inline]
    fn velocity<const N: usize, C: Coupling>(&self, c: usize, coupling: &C, q: &[f64], r: &[f64]) -> [f64; N] {
        let mut u = coupling.velocity::<N>(c, self.first, r);
        for (u, q) in u.iter_mut().zip(&q[self.first..self.first + N]) {
            *u += q;
        }
        u
    }

    #[inline]
    fn commit<const N: usize, C: Coupling>(
        &self,
        c: usize,
        coupling: &mut C,
        r: &mut [f64],
        old: &[f64; N],
        new: &[f64; N],
    ) -> f64 {
        let delta: [f64; N] = std::array::from_fn(|i| new[i] - old[i]);
        let squared = delta.iter().map(|x| x * x).sum::<f64>();
        if squared != 0.0 {
            coupling.changed(c, self.first, &delta);
            r[self.first..self.first + N].copy_from_slice(new);
        }
        squared
    }

    /// Natural map [m/s] at the velocities of `coupling`.
    pub(super) fn natural_map_at<C: Coupling>(
        &self,
        c: usize,
        coupling: &C,
        q: &[f64],
        r: &[f64],
        friction: Friction,
    ) -> f64 {
        fn at<const N: usize, S: ContactStep, C: Coupling>(
            block: &PreparedBlock<S>,
            c: usize,
            coupling: &C,
            q: &[f64],
            r: &[f64],
            friction: Friction,
        ) -> f64 {
            let u: [f64; N] = block.velocity(c, coupling, q, r);
            block.natural_map(&u, &r[block.first..block.first + N], friction)
        }
        match self.rows {
            1 => at::<1, S, C>(self, c, coupling, q, r, friction),
            2 => at::<2, S, C>(self, c, coupling, q, r, friction),
            3 => at::<3, S, C>(self, c, coupling, q, r, friction),
            4 => at::<4, S, C>(self, c, coupling, q, r, friction),
            5 => at::<5, S, C>(self, c, coupling, q, r, friction),
            _ => at::<6, S, C>(self, c, coupling, q, r, friction),
        }
    }

    /// Natural map [m/s] of the block with velocity `u` and impulse `r`.
    pub(super) fn natural_map(&self, u: &[f64], r: &[f64], friction: Friction) -> f64 {
        let w = self.scale;
        match self.local {
            Local::Contact { mu, .. } => {
                let third = |x: &[f64]| if x.len() > 2 { x[2] } else { 0.0 };
                S::natural_map(w, friction.coefficient(mu), &[u[0], u[1], third(u)], &[r[0], r[1], third(r)])
            }
            Local::NonNegative { .. } => f64::min(w * r[0], u[0]).abs(),
            Local::Interval { lo, hi, .. } => {
                // An infinite bound stays infinite when w = 0.
                let scaled = |bound: f64| if bound.is_infinite() { bound } else { w * bound };
                (w * r[0] - (w * r[0] - u[0]).max(scaled(lo)).min(scaled(hi))).abs()
            }
            Local::Joint { .. } => u.iter().map(|x| x * x).sum::<f64>().sqrt(),
        }
    }
}

/// A generalised inverse of the positive semidefinite `k` (n×n, overwritten) into `out`: the inverse on the rows that a
/// pivoted Cholesky factorisation finds independent, zero on the others. A joint with redundant rows then carries its
/// impulse on the independent ones.
fn generalised_inverse(n: usize, k: &mut [f64], out: &mut [f64]) {
    // Gauss–Jordan with diagonal pivots on a symmetric matrix: after eliminating the pivots of a set P, the block PP
    // holds the inverse of the original one, and the rest its Schur complement.
    let mut eliminated = [false; 6];
    let largest = (0..n).fold(0.0, |m: f64, i| m.max(k[i * n + i]));
    for _ in 0..n {
        let mut pivot = None;
        let mut value = REDUNDANT * largest;
        for i in 0..n {
            if !eliminated[i] && k[i * n + i] > value {
                (pivot, value) = (Some(i), k[i * n + i]);
            }
        }
        let Some(p) = pivot else { break };
        eliminated[p] = true;
        let inverse = 1.0 / value;
        for i in 0..n {
            if i == p {
                continue;
            }
            let factor = k[i * n + p] * inverse;
            for j in 0..n {
                if j != p {
                    k[i * n + j] -= factor * k[p * n + j];
                }
            }
            k[i * n + p] = -factor;
        }
        for j in 0..n {
            if j != p {
                k[p * n + j] *= inverse;
            }
        }
        k[p * n + p] = inverse;
    }
    for i in 0..n {
        for j in 0..n {
            let kept = eliminated[i] && eliminated[j];
            out[i * n + j] = if kept { k[i * n + j] } else { 0.0 };
        }
    }
}
