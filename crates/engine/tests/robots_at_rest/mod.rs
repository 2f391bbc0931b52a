//! Robots that hold and swing.

use signorini::robot::RobotModel;
use signorini::scene::RobotOptions;
use signorini::{Robot, RobotPlacement, Settings, Sleeping, World};

/// What is run, and its name.
pub type Scene = (&'static str, fn() -> World);

pub const SCENES: [Scene; 5] = [
    ("arm that holds", arm),
    ("gripper with a box", gripper),
    ("pendulum", pendulum),
    ("gears", gears),
    ("doll that lies", doll),
];

fn world(text: &str) -> World {
    let model = RobotModel::from_text(text, &RobotOptions::default()).unwrap();
    let mut world = World::new(Settings { sleeping: Sleeping::Off, ..Settings::default() }).unwrap();
    let robot = Robot::add(&mut world, &model, &RobotPlacement::default()).unwrap();
    robot.set_control(&mut world, &model.home_control).unwrap();
    world
}

/// Two links stretched out, each under a servo that the weight bends a little.
fn arm() -> World {
    world(
        "<mujoco><compiler angle='radian'/><worldbody><body pos='0 0 2'><joint name='shoulder' axis='0 1 0' armature='0.1'/>
         <geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.05'/><body pos='0.6 0 0'><joint name='elbow' axis='0 1 0'/>
         <geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.05'/></body></body></worldbody>
         <actuator><position joint='shoulder' kp='2000' kv='200'/><position joint='elbow' kp='800' kv='80'/></actuator></mujoco>",
    )
}

/// Two fingers that press a box with 20 N each, on a post.
fn gripper() -> World {
    world(
        "<mujoco><worldbody><body pos='0 0 1'><joint name='lift' type='slide' axis='0 0 1'/><geom type='box' size='0.1 0.02 0.02' contype='0' conaffinity='0'/>
         <body pos='0.06 0 -0.05'><joint name='right' type='slide' axis='1 0 0' damping='5'/><geom type='box' size='0.01 0.02 0.04' mass='0.1'/></body>
         <body pos='-0.06 0 -0.05'><joint name='left' type='slide' axis='1 0 0' damping='5'/><geom type='box' size='0.01 0.02 0.04' mass='0.1'/></body>
         </body><body pos='0 0 0.95'><freejoint/><geom type='box' size='0.05 0.02 0.02' mass='0.3' friction='1'/></body></worldbody>
         <actuator><position joint='lift' kp='2000' kv='200'/><motor joint='right' gear='-1'/><motor joint='left'/></actuator>
         <keyframe><key name='home' ctrl='0 20 20'/></keyframe></mujoco>",
    )
}

/// Three links that swing and do not come to rest.
fn pendulum() -> World {
    world(
        "<mujoco><worldbody><body pos='0 0 3' euler='0 60 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.03'/>
         <body pos='0 0 -0.6'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.03'/>
         <body pos='0 0 -0.6'><joint axis='1 0 0'/><geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.03'/></body></body></body></worldbody></mujoco>",
    )
}

/// Two geared pendulums, a wheel that a slide turns, and two fingers that follow each other and hold a box.
fn gears() -> World {
    world(
        "<mujoco><worldbody><body pos='0 0 3'><joint name='a' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.03'/></body>
         <body pos='0 1 3'><joint name='b' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03'/></body>
         <body pos='0 2 3'><joint name='wheel' axis='0 1 0'/><geom type='cylinder' size='0.1 0.02' euler='90 0 0'/></body>
         <body pos='0 3 3'><joint name='rack' type='slide' axis='1 0 0' stiffness='50'/><geom size='0.1'/></body>
         <body pos='0 0 1'><joint name='lift' type='slide' axis='0 0 1'/><geom type='box' size='0.1 0.02 0.02' contype='0' conaffinity='0'/>
         <body pos='0.06 0 -0.05'><joint name='right' type='slide' axis='1 0 0'/><geom type='box' size='0.01 0.02 0.04' mass='0.1'/></body>
         <body pos='-0.06 0 -0.05'><joint name='left' type='slide' axis='1 0 0'/><geom type='box' size='0.01 0.02 0.04' mass='0.1'/></body>
         </body><body pos='0 0 0.95'><freejoint/><geom type='box' size='0.05 0.02 0.02' mass='0.3' friction='1'/></body></worldbody>
         <equality><joint joint1='b' joint2='a' polycoef='0 -0.5 0 0 0'/><joint joint1='wheel' joint2='rack' polycoef='0 10 0 0 0'/>
         <joint joint1='left' joint2='right' polycoef='0 -1 0 0 0'/></equality>
         <actuator><position joint='lift' kp='2000' kv='200'/><motor joint='right' gear='-1'/><motor joint='rack'/></actuator>
         <keyframe><key name='home' ctrl='0 40 10'/></keyframe></mujoco>",
    )
}

/// A trunk with a head, an arm and a leg of two, which fell onto the floor eight seconds before.
fn doll() -> World {
    let mut world = world(
        "<mujoco><compiler angle='degree' autolimits='true'/><default><joint damping='0.2'/><geom friction='0.8'/></default><worldbody>
         <geom type='plane' size='5 5 1'/><body pos='0 0 1.1'><freejoint/><geom type='box' size='0.1 0.16 0.22'/>
         <body pos='0 0 0.26'><joint axis='0 1 0' range='-40 40'/><geom size='0.1' pos='0 0 0.1'/></body>
         <body pos='0 0.2 0.18'><joint axis='1 0 0' range='-60 120'/><joint axis='0 1 0' range='-90 90'/>
         <geom type='capsule' fromto='0 0.06 0 0 0.45 0' size='0.045'/></body>
         <body pos='0 -0.09 -0.24'><joint axis='1 0 0' range='-60 30'/><joint axis='0 1 0' range='-90 60'/>
         <geom type='capsule' fromto='0 0 -0.07 0 0 -0.35' size='0.06'/><body pos='0 0 -0.42'><joint axis='0 1 0' range='0 130'/>
         <geom type='capsule' fromto='0 0 -0.06 0 0 -0.35' size='0.05'/></body></body></body></worldbody></mujoco>",
    );
    for _ in 0..1600 {
        world.step(0.005).unwrap();
    }
    world
}
