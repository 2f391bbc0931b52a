//! The closing report.

use super::Tally;
use super::parts::PartTally;
use super::tally::Worst;
use crate::error::InputError;
use crate::output::Output;
use crate::table::duration;
use signorini::PartName;

/// The report for a person.
pub fn print_text(tally: &Tally, output: &mut Output) -> Result<(), InputError> {
    for (title, text) in lines(tally) {
        output.line(format!("{title:<12} {text}").trim_end())?;
    }
    Ok(())
}

/// The report for a program.
pub fn write_json(tally: &Tally, output: &mut Output) -> Result<(), InputError> {
    output.line(&serde_json::to_string_pretty(tally).unwrap_or_default())
}

fn lines(tally: &Tally) -> Vec<(&'static str, String)> {
    let mut lines = vec![("run", pace(tally)), ("verdict", verdict(tally))];
    if let Some(asked) = tally.interrupted {
        lines.push(("interrupted", format!("after {} of {asked} steps", tally.steps)));
    }
    lines.extend(tally.parts.iter().filter_map(miss).enumerate().map(|(i, text)| (["missed", ""][i.min(1)], text)));
    lines.push((
        "residual",
        match &tally.worst_residual {
            Some(worst) => format!("{} m/s at worst, {}", number(worst.value), place(worst)),
            None => "nothing touched".to_owned(),
        },
    ));
    if tally.worst_residual.is_some() {
        // At fast contacts the bound is relative: a certified step may have a residual above the absolute bound.
        lines.push((
            "",
            format!("bound {0:e} m/s; {0:e} of its own speed where a contact is faster than 1 m/s", tally.accept),
        ));
    }
    lines.push(("overlap", format!("at the end of a step: {}", part(tally, PartName::Overlap))));
    lines.push((
        "",
        match &tally.deepest {
            Some(worst) => format!("at the start of a step: {} m at worst, {}", number(worst.value), place(worst)),
            None => "at the start of a step: none".to_owned(),
        },
    ));
    if tally.joints > 0 {
        lines.push(("joints", format!("gap: {}", part(tally, PartName::JointGap))));
        lines.push(("", format!("turn: {}", part(tally, PartName::JointTurn))));
    }
    let joints = if tally.joints > 0 { format!(", {} joints", tally.joints) } else { String::new() };
    lines.push(("contacts", format!("{} at most, {} at the end{joints}", tally.most_contacts, tally.last_contacts)));
    if tally.guarded > 0 {
        lines.push((
            "impacts",
            format!("restitution scaled down in {} steps to keep contact from making energy", tally.guarded),
        ));
    }
    lines.push(("momentum", format!("defect over the impulses on a body: {}", part(tally, PartName::Momentum))));
    energy(tally, &mut lines);
    lines.push(("stages", stages(tally)));
    if let Some((path, bytes)) = &tally.recording {
        lines.push((
            "recording",
            format!("{path}, {:.1} MB; signorini replay {path} --check runs it again", *bytes as f64 / 1e6),
        ));
    }
    lines.push(("fingerprint", tally.hash.clone()));
    lines
}

fn pace(tally: &Tally) -> String {
    let mut text = format!(
        "{} steps of {}, {} of motion, {} bodies, method {}",
        tally.steps,
        duration(tally.step),
        duration(tally.time),
        tally.bodies,
        tally.method
    );
    if let Some(seconds) = tally.seconds.filter(|seconds| *seconds > 0.0) {
        let (rate, factor) = (tally.steps as f64 / seconds, tally.time / seconds);
        text += &format!("; took {}, {rate:.0} steps/s, {factor:.2} × real time", duration(seconds));
    }
    text
}

fn verdict(tally: &Tally) -> String {
    match tally.first_degraded {
        None => format!("certified: all {} steps", tally.certified),
        Some(first) => format!(
            "degraded: {} of {} steps miss a bound, the first is step {first}",
            tally.degraded,
            tally.certified + tally.degraded
        ),
    }
}

/// `joint gap in 3 steps: 1.90 m at worst, bound 1.00e-8 m, in step 41 (683 ms): joint of 'a' and 'b'`
fn miss(part: &PartTally) -> Option<String> {
    let steps = if part.missed == 1 { "step" } else { "steps" };
    (part.missed > 0).then(|| format!("{} in {} {steps}: {}", part.part.name(), part.missed, worst(part)))
}

/// The worst value of a part, whether it misses its bound or not.
fn part(tally: &Tally, name: PartName) -> String {
    tally.parts.iter().find(|part| part.part == name).map_or_else(String::new, worst)
}

fn worst(part: &PartTally) -> String {
    let (Some(worst), Some(bound)) = (&part.worst, part.bound) else { return "not told by the recording".to_owned() };
    if worst.value == 0.0 {
        return format!("none, bound {}", with_unit(bound, part.unit));
    }
    format!("{} at worst, bound {}, {}", with_unit(worst.value, part.unit), with_unit(bound, part.unit), place(worst))
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", number(value)).trim_end().to_owned()
}

/// `in step 41 (683 ms), island 2, block 5: contact of 'a' and 'b'`
fn place(worst: &Worst) -> String {
    let mut text = format!("in step {} ({})", worst.step, duration(worst.time));
    if let (Some(island), Some(block)) = (worst.island, worst.block) {
        text += &format!(", island {island}, block {block}");
    }
    match worst.bodies.as_slice() {
        [a, b] => text += &format!(": {} of '{a}' and '{b}'", worst.kind.unwrap_or("contact")),
        [a] => text += &format!(": '{a}'"),
        _ => {}
    }
    text
}

fn energy(tally: &Tally, lines: &mut Vec<(&'static str, String)>) {
    let account = &tally.energy.ledger;
    lines.push((
        "energy",
        format!("{} J at the start, {} J at the end", number(account.before.total()), number(account.after.total())),
    ));
    let works = [
        ("applied forces", account.external),
        ("contact", account.normal),
        ("friction", account.friction),
        ("joints", account.joints),
        ("motors", account.motor),
        ("springs", account.spring),
        ("driven bodies", account.driven),
        ("time stepping", account.integration),
        ("overlap correction", account.stabilisation),
        ("brought to a stop", account.stopped),
    ];
    let done: Vec<String> =
        works.iter().filter(|(_, work)| *work != 0.0).map(|(name, work)| format!("{name} {}", number(*work))).collect();
    if !done.is_empty() {
        lines.push(("", format!("work [J]: {}", done.join(", "))));
    }
    lines.push(("", format!("rise without work, over the energy exchanged: {}", part(tally, PartName::EnergyRise))));
    lines.push(("", format!("unexplained in any step: at most {} J", number(tally.energy.closure))));
}

fn stages(tally: &Tally) -> String {
    let times = &tally.times;
    let mut stages = [
        ("free motion", times.free_motion),
        ("broad phase", times.broad_phase),
        ("manifolds", times.manifold),
        ("contacts", times.contact),
        ("islands", times.island),
        ("solve", times.solve),
        ("positions", times.position),
        ("integrate", times.integrate),
        ("judge", times.judge),
    ];
    let total: f64 = stages.iter().map(|(_, time)| time).sum();
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    let share = |time: f64| if total > 0.0 { 100.0 * time / total } else { 0.0 };
    let shown: Vec<String> = stages
        .iter()
        .take(5)
        .map(|(name, time)| format!("{name} {} ({:.0} %)", duration(*time), share(*time)))
        .collect();
    shown.join(", ")
}

/// Three digits; small numbers are not rounded to zero.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if (0.01..100_000.0).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short() {
        for (value, text) in
            [(0.0, "0"), (-0.5, "-0.500"), (12345.678, "12345.678"), (1e-9, "1.00e-9"), (3e7, "3.00e7")]
        {
            assert_eq!(number(value), text);
        }
    }
}
