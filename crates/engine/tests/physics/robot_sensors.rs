//! Sensors of robots against closed forms.

use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::robot::RobotModel;
use signorini::scene::RobotOptions;
use signorini::{Body, Robot, RobotPlacement, Settings, Shape, World};

const G: f64 = 9.81;

/// A rod of 2 kg and 0.4 m that turns about z, its centre 0.5 m from the axis.
const ROTOR: &str = r#"<mujoco model="rotor">
  <worldbody>
    <body name="rod">
      <joint name="spin" type="hinge" axis="0 0 1"/>
      <inertial pos="0.5 0 0" mass="2" diaginertia="0.001 0.03 0.03"/>
    </body>
  </worldbody>
</mujoco>"#;

/// A box of 2 kg with a free joint, which carries a mass of 1 kg on a vertical slide held by a servo.
const LOADED: &str = r#"<mujoco model="loaded">
  <worldbody>
    <body name="box">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.2 0.1" mass="2"/>
      <body name="load" pos="0 0 0.3">
        <joint name="lift" type="slide" axis="0 0 -1"/>
        <geom type="sphere" size="0.05" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator><position name="lift" joint="lift" kp="1000" kv="100"/></actuator>
</mujoco>"#;

fn add(text: &str, base: DPose3, gravity: DVec3) -> (World, Robot) {
    let model = RobotModel::from_text(text, &RobotOptions::default()).unwrap();
    let mut world = World::new(Settings { gravity, ..Settings::default() }).unwrap();
    let placement = RobotPlacement { base, ..RobotPlacement::default() };
    let robot = Robot::add(&mut world, &model, &placement).unwrap();
    (world, robot)
}

#[test]
fn an_inertial_unit_on_a_turning_rod_reads_the_centripetal_acceleration() {
    let (mut world, robot) = add(ROTOR, DPose3::IDENTITY, DVec3::ZERO);
    let (rate, radius, dt) = (3.0, 0.8, 0.01);
    robot.set_state(&mut world, &[0.0], &[rate]).unwrap();
    let mut imu = robot.imu(&world, "rod", DVec3::new(radius, 0.0, 0.0)).unwrap().unwrap();
    for _ in 0..50 {
        world.step(dt).unwrap();
        let reading = imu.read(&world).unwrap();
        // ω²r towards the axis. A step turns the velocity by a little less than ω dt, and the change is its chord: together a
        // share of at most (ω dt)²/8.
        let paper = DVec3::new(-rate * rate * radius, 0.0, 0.0);
        let share = (rate * dt).powi(2) / 8.0;
        assert!((reading.acceleration - paper).length() < share * paper.length(), "{reading:?} {paper}");
        let off = (reading.angular_velocity - rate * DVec3::Z).length();
        assert!(off < 1e-9, "{off:e}");
    }
}

#[test]
fn an_inertial_unit_reads_gravity_at_rest_and_nothing_in_free_fall() {
    // Turned by 90° about x, up is y of the unit.
    let turned = DPose3::from_rotation(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let (mut world, robot) = add(LOADED, turned, -G * DVec3::Z);
    let mut imu = robot.imu(&world, "box", DVec3::new(0.1, 0.2, 0.3)).unwrap().unwrap();
    let first = imu.read(&world).unwrap();
    assert!((first.acceleration - G * DVec3::Y).length() < 1e-12, "before any time passes it is that of rest");
    // Hold the slide by its servo, across which gravity does not act, and let go: all falls.
    robot.set_control(&mut world, &[0.0]).unwrap();
    for _ in 0..20 {
        world.step(0.01).unwrap();
        assert!(imu.read(&world).unwrap().acceleration.length() < 1e-8);
    }
    let again = imu.read(&world).unwrap();
    assert!(again.acceleration.length() < 1e-8, "while no time passes it stays as it is");
    assert!(robot.imu(&world, "nobody", DVec3::ZERO).unwrap().is_none());
}

#[test]
fn feet_carry_the_weight_and_a_servo_its_load() {
    let (mut world, robot) = add(LOADED, DPose3::from_translation(0.1 * DVec3::Z), -G * DVec3::Z);
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
    robot.set_control(&mut world, &[0.0]).unwrap();
    let mut imu = robot.imu(&world, "load", DVec3::ZERO).unwrap().unwrap();
    for _ in 0..400 {
        world.step(0.01).unwrap();
    }
    imu.read(&world).unwrap();
    world.step(0.01).unwrap();
    let contact = robot.contact_forces(&world).unwrap();
    let links: Vec<&str> = robot.model().links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links, ["box", "load"]);
    // The box stands for both; nothing touches the load.
    assert!((contact[0] - 3.0 * G * DVec3::Z).length() < 1e-5, "{contact:?}");
    assert_eq!(contact[1], DVec3::ZERO);
    // The slide points down, so the servo holds the load with −m g along it.
    let forces = robot.joint_forces(&world).unwrap();
    assert!((forces[6].motor + G).abs() < 1e-5, "{:?}", forces[6]);
    assert_eq!((forces[6].limit, forces[6].given), (0.0, 0.0));
    assert!((imu.read(&world).unwrap().acceleration - G * DVec3::Z).length() < 1e-5);
}
