//! Scenes and robots from text: located errors, or a world that can be stepped and written out again.

use super::{MOST_BODIES, Target, count_bodies, take_steps};
use signorini::{Scene, SceneError};
use signorini_scenes::worlds;

pub const TOML: Target = Target {
    name: "scene_toml",
    run: |bytes| text(bytes, Scene::from_toml),
    seeds: || some_scenes(Scene::to_toml),
    tokens: &[
        "[[bodies]]\n",
        "[[joints]]\n",
        "[solver]\n",
        "name = ",
        "shape = ",
        "{ sphere = { radius = 1 } }",
        "{ cuboid = { half_extents = [1, 1, 1] } }",
        "{ half_space = { normal = [0, 0, 1] } }",
        "{ capsule = { half_height = 1, radius = 1 } }",
        "kind = \"fixed\"",
        "kind = \"kinematic\"",
        "grid = { count = [2, 2, 2], spacing = [1, 1, 1] }",
        "position = [0, 0, 0]",
        "velocity = [0, 0, 0]",
        "mass = ",
        "friction = ",
        "restitution = ",
        "step = ",
        "duration = ",
        "robots = [{ file = \"x.urdf\" }]",
        "a = { body = \"a\" }",
        "b = { point = [0, 0, 0] }",
        "\"",
        "'''",
        "\n",
        "=",
        "[",
        "]",
        "{",
        "}",
        "#",
    ],
    mend: None,
    short: 30_000,
};

pub const JSON: Target = Target {
    name: "scene_json",
    run: |bytes| text(bytes, Scene::from_json),
    seeds: || some_scenes(Scene::to_json),
    tokens: &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "true",
        "\"bodies\":[",
        "\"joints\":[",
        "\"shape\":{",
        "\"sphere\":{\"radius\":1}",
        "\"hull\":{\"points\":[",
        "\"mesh\":{\"vertices\":[",
        "\"triangles\":[[0,1,2]]",
        "\"height_field\":{\"columns\":2,\"rows\":2,\"spacing\":[1,1],\"heights\":[0,0,0,0]}",
        "\"compound\":{\"parts\":[{\"shape\":",
        "\"kind\":\"fixed\"",
        "\"grid\":{\"count\":[2,2,2],\"spacing\":[1,1,1]}",
        "\"inertial\":{\"mass\":1,\"moments\":[1,1,1]}",
        "\"file\":{\"path\":\"../x.obj\",\"as\":\"hull\"}",
        "\"kind\":\"revolute\"",
        "\"coordinates\":[{\"limits\":[-1,1]}]",
        "\"orientation\":[1,0,0,0]",
        "\\u0000",
    ],
    mend: None,
    short: 30_000,
};

pub const URDF: Target = Target {
    name: "urdf",
    run: |bytes| text(bytes, Scene::from_urdf),
    seeds: Vec::new,
    tokens: &[
        "<link name='l'>",
        "</link>",
        "<joint name='j' type='revolute'>",
        "</joint>",
        "<robot name='r'>",
        "</robot>",
        "<parent link='l'/>",
        "<child link='l'/>",
        "<origin xyz='0 0 0' rpy='0 0 0'/>",
        "<axis xyz='0 0 1'/>",
        "<limit lower='-1' upper='1' effort='1' velocity='1'/>",
        "<inertial>",
        "</inertial>",
        "<mass value='1'/>",
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>",
        "<collision>",
        "</collision>",
        "<geometry>",
        "</geometry>",
        "<box size='1 1 1'/>",
        "<sphere radius='1'/>",
        "<cylinder radius='1' length='1'/>",
        "<mesh filename='package://x/y.stl'/>",
        "<mimic joint='j'/>",
        "<dynamics damping='1' friction='1'/>",
        "type='continuous'",
        "type='floating'",
        "type='fixed'",
        "&lt;",
        "&#0;",
        "<!--",
        "-->",
        "<![CDATA[",
        "<?",
        "'",
    ],
    mend: None,
    short: 30_000,
};

pub const MJCF: Target = Target {
    name: "mjcf",
    run: |bytes| text(bytes, Scene::from_mjcf),
    seeds: Vec::new,
    tokens: &[
        "<mujoco>",
        "</mujoco>",
        "<worldbody>",
        "</worldbody>",
        "<body name='b' pos='0 0 1'>",
        "</body>",
        "<joint type='hinge' axis='0 1 0' range='-90 90'/>",
        "<joint type='free'/>",
        "<freejoint/>",
        "<geom type='box' size='.1 .1 .1'/>",
        "<geom size='.1'/>",
        "<geom type='plane' size='0 0 1'/>",
        "<geom fromto='0 0 0 1 1 1' size='.1' type='capsule'/>",
        "<default class='c'>",
        "</default>",
        "class='c'",
        "childclass='c'",
        "<compiler angle='radian' eulerseq='xyz'/>",
        "<option timestep='0.002' gravity='0 0 -9.81'/>",
        "<actuator>",
        "</actuator>",
        "<motor joint='j' gear='1'/>",
        "<position joint='j' kp='10'/>",
        "<equality>",
        "<weld body1='a' body2='b'/>",
        "<connect body1='a' anchor='0 0 0'/>",
        "<include file='x.xml'/>",
        "<asset>",
        "<mesh file='x.stl'/>",
        "<inertial mass='1' diaginertia='1 1 1' pos='0 0 0'/>",
        "euler='0 0 90'",
        "quat='1 0 0 0'",
        "axisangle='0 0 1 90'",
        "xyaxes='1 0 0 0 1 0'",
        "<contact>",
        "<exclude body1='a' body2='b'/>",
        "<frame>",
        "</frame>",
        "<site/>",
        "<tendon>",
        "'",
        "<!--",
    ],
    mend: None,
    short: 30_000,
};

/// Small built-in scenes, as text.
fn some_scenes(write: fn(&Scene) -> String) -> Vec<Vec<u8>> {
    let small = |scene: &Scene| scene.bodies.len() <= 12 && scene.bodies.iter().all(|body| body.grid.is_none());
    worlds::all().iter().map(|named| named.scene()).filter(small).map(|scene| write(&scene).into_bytes()).collect()
}

fn text(bytes: &[u8], read: fn(&str) -> Result<Scene, SceneError>) -> String {
    let Ok(text) = str::from_utf8(bytes) else { return "not UTF-8".to_owned() };
    match read(text) {
        Err(error) => error.to_string(),
        Ok(scene) => step(&scene),
    }
}

/// A scene that was read is written and read again, built and stepped.
fn step(scene: &Scene) -> String {
    let bodies = count_bodies(scene);
    if bodies > MOST_BODIES {
        return "many bodies".to_owned();
    }
    let again = Scene::from_json(&scene.to_json());
    assert!(again.as_ref().is_ok_and(|again| again.to_json() == scene.to_json()), "not what was written: {again:?}");
    let mut world = match scene.build() {
        Err(error) => return format!("not built: {error}"),
        Ok(world) => world,
    };
    let steps = take_steps(&mut world, scene.step, 3);
    format!("{bodies} bodies, method {} {steps}", scene.solver.method)
}
