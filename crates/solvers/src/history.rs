//! Residual against work, iteration by iteration, for the plots.

use crate::Stopwatch;
use serde::Serialize;

/// One point of the history.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HistoryPoint {
    /// Sweeps, pivots or Newton steps so far.
    pub iteration: usize,
    /// Seconds since the solve began.
    pub seconds: f64,
    /// The solver's own residual [m/s]; the certificate alone decides.
    pub residual: f64,
}

/// Records points when asked to; costs nothing otherwise.
#[derive(Clone, Debug, Default)]
pub struct History {
    start: Option<Stopwatch>,
    points: Vec<HistoryPoint>,
}

impl History {
    /// A history that keeps nothing.
    pub fn off() -> Self {
        History::default()
    }
    /// A history that keeps every point, timed from now.
    pub fn on() -> Self {
        History { start: Some(Stopwatch::start()), points: Vec::new() }
    }
    /// Whether points are kept: solvers skip residuals they would compute only for the history.
    pub fn is_on(&self) -> bool {
        self.start.is_some()
    }
    /// Adds a point. Time is only recorded, never used by a solver.
    pub fn record(&mut self, iteration: usize, residual: f64) {
        if let Some(start) = self.start {
            self.points.push(HistoryPoint { iteration, seconds: start.seconds(), residual });
        }
    }
    /// The points.
    pub fn points(&self) -> &[HistoryPoint] {
        &self.points
    }
}
