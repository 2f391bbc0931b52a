//! What is read off a trajectory, the same for every engine: nothing but poses, velocities and times enters.

mod free_top;
mod overlap;

pub use overlap::boxes_overlap;

use crate::audit;
use crate::scene::{Scene, ShapeKind};
use crate::trajectory::{Frame, Trajectory, median};
use signorini::glamx::{DQuat, DVec3};

/// A number with its name; names carry the unit.
pub type Metric = (&'static str, f64);

/// The one number of each family of scenes that stands for its departure from the answer on paper, and what it is.
const HEADLINES: &[(&str, &[&str], &str)] = &[
    ("S1_", &["drift_xy_m", "drift_z_m"], "largest drift [m]"),
    ("S2_", &["drift_xy_m", "drift_z_m"], "largest drift [m]"),
    ("S3_stick", &["creep_m"], "creep [m]"),
    ("S3_slide", &["speed_error"], "speed, relative"),
    ("S4_e0", &["apex_error", "apex_m"], "first apex, relative; at e = 0 [m]"),
    ("S4_e1", &["apex_error"], "first apex, relative"),
    ("S5_", &["velocity_error"], "velocities, relative to the first"),
    ("S6_", &["drift_xy_m", "drift_z_m"], "largest drift [m]"),
    ("S7_wall", &["drift_xy_m", "drift_z_m"], "largest drift [m]"),
    ("S7_pile", &["overlap_end_m"], "overlap at the end [m]"),
    ("S8", &["stop_time_error"], "stopping time, relative"),
    ("S9_", &["momentum_drift"], "angular momentum, relative"),
    ("S11_", &["off_parabola_m"], "from the parabola [m]"),
];

/// Departure from the answer on paper, and what it is of.
pub fn headline(scene: &Scene, metrics: &[Metric]) -> Option<(f64, &'static str)> {
    let (_, names, what) = HEADLINES.iter().find(|(start, ..)| scene.name.starts_with(start))?;
    let values = metrics.iter().filter(|(name, _)| names.contains(name)).map(|(_, value)| value.abs());
    values.reduce(f64::max).map(|value| (value, *what))
}

/// Beyond this distance [m] from where it should be a body has fallen.
const FALLEN: f64 = 0.5;

fn position(frame: &Frame, body: usize) -> DVec3 {
    let p = frame.poses[body];
    DVec3::new(p[0], p[1], p[2])
}

fn orientation(frame: &Frame, body: usize) -> DQuat {
    let p = frame.poses[body];
    DQuat::from_xyzw(p[4], p[5], p[6], p[3])
}

fn velocity(frame: &Frame, body: usize) -> DVec3 {
    let v = frame.velocities[body];
    DVec3::new(v[0], v[1], v[2])
}

fn angular_velocity(frame: &Frame, body: usize) -> DVec3 {
    let v = frame.velocities[body];
    DVec3::new(v[3], v[4], v[5])
}

/// Kinetic energy \[J\] of the bodies that can move.
fn kinetic(scene: &Scene, frame: &Frame) -> f64 {
    let of = |(index, body): (usize, &crate::scene::Body)| {
        if body.fixed {
            return 0.0;
        }
        let local = orientation(frame, index).inverse() * angular_velocity(frame, index);
        let turning = DVec3::from_array(body.inertia()).dot(local * local);
        0.5 * (body.mass * velocity(frame, index).length_squared() + turning)
    };
    scene.bodies.iter().enumerate().map(of).sum()
}

/// Kinetic and potential energy \[J\].
fn energy(scene: &Scene, frame: &Frame) -> f64 {
    let gravity = DVec3::from_array(scene.gravity);
    let movable = scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed);
    kinetic(scene, frame) - movable.map(|(index, body)| body.mass * gravity.dot(position(frame, index))).sum::<f64>()
}

/// All metrics of a trajectory.
pub fn metrics(scene: &Scene, run: &Trajectory) -> Vec<Metric> {
    let mut out = vec![("ms_per_step", run.milliseconds()), ("steps_done", run.seconds.len() as f64)];
    out.extend(run.contacts.map(|n| ("contacts", n as f64)));
    judged(scene, run, &mut out);
    out.extend(run.degraded.map(|n| ("degraded_steps", n as f64)));
    let (Some(start), Some(end)) = (run.frames.first(), run.end()) else { return out };
    if end.poses.iter().flatten().chain(end.velocities.iter().flatten()).any(|x| !x.is_finite()) {
        out.push(("not_finite", 1.0));
        return out;
    }
    match scene.name.split('_').next().unwrap_or_default() {
        "S1" | "S6" => standing(scene, run, start, end, &mut out),
        "S2" => {
            standing(scene, run, start, end, &mut out);
            let worst = run.frames.iter().map(|f| overlap::deepest(scene, f)).fold(0.0, f64::max);
            out.push(("worst_overlap_m", worst));
        }
        "S3" => incline(scene, run, start, end, &mut out),
        "S4" => bounce(scene, run, start, &mut out),
        "S5" => row(scene, start, end, &mut out),
        "S7" if scene.name.contains("pile") => pile(scene, run, end, &mut out),
        "S7" => standing(scene, run, start, end, &mut out),
        "S8" | "S8b" | "S8c" => slide(scene, run, start, end, &mut out),
        "S9" => free_top::measure(scene, run, &mut out),
        "S10" => {
            let passed = position(end, 1).x > position(end, 0).x;
            out.push(("passed_through", f64::from(u8::from(passed))));
        }
        "S11" => thrown(scene, start, end, &mut out),
        _ => {}
    }
    out
}

/// What the judge says: of every step where the engine has a certificate, else of the audited ones.
fn judged(scene: &Scene, run: &Trajectory, out: &mut Vec<Metric>) {
    let audited = audit::grade(scene, run);
    let residuals = if run.residuals.is_empty() { &audited.residuals } else { &run.residuals };
    if !residuals.is_empty() {
        out.extend([
            ("residual_worst_m_per_s", residuals.iter().copied().fold(0.0, f64::max)),
            ("residual_median_m_per_s", median(residuals)),
        ]);
    }
    if !audited.unexplained.is_empty() {
        out.push(("unexplained_median_m_per_s", median(&audited.unexplained)));
    }
}

fn standing(scene: &Scene, run: &Trajectory, start: &Frame, end: &Frame, out: &mut Vec<Metric>) {
    let (mut sideways, mut down) = (0.0f64, 0.0f64);
    for frame in &run.frames {
        for body in 0..scene.bodies.len() {
            let moved = position(frame, body) - position(start, body);
            sideways = sideways.max(moved.truncate().length());
            down = down.max(moved.z.abs());
        }
    }
    let last = (0..scene.bodies.len()).map(|b| position(end, b).z - position(start, b).z);
    let deepest = last.fold(0.0, |worst: f64, z| if z.abs() > worst.abs() { z } else { worst });
    out.extend([
        ("drift_xy_m", sideways),
        ("drift_z_m", down),
        ("drift_z_end_m", deepest),
        ("overlap_end_m", overlap::deepest(scene, end)),
        ("kinetic_end_J", kinetic(scene, end)),
        ("fell", f64::from(u8::from(sideways.max(down) > FALLEN))),
    ]);
}

fn thrown(scene: &Scene, start: &Frame, end: &Frame, out: &mut Vec<Metric>) {
    let (time, gravity) = (end.step as f64 * scene.dt, DVec3::from_array(scene.gravity));
    let off = |body: usize| {
        let expected = position(start, body) + time * velocity(start, body) + 0.5 * time * time * gravity;
        position(end, body).distance(expected)
    };
    out.push(("off_parabola_m", (0..scene.bodies.len()).map(off).fold(0.0, f64::max)));
}

fn incline(scene: &Scene, run: &Trajectory, start: &Frame, end: &Frame, out: &mut Vec<Metric>) {
    let normal = orientation(start, 0) * DVec3::Z;
    let gravity = DVec3::from_array(scene.gravity);
    let along = gravity - normal * gravity.dot(normal);
    let downhill = along.normalize_or_zero();
    let way = |frame: &Frame| (position(frame, 1) - position(start, 1)).dot(downhill);
    let acceleration = along.length() - scene.bodies[1].mu * gravity.dot(normal).abs();
    if acceleration <= 0.0 {
        let half = run.at(scene, 0.5 * scene.steps as f64 * scene.dt).map_or(0.0, way);
        out.extend([("creep_m", way(end)), ("creep_second_half_m", way(end) - half)]);
        return;
    }
    let time = end.step as f64 * scene.dt;
    out.extend([
        ("distance_error", way(end) / (0.5 * acceleration * time * time) - 1.0),
        ("speed_error", velocity(end, 1).dot(downhill) / (acceleration * time) - 1.0),
    ]);
}

fn bounce(scene: &Scene, run: &Trajectory, start: &Frame, out: &mut Vec<Metric>) {
    let radius = scene.bodies[1].half_extents()[2];
    let floor = scene.bodies[0].pos[2] + scene.bodies[0].half_extents()[2];
    let height = |frame: &Frame| position(frame, 1).z - radius - floor;
    let drop = height(start);
    // After the first frame that rises, the highest point before it falls again.
    let rises = |frame: &Frame| velocity(frame, 1).z > 1e-6;
    let after: Vec<f64> = match run.frames.iter().position(rises) {
        Some(first) => run.frames[first..].iter().take_while(|f| velocity(f, 1).z > -1e-6).map(height).collect(),
        None => Vec::new(),
    };
    let apex = after.into_iter().fold(0.0, f64::max);
    let e = scene.bodies[1].e;
    let error = if e > 0.0 { apex / (e * e * drop) - 1.0 } else { apex };
    let begin = energy(scene, start);
    let scale = scene.bodies[1].mass * 9.81 * drop;
    let gain = run.frames.iter().map(|f| (energy(scene, f) - begin) / scale).fold(0.0, f64::max);
    out.extend([(if e > 0.0 { "apex_error" } else { "apex_m" }, error), ("energy_gain", gain)]);
    let deepest = run.frames.iter().map(|f| -height(f)).fold(0.0, f64::max);
    out.push(("worst_overlap_m", deepest));
    let late = run.frames.iter().filter(|f| 2 * f.step > scene.steps).map(height).fold(0.0, f64::max);
    out.push(("apex_second_half_m", late));
}

fn row(scene: &Scene, start: &Frame, end: &Frame, out: &mut Vec<Metric>) {
    let speed = velocity(start, 0).x;
    let last = scene.bodies.len() - 1;
    let expected = |body: usize| if body == last { speed } else { 0.0 };
    let error = (0..=last).map(|b| (velocity(end, b).x - expected(b)).abs() / speed).fold(0.0, f64::max);
    let energy = kinetic(scene, end) / kinetic(scene, start) - 1.0;
    let momentum: f64 = scene.bodies.iter().enumerate().map(|(b, body)| body.mass * velocity(end, b).x).sum();
    out.extend([
        ("velocity_error", error),
        ("energy_error", energy),
        ("momentum_error", momentum / (scene.bodies[0].mass * speed) - 1.0),
    ]);
}

fn pile(scene: &Scene, run: &Trajectory, end: &Frame, out: &mut Vec<Metric>) {
    let fastest = (0..scene.bodies.len()).map(|b| velocity(end, b).length()).fold(0.0, f64::max);
    let worst = run.frames.iter().map(|f| overlap::deepest(scene, f)).fold(0.0, f64::max);
    let mean = 1e3 * run.seconds.iter().sum::<f64>() / run.seconds.len().max(1) as f64;
    out.extend([
        ("ms_settled", run.settled_milliseconds()),
        ("ms_falling", 1e3 * median(&run.seconds[..run.seconds.len() / 3])),
        ("ms_mean", mean),
        ("ms_worst", 1e3 * run.seconds.iter().copied().fold(0.0, f64::max)),
        ("overlap_end_m", overlap::deepest(scene, end)),
        ("worst_overlap_m", worst),
        ("kinetic_end_J", kinetic(scene, end)),
        ("fastest_end_m_per_s", fastest),
    ]);
}

fn slide(scene: &Scene, run: &Trajectory, start: &Frame, end: &Frame, out: &mut Vec<Metric>) {
    let launch = velocity(start, 1);
    let (speed, direction) = (launch.length(), launch.normalize());
    let deceleration = scene.bodies[1].mu * DVec3::from_array(scene.gravity).length();
    // From the last frame that surely slides, on at the deceleration on paper: exact where the motion is.
    let mut sliding = run.frames.iter().map(|f| (f.step as f64 * scene.dt, velocity(f, 1).truncate().length()));
    let last = sliding.rfind(|(_, v)| *v > deceleration * scene.dt);
    let stop = last.map_or(f64::NAN, |(time, speed)| time + speed / deceleration);
    let way = position(end, 1) - position(start, 1);
    let climb = run.frames.iter().map(|f| velocity(f, 1).z.abs()).fold(0.0, f64::max);
    let turned = orientation(start, 1).inverse() * orientation(end, 1);
    let yaw = 2.0 * f64::atan2(turned.z, turned.w).to_degrees();
    let sideways = f64::atan2(direction.cross(way).z, direction.dot(way)).to_degrees();
    out.extend([
        ("stop_time_error", stop / (speed / deceleration) - 1.0),
        ("distance_error", way.length() / (speed * speed / (2.0 * deceleration)) - 1.0),
        ("vertical_speed_m_per_s", climb),
        ("yaw_degrees", (yaw + 180.0).rem_euclid(360.0) - 180.0),
        ("direction_error_degrees", sideways),
    ]);
}

/// Whether a body is a ball.
fn is_sphere(scene: &Scene, body: usize) -> bool {
    scene.bodies[body].shape == ShapeKind::Sphere
}
