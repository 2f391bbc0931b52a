//! `signorini replay --certify`: prints the table of checks.

use crate::arguments::ReportFormat;
use crate::error::InputError;
use crate::output::Output;
use crate::solve::Verdict;
use serde_json::{Value, json};
use signorini_record::{CheckTally, Recertification};

/// Prints the table; the verdict is whether every step recorded as certified holds up.
pub fn print(found: &Recertification, format: ReportFormat, output: &mut Output) -> Result<Verdict, InputError> {
    match format {
        ReportFormat::Text => text(found, output)?,
        ReportFormat::Json => {
            output.line(&serde_json::to_string_pretty(&value(found)).unwrap_or_default())?;
        }
    }
    Ok(if found.unfounded_count == 0 && found.steps > 0 { Verdict::Solved } else { Verdict::Unsolved })
}

fn text(found: &Recertification, output: &mut Output) -> Result<(), InputError> {
    output.line(&format!("{:<17} {:>7} {:>7} {:>12} {:>12}  where", "check", "steps", "missed", "worst", "bound"))?;
    for check in &found.checks {
        output.line(row(check).trim_end())?;
    }
    output.line("")?;
    let Recertification { steps, certified, lost, unfounded_count, .. } = found;
    if *lost > 0 {
        output.line(&format!("not looked at: {lost} steps whose state, report or contacts are lost"))?;
    }
    if *steps == 0 {
        output.line("nothing to certify: no step has its states before and after it")?;
    } else if *unfounded_count == 0 {
        output.line(&format!(
            "holds up: no check refutes any of the {certified} steps recorded as certified, of {steps}"
        ))?;
    } else {
        output.line(&format!("does not hold up: {unfounded_count} of {certified} steps recorded as certified"))?;
        for step in &found.unfounded {
            output.line(&format!("  step {} ({} s): {}", step.step, step.time, step.why.join(", ")))?;
        }
        if *unfounded_count > found.unfounded.len() {
            output.line(&format!("  and {} more", unfounded_count - found.unfounded.len()))?;
        }
    }
    Ok(())
}

fn row(check: &CheckTally) -> String {
    let name = check.check.name();
    let Some((part, step, names)) = check.worst.as_ref() else {
        let lacks = check.lacks.unwrap_or("steps");
        return format!("{name:<17} {:>7} {:>7} {:>12} {:>12}  not in the file: {lacks}", 0, "–", "–", "–");
    };
    let unit = check.check.unit();
    let number = |value: f64| if value == 0.0 { format!("0 {unit}") } else { format!("{value:.2e} {unit}") };
    let mut place = if part.value == 0.0 { String::new() } else { format!("step {step}") };
    if !names.is_empty() && part.value != 0.0 {
        place += &format!(", '{}'", names.join("' and '"));
    }
    if let Some(lacks) = check.lacks {
        let stop = if place.is_empty() { "" } else { "; " };
        place += &format!("{stop}in part, not in the file: {lacks}");
    }
    let (measured, missed) = (check.measured, check.missed);
    let (value, bound) = (number(part.value), number(part.bound));
    format!("{name:<17} {measured:>7} {missed:>7} {:>12} {:>12}  {place}", value.trim_end(), bound.trim_end())
}

fn value(found: &Recertification) -> Value {
    let checks: Vec<Value> = found
        .checks
        .iter()
        .map(|check| {
            let worst = check.worst.as_ref().map(|(part, step, names)| {
                json!({ "value": part.value, "bound": part.bound, "step": step, "bodies": names })
            });
            json!({
                "check": check.check.name(),
                "unit": check.check.unit(),
                "measured": check.measured,
                "missed": check.missed,
                "worst": worst,
                "not_in_the_file": check.lacks,
            })
        })
        .collect();
    let unfounded: Vec<Value> =
        found.unfounded.iter().map(|step| json!({ "step": step.step, "time": step.time, "why": step.why })).collect();
    json!({
        "steps": found.steps,
        "lost": found.lost,
        "certified": found.certified,
        "refuted": found.unfounded_count,
        "first_refuted": unfounded,
        "checks": checks,
    })
}
