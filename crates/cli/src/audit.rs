//! `signorini audit`: grades a step of any engine.

use crate::error::InputError;
use crate::input::read_text;
use crate::output::Output;
use crate::solve::Verdict;
use clap::Args;
use signorini_scenes::audit::{Audit, AuditedStep, audit};
use std::path::{Path, PathBuf};

/// Arguments of `signorini audit`.
#[derive(Debug, Args)]
pub struct AuditArguments {
    /// Steps as JSON: bodies with velocities before and after, contacts with impulses. One step, or a list of them.
    #[arg(required = true, value_name = "STEP.json")]
    pub files: Vec<PathBuf>,
    /// Largest error allowed at any contact [m/s], relative to the speed of approach where that is above 1 m/s.
    #[arg(long, default_value_t = 1e-6)]
    pub tolerance: f64,
    /// Print JSON, one line per step.
    #[arg(long)]
    pub json: bool,
}

/// Grades the steps of all files; not certified is a verdict, not an error.
pub fn run(arguments: &AuditArguments, output: &mut Output) -> Result<Verdict, InputError> {
    let mut all = true;
    for path in &arguments.files {
        for (index, step) in read(path)?.iter().enumerate() {
            let place = format!("{}: step {index}", path.display());
            let graded = audit(step, arguments.tolerance)
                .map_err(|error| InputError::BadStep { path: path.clone(), why: format!("step {index}: {error}") })?;
            all &= graded.certified;
            if arguments.json {
                let text = serde_json::to_string(&graded).map_err(|error| bad(path, error))?;
                output.line(&text)?;
            } else {
                print(&place, step, &graded, output)?;
            }
        }
    }
    Ok(if all { Verdict::Solved } else { Verdict::Unsolved })
}

fn bad(path: &Path, error: impl ToString) -> InputError {
    InputError::BadStep { path: path.to_owned(), why: error.to_string() }
}

fn read(path: &Path) -> Result<Vec<AuditedStep>, InputError> {
    let text = read_text(path)?;
    let list = text.trim_start().starts_with('[');
    let parsed = if list { serde_json::from_str(&text) } else { serde_json::from_str(&text).map(|one| vec![one]) };
    parsed.map_err(|error| bad(path, error))
}

fn print(place: &str, step: &AuditedStep, graded: &Audit, output: &mut Output) -> Result<(), InputError> {
    let c = &graded.certificate;
    let verdict = if graded.certified { "certified" } else { "not certified" };
    let engine = if step.engine.is_empty() { "unnamed engine" } else { &step.engine };
    output.line(&format!("{place}, {engine}: {verdict}"))?;
    output.line(&format!("  bodies {}, contacts {}", step.bodies.len(), step.contacts.len()))?;
    let worst = c.worst_block.map_or_else(String::new, |block| format!("  at contact {block}"));
    for (what, value, unit, note) in [
        ("largest error of the contact laws", c.natural, "m/s", worst.as_str()),
        ("approach left by the impulses", c.penetration_rate, "m/s", ""),
        ("approach left by the engine", graded.approach_after, "m/s", ""),
        ("slip of contacts that should stick", c.creep, "m/s", ""),
        ("pull", c.pull, "N·s", ""),
        ("outside the friction cone", c.outside_cone, "N·s", ""),
        ("friction that does not dissipate fully", c.dissipation_defect, "J", ""),
        ("velocity that no impulse explains", graded.unexplained_velocity, "m/s", ""),
        ("angular velocity that no impulse explains", graded.unexplained_angular_velocity, "rad/s", ""),
        ("energy the contacts changed", graded.energy_change, "J", ""),
    ] {
        output.line(&format!("  {what:<40}{value:>12.3e} {unit}{note}"))?;
    }
    Ok(())
}
