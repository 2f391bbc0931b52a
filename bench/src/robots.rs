//! A robot file as MuJoCo would run it: from its start, with its controls, at its time step. One line of JSON per run;
//! `bench/python/robots.py` runs MuJoCo beside it and writes the page.

use crate::BenchError;
use cpu_time::ThreadTime;
use serde::Serialize;
use signorini::robot::RobotModel;
use signorini::scene::RobotOptions;
use signorini::{Robot, RobotPlacement, Settings, StepStatus, World};
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
    /// Largest number of contact points in a step.
    contacts: usize,
    /// Largest gap of a joint [m, rad].
    joint_gap: f64,
    /// Coordinates at the end.
    q: Vec<f64>,
}

/// Steps a robot and prints the run.
pub fn run(arguments: &RobotArguments) -> Result<(), BenchError> {
    let model = RobotModel::load(&arguments.file, &RobotOptions::default()).map_err(BenchError::engine)?;
    let dt = model.step.unwrap_or(0.002);
    let mut settings = Settings::default();
    settings.gravity = model.gravity.unwrap_or(settings.gravity);
    let mut world = World::new(settings).map_err(BenchError::engine)?;
    let robot = Robot::add(&mut world, &model, &RobotPlacement::default()).map_err(BenchError::engine)?;
    robot.set_control(&mut world, &model.home_control).map_err(BenchError::engine)?;
    let mut run = Run {
        bodies: model.links.len(),
        dt,
        times: Vec::with_capacity(arguments.steps),
        certified: 0,
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
        run.contacts = run.contacts.max(report.counts.contacts);
        run.joint_gap = run.joint_gap.max(report.certificate.joint_gap.value);
    }
    run.q = robot.q(&world).map_err(BenchError::engine)?;
    let line = serde_json::to_string(&run).map_err(BenchError::engine)?;
    println!("{line}");
    Ok(())
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
