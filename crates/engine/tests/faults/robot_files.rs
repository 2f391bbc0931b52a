//! Robot files as people have them: meshes that are only looked at, paths from other systems, numbers with commas, joints whose
//! axes stand at any angle.

use crate::fixture::files;
use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::robot::RobotModel;
use signorini::scene::RobotOptions;
use signorini::{JOINT_BOUND, Robot, RobotPlacement, Settings, StepStatus, World};
use std::fs;
use std::path::PathBuf;

fn read(text: &str) -> Result<RobotModel, String> {
    RobotModel::from_text(text, &RobotOptions::default()).map_err(|error| error.to_string())
}

fn folder(test: &str) -> PathBuf {
    let folder = files::folder(&format!("robot_files/{test}"));
    fs::create_dir_all(folder.join("parts")).unwrap();
    folder
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_mesh_that_is_only_looked_at_need_not_be_there() {
    let body = |inertial: &str, geom: &str| {
        format!(
            "<mujoco><asset><mesh name='hood' file='hood.dae'/></asset><worldbody><body name='car'><freejoint/>{inertial}\
             <geom type='box' size='1 1 1'/><geom type='mesh' mesh='hood' {geom}/></body></worldbody></mujoco>"
        )
    };
    let inertial = "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>";
    let seen = "contype='0' conaffinity='0'";
    for text in [body(inertial, seen), body("", &format!("{seen} mass='0'")), body("", &format!("{seen} density='0'"))]
    {
        let model = read(&text).unwrap();
        assert_eq!(model.links[0].shapes.len(), 1);
    }
    // The mass of a box of 8 m³ in water, and nothing of the hood.
    let model = read(&body("", &format!("{seen} mass='0'"))).unwrap();
    assert!((model.links[0].mass.mass - 8000.0).abs() < 1e-9);
    // What touches, or is needed for the mass, has to be read.
    for text in [body(inertial, ""), body("", seen)] {
        let error = read(&text).unwrap_err();
        assert!(error.contains("'hood.dae'"), "{error}");
    }
}

#[test]
fn paths_may_be_written_with_backslashes_and_still_do_not_climb() {
    let folder = folder("backslashes");
    fs::write(folder.join("parts/tip.obj"), TETRAHEDRON).unwrap();
    fs::write(folder.join("parts/tip.xml"), "<mujocoinclude><geom type='mesh' mesh='tip'/></mujocoinclude>").unwrap();
    let text = |mesh: &str| {
        format!(
            "<mujoco><asset><mesh name='tip' file='{mesh}'/></asset><worldbody><body><freejoint/>\
             <include file='parts\\tip.xml'/></body></worldbody></mujoco>"
        )
    };
    let load = |mesh: &str| {
        let file = folder.join("robot.xml");
        fs::write(&file, text(mesh)).unwrap();
        RobotModel::load(&file, &RobotOptions::default()).map_err(|error| error.to_string())
    };
    // A corner of a cube: 1/6 m³ of water.
    assert!((load("parts\\tip.obj").unwrap().links[0].mass.mass - 1000.0 / 6.0).abs() < 1e-9);
    let outside = folder.join("../outside.obj");
    fs::write(&outside, TETRAHEDRON).unwrap();
    let error = load("..\\outside.obj").unwrap_err();
    assert!(error.contains("lie in its folder"), "{error}");
    // So it is in URDF.
    let urdf = "<robot name='tip'><link name='tip'><collision><geometry><mesh filename='parts\\tip.obj'/></geometry>\
                </collision><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>";
    fs::write(folder.join("robot.urdf"), urdf).unwrap();
    let model = RobotModel::load(folder.join("robot.urdf"), &RobotOptions::default()).unwrap();
    assert_eq!(model.links[0].shapes.len(), 1);
}

#[test]
fn triples_with_commas_and_numbers_too_many_are_read_and_noted() {
    let robot = |xyz: &str| {
        format!(
            "<robot name='r'><link name='world'/><link name='arm'><inertial><mass value='1'/>\
             <inertia ixx='1' iyy='1' izz='1'/></inertial></link><joint name='j' type='continuous'>\
             <parent link='world'/><child link='arm'/><origin xyz='{xyz}'/></joint></robot>"
        )
    };
    for (xyz, note) in [("0.07, 0,-0.69", "commas in 'xyz'"), ("0.07 0 -0.69 0", "'xyz' takes three numbers")] {
        let model = read(&robot(xyz)).unwrap();
        assert_eq!(model.links[0].pose.translation, DVec3::new(0.07, 0.0, -0.69));
        assert!(model.ignored.iter().any(|notice| notice.what.contains(note)), "{:?}", model.ignored);
    }
    assert!(read(&robot("0.07 0 -0.69")).unwrap().ignored.is_empty());
    for (xyz, message) in [("1 2", "has 2 numbers"), ("1 2 x", "'x' is not a finite number"), ("1 2 3 x", "'x' is not")]
    {
        let error = read(&robot(xyz)).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

/// A shoulder blade: its third axis is at 73° to the second, and a slide comes last.
const SHOULDER: &str = "<mujoco><compiler angle='radian'/><worldbody><body name='trunk' pos='0 0 1'>
  <joint name='swing' axis='0 1 0'/><inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/>
  <body name='blade' pos='0.3 0 0'>
    <joint name='turn' axis='0 0 1'/><joint name='lift' axis='1 0 0'/><joint name='reach' axis='0.3 1 0'/>
    <joint name='out' type='slide' axis='1 1 0'/>
    <inertial pos='0.1 0 0' mass='2' diaginertia='0.02 0.03 0.04'/>
    <geom type='sphere' size='0.4' mass='0'/>
  </body></body></worldbody></mujoco>";

#[test]
fn joints_whose_axes_stand_at_any_angle_are_carried_by_a_body_in_between() {
    let model = read(SHOULDER).unwrap();
    let names: Vec<&str> = model.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["trunk", "blade/lift", "blade/reach", "blade"]);
    assert!(model.ignored.iter().any(|notice| notice.what.contains("'blade': a body in between has 0.01 of its mass")));
    // Nothing is added to the mass, and joints keep their order.
    let masses: Vec<f64> = model.links.iter().map(|link| link.mass.mass).collect();
    for (found, paper) in masses.iter().zip([5.0, 0.02, 0.02, 1.96]) {
        assert!((found - paper).abs() < 1e-15, "{found}");
    }
    // One motion after the other, each in the frame that those before it made.
    let q = [0.2, 0.7, -0.5, 0.9, 0.25];
    let turn = |axis: [f64; 3], angle: f64| {
        DPose3::from_parts(DVec3::ZERO, DQuat::from_axis_angle(DVec3::from_array(axis).normalize(), angle))
    };
    let moved = |by: DVec3| DPose3::from_translation(by);
    let paper = moved(DVec3::Z)
        * turn([0.0, 1.0, 0.0], q[0])
        * moved(DVec3::new(0.3, 0.0, 0.0))
        * turn([0.0, 0.0, 1.0], q[1])
        * turn([1.0, 0.0, 0.0], q[2])
        * turn([0.3, 1.0, 0.0], q[3])
        * moved(DVec3::new(1.0, 1.0, 0.0).normalize() * q[4]);
    let found = model.frame(&model.posture(&DPose3::IDENTITY, &q), "blade").unwrap();
    assert!((found.translation - paper.translation).length() < 1e-14);
    assert!(found.rotation.angle_between(paper.rotation) < 1e-7);
}

#[test]
fn what_is_carried_by_a_body_in_between_swings_certified() {
    let model = read(SHOULDER).unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    let robot = Robot::add(&mut world, &model, &RobotPlacement::default()).unwrap();
    let before = robot.q(&world).unwrap();
    for _ in 0..200 {
        let report = world.step(0.005).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate.misses().collect::<Vec<_>>());
        assert!(report.certificate.joint_gap.value <= JOINT_BOUND);
    }
    assert!(robot.q(&world).unwrap().iter().zip(&before).any(|(after, before)| (after - before).abs() > 0.1));
}
