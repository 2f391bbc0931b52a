//! Robots: closed forms of their kinematics and dynamics, what files say of them, and that worlds keep to it.

use crate::fixture::files;
use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::robot::{Motion, RobotModel};
use signorini::scene::RobotOptions;
use signorini::{JOINT_BOUND, Robot, RobotPlacement, Scene, Settings, StepStatus, World};

/// Two rods of 1 kg and 0.5 kg, each 1 m long and thin, that swing in the plane y = 0 about hinges along y.
const DOUBLE: &str = r#"<mujoco model="double">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.005" gravity="0 0 -10"/>
  <default>
    <joint type="hinge" axis="0 1 0"/>
    <geom contype="0" conaffinity="0"/>
    <default class="light"><geom rgba="1 0 0 1"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -5" contype="1" conaffinity="1"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" damping="0.1" range="-2 2"/>
      <inertial pos="0 0 -0.5" mass="1" diaginertia="0.08333333333333333 0.08333333333333333 1e-6"/>
      <body name="lower" pos="0 0 -1" childclass="light">
        <joint name="elbow" armature="0.25" axis="0 1 0"/>
        <inertial pos="0 0 -0.5" mass="0.5" diaginertia="0.041666666666666664 0.041666666666666664 1e-6"/>
        <geom type="sphere" size="0.1"/>
        <body name="tip" pos="0 0 -1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="shoulder" gear="2" ctrlrange="-1 1"/>
    <position name="hold" joint="elbow" kp="50" kv="5" forcerange="-20 20"/>
  </actuator>
  <keyframe><key name="bent" qpos="0.3 -0.4"/></keyframe>
</mujoco>
"#;

fn read(text: &str) -> RobotModel {
    RobotModel::from_text(text, &RobotOptions::default()).unwrap()
}

fn close(found: f64, paper: f64, size: f64) {
    assert!((found - paper).abs() <= 1e-14 * size, "{found} {paper}");
}

#[test]
fn a_double_pendulum_is_that_of_the_books() {
    let model = read(DOUBLE);
    assert_eq!((model.coordinates(), model.freedoms(), model.links.len()), (2, 2, 2));
    let (q, qd, qdd) = ([0.3, -0.4], [1.5, -0.7], [0.2, 0.9]);
    let posture = model.posture(&DPose3::IDENTITY, &q);
    // Turned by θ about y, down is (−sin θ, 0, −cos θ).
    let down = |angle: f64| DVec3::new(-angle.sin(), 0.0, -angle.cos());
    let tip = model.frame(&posture, "tip").unwrap().translation;
    assert!((tip - (DVec3::Z + down(0.3) + down(-0.1))).length() < 1e-15);
    // Of thin rods with l = 1: M₁₁ = m₁/3 + m₂(1 + 1/3 + cos q₂), M₁₂ = m₂(1/3 + cos q₂ / 2), M₂₂ = m₂/3 + armature.
    let (m1, m2, c2, s2) = (1.0, 0.5, (-0.4_f64).cos(), (-0.4_f64).sin());
    let mass = model.mass_matrix(&posture);
    let (m11, m12) = (m1 / 3.0 + m2 * (4.0 / 3.0 + c2), m2 * (1.0 / 3.0 + 0.5 * c2));
    let m22 = m2 / 3.0 + 0.25;
    for (found, paper) in [(mass[0][0], m11), (mass[0][1], m12), (mass[1][0], m12), (mass[1][1], m22)] {
        close(found, paper, 2.0);
    }
    // g₁ = g((m₁/2 + m₂) sin q₁ + m₂/2 sin(q₁ + q₂)), and forces of Coriolis with k = m₂ sin q₂ / 2.
    let (g2, k) = (10.0 * 0.5 * m2 * (-0.1_f64).sin(), 0.5 * m2 * s2);
    let g1 = 10.0 * (0.5 * m1 + m2) * 0.3_f64.sin() + g2;
    let gravity = DVec3::new(0.0, 0.0, -10.0);
    let held = model.gravity_forces(&posture, gravity);
    close(held[0], g1, 10.0);
    close(held[1], g2, 10.0);
    let forces = model.inverse_dynamics(&posture, &qd, &qdd, gravity);
    close(forces[0], m11 * 0.2 + m12 * 0.9 - k * qd[1] * (2.0 * qd[0] + qd[1]) + g1, 10.0);
    close(forces[1], m12 * 0.2 + m22 * 0.9 + k * qd[0] * qd[0] + g2, 10.0);
}

#[test]
fn jacobians_are_derivatives_of_positions() {
    let text = DOUBLE
        .replace("<joint name=\"shoulder\"", "<joint name=\"yaw\" axis=\"0 0 1\"/><joint name=\"shoulder\"")
        .replace("<key name=\"bent\" qpos=\"0.3 -0.4\"/>", "");
    let model = read(&text);
    let base = DPose3::from_parts(DVec3::new(0.1, 0.2, 0.3), DQuat::from_rotation_x(0.4));
    let q = [0.5, 0.3, -0.4];
    let local = DVec3::new(0.1, -0.2, -0.9);
    let point = |q: &[f64]| model.posture(&base, q).links[1].transform_point(local);
    let jacobian = model.jacobian(&model.posture(&base, &q), 1, point(&q));
    for v in 0..3 {
        let shifted = |by: f64| point(&std::array::from_fn::<f64, 3, _>(|k| q[k] + if k == v { by } else { 0.0 }));
        let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
        let column = DVec3::new(jacobian[0][v], jacobian[1][v], jacobian[2][v]);
        assert!((slope - column).length() < 1e-9, "{slope} {column}");
    }
}

#[test]
fn a_world_keeps_to_the_coordinates() {
    let model = read(DOUBLE);
    assert!(model.ignored.is_empty(), "{:?}", model.ignored);
    let mut world = World::new(Settings { gravity: model.gravity.unwrap(), ..Settings::default() }).unwrap();
    let base = DPose3::from_parts(DVec3::new(1.0, 2.0, 3.0), DQuat::from_rotation_z(0.7));
    let q = model.keyframes["bent"][0].clone();
    let placement = RobotPlacement { base, prefix: "left/".to_owned(), q: Some(q.clone()) };
    let robot = Robot::add(&mut world, &model, &placement).unwrap();
    assert!(world.find("left/upper").is_some() && world.find("left/world/floor").is_some());
    for (found, asked) in robot.q(&world).unwrap().iter().zip(&q) {
        assert!((found - asked).abs() < 1e-15, "{found} {asked}");
    }
    robot.set_state(&mut world, &[0.5, 7.0], &[-1.0, 2.0]).unwrap();
    for (found, asked) in robot.q(&world).unwrap().into_iter().zip([0.5, 7.0]) {
        assert!((found - asked).abs() < 1e-14, "{found} {asked}: turns are counted");
    }
    for (found, asked) in robot.qd(&world).unwrap().into_iter().zip([-1.0, 2.0]) {
        assert!((found - asked).abs() < 1e-14, "{found} {asked}");
    }
    // The servo of the elbow carries the rod against gravity, and the shoulder is held by what the model says it takes.
    robot.set_q(&mut world, &[0.2, 0.1]).unwrap();
    robot.set_control(&mut world, &[0.0, 0.1]).unwrap();
    for step in 0..400 {
        let report = world.step(0.005).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "step {step}: {:?}", report.certificate);
        assert!(report.certificate.joint_gap.value <= JOINT_BOUND);
    }
    let tau = robot.forces(&world).unwrap();
    assert_eq!(tau, [0.0, 0.0]);
    assert!(robot.set_forces(&mut world, &[1.0]).is_err() && robot.set_q(&mut world, &[f64::NAN, 0.0]).is_err());
}

#[test]
fn forces_that_hold_a_robot_hold_it() {
    let text = DOUBLE.replace("<position name=\"hold\" joint=\"elbow\" kp=\"50\" kv=\"5\" forcerange=\"-20 20\"/>", "");
    let model = read(&text);
    let mut world = World::new(Settings { gravity: model.gravity.unwrap(), ..Settings::default() }).unwrap();
    let robot = Robot::add(&mut world, &model, &RobotPlacement::default()).unwrap();
    let q = [0.4, -0.9];
    robot.set_q(&mut world, &q).unwrap();
    let posture = robot.posture(&world).unwrap();
    let tau = model.gravity_forces(&posture, model.gravity.unwrap());
    robot.set_forces(&mut world, &tau).unwrap();
    for _ in 0..100 {
        assert_eq!(world.step(0.005).unwrap().status, StepStatus::Certified);
    }
    for (found, asked) in robot.q(&world).unwrap().into_iter().zip(q) {
        assert!((found - asked).abs() < 1e-9, "{found} {asked}");
    }
}

#[test]
fn several_hinges_of_a_body_are_one_joint_of_the_world() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody>
      <body name="torso" pos="0 0 2"><freejoint name="root"/><geom type="box" size="0.2 0.2 0.3"/>
        <body name="thigh" pos="0 0.1 -0.3">
          <joint name="hip_x" axis="1 0 0"/><joint name="hip_z" axis="0 0 1"/><joint name="hip_y" axis="0 1 0" ref="0.1"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05"/>
        </body>
      </body></worldbody></mujoco>"#;
    let model = read(text);
    assert_eq!((model.links.len(), model.coordinates(), model.freedoms()), (2, 10, 9));
    let mut world = World::new(Settings::default()).unwrap();
    let robot = Robot::add(&mut world, &model, &RobotPlacement::default()).unwrap();
    let half = 0.5_f64.sqrt();
    let q = [0.3, 0.2, 1.5, half, 0.0, half, 0.0, 0.4, -0.5, 0.6];
    let qd = [0.1, 0.2, 0.3, 1.0, -2.0, 0.5, 0.7, -0.8, 0.9];
    robot.set_state(&mut world, &q, &qd).unwrap();
    for (found, asked) in robot.q(&world).unwrap().into_iter().zip(q) {
        assert!((found - asked).abs() < 1e-14, "{found} {asked}");
    }
    for (found, asked) in robot.qd(&world).unwrap().into_iter().zip(qd) {
        assert!((found - asked).abs() < 1e-13, "{found} {asked}");
    }
    for _ in 0..100 {
        let report = world.step(0.005).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{:?}", report.certificate);
    }
}

/// Files from before MuJoCo 2.3.4 may tell all places in the world, with bodies that have none of their own: the same robot.
#[test]
fn global_coordinates_are_those_of_the_world_at_the_start() {
    let local = read(
        r#"<mujoco><worldbody><body name="upper" pos="0.1 0 1" euler="0 0 90"><joint axis="1 0 0"/>
          <inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.2 0.15"/>
          <body name="lower" pos="0 0 -1"><joint axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0.1 0 -0.4" size="0.05"/></body>
        </body></worldbody></mujoco>"#,
    );
    let global = read(
        r#"<mujoco><compiler coordinate="global"/><worldbody><body name="upper"><joint pos="0.1 0 1" axis="0 1 0"/>
          <inertial pos="0.1 0 0.5" euler="0 0 90" mass="1" diaginertia="0.1 0.2 0.15"/>
          <body name="lower" pos="0.1 0 0"><joint pos="0.1 0 0" axis="0 1 0"/>
            <geom type="capsule" fromto="0.1 0 0 0.1 0.1 -0.4" size="0.05"/></body>
        </body></worldbody></mujoco>"#,
    );
    let q = [0.4, -0.9];
    let postures = [&local, &global].map(|model| (model, model.posture(&DPose3::IDENTITY, &q)));
    let [masses, weights] = [
        postures.each_ref().map(|(model, posture)| model.mass_matrix(posture)),
        postures.each_ref().map(|(model, posture)| vec![model.gravity_forces(posture, DVec3::new(0.0, 0.0, -9.81))]),
    ];
    let numbers = |rows: &[Vec<f64>]| rows.concat();
    for found in [masses, weights] {
        let [local, global] = found.map(|rows| numbers(&rows));
        assert_eq!(local.len(), global.len());
        assert!(local.iter().zip(&global).all(|(a, b)| (a - b).abs() < 1e-12), "{local:?} {global:?}");
    }
}

#[test]
fn frames_without_mass_pass_their_joints_on() {
    // A slide and a hinge through a frame that weighs nothing, as planar robots are often written.
    let link = |name: &str, inside: &str| format!("<link name='{name}'>{inside}</link>");
    let heavy =
        "<inertial><origin xyz='0 0 -0.5'/><mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>";
    let joint = |name: &str, kind: &str, [parent, child]: [&str; 2], yaw: f64, axis: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 0.5' \
             rpy='0 0 {yaw}'/><axis xyz='{axis}'/></joint>"
        )
    };
    let text = format!(
        "<robot name='cart'>{}{}{}{}{}{}{}</robot>",
        link("world", ""),
        link("carriage", ""),
        link("pole", heavy),
        link("tool", ""),
        joint("slide", "prismatic", ["world", "carriage"], 0.3, "1 0 0"),
        joint("swing", "continuous", ["carriage", "pole"], 0.0, "0 1 0"),
        joint("mount", "continuous", ["pole", "tool"], 0.0, "0 0 1"),
    );
    let model = read(&text);
    assert_eq!((model.links.len(), model.coordinates()), (1, 2));
    assert_eq!(model.joints[0].joint.name, "slide");
    // The frame of the carriage is turned by 0.3 rad about z: the slide is along its x.
    let along = DQuat::from_rotation_z(0.3) * DVec3::X;
    let moved = model.posture(&DPose3::IDENTITY, &[0.7, 0.0]).links[0].translation;
    assert!((moved - (DVec3::Z + along * 0.7)).length() < 1e-15, "{moved}");
    // The tool moves nothing that weighs: it is fixed, keeps its name and is told.
    assert!(model.frames.contains_key("tool"));
    assert!(model.ignored.iter().any(|notice| notice.what.contains("link 'tool' moves but has no mass")));
    assert!(matches!(model.joints[1].joint.motion, Motion::Hinge { .. }));
}

#[test]
fn scenes_take_robots_from_files_beside_them() {
    let folder = files::folder("robot_scene");
    std::fs::write(folder.join("double.xml"), DOUBLE).unwrap();
    let scene = "name = 'two'\nrobots = [{ file = 'double.xml' }, { file = 'double.xml', prefix = 'b/', position = [3, 0, 0], q = [0.1, 0.2] }]\n";
    std::fs::write(folder.join("two.toml"), scene).unwrap();
    let scene = Scene::load(folder.join("two.toml")).unwrap();
    assert_eq!((scene.bodies.len(), scene.joints.len(), scene.robots.len()), (6, 4, 0));
    assert!(
        scene.bodies.iter().any(|body| body.name == "double/upper") && scene.bodies.iter().any(|b| b.name == "b/lower")
    );
    // Read again from what it writes it is the same world.
    let again = Scene::from_toml(&scene.to_toml()).unwrap();
    let hash = |scene: &Scene| {
        let mut world = scene.build().unwrap();
        (0..20).for_each(|_| drop(world.step(0.005).unwrap()));
        world.state_hash()
    };
    assert_eq!(hash(&scene), hash(&again));
    std::fs::write(folder.join("bad.toml"), "name = 'bad'\nrobots = [{ file = '../double.xml' }]\n").unwrap();
    let error = Scene::load(folder.join("bad.toml")).unwrap_err().to_string();
    assert!(error.contains("bad.toml:2:") && error.contains("robots[0].file"), "{error}");
}

#[test]
fn what_is_wrong_in_a_model_is_said_with_its_line() {
    for (from, to, message) in [
        ("mass=\"1\"", "mass=\"heavy\"", "13:7: inertial: 'mass': 'heavy' is not a finite number"),
        ("mass=\"1\"", "mass=\"-1\"", "13:7: inertial: mass -1 is below zero"),
        ("range=\"-2 2\"", "range=\"2 -2\"", "12:7: joint 'shoulder': 'range': 2 is above -2"),
        ("range=\"-2 2\"", "range=\"1 2 3\"", "12:7: joint 'shoulder': 'range' has 3 numbers, it takes 2"),
        ("range=\"-2 2\"", "limited=\"true\"", "12:7: joint 'shoulder': 'limited' is true, but 'range' is missing"),
        ("childclass=\"light\"", "childclass=\"heavy\"", "no default class is called 'heavy'"),
        ("joint=\"elbow\" kp", "joint=\"elbw\" kp", "no joint that moves is called 'elbw'; did you mean 'elbow'?"),
        ("qpos=\"0.3 -0.4\"", "qpos=\"0.3\"", "26:13: key 'bent': qpos has 1 numbers, this robot has 2"),
        ("size=\"0.1\"", "size=\"0\"", "17:9: geom: 'size' of a sphere has 1 numbers above zero"),
        ("angle=\"radian\"", "coordinate=\"polar\"", "2:3: compiler: 'coordinate' cannot be 'polar'"),
        ("angle=\"radian\"", "angle=\"gon\"", "2:3: compiler: 'angle' cannot be 'gon'"),
        ("axis=\"0 1 0\"/>\n    <geom", "axis=\"0 0 0\"/>\n    <geom", "12:7: joint 'shoulder': 'axis' needs a length"),
        ("timestep=\"0.005\"", "timestep=\"0\"", "1:1: mujoco: 'timestep' is not above zero"),
        (
            "<geom type=\"sphere\" size=\"0.1\"/>",
            "<geom type=\"mesh\" mesh=\"m\"/>",
            "17:9: geom: no mesh is called 'm'",
        ),
        ("<worldbody>", "<include file=\"x.xml\"/><worldbody>", "'x.xml': load the robot from a file"),
        ("</mujoco>", "", "1:1: the root node was opened but never closed"),
    ] {
        let error = files::refused(DOUBLE, (from, to), |text| RobotModel::from_text(text, &RobotOptions::default()));
        assert!(error.contains(message), "'{error}' should contain '{message}'");
    }
}

#[test]
fn hostile_models_are_refused_at_once() {
    let start = std::time::Instant::now();
    let options = RobotOptions::default();
    let deep = format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", "<body>".repeat(5000), "</body>".repeat(5000));
    assert!(RobotModel::from_text(&deep, &options).unwrap_err().to_string().contains("nested deeper"));
    let body = "<body><freejoint/><geom size='0.1'/></body>";
    let many = format!("<mujoco><worldbody>{}</worldbody></mujoco>", body.repeat(50_000));
    assert!(RobotModel::from_text(&many, &options).unwrap_err().to_string().contains("more than 2000 bodies"));
    let crowd = format!("<mujoco><worldbody>{}</worldbody></mujoco>", body.repeat(1500));
    assert!(RobotModel::from_text(&crowd, &options).is_ok());
    let classes = format!("<mujoco>{}{}</mujoco>", "<default class='a'>".repeat(3000), "</default>".repeat(3000));
    assert!(RobotModel::from_text(&classes, &options).is_err());
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn damage_never_breaks_the_reader() {
    let options = RobotOptions::default();
    for end in (0..DOUBLE.trim_end().len()).filter(|end| DOUBLE.is_char_boundary(*end)) {
        assert!(RobotModel::from_text(&DOUBLE[..end], &options).is_err(), "cut at {end}");
    }
    let alphabet = b"<>/=\"'!-?&;: 0123456789e.+\n\x00\xc3\xa9";
    files::damaged(&[DOUBLE.as_bytes()], alphabet, 5_000, |text| drop(RobotModel::from_text(text, &options)));
}

/// A gripper as files have them: a knuckle that is driven, and others that follow it, one of them through another.
const GRIPPER: &str = r#"<robot name="gripper">
  <link name="world"/>
  <link name="palm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="world"/><child link="palm"/></joint>
  <link name="driver"><inertial><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="drive" type="revolute"><parent link="palm"/><child link="driver"/><axis xyz="0 1 0"/>
    <origin xyz="0.1 0 0"/><limit lower="0.2" upper="1.5" effort="10" velocity="1"/></joint>
  <link name="mirror"><inertial><mass value="0.1"/><inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="other" type="revolute"><parent link="palm"/><child link="mirror"/><axis xyz="0 1 0"/>
    <origin xyz="-0.1 0 0"/><limit lower="-1.5" upper="0" effort="10" velocity="1"/><mimic joint="drive" multiplier="-1"/></joint>
  <link name="tip"><inertial><mass value="0.1"/><inertia ixx="0.003" iyy="0.003" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="bend" type="continuous"><parent link="mirror"/><child link="tip"/><axis xyz="0 1 0"/>
    <mimic joint="other" multiplier="0.5" offset="0.25"/></joint>
  <link name="slide"><inertial><mass value="0.3"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="rack" type="prismatic"><parent link="palm"/><child link="slide"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><mimic joint="drive" multiplier="0.05" offset="-0.1"/></joint>
</robot>"#;

/// All are where the driver takes them, from the start on: at its lower limit of 0.2 rad, −0.2, 0.5·(−0.2) + 0.25 and 0.05·0.2 − 0.1. As one
/// freedom it has, without gravity, with u = q̇: the tip turns with the mirror and against it, (−1 − 0.5) u.
#[test]
fn joints_of_a_file_that_follow_others_do() {
    let model = read(GRIPPER);
    assert!(model.ignored.is_empty(), "{:?}", model.ignored);
    let mut w = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
    let robot = Robot::add(&mut w, &model, &RobotPlacement::default()).unwrap();
    let follow = |q: &[f64]| [q[0], -q[0], -0.5 * q[0] + 0.25, 0.05 * q[0] - 0.1];
    let q = robot.q(&w).unwrap();
    assert_eq!(q[0], 0.2);
    for (found, wanted) in q.iter().zip(follow(&q)) {
        assert!((found - wanted).abs() < 1e-12, "{q:?}");
    }
    assert_eq!(w.gears().count(), 3);
    robot.set_forces(&mut w, &[0.02, 0.0, 0.0, 0.0]).unwrap();
    // The tip's centre is on its hinge, at that of the mirror.
    let inertia = 0.001 + 0.002 + 0.003 * 1.5 * 1.5 + 0.3 * 0.05 * 0.05;
    for step in 1..=50 {
        let report = w.step(0.005).unwrap();
        assert_eq!(report.status, StepStatus::Certified);
        assert!(report.certificate.joint_turn.value <= JOINT_BOUND);
        let (q, qd) = (robot.q(&w).unwrap(), robot.qd(&w).unwrap());
        for (found, wanted) in q.iter().zip(follow(&q)) {
            assert!((found - wanted).abs() <= 2.0 * JOINT_BOUND, "{q:?}");
        }
        assert!((qd[0] - 0.02 / inertia * 0.005 * f64::from(step)).abs() < 1e-7, "{qd:?}");
    }
    // Torques of the gears: those of the others are what turns them.
    let forces = robot.joint_forces(&w).unwrap();
    let alpha = 0.02 / inertia;
    assert!((forces[0].gear - (0.001 * alpha - 0.02)).abs() < 1e-6, "{forces:?}");
    assert!((forces[3].gear - 0.3 * 0.05 * alpha).abs() < 1e-6, "{forces:?}");
}

/// The slide that both fingers follow has a link without mass, which is no body. It was taken as fixed, and the file was refused for its name. The first
/// finger leads in its place, q = 2 m + 0.01, within what the limits of both leave: 0 ≤ m ≤ 0.02 is 0.01 ≤ q ≤ 0.05.
#[test]
fn a_joint_without_mass_that_others_follow_is_led_by_the_first_of_them() {
    let text = r#"<robot name="gripper"><link name="palm"/><link name="nothing"/>
      <joint name="m" type="prismatic"><parent link="palm"/><child link="nothing"/><limit lower="0" upper="0.02" effort="1" velocity="1"/></joint>
      <link name="left"><inertial><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
      <joint name="l" type="prismatic"><parent link="palm"/><child link="left"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
        <mimic joint="m" multiplier="2" offset="0.01"/></joint>
      <link name="right"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
      <joint name="r" type="prismatic"><parent link="palm"/><child link="right"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
        <mimic joint="m" multiplier="-1"/></joint></robot>"#;
    let model = read(text);
    let (l, r) = (model.joint("l").unwrap(), model.joint("r").unwrap());
    assert_eq!((&l.joint.mimic, l.joint.range), (&None, Some([0.01, 0.05])));
    let mimic = r.joint.mimic.as_ref().unwrap();
    assert_eq!((mimic.joint.as_str(), mimic.ratio, mimic.offset), ("l", -0.5, 0.005));
    assert!(model.ignored.iter().any(|notice| notice.what.starts_with("joint 'm' moves no mass: 'l'")));
    let mut w = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
    let robot = Robot::add(&mut w, &model, &RobotPlacement::default()).unwrap();
    // (0.2 + 0.1/4) q̈ = 0.01 N until the slide m is at its end.
    robot.set_forces(&mut w, &[0.01, 0.0]).unwrap();
    for step in 1..=60 {
        assert_eq!(w.step(0.01).unwrap().status, StepStatus::Certified);
        let (q, qd) = (robot.q(&w).unwrap(), robot.qd(&w).unwrap());
        assert!((q[1] + 0.5 * q[0] - 0.005).abs() < 1e-8, "{q:?}");
        assert!((qd[0] - 0.01 / 0.225 * 0.01 * f64::from(step)).abs() < 1e-9, "{qd:?}");
    }
}

/// A joint that follows a fixed one, or one whose limits leave one value, is held where that takes it: 0.1, and 3·0.2 + 0.1.
#[test]
fn what_follows_a_joint_that_is_held_is_held() {
    let text = |kind: &str, limit: &str| {
        format!(
            r#"<robot name="two"><link name="base"/><link name="first"/><joint name="m" type="{kind}"><parent link="base"/><child link="first"/>{limit}</joint>
              <link name="second"><inertial><mass value="1"/><inertia ixx="1e-2" iyy="1e-2" izz="1e-2"/></inertial></link>
              <joint name="f" type="continuous"><parent link="first"/><child link="second"/><mimic joint="m" multiplier="3" offset="0.1"/></joint></robot>"#
        )
    };
    let locked = text("revolute", "<limit lower='0.2' upper='0.2' effort='1' velocity='1'/>");
    for (text, held) in [(text("fixed", ""), 0.1), (locked, 0.7)] {
        let mut w = World::new(Settings::default()).unwrap();
        let robot = Robot::add(&mut w, &read(&text), &RobotPlacement::default()).unwrap();
        for _ in 0..20 {
            assert_eq!(w.step(0.01).unwrap().status, StepStatus::Certified);
        }
        assert!((robot.q(&w).unwrap()[0] - held).abs() < 1e-8);
    }
}

/// A wheel without a shape on its axle stood still, whatever turned it: without a surface nothing of it seemed to move.
#[test]
fn what_has_no_shape_and_only_turns_does_not_stand_still() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody><body name="wheel"><joint name="axle" type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"#;
    let mut w = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
    let robot = Robot::add(&mut w, &read(text), &RobotPlacement::default()).unwrap();
    robot.set_forces(&mut w, &[0.3]).unwrap();
    assert_eq!(w.step(0.005).unwrap().status, StepStatus::Certified);
    assert!((robot.qd(&w).unwrap()[0] - 0.3 / 0.1 * 0.005).abs() < 1e-12);
}

/// Joint equalities of MJCF: both joints count from where the model has them at the start, and one without a second joint is held.
#[test]
fn equalities_between_joints_of_a_file_hold() {
    let text = r#"<mujoco model="geared">
      <compiler angle="radian"/>
      <option gravity="0 0 0"/>
      <default><joint type="hinge" axis="0 1 0"/></default>
      <worldbody>
        <body name="a"><joint name="one" ref="0.3"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
        <body name="b" pos="1 0 0"><joint name="two"/><inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.2"/></body>
        <body name="c" pos="2 0 0"><joint name="three"/><inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.2"/></body>
        <body name="d" pos="3 0 0"><joint name="four"/><inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.2"/></body>
        <body name="e" pos="4 0 0"><joint name="five" ref="-0.1"/><inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.2"/></body>
      </worldbody>
      <equality>
        <joint joint1="one" joint2="two" polycoef="0.1 2 0 0 0"/>
        <joint joint1="three" polycoef="0.4 0 0 0 0"/>
        <tendon tendon1="pair" polycoef="0.2 0 0 0 0"/>
      </equality>
      <tendon><fixed name="pair"><joint joint="four" coef="1"/><joint joint="five" coef="-3"/></fixed></tendon>
    </mujoco>"#;
    let model = read(text);
    assert!(model.ignored.is_empty(), "{:?}", model.ignored);
    let mut w = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).unwrap();
    let robot = Robot::add(&mut w, &model, &RobotPlacement::default()).unwrap();
    // The tendon is longer by 0.2 than at the start: it is put together.
    w.assemble().unwrap();
    robot.set_forces(&mut w, &[0.3, 0.0, 0.7, 0.0, 0.0]).unwrap();
    for step in 1..=50 {
        let report = w.step(0.005).unwrap();
        assert_eq!(report.status, StepStatus::Certified, "{step}: {:?}", report.certificate);
        let (q, qd) = (robot.q(&w).unwrap(), robot.qd(&w).unwrap());
        // (one − 0.3) = 0.1 + 2 two; I₁ + I₂/4 = 0.15.
        assert!((q[0] - 0.3 - 0.1 - 2.0 * q[1]).abs() <= 4.0 * JOINT_BOUND, "{q:?}");
        assert!((qd[0] - 0.3 / 0.15 * 0.005 * f64::from(step)).abs() < 1e-7, "{qd:?}");
        assert!((q[2] - 0.4).abs() <= 2.0 * JOINT_BOUND, "{q:?}");
        // four − 3 (five + 0.1) = 0.2.
        assert!((q[3] - 3.0 * (q[4] + 0.1) - 0.2).abs() <= 6.0 * JOINT_BOUND, "{q:?}");
    }
}
