//! Scene files from outside that once broke something: a panic, steps of seconds, a world that one body stopped, joints
//! that were torn and called certified. They are not part of this repository; where they are absent, the tests say so.
//!
//! Work is counted, never timed.

use crate::fixture::*;
use signorini::Scene;
use std::path::PathBuf;

fn path(file: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wild").join(file);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
    }
    path.exists().then_some(path)
}

fn scene(file: &str) -> Option<Scene> {
    path(file).map(|path| Scene::load(path).unwrap())
}

/// Work of a step as rations count it: iterations, or eight per factorization.
fn work(report: &StepReport) -> usize {
    report.effort.iterations.max(8 * report.effort.factorizations)
}

/// What all problems of an island may spend in a step, with room for the last of them.
const MOST_WORK: usize = 30_000;

/// Takes `steps` steps; asks of each that it is taken, finite and within the ration of its islands.
fn survive(scene: &Scene, steps: usize) -> Vec<StepReport> {
    let mut world = scene.build().unwrap();
    let mut reports = Vec::new();
    for step in 1..=steps {
        let report = world.step(scene.step).unwrap_or_else(|error| panic!("step {step}: {error}"));
        all_finite(&world);
        assert!(report.energy.closure().is_finite(), "step {step}: {:?}", report.energy);
        let most = MOST_WORK * report.counts.islands.max(1);
        assert!(work(&report) <= most, "step {step}: {} iterations' worth of work", work(&report));
        reports.push(report);
    }
    reports
}

/// No step takes more than fifty times the work of the middle one of its kind: of those in motion (faster than 0.05 m/s in the mean
/// square) that solve anything, or of all that do where nothing moves.
fn even(scene: &Scene, reports: &[StepReport]) {
    let world = scene.build().unwrap();
    let mass: f64 = world.bodies().map(|(_, body)| body.mass()).filter(|mass| mass.is_finite()).sum();
    let moves = |report: &&StepReport| report.energy.before.kinetic() > 0.5 * mass * 0.05 * 0.05;
    let moving = reports.iter().any(|report| moves(&report) && work(report) > 0);
    let kind = reports.iter().filter(|report| moves(report) || !moving);
    let mut sorted: Vec<usize> = kind.map(work).filter(|work| *work > 0).collect();
    sorted.sort_unstable();
    let (median, most) = (sorted[sorted.len() / 2], reports.iter().map(work).max().unwrap());
    eprintln!("work of a step: median {median}, most {most}");
    assert!(most <= 50 * median, "a step spends {most}, the middle one {median}");
}

/// A hull with an empty active set and tolerance 0: `chunks_exact_mut(0)`.
#[test]
fn panic67() {
    if let Some(scene) = scene("panic67.json") {
        survive(&scene, 60);
    }
}

/// The same with a step of 100 s and a tolerance of 1e-15.
#[test]
fn panic194() {
    if let Some(scene) = scene("panic194.json") {
        survive(&scene, 60);
    }
}

/// Nine bodies that begin within each other and bounce where there is no room to: one step took 5.2 s. No step spends more than the
/// purse of its island, eight budgets of 120 factorizations (`step/ration.rs`).
#[test]
fn slow100032() {
    let Some(scene) = scene("slow100032.toml") else { return };
    let reports = survive(&scene, 300);
    even(&scene, &reports);
    let most = reports.iter().map(|report| report.effort.factorizations).max().unwrap();
    assert!(most <= 8 * 120, "a step makes {most} factorizations");
    for (step, report) in reports.iter().enumerate().filter(|(_, report)| report.status == StepStatus::Degraded) {
        eprintln!("step {step}: {:?}", report.certificate.misses().collect::<Vec<_>>());
    }
}

/// Four cubes of 1 kg between a press at 1 m/s and a wall: 0.4 s a step, and the press did 8e10 J of work. What is squeezed
/// presses with no more than 1000 N per kilogram (docs/decisions/0004-kinematic-squeeze.md), until the press, 0.4 m thick,
/// has come so far into the cubes of 1 m that the other side is nearer: (0.4 + 1)/2 m and a step, so that it does
/// 4 · 1000 N · (0.7 m + 1/60 m) of work at most.
#[test]
fn crush_v1_n4() {
    let Some(scene) = scene("crush_v1_n4.json") else { return };
    let reports = survive(&scene, 300);
    even(&scene, &reports);
    let driven: f64 = reports.iter().map(|report| report.energy.driven.abs()).sum();
    let most = 4.0 * 1000.0 * (0.7 + scene.step);
    assert!(driven < 1.001 * most, "the press did {driven} J of work, {most} J at most");
    let worst = reports.iter().map(work).max().unwrap();
    assert!(worst <= 2000, "a step spends {worst}");
    // The press has gone through: nothing is squeezed any more, and everything is at rest within the laws.
    assert_eq!(reports[299].status, StepStatus::Certified);
}

/// Two hundred bodies leave their range in one step, which took 2.6 s. They stand after it; the others do as if they were
/// not there.
#[test]
fn leavers200() {
    let Some(scene) = scene("leavers200.json") else { return };
    let mut world = scene.build().unwrap();
    let report = world.step(scene.step).unwrap();
    all_finite(&world);
    assert_eq!((report.status, report.counts.quarantined), (StepStatus::Degraded, 200));
    assert!(work(&report) <= 20 * report.counts.bodies, "the step spends {}", work(&report));
    let out: Vec<String> =
        world.bodies().filter(|(_, body)| body.is_quarantined()).map(|(_, body)| body.id().label()).collect();
    let mut without = scene.clone();
    without.bodies.retain(|body| !out.contains(&body.name));
    assert_eq!(without.bodies.len() + 200, scene.bodies.len());
    let mut twin = without.build().unwrap();
    twin.step(scene.step).unwrap();
    for _ in 0..20 {
        world.step(scene.step).unwrap();
        twin.step(scene.step).unwrap();
    }
    for (_, body) in twin.bodies() {
        let same = world.body(world.find(body.id().clone()).unwrap()).unwrap();
        assert_eq!(same.state(), body.state(), "{}", body.id());
    }
}

/// A needle whose inertia no step can use: the file is refused with the name of the body and the place of the number, and
/// without the needle the rest runs.
#[test]
fn err914() {
    let Some(path) = path("err914.json") else { return };
    let refused = Scene::load(&path).unwrap_err().to_string();
    let named = ["body '#6'", "bodies[0].inertial.moments", "below 1e-12"].iter().all(|part| refused.contains(part));
    assert!(named, "{refused}");
    let mut rest: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    rest["bodies"].as_array_mut().unwrap().retain(|body| body["name"] != "#6");
    survive(&Scene::from_json(&rest.to_string()).unwrap(), 30);
}

/// Every step misses the gap of a joint, by as much as the anchors are apart, and says so.
fn torn(file: &str, least_gap: f64) {
    let Some(scene) = scene(file) else { return };
    for report in survive(&scene, 60) {
        assert_eq!(report.status, StepStatus::Degraded);
        let gap = report.certificate.part(PartName::JointGap);
        assert!(gap.value > least_gap && gap.value > gap.bound, "{gap:?}");
    }
}

/// One body tied to two points 2 m apart: half of that is left on either side at best.
#[test]
fn two_anchors() {
    torn("two_anchors.json", 0.99);
}

/// A ring of links that is too short to close.
#[test]
fn r#loop() {
    torn("loop.json", 1e-6);
}

/// Two hundred free bodies that turn fast: energy is kept to a millionth of a millionth, whatever the number of threads.
#[test]
fn spinners() {
    let Some(scene) = scene("spinners.json") else { return };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = scene.build().unwrap();
            let before = world.energy().total();
            for _ in 0..100 {
                assert_eq!(world.step(scene.step).unwrap().status, StepStatus::Certified);
            }
            let drift = (world.energy().total() / before - 1.0).abs();
            assert!(drift < 1e-11, "energy drifts by {drift:e}");
            world.state_hash()
        })
    };
    assert_eq!(run(1), run(3));
}
