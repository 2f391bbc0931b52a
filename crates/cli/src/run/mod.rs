//! `signorini run`: simulates a scene, records it and prints a report; without arguments the demonstration.

mod parts;
mod report;
mod tally;

pub use report::{print_text, write_json};
pub use tally::Tally;

use crate::arguments::{ReportFormat, RunArguments};
use crate::error::InputError;
use crate::interrupt::Interrupt;
use crate::output::{Drawing, Output, check_writable};
use crate::plot;
use crate::progress::StepProgress;
use crate::recording::Recording;
use crate::scene_list::{self, DEMONSTRATION};
use crate::solve::Verdict;
use signorini::{Scene, StepError};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// Runs the built-in demonstration and suggests what to do next.
pub fn demonstrate(output: &mut Output) -> Result<Verdict, InputError> {
    let verdict = run(&RunArguments::of(DEMONSTRATION), output)?;
    output.line("")?;
    output.line("Every step was solved, and a judge that shares no code with it says how exactly: velocities, overlap, joints, energy.")?;
    output.line(
        "Next: signorini view (see it in a browser); signorini scenes (what else there is); signorini run --help; \
         signorini solve (all methods on one contact problem).",
    )?;
    Ok(verdict)
}

/// Runs a scene as the command line asks.
pub fn run(arguments: &RunArguments, output: &mut Output) -> Result<Verdict, InputError> {
    arguments.plot.iter().try_for_each(Drawing::check)?;
    arguments.record.iter().try_for_each(|path| check_writable(path))?;
    if let Some(threads) = arguments.threads {
        // The global pool can be made only once, and nothing has used it before.
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|why| InputError::Threads(why.to_string()))?;
    }
    let scene = arranged(scene_list::find(&arguments.scene)?, arguments)?;
    let mut world = scene.build()?;
    let mut recording = match &arguments.record {
        Some(path) => Some(Recording::create(path, (arguments.contacts, arguments.force), &scene, &world)?),
        None => None,
    };
    if arguments.report == ReportFormat::Text && !scene.description.is_empty() {
        output.line(&format!("{}: {}", scene.name, scene.description))?;
        output.line("")?;
    }
    let mut tally = Tally::new(&scene, &world);
    let progress = StepProgress::new(scene.steps());
    let interrupt = Interrupt::listen().map_err(InputError::Interrupts)?;
    let start = Instant::now();
    let mut stopped = None;
    for _ in 0..scene.steps() {
        match world.step(scene.step) {
            Ok(report) => {
                tally.push(&world, &report);
                if let Some(warning) = recording.as_mut().and_then(|recording| recording.step(&world, &report, [])) {
                    // If standard error is closed too, the exit code still reports the error.
                    progress.beside(|| drop(writeln!(io::stderr(), "warning: {warning}")));
                }
            }
            Err(why) => {
                stopped = Some(why);
                break;
            }
        }
        progress.advance();
        if interrupt.asked() {
            break;
        }
    }
    tally.seconds = Some(start.elapsed().as_secs_f64());
    progress.finish();
    let interrupted = stopped.is_none() && world.steps() < scene.steps();
    if interrupted {
        tally.interrupted = Some(scene.steps());
    }
    let unrecorded = match recording.map(Recording::finish) {
        Some(Ok(written)) => {
            tally.recording = Some(written);
            None
        }
        Some(Err(error)) => Some(error),
        None => None,
    };
    match arguments.report {
        ReportFormat::Text => print_text(&tally, output)?,
        ReportFormat::Json => write_json(&tally, output)?,
    }
    if let Some(drawing) = &arguments.plot {
        drawing.write(&plot::draw_run(&tally))?;
    }
    match stopped {
        // A method that does not treat the scene is bad input; any other error is a result of the simulation.
        Some(why @ StepError::Solve { .. }) => Err(InputError::Step { step: world.steps() + 1, why }),
        Some(why) => {
            let error = InputError::Step { step: world.steps() + 1, why };
            let _ = writeln!(io::stderr(), "error: {error}");
            Ok(Verdict::Unsolved)
        }
        None => match unrecorded {
            Some(error) => Err(error),
            None if interrupted => Ok(Verdict::Interrupted),
            None => Ok(tally.verdict()),
        },
    }
}

/// The scene with the changes of the command line.
fn arranged(mut scene: Scene, arguments: &RunArguments) -> Result<Scene, InputError> {
    if scene.name.is_empty() {
        let stem = Path::new(&arguments.scene).file_stem().unwrap_or_default();
        scene.name = stem.to_string_lossy().into_owned();
    }
    if let Some(steps) = arguments.steps {
        scene.duration = steps as f64 * scene.step;
    }
    if let Some(time) = arguments.time {
        scene.duration = time;
    }
    if let Some(method) = arguments.method {
        if method.name() != scene.solver.method {
            // Iteration limits of one method make no sense for another.
            scene.solver.max_iterations = None;
        }
        scene.solver.method = method.name().to_owned();
    }
    scene.solver.max_iterations = arguments.iterations.or(scene.solver.max_iterations);
    scene.solver.tolerance = arguments.tolerance.unwrap_or(scene.solver.tolerance);
    scene.solver.accept = arguments.accept.unwrap_or(scene.solver.accept);
    scene.solver.budget = arguments.budget.unwrap_or(scene.solver.budget);
    Ok(scene)
}
