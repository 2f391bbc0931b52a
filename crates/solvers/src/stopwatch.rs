//! The only clock of the libraries, for reports. No result depends on it.

use std::time::Instant;

/// Seconds since it was started, or zero where there is no clock: WebAssembly without a host has none, and
/// [`Instant::now`] panics there.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Started now.
    pub fn start() -> Self {
        let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Stopwatch(has_clock.then(Instant::now))
    }

    /// Time since the start [s].
    pub fn seconds(&self) -> f64 {
        self.0.map_or(0.0, |start| start.elapsed().as_secs_f64())
    }

    /// Time since the start [s]; starts anew at the same moment.
    pub fn lap(&mut self) -> f64 {
        let next = Stopwatch::start();
        let seconds = match (self.0, next.0) {
            (Some(start), Some(now)) => (now - start).as_secs_f64(),
            _ => 0.0,
        };
        *self = next;
        seconds
    }
}
