//! How cost grows: heaps and stacks of boxes and spheres from a hundred bodies to ten thousand, falling and settled, beside
//! rapier; and what threads give.
//!
//! *Falling*: bodies poured into a bin, measured from the first contacts on. *Settled*: columns of ten boxes, or pyramids of
//! four spheres, with one ball that rolls beside them, so that no step is taken again as a whole.

use super::generate;
use super::rapier::Rapier;
use super::row::quantile;
use super::run::judge_share;
use super::watch::Facts;
use crate::BenchError;
use crate::record::Machine;
use cpu_time::ThreadTime;
use signorini::Scene;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// The columns, in order.
pub const COLUMNS: &[&str] = &[
    "case",
    "bodies",
    "threads",
    "steps",
    "ms_p50",
    "ms_p99",
    "factorizations_p50",
    "degraded",
    "rapier_ms_p50",
    "judge_share_p50",
];

/// Arguments of `growth`.
#[derive(clap::Args)]
pub struct GrowthArguments {
    /// Numbers of bodies, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "100,300,1000,3000,10000")]
    bodies: Vec<usize>,
    /// Numbers of threads of the falling heaps of a thousand bodies; one everywhere else.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    threads: Vec<usize>,
    /// Steps that are measured.
    #[arg(long, default_value_t = 30)]
    steps: usize,
    /// Steps before, in which bodies come together.
    #[arg(long, default_value_t = 20)]
    before: usize,
    /// Without rapier beside.
    #[arg(long)]
    alone: bool,
    /// Where the heaps come from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The table goes here, line by line.
    #[arg(long, default_value = "bench/results/growth.csv")]
    csv: PathBuf,
}

/// Measures all cases.
pub fn run(arguments: &GrowthArguments) -> Result<(), BenchError> {
    let path = &arguments.csv;
    let fail = |error: std::io::Error| BenchError::Input { path: path.clone(), what: error.to_string() };
    let mut file = File::create(path).map_err(fail)?;
    let machine = Machine::look(1);
    writeln!(file, "# {}, commit {}\n{}", machine.processor, machine.commit, COLUMNS.join(",")).map_err(fail)?;
    for (case, make) in generate::GROWING {
        for &bodies in &arguments.bodies {
            let scene = make(bodies, arguments.seed);
            let threads: &[usize] = match case.contains("falling") && bodies == 1000 {
                true => &arguments.threads,
                false => &[1],
            };
            for &threads in threads {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20).build();
                let line = pool.map_err(BenchError::engine)?.install(|| measure(&scene, threads, arguments))?;
                let line = format!("{case},{bodies},{threads},{line}");
                println!("{line}");
                writeln!(file, "{line}").map_err(fail)?;
            }
        }
    }
    Ok(())
}

/// Steps a scene and gives back the rest of its line. One thread: CPU time; more: time on the wall.
fn measure(scene: &Scene, threads: usize, arguments: &GrowthArguments) -> Result<String, BenchError> {
    let mut world = scene.build().map_err(BenchError::engine)?;
    let facts = Facts::of(scene, &world)?;
    let peer = (threads == 1 && !arguments.alone).then(|| Rapier::load(&facts, &world, scene.step));
    let mut peer = peer.transpose()?;
    let (mut seconds, mut factorizations, mut rapier, mut degraded) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut shares = Vec::new();
    for step in 0..arguments.before + arguments.steps {
        let (wall, clock) = (Instant::now(), ThreadTime::now());
        let report = world.step(scene.step).map_err(BenchError::engine)?;
        let spent = if threads == 1 { clock.elapsed() } else { wall.elapsed() };
        let clock = ThreadTime::now();
        if let Some(peer) = &mut peer {
            peer.step();
        }
        if step >= arguments.before {
            rapier.push(1e3 * clock.elapsed().as_secs_f64());
            seconds.push(1e3 * spent.as_secs_f64());
            shares.push(judge_share(&report.times));
            factorizations.push(report.effort.factorizations as f64);
            degraded += usize::from(report.status != signorini::StepStatus::Certified);
        }
    }
    let number = |value: f64| format!("{value:.4e}");
    let rapier = if peer.is_some() { number(quantile(&rapier, 0.5)) } else { String::new() };
    let cells = [(&seconds, 0.5), (&seconds, 0.99), (&factorizations, 0.5)];
    let cells = cells.map(|(values, share)| number(quantile(values, share)));
    let share = number(quantile(&shares, 0.5));
    Ok(format!("{},{},{degraded},{rapier},{share}", seconds.len(), cells.join(",")))
}
