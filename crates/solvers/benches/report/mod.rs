//! What benches write down: where and of what a number was measured, medians, files.
#![allow(dead_code)] // Every bench uses its own part.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The folder of the workspace.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Processor and system, without commas.
pub fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    let model = model.map_or("unknown processor", str::trim);
    format!("{model} {} {}", std::env::consts::ARCH, std::env::consts::OS).replace(',', " ")
}

/// Short name of the commit, with a plus if files differ from it.
pub fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changed = git(&["status", "--porcelain", "--", "crates"]).is_some_and(|text| !text.is_empty());
    git(&["rev-parse", "--short", "HEAD"]).map_or("unknown".to_owned(), |name| name + if changed { "+" } else { "" })
}

/// Writes a file under the workspace, creating its folder.
pub fn write(path: &str, text: &str) {
    let path = root().join(Path::new(path));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
}

/// The middle value; NaN of none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[half],
        _ => 0.5 * (sorted[half - 1] + sorted[half]),
    }
}

/// Calls longer than this \[s\] are timed by the processor, whose count is exact to a tick of 4 ms.
const LONG: f64 = 0.05;

/// Seconds this thread has run, where the system tells; a busy machine takes turns within a long call.
fn seconds_run() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(1e-9 * text.split_whitespace().next()?.parse::<f64>().ok()?)
}

/// Least seconds of a call, repeated until `budget` \[s\] is spent or `most` calls are made: what a busy machine disturbs
/// least.
pub fn least(most: usize, budget: f64, mut call: impl FnMut()) -> f64 {
    let (mut best, mut spent) = (f64::INFINITY, 0.0);
    for _ in 0..most {
        let (run, start) = (seconds_run(), Instant::now());
        call();
        let mut seconds = start.elapsed().as_secs_f64();
        if seconds > LONG
            && let (Some(before), Some(after)) = (run, seconds_run())
        {
            seconds = seconds.min(after - before);
        }
        best = f64::min(best, seconds);
        spent += seconds;
        if spent > budget {
            break;
        }
    }
    best
}

/// A time a person can read.
pub fn readable(seconds: f64) -> String {
    match seconds {
        s if s.is_nan() => "–".to_owned(),
        s if s < 1e-3 => format!("{:.3} ms", 1e3 * s),
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s => format!("{s:.1} s"),
    }
}
