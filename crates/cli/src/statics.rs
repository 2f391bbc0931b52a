//! `signorini statics`: finds which forces can hold a scene at rest at its initial poses.

mod picture;

use crate::arguments::ReportFormat;
use crate::error::InputError;
use crate::output::{Output, check_writable};
use crate::scene_list;
use crate::solve::Verdict;
use clap::{Args, ValueEnum};
use serde::Serialize;
use signorini::glamx::DVec3;
use signorini::statics::{
    ForceBounds, Load, LoadLimit, Per, Proof, SafetyFactor, Stability, StaticsError, StaticsOptions, force_bounds,
    is_stable, load_limit, safety_factor,
};
use signorini::{BodyHandle, World};
use std::path::PathBuf;

/// Arguments of `signorini statics`.
#[derive(Debug, Args)]
pub struct StaticsArguments {
    /// Name of a built-in scene, or a scene file ending in .toml, .json, .urdf or .xml (MJCF).
    pub scene: String,
    /// Steps to take before the analysis, so that a scene can settle.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub steps: u64,
    /// A load whose limit is asked for: the name of a body and a force [N] at its centre of mass. Several make one pattern.
    #[arg(long, value_name = "BODY=X,Y,Z", value_parser = parse_load)]
    pub load: Vec<(String, DVec3)>,
    /// Surfaces this close carry load [m].
    #[arg(long, value_name = "METRES", default_value_t = 1e-6)]
    pub touching: f64,
    /// Forces of what: a patch of contact, or every point.
    #[arg(long, value_enum, default_value_t = ForcesOf::Patch)]
    pub per: ForcesOf,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub report: ReportFormat,
    /// Draw the bodies and the ranges of their contact forces.
    #[arg(long, value_name = "OUT.svg")]
    pub plot: Option<PathBuf>,
    /// Along which axis the drawing looks.
    #[arg(long, value_enum, default_value_t = View::Y, requires = "plot")]
    pub view: View,
}

/// What forces are listed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ForcesOf {
    /// All points where two parts touch.
    Patch,
    /// Every point.
    Point,
}

/// The direction of view of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// y to the right, z up.
    X,
    /// x to the right, z up.
    Y,
    /// x to the right, y up.
    Z,
}

/// All results.
struct Findings {
    stability: Stability,
    /// None if the bodies fall.
    bounds: Option<ForceBounds>,
    safety: Option<SafetyFactor>,
    limit: Option<LoadLimit>,
}

/// Answers the questions of statics about a scene. Falling bodies are a verdict, not an error.
pub fn run(arguments: &StaticsArguments, output: &mut Output) -> Result<Verdict, InputError> {
    if let Some(path) = &arguments.plot {
        check_writable(path)?;
    }
    let scene = scene_list::find(&arguments.scene)?;
    let mut world = scene.build()?;
    for step in 0..arguments.steps {
        world.step(scene.step).map_err(|why| InputError::Step { step: step + 1, why })?;
    }
    let findings = find(&world, arguments)?;
    match arguments.report {
        ReportFormat::Text => print_text(&world, &findings, output)?,
        ReportFormat::Json => print_json(&world, &findings, output)?,
    }
    if let Some(path) = &arguments.plot {
        let drawing = picture::draw(&arguments.scene, &world, &findings, arguments.view);
        std::fs::write(path, drawing).map_err(|cause| InputError::Unwritable { path: path.clone(), cause })?;
    }
    Ok(if findings.stability.stable { Verdict::Solved } else { Verdict::Unsolved })
}

fn find(world: &World, arguments: &StaticsArguments) -> Result<Findings, InputError> {
    let options = StaticsOptions { touching: arguments.touching, ..StaticsOptions::default() };
    let per = match arguments.per {
        ForcesOf::Patch => Per::Patch,
        ForcesOf::Point => Per::Point,
    };
    let mut pattern = Vec::new();
    for (name, force) in &arguments.load {
        let body = world.find(name.as_str()).ok_or_else(|| InputError::UnknownBody { name: name.clone() })?;
        pattern.push(Load::force(body, *force));
    }
    let stability = is_stable(world, &options)?;
    let bounds = if stability.stable { Some(force_bounds(world, per, &options)?) } else { None };
    let safety = unless_falls(safety_factor(world, &options))?;
    let limit = if pattern.is_empty() { None } else { unless_falls(load_limit(world, &pattern, &options))? };
    Ok(Findings { stability, bounds, safety, limit })
}

fn unless_falls<T>(answer: Result<T, StaticsError>) -> Result<Option<T>, StaticsError> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(StaticsError::Falls { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn parse_load(text: &str) -> Result<(String, DVec3), String> {
    let wrong = || format!("'{text}' is not BODY=X,Y,Z with three numbers [N]");
    let (name, numbers) = text.rsplit_once('=').ok_or_else(wrong)?;
    let numbers: Vec<f64> =
        numbers.split(',').map(|number| number.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|number| number.is_finite()) => Ok((name.to_owned(), DVec3::new(x, y, z))),
        _ => Err(wrong()),
    }
}

fn label(world: &World, body: BodyHandle) -> String {
    world.body(body).map_or_else(|_| String::new(), |view| view.id().label())
}

/// A force rounded to significant digits; infinite ones in words.
fn force(value: f64) -> String {
    if value == f64::INFINITY {
        "no limit".to_owned()
    } else {
        format!("{:.4}", if value.abs() < 5e-5 { 0.0 } else { value })
    }
}

fn print_text(world: &World, findings: &Findings, output: &mut Output) -> Result<(), InputError> {
    let Findings { stability, bounds, safety, limit } = findings;
    let Stability { missing, missing_at_least, .. } = stability;
    if stability.stable {
        output.line("can rest: yes; contacts and joints can carry the loads")?;
    } else {
        output.line(&format!(
            "can rest: no; {} N are missing, and no forces leave less than {}",
            force(*missing),
            force(*missing_at_least)
        ))?;
        for motion in stability
            .motion
            .iter()
            .filter(|motion| motion.velocity.length() + stability.length * motion.angular_velocity.length() > 1e-3)
        {
            let (v, w) = (motion.velocity, motion.angular_velocity);
            output.line(&format!(
                "  {} begins to move along ({:.3}, {:.3}, {:.3}) and to turn about ({:.3}, {:.3}, {:.3})",
                label(world, motion.body),
                v.x,
                v.y,
                v.z,
                w.x,
                w.y,
                w.z
            ))?;
        }
    }
    output.line(&match safety {
        Some(safety) if safety.factor.is_infinite() => "safety on friction: rests without friction".to_owned(),
        Some(safety) => format!("safety on friction: {:.6} (falls from {:.6})", safety.factor, safety.falls_from),
        None => "safety on friction: no friction holds it".to_owned(),
    })?;
    if let Some(limit) = limit {
        output.line(&format!("factor of the loads: from {} to {}", force(limit.least), force(limit.greatest)))?;
    }
    let mut proof = stability.proof;
    if let Some(bounds) = bounds {
        output.line("")?;
        let names: Vec<[String; 2]> =
            bounds.contacts.iter().map(|contact| [contact.a, contact.b].map(|body| label(world, body))).collect();
        let width = names.iter().flatten().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
        output.line(&format!(
            "{:<width$}  {:<width$}  {:>12}  {:>12}  {:>12}  {:>12}",
            "body", "body", "normal from", "to [N]", "tangential", "to [N]"
        ))?;
        for ([a, b], contact) in names.iter().zip(&bounds.contacts) {
            let (normal, tangential) = (contact.normal_force, contact.tangential_force);
            output.line(&format!(
                "{a:<width$}  {b:<width$}  {:>12}  {:>12}  {:>12}  {:>12}",
                force(normal.least),
                force(normal.greatest),
                force(tangential.least),
                force(tangential.greatest)
            ))?;
        }
        proof = bounds.proof;
    }
    output.line("")?;
    let Proof { primal, dual, gap } = proof;
    output.line(&format!("checked: unbalanced {primal:.1e}, outside the dual cone {dual:.1e}, duality gap {gap:.1e} (of the largest load)"))
}

/// A number of the JSON report; infinite ones are null.
#[derive(Serialize)]
struct Report {
    stable: bool,
    missing: f64,
    missing_at_least: f64,
    safety_factor: Option<f64>,
    rests_without_friction: bool,
    load_least: Option<f64>,
    load_greatest: Option<f64>,
    proof: [f64; 3],
    contacts: Vec<Contact>,
}

#[derive(Serialize)]
struct Contact {
    bodies: [String; 2],
    point: [f64; 3],
    normal: [f64; 3],
    normal_force: [Option<f64>; 2],
    tangential_force: [Option<f64>; 2],
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn print_json(world: &World, findings: &Findings, output: &mut Output) -> Result<(), InputError> {
    let Findings { stability, bounds, safety, limit } = findings;
    let Proof { primal, dual, gap } = bounds.as_ref().map_or(stability.proof, |bounds| bounds.proof);
    let contact = |c: &signorini::statics::Bounded| Contact {
        bodies: [c.a, c.b].map(|body| label(world, body)),
        point: c.point.to_array(),
        normal: c.normal.to_array(),
        normal_force: [c.normal_force.least, c.normal_force.greatest].map(finite),
        tangential_force: [c.tangential_force.least, c.tangential_force.greatest].map(finite),
    };
    let report = Report {
        stable: stability.stable,
        missing: stability.missing,
        missing_at_least: stability.missing_at_least,
        safety_factor: safety.and_then(|safety| finite(safety.factor)),
        rests_without_friction: safety.is_some_and(|safety| safety.factor.is_infinite()),
        load_least: limit.and_then(|limit| finite(limit.least)),
        load_greatest: limit.and_then(|limit| finite(limit.greatest)),
        proof: [primal, dual, gap],
        contacts: bounds.iter().flat_map(|bounds| bounds.contacts.iter().map(contact)).collect(),
    };
    let text = serde_json::to_string(&report).map_err(|why| InputError::Stdout(why.into()))?;
    output.line(&text)
}
