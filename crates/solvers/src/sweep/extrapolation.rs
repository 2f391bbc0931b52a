//! Anderson extrapolation of sweeps: from a point and its image under a sweep to the point at which the next sweep
//! starts.

use super::guard::{Guard, Next};
use crate::linalg::anderson::Anderson;
use crate::warm_start::make_feasible;
use signorini_problem::ContactProblem;

/// Where the next sweep begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where the last one arrived: velocities belong to it already.
    Swept,
    /// Elsewhere: velocities have to be computed.
    #[default]
    Moved,
}

/// The window and its buffers. Preparing again for a problem of the same size allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extrapolation {
    anderson: Anderson,
    guard: Guard,
    /// The image of the shortest step.
    best: Vec<f64>,
    shortest: f64,
    /// √w_c of every row: impulses times it are of one unit [√J], whatever the masses.
    weights: Vec<f64>,
    weighted: Vec<f64>,
    weighted_image: Vec<f64>,
}

impl Extrapolation {
    /// An empty window of at most `depth` differences.
    pub(crate) fn prepare(&mut self, problem: &ContactProblem, depth: usize) {
        let n = problem.rows();
        self.weights.clear();
        for (block, w) in problem.blocks().iter().zip(problem.scales()) {
            // What cannot move has no scale of its own; any will do.
            let weight = if *w > 0.0 { w.sqrt() } else { 1.0 };
            self.weights.resize(self.weights.len() + block.rows, weight);
        }
        for buffer in [&mut self.best, &mut self.weighted, &mut self.weighted_image] {
            buffer.clear();
            buffer.resize(n, 0.0);
        }
        self.anderson.reset(n, depth);
        self.begin();
    }

    /// Forgets what it saw: another map comes.
    pub(crate) fn begin(&mut self) {
        self.anderson.forget();
        self.guard = Guard::default();
        self.shortest = f64::INFINITY;
    }

    /// The image of the shortest step, if there was one.
    pub(crate) fn best(&self) -> Option<&[f64]> {
        (self.shortest < f64::INFINITY).then_some(&self.best)
    }

    /// From `r` and its image to where the next sweep begins, into `r`.
    pub(crate) fn advance(&mut self, problem: &ContactProblem, r: &mut [f64], image: &[f64]) -> Place {
        let mut squared = 0.0;
        for (i, weight) in self.weights.iter().enumerate() {
            self.weighted[i] = weight * r[i];
            self.weighted_image[i] = weight * image[i];
            let step = self.weighted_image[i] - self.weighted[i];
            squared += step * step;
        }
        let step = f64::sqrt(squared);
        if step < self.shortest {
            self.shortest = step;
            self.best.copy_from_slice(image);
        }
        match self.guard.next(step, self.anderson.differences()) {
            Next::Extrapolate => {
                self.anderson.advance(&mut self.weighted, &self.weighted_image);
                for ((r, x), weight) in r.iter_mut().zip(&self.weighted).zip(&self.weights) {
                    *r = x / weight;
                }
                make_feasible(problem, r);
                Place::Moved
            }
            Next::Restart => {
                self.anderson.forget();
                r.copy_from_slice(image);
                Place::Swept
            }
            Next::Return => {
                self.anderson.forget();
                r.copy_from_slice(&self.best);
                Place::Moved
            }
        }
    }
}
