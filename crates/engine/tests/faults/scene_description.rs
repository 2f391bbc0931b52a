//! Scenes as data: the world that comes out is the one written down, and what is refused says where and why.

use signorini::glamx::DVec3;
use signorini::scene::{BodyDescription, Grid, PartDescription, Rotation, Scene, ShapeDescription};
use signorini::{Shape, StepStatus};

const BALL: &str = r#"
name = "ball"
step = 0.01
duration = 1.0

[materials.rubber]
friction = 0.9
restitution = 0.5

[[bodies]]
name = "floor"
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
material = "rubber"

[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.5 } }
mass = 2.0
position = [0, 0, 2]
material = "rubber"
restitution = 0.8

[[joints]]
kind = { distance = { length = 3.0 } }
a = { body = "ball", point = [0, 0, 0.5] }
b = { point = [0, 0, 5.5] }
"#;

#[test]
fn the_world_is_the_one_written_down() {
    let scene: Scene = toml::from_str(BALL).unwrap();
    assert_eq!(scene.steps(), 100);
    let mut world = scene.build().unwrap();
    let ball = world.find("ball").unwrap();
    let view = world.body(ball).unwrap();
    assert_eq!((view.mass(), view.position()), (2.0, DVec3::new(0.0, 0.0, 2.0)));
    assert_eq!((view.material().friction, view.material().restitution), (0.9, 0.8));
    // The rod is 3 m long and straight down: the ball hangs and does not move.
    for _ in 0..scene.steps() {
        assert_eq!(world.step(scene.step).unwrap().status, StepStatus::Certified);
    }
    assert!((world.body(ball).unwrap().position() - DVec3::new(0.0, 0.0, 2.0)).length() < 1e-12);
}

#[test]
fn writing_and_reading_gives_the_same_scene() {
    let scene: Scene = toml::from_str(BALL).unwrap();
    assert_eq!(toml::from_str::<Scene>(&toml::to_string(&scene).unwrap()).unwrap(), scene);
    assert_eq!(serde_json::from_str::<Scene>(&serde_json::to_string(&scene).unwrap()).unwrap(), scene);
}

#[test]
fn a_grid_is_one_body_per_place() {
    let mut scene = Scene::default();
    scene.bodies.push(BodyDescription {
        grid: Some(Grid { count: [2, 1, 3], spacing: [2.0, 0.0, 1.5] }),
        position: [1.0, 0.0, 0.0],
        ..BodyDescription::new("brick", ShapeDescription::Cuboid { half_extents: [0.5; 3] })
    });
    let world = scene.build().unwrap();
    assert_eq!(world.bodies().count(), 6);
    let last = world.body(world.find("brick/1/0/2").unwrap()).unwrap();
    assert_eq!(last.position(), DVec3::new(3.0, 0.0, 3.0));
}

#[test]
fn a_shape_and_its_description_are_the_same_solid() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let dumbbell = ShapeDescription::Compound {
        parts: vec![
            PartDescription::new(ShapeDescription::Sphere { radius: 0.3 }, [1.0, 0.0, 0.0], None),
            PartDescription::new(
                ShapeDescription::Cylinder { half_height: 1.0, radius: 0.1 },
                [0.0; 3],
                Some([half, 0.0, half, 0.0]),
            ),
        ],
    };
    let shape = dumbbell.build("shape").unwrap();
    let again = shape.describe().build("shape").unwrap();
    assert_eq!(shape.mass_properties(7.0).unwrap(), again.mass_properties(7.0).unwrap());
    let hull = Shape::convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    assert_eq!(hull.describe().build("shape").unwrap().volume().unwrap(), hull.volume().unwrap());
}

#[test]
fn old_names_of_keys_are_read_with_a_notice() {
    let text = "[treatment.sleeping.islands]\nspeed = 0.01\nspin = 0.02\ntime = 0.5\n\n[[bodies]]\nname = \"ball\"\n\
        shape = { sphere = { radius = 0.5 } }\nspin = [1, 2, 3]\noptions = { surface_spin = [0, 0, 4] }\n";
    let scene = Scene::from_toml(text).unwrap();
    assert_eq!(scene.bodies[0].angular_velocity, [1.0, 2.0, 3.0]);
    assert_eq!(scene.bodies[0].options.surface_angular_velocity, [0.0, 0.0, 4.0]);
    let notices: Vec<String> = scene.notices.iter().map(ToString::to_string).collect();
    assert_eq!(notices.len(), 3);
    assert!(notices[0].starts_with("9:1: 'spin' is called 'angular_velocity' now"), "{notices:?}");
    assert!(notices[1].starts_with("10:13: 'surface_spin' is called 'surface_angular_velocity' now"), "{notices:?}");
    assert!(notices[2].starts_with("3:1: 'spin' is called 'angular_speed' now"), "{notices:?}");
    let new = text.replace("surface_spin", "surface_angular_velocity").replace("\nspin = 0", "\nangular_speed = 0");
    let new = Scene::from_toml(&new.replace("\nspin", "\nangular_velocity")).unwrap();
    assert!(new.notices.is_empty());
    assert_eq!(new.bodies, scene.bodies);
    assert_eq!(new.treatment, scene.treatment);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let refuse = |change: fn(&mut Scene)| {
        let mut scene: Scene = toml::from_str(BALL).unwrap();
        change(&mut scene);
        scene.build().unwrap_err().to_string()
    };
    for (change, message) in [
        (
            (|s| s.bodies[1].shape = ShapeDescription::Sphere { radius: -1.0 }) as fn(&mut Scene),
            "bodies[1].shape.sphere.radius: radius -1 is not a positive length",
        ),
        (|s| s.bodies[1].material = Some("wood".into()), "bodies[1].material: no material is called 'wood'"),
        (|s| s.bodies[1].name = "floor".into(), "bodies[1].name: body 'floor' exists already"),
        (|s| s.joints[0].a.body = Some("bell".into()), "joints[0].a.body: no body is called 'bell'"),
        (|s| s.joints[0].a.body = None, "joints[0].a.body: one end of a joint must be on a body"),
        (|s| s.solver.method = "hope".into(), "solver.method: "),
        (|s| s.step = 0.0, "step: 0 s is not a time above zero"),
        (|s| s.duration = f64::INFINITY, "duration: inf s is not a time above zero"),
        (
            |s| (s.duration, s.step) = (1e300, 0.01),
            "duration: 1e300 s in steps of 0.01 s are more than 100000000 steps",
        ),
        (
            |s| (s.duration, s.step) = (1.0, 1e-300),
            "duration: 1.0 s in steps of 1e-300 s are more than 100000000 steps",
        ),
        (|s| s.joints[0].a.point[1] = 1e262, "joints[0].a.point[1]: joint: anchor a y 1e262 is not in"),
        (|s| s.joints[0].b.point[2] = -1e11, "joints[0].b.point[2]: joint: anchor b z -100000000000.0 is not in"),
        (
            |s| s.bodies[1].density = Some(1.0),
            "bodies[1].density: give the mass, the density or the inertial properties",
        ),
        (
            |s| s.bodies[1].rotation = Some(Rotation { axis: [0.0; 3], degrees: 1.0 }),
            "bodies[1].rotation.axis: an axis needs a length above zero",
        ),
        (
            |s| s.bodies[1].grid = Some(Grid { count: [u32::MAX; 3], spacing: [1.0; 3] }),
            "bodies[1].grid.count: more than 200000 bodies in all",
        ),
    ] {
        let found = refuse(change);
        assert!(found.starts_with(message), "'{found}' should begin with '{message}'");
    }
}
