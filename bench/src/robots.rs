//! A robot file as MuJoCo would run it: from its start, with its controls, at its time step. One line of JSON per run;
//! `bench/python/robots.py` runs MuJoCo beside it and writes the page.

use crate::BenchError;
use cpu_time::ThreadTime;
use serde::Serialize;
use signorini::glamx::DVec3;
use signorini::robot::RobotModel;
use signorini::scene::RobotOptions;
use signorini::{Body, BodyView, PartName, Robot, RobotPlacement, Settings, Shape, StepStatus, World};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Arguments of `robot`.
#[derive(clap::Args)]
pub struct RobotArguments {
    /// A robot.
    file: PathBuf,
    /// Steps.
    #[arg(long)]
    steps: usize,
    /// Push every actuator along a sine over its range, the same in both engines.
    #[arg(long)]
    drive: bool,
    /// Length of a step \[s\]; as the file says if it is not given.
    #[arg(long)]
    dt: Option<f64>,
    /// Puts a floor right below a robot that is free and brings none.
    #[arg(long)]
    floor: bool,
    /// Folders in which files named by the robot may lie.
    #[arg(long)]
    root: Vec<PathBuf>,
}

/// What came of a run.
#[derive(Serialize)]
struct Run {
    /// Bodies that move.
    bodies: usize,
    /// Time step \[s\].
    dt: f64,
    /// CPU time of every step \[µs\].
    times: Vec<f64>,
    certified: usize,
    /// How many steps missed each part of the certificate.
    missed: BTreeMap<&'static str, usize>,
    /// The first of them, from 0.
    first_missed: Option<usize>,
    /// Largest number of contact points in a step.
    contacts: usize,
    /// Largest gap of a joint [m, rad].
    joint_gap: f64,
    /// Coordinates at the end.
    q: Vec<f64>,
}

/// Steps a robot and prints the run.
pub fn run(arguments: &RobotArguments) -> Result<(), BenchError> {
    let options = RobotOptions { roots: arguments.root.clone(), ..RobotOptions::default() };
    let model = RobotModel::load(&arguments.file, &options).map_err(BenchError::engine)?;
    let dt = arguments.dt.or(model.step).unwrap_or(0.002);
    let mut settings = Settings::default();
    settings.gravity = model.gravity.unwrap_or(settings.gravity);
    let mut world = World::new(settings).map_err(BenchError::engine)?;
    let robot = Robot::add(&mut world, &model, &RobotPlacement::default()).map_err(BenchError::engine)?;
    robot.set_control(&mut world, &model.home_control).map_err(BenchError::engine)?;
    if arguments.floor && robot.fixtures().is_empty() {
        let lowest = robot.bodies().iter().filter_map(|body| world.body(*body).ok()).filter_map(lowest_point);
        let height = lowest.fold(f64::INFINITY, f64::min);
        if height.is_finite() {
            let plane = Shape::half_space(DVec3::Z).map_err(BenchError::engine)?;
            world.add(Body::fixed(plane).position(DVec3::Z * (height - 1e-3))).map_err(BenchError::engine)?;
        }
    }
    let mut run = Run {
        bodies: model.links.len(),
        dt,
        times: Vec::with_capacity(arguments.steps),
        certified: 0,
        missed: BTreeMap::new(),
        first_missed: None,
        contacts: 0,
        joint_gap: 0.0,
        q: Vec::new(),
    };
    for step in 0..arguments.steps {
        if arguments.drive {
            let control = driven(&model, step as f64 * dt);
            robot.set_control(&mut world, &control).map_err(BenchError::engine)?;
        }
        let clock = ThreadTime::now();
        let report = world.step(dt).map_err(BenchError::engine)?;
        run.times.push(1e6 * clock.elapsed().as_secs_f64());
        run.certified += usize::from(report.status == StepStatus::Certified);
        if report.status != StepStatus::Certified {
            run.first_missed.get_or_insert(step);
            for name in PartName::ALL.into_iter().filter(|name| !report.certificate.part(*name).is_met()) {
                *run.missed.entry(name.key()).or_default() += 1;
            }
        }
        run.contacts = run.contacts.max(report.counts.contacts);
        run.joint_gap = run.joint_gap.max(report.certificate.joint_gap.value);
    }
    run.q = robot.q(&world).map_err(BenchError::engine)?;
    let line = serde_json::to_string(&run).map_err(BenchError::engine)?;
    println!("{line}");
    Ok(())
}

/// The lowest point of the box around a body \[m\]; none if it has no shape, or one without an end.
fn lowest_point(body: BodyView) -> Option<f64> {
    let height = body.shape().aabb(&body.pose()).min.z;
    height.is_finite().then_some(height)
}

/// Sines of 5 rad/s, each a phase further on, over the middle half of the range of every actuator.
fn driven(model: &RobotModel, time: f64) -> Vec<f64> {
    let wave = |k: usize| (5.0 * time + 1.7 * k as f64).sin();
    let control = |(k, actuator): (usize, &signorini::robot::ActuatorDescription)| {
        let [low, high] = actuator.control_range.unwrap_or([-1.0, 1.0]);
        0.5 * (low + high) + 0.25 * (high - low) * wave(k)
    };
    model.actuators.iter().enumerate().map(control).collect()
}
