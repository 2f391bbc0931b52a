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

/// A tetrahedron of a corner of a cube of one unit, twice: once as it is, once a unit further on, in units of 10 cm. The node that shows it
/// turns x into y. One triangle is written as a polygon of three.
const TWO_CORNERS: &str = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="decimetre" meter="0.1"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="corner"><mesh>
    <source id="at"><float_array id="numbers" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
      <technique_common><accessor source="#numbers" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#at"/></vertices>
    <triangles count="3"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#at" offset="1"/>
      <p>0 0 2 0 1 0 0 0 1 0 3 0 0 0 3 0 2 0</p></triangles>
    <polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount><p>1 2 3</p></polylist>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="scene"><node><rotate>0 0 1 90</rotate><instance_geometry url="#corner"/>
    <node><matrix>1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#corner"/></node></node></visual_scene></library_visual_scenes>
</COLLADA>"##;

/// Both corners together reach from −0.1 m to 0 along x, and to 0.2 m along y and 0.1 m along z.
#[test]
fn meshes_in_collada_are_read() {
    let folder = folder("collada");
    fs::write(folder.join("corners.dae"), TWO_CORNERS).unwrap();
    let robot = "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry>\
                 <mesh filename='corners.dae'/></geometry></collision></link></robot>";
    fs::write(folder.join("robot.urdf"), robot).unwrap();
    let load = || RobotModel::load(folder.join("robot.urdf"), &RobotOptions::default());
    let shape = load().unwrap().links[0].shapes[0].shape.build("").unwrap();
    let bounds = shape.aabb(&DPose3::IDENTITY);
    assert!((bounds.min - DVec3::new(-0.1, 0.0, 0.0)).length() < 1e-15, "{bounds:?}");
    assert!((bounds.max - DVec3::new(0.0, 0.2, 0.1)).length() < 1e-15, "{bounds:?}");
    for (from, to, message) in [
        ("<p>1 2 3</p>", "<p>1 2 4</p>", "a face names a vertex that does not exist"),
        ("<vcount>3</vcount>", "<vcount>4</vcount>", "'vcount' has more corners than 'p'"),
        ("url=\"#corner\"", "url=\"#none\"", "no geometry is called 'none'"),
        ("#at\"/></vertices>", "#to\"/></vertices>", "the source of its positions is missing"),
        ("0 0 0 1 0 0", "0 0 0 1 zero 0", "'zero' is not a finite number"),
        ("<rotate>0 0 1 90", "<rotate>0 0 1", "'rotate' has 3 numbers, it takes 4"),
        ("COLLADA", "collada", "does not begin with the element 'COLLADA'"),
    ] {
        fs::write(folder.join("corners.dae"), TWO_CORNERS.replace(from, to)).unwrap();
        let error = load().unwrap_err().to_string();
        assert!(
            error.contains("link 'l'.collision.geometry.mesh: 'corners.dae': ") && error.contains(message),
            "{error}"
        );
    }
}

/// 6000 points on a ball of 0.1 m are all corners of their hull, which may have 4096.
#[test]
fn a_mesh_whose_hull_has_too_many_corners_is_taken_a_little_smaller() {
    let folder = folder("corners");
    let turn = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut text = String::new();
    for k in 0..6000 {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 6000.0;
        let (sine, cosine) = (turn * f64::from(k)).sin_cos();
        let radius = 0.1 * (1.0 - z * z).sqrt();
        text += &format!("v {} {} {}\n", radius * cosine, radius * sine, 0.1 * z);
    }
    fs::write(folder.join("ball.obj"), text + "f 1 2 3\n").unwrap();
    let model = "<mujoco><asset><mesh name='ball' file='ball.obj'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='ball' \
                 mass='1'/></body></worldbody></mujoco>";
    fs::write(folder.join("model.xml"), model).unwrap();
    let model = RobotModel::load(folder.join("model.xml"), &RobotOptions::default()).unwrap();
    let shape = model.links[0].shapes[0].shape.build("").unwrap();
    // Directions are 0.08 rad apart, faces at most 0.15 rad wide: of a ball of 0.1 m, 1 − cos(0.075) is 0.28 mm.
    assert!(shape.aabb(&DPose3::IDENTITY).max.max_element() > 0.0999);
    let note =
        model.ignored.iter().map(ToString::to_string).find(|note| note.contains("more than 4096 corners")).unwrap();
    let lost: f64 = note.split("smaller by ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(lost > 0.0 && lost < 0.28, "{note}");
}

#[test]
fn the_first_inertial_counts_and_a_density_stands_for_one() {
    let link = |inertial: &str| {
        format!(
            "<robot name='r'><link name='l'>{inertial}<collision><geometry><box size='0.1 0.2 0.5'/></geometry></collision></link></robot>"
        )
    };
    let own = "<inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
    let model = read(&link(&format!("{own}{}", own.replace('3', "7")))).unwrap();
    assert_eq!(model.links[0].mass.mass, 3.0);
    assert!(model.ignored[0].to_string().contains("a second 'inertial' of a link is not used"));
    // 0.01 m³ of 300 kg/m³; and it is a body that moves.
    let model = read(&link("<inertial><density value='300'/></inertial>")).unwrap();
    assert!((model.links[0].mass.mass - 3.0).abs() < 1e-12 && model.ignored.is_empty());
    let error = read(&link("<inertial><density value='0'/></inertial>")).unwrap_err();
    assert!(error.contains("link 'l'.inertial.density: 'value': 0 is not above zero"), "{error}");
}

/// A mass without inertia and without shapes is a ball of water: r³ = 3m/4πρ, 2/5 m r².
#[test]
fn a_mass_without_inertia_is_a_ball_of_water() {
    let inertial = "<inertial><mass value='0.1'/><inertia ixx='0' iyy='0' izz='0'/></inertial>";
    let model = read(&format!("<robot name='r'><link name='l'>{inertial}</link></robot>")).unwrap();
    let radius = (0.3 / (4.0 * std::f64::consts::PI * 1000.0)).cbrt();
    let moments = model.links[0].mass.inertia.to_cols_array_2d();
    for (k, row) in moments.iter().enumerate() {
        assert!((row[k] / (0.04 * radius * radius) - 1.0).abs() < 1e-14, "{moments:?}");
    }
}

/// Limits of 1e16 rad are how some write that there are none.
#[test]
fn limits_beyond_all_measure_are_none() {
    let model = read(
        "<robot name='r'><link name='world'/><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
         <joint name='j' type='revolute'><parent link='world'/><child link='l'/><limit lower='-1e16' upper='0.5'/></joint></robot>",
    )
    .unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    let robot = Robot::add(&mut world, &model, &RobotPlacement::default()).unwrap();
    let (joint, coordinate) = robot.joint("j").unwrap();
    assert_eq!(world.joint_coordinate(joint, coordinate).unwrap().limits, Some([f64::NEG_INFINITY, 0.5]));
}

/// Of two actuators one drives a tendon over sites, which is left out; key frames have a control for it all the same.
#[test]
fn key_frames_keep_their_controls_where_an_actuator_is_left_out() {
    let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/><site name='a'/></body></worldbody>\
                <tendon><spatial name='t'><site site='a'/></spatial></tendon><keyframe><key name='home' ctrl='7 0.25'/></keyframe>\
                <actuator><motor tendon='t'/><position joint='j'/></actuator></mujoco>";
    let model = read(text).unwrap();
    assert_eq!((model.actuators.len(), &model.home_control), (1, &vec![0.25]));
    let error = read(&text.replace("7 0.25", "7 0.25 1")).unwrap_err();
    assert!(error.contains("ctrl has 3 numbers, this robot has 1"), "{error}");
}

/// Four bars of 1 m in a parallelogram, closed at the references. The key frame is off by 0.01 rad in one of the angles: q₁ = −q₂ = q₃ is where it fits.
/// Held by limits away from there, the tie holds what it finds.
#[test]
fn ties_that_do_not_fit_at_home_are_made_to() {
    let bar = "<geom type='capsule' fromto='0 0 0 1 0 0' size='0.02' contype='0' conaffinity='0'/>";
    let text = format!(
        "<mujoco><compiler angle='radian'/><worldbody><body name='one' pos='0 0 0' euler='0 -1.5707963267948966 0'><joint name='1' axis='0 1 0'/>{bar}\
         <body name='two' pos='1 0 0' euler='0 1.5707963267948966 0'><joint name='2' axis='0 1 0'/>{bar}</body></body>\
         <body name='three' pos='1 0 0' euler='0 -1.5707963267948966 0'><joint name='3' axis='0 1 0'/>{bar}</body></worldbody>\
         <equality><connect body1='two' body2='three' anchor='1 0 0'/></equality><keyframe><key name='home' qpos='0.3 -0.3 0.31'/></keyframe></mujoco>"
    );
    let fits = |model: &RobotModel| {
        let mut world = World::new(Settings::default()).unwrap();
        let robot = Robot::add(&mut world, model, &RobotPlacement::default()).unwrap();
        for _ in 0..20 {
            let report = world.step(0.005).unwrap();
            assert_eq!(report.status, StepStatus::Certified);
            assert!(report.certificate.joint_gap.value <= JOINT_BOUND);
        }
        robot.q(&world).unwrap()
    };
    let model = read(&text).unwrap();
    assert!(model.ignored.iter().any(|note| note.what.ends_with("and begin where they fit")), "{:?}", model.ignored);
    let q = &model.home;
    assert!((q[0] - 0.3).abs() < 0.02 && (q[0] + q[1]).abs() < 1e-11 && (q[0] - q[2]).abs() < 1e-11, "{q:?}");
    let q = fits(&model);
    assert!((q[0] + q[1]).abs() < 1e-7 && (q[0] - q[2]).abs() < 1e-7, "{q:?}");
    // Three at 0.31 and two at −0.3 ± 1e-4 do not fit.
    let held = text
        .replace("name='2'", "name='2' range='-0.3001 -0.2999'")
        .replace("name='3'", "name='3' range='0.3099 0.3101'");
    let model = read(&held).unwrap();
    assert!(
        model.ignored.iter().any(|note| note.what.ends_with("hold what they find in the home pose")),
        "{:?}",
        model.ignored
    );
    assert_eq!(model.home, [0.3, -0.3, 0.31]);
    fits(&model);
}
