//! Robots in URDF: what is rigid comes over exactly, what cannot be simulated is refused by name, and no file does harm.

use crate::fixture::files::{self, damaged, folder, samples};
use signorini::Scene;
use signorini::glamx::DVec3;
use signorini::robot::{Motion, RobotModel};
use signorini::scene::{Base, InertialDescription, RobotOptions, ShapeDescription, TEXT_LIMIT};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A box that tumbles in flight, its inertia given in turned axes away from its frame.
const BOX: &str = r#"<robot name="box">
  <link name="body">
    <inertial>
      <origin xyz="0.01 -0.02 0.03" rpy="0 0 0.5235987755982988"/>
      <mass value="2"/>
      <inertia ixx="0.03" ixy="0.002" ixz="-0.001" iyy="0.04" iyz="0.003" izz="0.05"/>
    </inertial>
    <collision>
      <geometry><box size="0.2 0.4 0.6"/></geometry>
    </collision>
  </link>
</robot>
"#;

/// A bob on a spherical joint to the world, with a floor that it does not reach.
const PENDULUM: &str = r#"<robot name="pendulum">
  <link name="world"/>
  <link name="bob">
    <inertial>
      <origin xyz="0.5 0 0"/>
      <mass value="0.75"/>
      <inertia ixx="0.003" ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.003"/>
    </inertial>
    <collision>
      <origin xyz="0.5 0 0"/>
      <geometry><sphere radius="0.1"/></geometry>
    </collision>
  </link>
  <joint name="pivot" type="spherical">
    <parent link="world"/>
    <child link="bob"/>
    <origin xyz="0 0 2"/>
  </joint>
</robot>
"#;

/// Fingerprints of the first steps.
fn trail(scene: &Scene, steps: usize) -> Vec<u64> {
    let mut world = scene.build().unwrap();
    (0..steps)
        .map(|_| {
            world.step(scene.step).unwrap();
            world.state_hash()
        })
        .collect()
}

/// The message for a text with one thing changed.
fn refused(text: &str, from: &str, to: &str) -> String {
    files::refused(text, (from, to), Scene::from_urdf)
}

#[test]
fn a_box_falls_as_its_twin_in_toml() {
    let robot = Scene::from_urdf(BOX).unwrap();
    // R I Rᵀ for a turn by 30° about z, on paper: c² = 3/4, s² = 1/4, cs = √3/4.
    let root = 3f64.sqrt();
    let inertial = robot.bodies[0].inertial.as_ref().unwrap();
    let expected = InertialDescription {
        mass: 2.0,
        centre: [0.01, -0.02, 0.03],
        moments: [0.75 * 0.03 + 0.25 * 0.04 - root / 2.0 * 0.002, 0.25 * 0.03 + 0.75 * 0.04 + root / 2.0 * 0.002, 0.05],
        products: [
            root / 4.0 * (0.03 - 0.04) + 0.5 * 0.002,
            root / 2.0 * -0.001 - 0.5 * 0.003,
            0.5 * -0.001 + root / 2.0 * 0.003,
        ],
    };
    assert_eq!((inertial.mass, inertial.centre), (expected.mass, expected.centre));
    for (found, paper) in inertial.moments.iter().zip(expected.moments) {
        assert!((found - paper).abs() < 1e-17, "{found} {paper}");
    }
    for (found, paper) in inertial.products.iter().zip(expected.products) {
        assert!((found - paper).abs() < 1e-17, "{found} {paper}");
    }
    let InertialDescription { moments, products, .. } = inertial;
    let twin = format!(
        "name = 'box'\n[[bodies]]\nname = 'body'\nshape = {{ cuboid = {{ half_extents = [0.1, 0.2, 0.3] }} }}\ninertial = \
         {{ mass = 2.0, centre = [0.01, -0.02, 0.03], moments = {moments:?}, products = {products:?} }}\n"
    );
    let mut twin = Scene::from_toml(&twin).unwrap();
    let mut robot = robot;
    // At rest it would fall without turning.
    for scene in [&mut robot, &mut twin] {
        scene.bodies[0].angular_velocity = [1.0, 2.0, -3.0];
    }
    assert_eq!(robot, twin);
    assert_eq!(trail(&robot, 200), trail(&twin, 200));
}

#[test]
fn a_pendulum_swings_as_its_twin_in_toml() {
    let robot = Scene::from_urdf(PENDULUM).unwrap();
    let twin = Scene::from_toml(
        r#"name = "pendulum"
        [[bodies]]
        name = "bob"
        shape = { compound = { parts = [{ shape = { sphere = { radius = 0.1 } }, position = [0.5, 0, 0] }] } }
        inertial = { mass = 0.75, centre = [0.5, 0, 0], moments = [0.003, 0.003, 0.003] }
        position = [0, 0, 2]
        [[joints]]
        kind = "ball"
        a = { body = "bob" }
        b = { point = [0, 0, 2] }
        "#,
    )
    .unwrap();
    assert_eq!(robot, twin);
    assert_eq!(trail(&robot, 300), trail(&twin, 300));
    // Written out and read again it is the same world.
    assert_eq!(trail(&Scene::from_toml(&robot.to_toml()).unwrap(), 300), trail(&robot, 300));
    // The pivot holds: on a circle of radius L = 0.5 m at v² ≤ 2gL a straight step leaves it by v²h²/2L at most, of which
    // a fraction is taken out per step.
    let mut world = robot.build().unwrap();
    let bob = world.find("bob").unwrap();
    let bound = 9.81 * robot.step * robot.step / robot.treatment.joint_correction;
    for _ in 0..300 {
        world.step(robot.step).unwrap();
        let off = (world.body(bob).unwrap().position() - DVec3::new(0.0, 0.0, 2.0)).length();
        assert!(off < bound, "{off} {bound}");
    }
}

#[test]
fn links_fixed_to_each_other_are_one_body_in_the_frame_of_the_topmost() {
    let scene = Scene::load(samples().join("double_pendulum.urdf")).unwrap();
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["post", "upper_rod", "lower_rod"]);
    assert_eq!(scene.bodies[0].position, [0.0, -0.3, 0.0]);
    // A rod of 0.2 kg about its middle and a ball of 1 kg at its end: c = (0.2·0.25 + 1·0.5)/1.2 below the pivot, and
    // Steiner's terms are those of the reduced mass 0.2·1/1.2 at the distance 0.25.
    let upper = scene.bodies[1].inertial.as_ref().unwrap();
    let across = 0.0042 + 0.001 + 0.2 / 1.2 * 0.25 * 0.25;
    assert!((upper.mass - 1.2).abs() < 1e-15 && (upper.centre[2] + 0.55 / 1.2).abs() < 1e-15);
    for (found, paper) in upper.moments.iter().zip([across, across, 0.00101]) {
        assert!((found - paper).abs() < 1e-16, "{found} {paper}");
    }
    assert_eq!(upper.products, [0.0; 3]);
    let ShapeDescription::Compound { parts } = &scene.bodies[1].shape else { panic!("{:?}", scene.bodies[1].shape) };
    assert_eq!(parts.iter().map(|part| part.position[2]).collect::<Vec<_>>(), [-0.25, -0.5]);
    // The elbow sits on the ball, which is half a metre down the rod.
    assert_eq!(scene.joints.len(), 2);
    assert_eq!((scene.joints[0].b.body.as_deref(), scene.joints[0].b.point), (None, [0.0, 0.0, 1.9]));
    assert_eq!((scene.joints[1].b.body.as_deref(), scene.joints[1].b.point), (Some("upper_rod"), [0.0, 0.0, -0.5]));
    // Turned by −1.2 rad about y, the rod's lower end is to the side where sin 1.2 says.
    let [x, _, z] = scene.bodies[2].position;
    assert!((x - 0.5 * 1.2f64.sin()).abs() < 1e-15 && (z - 1.9 + 0.5 * 1.2f64.cos()).abs() < 1e-15, "{x} {z}");
    let mut world = scene.build().unwrap();
    for _ in 0..100 {
        let report = world.step(scene.step).unwrap();
        assert!(report.velocity.is_none_or(|c| c.natural < 1e-8));
    }
    assert_eq!(trail(&scene, 50), trail(&Scene::from_toml(&scene.to_toml()).unwrap(), 50));
}

#[test]
fn roll_pitch_and_yaw_turn_about_fixed_axes() {
    // Yaw by a quarter after roll by a quarter: the link's y goes to z and stays there, its x goes to y.
    let text = BOX.replace(
        "</link>\n</robot>",
        "</link><link name='world'/><joint name='j' type='floating'><parent link='world'/>\
         <child link='body'/><origin xyz='1 2 3' rpy='1.5707963267948966 0 1.5707963267948966'/></joint></robot>",
    );
    let scene = Scene::from_urdf(&text).unwrap();
    let [w, x, y, z] = scene.bodies[0].orientation.unwrap();
    let turn = signorini::glamx::DQuat::from_xyzw(x, y, z, w);
    assert!((turn * DVec3::Y - DVec3::Z).length() < 1e-15);
    assert!((turn * DVec3::X - DVec3::Y).length() < 1e-15);
    assert_eq!((scene.bodies[0].position, scene.joints.len()), ([1.0, 2.0, 3.0], 0));
}

#[test]
fn joints_of_every_type_are_read_and_others_are_named() {
    for (kind, coordinates) in [
        ("revolute", 1),
        ("continuous", 1),
        ("prismatic", 1),
        ("planar", 3),
        ("ball", 4),
        ("floating", 7),
        ("fixed", 0),
    ] {
        let model = RobotModel::from_text(&PENDULUM.replace("spherical", kind), &RobotOptions::default()).unwrap();
        assert_eq!(model.coordinates(), coordinates, "{kind}");
        assert!(Scene::from_urdf(&PENDULUM.replace("spherical", kind)).is_ok(), "{kind}");
    }
    let error = refused(PENDULUM, "spherical", "screw");
    assert!(error.starts_with("14:3: joint 'pivot': there is no joint of type 'screw'; there are revolute"), "{error}");
}

#[test]
fn limits_dynamics_and_mimic_are_those_of_the_file() {
    let details = "<axis xyz='0 2 0'/><limit lower='-0.5' upper='1.5' effort='7' velocity='3'/>\
                   <dynamics damping='0.25' friction='0.125'/><mimic joint='pivot' multiplier='-2' offset='0.5'/>";
    let text = PENDULUM.replace("spherical", "revolute").replace("<origin xyz=\"0 0 2\"/>", details);
    let model = RobotModel::from_text(&text, &RobotOptions::default()).unwrap();
    let joint = &model.joints[0].joint;
    assert_eq!((joint.range, joint.max_force, joint.max_speed), (Some([-0.5, 1.5]), Some(7.0), Some(3.0)));
    assert_eq!((joint.damping, joint.friction), (0.25, 0.125));
    let mimic = joint.mimic.as_ref().unwrap();
    assert_eq!((mimic.joint.as_str(), mimic.ratio, mimic.offset), ("pivot", -2.0, 0.5));
    assert_eq!(joint.motion, Motion::Hinge { point: DVec3::ZERO, axis: DVec3::Y });
    // What does not act is said once, with its line.
    assert!(model.ignored.iter().any(|notice| notice.to_string().starts_with("14:3: a joint that follows itself")));
    // Limits that contradict each other are none; one value is no joint at all.
    let open = text.replace("lower='-0.5' upper='1.5'", "lower='1' upper='-1'");
    let open = RobotModel::from_text(&open, &RobotOptions::default()).unwrap();
    assert_eq!(open.joints[0].joint.range, None);
    assert!(open.ignored.iter().any(|notice| notice.what.starts_with("'lower' is above 'upper'")));
    let locked = text.replace("lower='-0.5' upper='1.5'", "lower='0.5' upper='0.5'");
    let locked = RobotModel::from_text(&locked, &RobotOptions::default()).unwrap();
    assert_eq!(locked.coordinates(), 0);
}

#[test]
fn roots_without_mass_stand_still_and_impossible_inertia_is_replaced() {
    // A base without mass stands still, however it is called.
    let still = Scene::from_urdf(&BOX.replace("value=\"2\"", "value=\"0\"")).unwrap();
    assert_eq!(still.bodies[0].kind, signorini::Kind::Fixed);
    let free = RobotOptions { base: Base::Fixed, ..RobotOptions::default() };
    assert_eq!(RobotModel::from_text(BOX, &free).unwrap().links.len(), 0);
    // A ball of 0.75 kg and radius 0.1 m has 2/5 m r², whatever the file says of its third moment.
    let model =
        RobotModel::from_text(&PENDULUM.replace("izz=\"0.003\"", "izz=\"0.03\""), &RobotOptions::default()).unwrap();
    let inertia = model.links[0].mass.inertia.to_cols_array_2d();
    for (k, row) in inertia.iter().enumerate() {
        assert!((row[k] - 0.4 * 0.75 * 0.01).abs() < 1e-17, "{inertia:?}");
    }
    assert!(model.ignored.iter().any(|notice| notice.what.starts_with("inertia tensors that no body can have")));
    // A link without inertial that moves weighs what its shape does in water.
    let start = PENDULUM.find("<inertial>").unwrap();
    let end = PENDULUM.find("</inertial>").unwrap() + "</inertial>".len();
    let light = format!("{}{}", &PENDULUM[..start], &PENDULUM[end..]);
    let model = RobotModel::from_text(&light, &RobotOptions::default()).unwrap();
    assert!((model.links[0].mass.mass - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-12);
}

#[test]
fn what_is_wrong_is_said_with_its_element() {
    for (from, to, message) in [
        ("<robot name=\"pendulum\">", "<robot>", "1:1: robot: the attribute 'name' is missing"),
        ("<robot name=\"pendulum\">", "<robot nam=\"p\">", "1:1: robot: the attribute 'name' is missing"),
        ("name=\"bob\"", "name=\"\"", "3:3: robot.link: a name has at least one character"),
        ("value=\"0.75\"", "value=\"-1\"", "4:5: link 'bob'.inertial: "),
        ("value=\"0.75\"", "value=\"heavy\"", "6:7: link 'bob'.inertial.mass: 'value': 'heavy' is not a finite number"),
        ("value=\"0.75\"", "value=\"1e400\"", "6:7: link 'bob'.inertial.mass: 'value': '1e400' is not a finite number"),
        ("izz=\"0.003\"", "", "7:7: link 'bob'.inertial.inertia: the attribute 'izz' is missing"),
        ("<mass value=\"0.75\"/>", "", "4:5: link 'bob'.inertial: the element 'mass' is missing"),
        (
            "<origin xyz=\"0.5 0 0\"/>",
            "<origin xyz=\"0.5 0\"/>",
            "5:7: link 'bob'.inertial.origin: 'xyz' has 2 numbers",
        ),
        (
            "radius=\"0.1\"",
            "radius=\"-0.1\"",
            "11:17: link 'bob'.collision.geometry.sphere: radius -0.1 is not a positive",
        ),
        ("<sphere radius=\"0.1\"/>", "", "11:7: link 'bob'.collision.geometry: exactly one shape is needed"),
        (
            "sphere radius",
            "spere radius",
            "11:7: link 'bob'.collision.geometry: exactly one shape is needed: box, cylinder, sphere",
        ),
        (
            "<parent link=\"world\"/>",
            "<parent link=\"word\"/>",
            "14:3: joint 'pivot': no link is called 'word'; did you",
        ),
        ("<parent link=\"world\"/>", "<parent link=\"bob\"/>", "3:3: link 'bob': "),
        ("<child link=\"bob\"/>", "", "14:3: joint 'pivot': the element 'child' is missing"),
        ("<link name=\"world\"/>", "<link name=\"bob\"/>", "3:3: link 'bob': there is a link of this name already"),
        (
            "<link name=\"world\"/>",
            "<link name='world'/><link name='x'/>",
            "2:23: link 'x': neither this link nor 'world'",
        ),
        (
            "</joint>",
            "</joint><joint name='q' type='fixed'><parent link='world'/><child link='bob'/></joint>",
            "18:11: joint 'q': link 'bob' hangs on joint 'pivot' already",
        ),
        (
            "</robot>",
            "<xacro:macro xmlns:xacro='http://x'/></robot>",
            "19:1: robot.macro: an element of another language; a xacro file",
        ),
        (
            "</robot>",
            "<link name='a'/><link name='b'/><joint name='ab' type='fixed'><parent link='a'/><child link='b'/></joint><joint name='ba' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
            "19:1: link 'a': this link hangs on itself",
        ),
        ("</robot>", "", "1:1: the root node was opened but never closed"),
    ] {
        let error = refused(PENDULUM, from, to);
        assert!(error.starts_with(message), "'{error}' should begin with '{message}'");
    }
    let bare = Scene::from_urdf("<robot name='r'><link name='a'/></robot>").unwrap_err().to_string();
    assert_eq!(bare, "nothing in it can be simulated: no link moves or has a shape");
    assert!(Scene::from_urdf("<html/>").unwrap_err().to_string().starts_with("1:1: html: a robot description begins"));
    assert!(Scene::from_urdf("name = 'toml'").is_err());
}

#[test]
fn meshes_are_hulls_on_what_moves_and_lie_below_the_file() {
    let folder = folder("scene_urdf/meshes");
    fs::create_dir(folder.join("parts")).unwrap();
    fs::copy(samples().join("die.stl"), folder.join("parts/die.stl")).unwrap();
    fs::copy(samples().join("die.stl"), folder.join("../outside.stl")).unwrap();
    let file = folder.join("robot.urdf");
    let load = |mesh: &str| {
        fs::write(&file, BOX.replace("<box size=\"0.2 0.4 0.6\"/>", mesh)).unwrap();
        Scene::load(&file)
    };
    // Millimetres made metres, the second axis twice as long and mirrored.
    let scene = load("<mesh filename='parts/die.stl' scale='0.001 -0.002 0.001'/>").unwrap();
    let ShapeDescription::Hull { points } = &scene.bodies[0].shape else { panic!("{:?}", scene.bodies[0].shape) };
    assert_eq!(points.len(), 8);
    for [x, y, z] in points {
        assert!((x.abs() - 0.03).abs() < 1e-15 && (y.abs() - 0.06).abs() < 1e-15 && (z.abs() - 0.03).abs() < 1e-15);
    }
    fs::copy(samples().join("die.stl"), folder.join("parts/die.gltf")).unwrap();
    // A package is looked for beside the robot, by its name and without.
    assert!(load("<mesh filename='package://parts/die.stl' scale='0.001 0.001 0.001'/>").is_ok());
    assert!(load("<mesh filename='package://robot/parts/die.stl' scale='0.001 0.001 0.001'/>").is_ok());
    for (mesh, message) in [
        ("../outside.stl", "files are named relative to the robot's"),
        ("package://robot/../../outside.stl", "files are named relative to the robot's"),
        ("package://robot/parts/none.stl", "there is no such file"),
        ("file:///etc/passwd", "this is an address"),
        ("/etc/passwd", "files are named relative"),
        ("parts/none.stl", "there is no such file"),
        ("parts/die.gltf", "a mesh file ends in .obj, .stl, .dae, .glb, .ply or .msh"),
        ("", "files are named relative"),
    ] {
        let error = load(&format!("<mesh filename='{mesh}'/>")).unwrap_err().to_string();
        let place = format!("robot.urdf:9:17: link 'body'.collision.geometry.mesh: '{mesh}': ");
        assert!(error.contains(&place) && error.contains(message), "{error}");
    }
    assert!(load("<mesh filename='parts/die.stl' scale='1 0 1'/>").unwrap_err().to_string().contains("factor of zero"));
    let text = Scene::from_urdf(&BOX.replace("<box size=\"0.2 0.4 0.6\"/>", "<mesh filename='parts/die.stl'/>"));
    assert!(text.unwrap_err().to_string().contains("load the robot from a file"));
    // On the world the surface itself, the right way out also in the mirror: a ball dropped onto it stays up.
    for scale in ["0.01 0.01 0.01", "-0.01 0.01 0.01"] {
        let table = format!(
            "<link name='world'><collision><geometry><mesh filename='parts/die.stl' scale='{scale}'/></geometry>\
             </collision></link><joint name='free' type='floating'><parent link='world'/><child link='body'/><origin \
             xyz='0 0 0.35'/></joint></robot>"
        );
        let ball = BOX.replace("<box size=\"0.2 0.4 0.6\"/>", "<sphere radius='0.05'/>");
        fs::write(&file, ball.replace("</robot>", &table)).unwrap();
        let scene = Scene::load(&file).unwrap();
        assert!(matches!(scene.bodies[0].shape, ShapeDescription::Mesh { .. }));
        let mut world = scene.build().unwrap();
        let body = world.find("body").unwrap();
        for _ in 0..30 {
            world.step(scene.step).unwrap();
        }
        assert!(world.body(body).unwrap().position().z > 0.33, "{}", world.body(body).unwrap().position());
    }
}

#[test]
fn j3_j11_bombs_are_refused_at_once() {
    let start = Instant::now();
    let laughs = "<!DOCTYPE robot [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><robot name='&b;'/>";
    assert!(Scene::from_urdf(laughs).unwrap_err().to_string().contains("document type is not read"));
    let deep = format!("<robot name='r'>{}", "<link>".repeat(100_000));
    assert!(Scene::from_urdf(&deep).is_err());
    let closed = format!("{deep}{}</robot>", "</link>".repeat(100_000));
    assert!(Scene::from_urdf(&closed).is_err());
    let many = format!("<robot name='r'>{}</robot>", "<a/>".repeat(300_000));
    assert!(Scene::from_urdf(&many).unwrap_err().to_string().contains("more than 200000 elements"));
    let attributes: String = (0..200_000).map(|i| format!(" a{i} = \"\"")).collect();
    let crowded = Scene::from_urdf(&format!("<robot\n{attributes}/>")).unwrap_err().to_string();
    assert!(crowded.contains("2:1: an element with more than 64 attributes"), "{crowded}");
    let spaces: String = (0..9_000).map(|i| format!("<a xmlns:n{i}='{i}'>")).collect();
    assert!(Scene::from_urdf(&format!("<robot>{spaces}")).unwrap_err().to_string().contains("64 namespaces"));
    let large = Scene::from_urdf(&" ".repeat(TEXT_LIMIT + 1)).unwrap_err().to_string();
    assert!(large.contains("4194305 bytes") && large.contains("4194304"), "{large}");
    // A chain of as many links as there is room for, without recursion and in linear time.
    let chain: String = (0..20_000)
        .map(|i| {
            format!(
                "<link name='{i}'/><joint name='{i}' type='fixed'><parent link='{i}'/><child link='{}'/></joint>",
                i + 1
            )
        })
        .collect();
    let chain = format!("<robot name='r'>{chain}<link name='20000'/></robot>");
    assert!(Scene::from_urdf(&chain).unwrap_err().to_string().contains("more than 2000 links"));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Models that include themselves, or each other, or each the next one twice: sixty of those would be 2⁶⁰ copies.
#[test]
fn j10_j11_includes_in_a_ring_and_includes_that_double_are_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("j10");
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, inside: &str| fs::write(folder.join(name), format!("<mujoco>{inside}</mujoco>")).unwrap();
    let load = || Scene::load(folder.join("model.xml")).unwrap_err().to_string();
    write("model.xml", "<include file='model.xml'/><worldbody><geom size='1'/></worldbody>");
    assert!(load().contains("the file includes itself"), "{}", load());
    write("model.xml", "<include file='a.xml'/>");
    write("a.xml", "<include file='b.xml'/>");
    write("b.xml", "<include file='a.xml'/>");
    assert!(load().contains("the file includes itself"), "{}", load());
    write("model.xml", "<include file='0.xml'/>");
    for k in 0..60 {
        let next = format!("<include file='{}.xml'/>", k + 1);
        write(&format!("{k}.xml"), &next.repeat(2));
    }
    write("60.xml", "<worldbody><geom size='1'/></worldbody>");
    assert!(load().contains("more than 1000000 elements"), "{}", load());
}

#[test]
fn j18_a_robot_cut_anywhere_is_refused() {
    let double = fs::read_to_string(samples().join("double_pendulum.urdf")).unwrap();
    for text in [BOX, PENDULUM, &double] {
        let whole = text.trim_end().len();
        for end in (0..whole).filter(|end| text.is_char_boundary(*end)) {
            assert!(Scene::from_urdf(&text[..end]).is_err(), "cut at {end}");
        }
        assert!(Scene::from_urdf(&text[..whole]).is_ok());
    }
    let mjcf = "<mujoco><option timestep='0.01'/><default><geom density='500'/></default><worldbody><geom type='plane' \
                size='0 0 1'/><body name='arm' pos='0 0 1'><joint axis='0 1 0' range='-90 90'/><geom type='capsule' \
                size='0.1 0.2'/></body></worldbody></mujoco>";
    for end in 0..mjcf.len() {
        assert!(Scene::from_mjcf(&mjcf[..end]).is_err(), "cut at {end}");
    }
    assert!(Scene::from_mjcf(mjcf).is_ok());
}

#[test]
fn random_damage_never_breaks_the_reader() {
    let alphabet = b"<>/=\"'!-?&;: 0123456789e.+\n\x00\xc3\xa9";
    damaged(&[BOX.as_bytes(), PENDULUM.as_bytes()], alphabet, 10_000, |text| drop(Scene::from_urdf(text)));
}
