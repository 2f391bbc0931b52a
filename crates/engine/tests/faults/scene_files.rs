//! Scene files: what is written is what is built, and what cannot be built is refused with file, line and column.
//!
//! The names j1 … j19 are the cases of the fault matrix for parsers. Two have no test because there is nothing to go
//! wrong: scenes include no other scenes (J10), and nothing that is compressed is read (J17). TOML and JSON have no
//! aliases that expand (J11); XML has, and `scene_urdf` looks at it.

use crate::fixture::files::{self, damaged, folder, samples};
use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use signorini::scene::{BODY_LIMIT, BodyDescription, Grid, MESH_FILE_LIMIT, ShapeDescription, TEXT_LIMIT};
use signorini::{Combine, Material, Scene};
use std::fs;
use std::path::Path;

/// Two bodies that every fault below is planted into.
const BALL: &str = r#"name = "ball"
[materials.rubber]
friction = 0.9
[[bodies]]
name = "floor"
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.5 } }
mass = 2.0
material = "rubber"
[[joints]]
kind = "ball"
a = { body = "ball" }
b = { point = [0, 0, 0] }
"#;

/// The message for `BALL` with one thing changed.
fn refused(from: &str, to: &str) -> String {
    files::refused(BALL, (from, to), Scene::from_toml)
}

fn json_of(toml: &str) -> String {
    Scene::from_toml(toml).unwrap().to_json()
}

#[test]
fn the_samples_of_the_book_load_and_run() {
    for file in ["tower.toml", "pendulum.json", "bowl.toml", "double_pendulum.urdf"] {
        let scene = Scene::load(samples().join(file)).unwrap();
        let mut world = scene.build().unwrap();
        for _ in 0..10 {
            world.step(scene.step).unwrap();
        }
    }
    let bowl = Scene::load(samples().join("bowl.toml")).unwrap();
    assert!(matches!(&bowl.bodies[0].shape, ShapeDescription::Mesh { triangles, .. } if triangles.len() == 176));
    // Six faces of two triangles in the file, eight corners in the hull, millimetres made metres.
    let ShapeDescription::Hull { points } = &bowl.bodies[1].shape else { panic!("{:?}", bowl.bodies[1].shape) };
    assert_eq!(points.len(), 8);
    assert!(points.iter().flatten().all(|x| (x.abs() - 0.03).abs() < 1e-15));
}

#[test]
fn j19_parse_write_parse_is_the_same_world() {
    for file in ["tower.toml", "pendulum.json", "bowl.toml", "double_pendulum.urdf"] {
        let scene = Scene::load(samples().join(file)).unwrap();
        let hash = |scene: &Scene| {
            let mut world = scene.build().unwrap();
            for _ in 0..5 {
                world.step(scene.step).unwrap();
            }
            world.state_hash()
        };
        let again = [Scene::from_toml(&scene.to_toml()).unwrap(), Scene::from_json(&scene.to_json()).unwrap()];
        for again in &again {
            assert_eq!(again, &scene);
            assert_eq!(hash(again), hash(&scene), "{file}");
        }
        assert_eq!(Scene::from_toml(&again[0].to_toml()).unwrap().to_toml(), scene.to_toml());
    }
}

#[test]
fn written_toml_reads_like_a_person_wrote_it() {
    let mut scene = Scene { name: "a \"scene\"".into(), duration: 1.0, ..Scene::default() };
    scene.materials.insert("wet ice".into(), Material { friction_rule: Combine::Minimum, ..Material::new(0.02, 0.0) });
    scene.bodies.push(BodyDescription {
        grid: Some(Grid { count: [2, 1, 1], spacing: [1.0, 0.0, 0.0] }),
        material: Some("wet ice".into()),
        ..BodyDescription::new("b", ShapeDescription::Sphere { radius: 0.1 })
    });
    let text = scene.to_toml();
    for line in [
        "duration = 1.0",
        "[solver]",
        "[materials.\"wet ice\"]",
        "friction_rule = \"minimum\"",
        "[[bodies]]",
        "shape = { sphere = { radius = 0.1 } }",
        "grid = { count = [2, 1, 1], spacing = [1.0, 0.0, 0.0] }",
    ] {
        assert!(text.lines().any(|l| l == line), "'{line}' is not in\n{text}");
    }
    assert_eq!(Scene::from_toml(&text).unwrap(), scene);
}

#[test]
fn a_world_can_be_described_and_built_again() {
    let scene = Scene::load(samples().join("pendulum.json")).unwrap();
    let world = scene.build().unwrap();
    let described = Scene::describe(&world, scene.step);
    let again = Scene::from_json(&described.to_json()).unwrap().build().unwrap();
    assert_eq!(again.state_hash(), world.state_hash());
    assert_eq!(Scene::describe(&again, scene.step), described);
}

#[test]
fn j1_nothing_is_not_a_scene() {
    for text in ["", "\n", "  \t\r\n"] {
        assert_eq!(
            Scene::from_toml(text).unwrap_err().to_string(),
            "1:1: the text is empty; a scene needs at least one body"
        );
        assert!(Scene::from_json(text).is_err());
    }
    for text in ["# only a comment", "name = \"empty\"", "bodies = []"] {
        assert!(Scene::from_toml(text).unwrap_err().to_string().contains("at least one body"), "{text}");
    }
    for text in ["{}", "[]", "null", "3", "\"scene\""] {
        assert!(Scene::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn j2_bytes_that_are_not_utf_8_and_byte_order_marks_are_refused() {
    let folder = folder("scene_files/utf8");
    let (file, marked) = (folder.join("latin.toml"), folder.join("marked.toml"));
    fs::write(&file, b"name = \"caf\xe9\"\n").unwrap();
    let error = Scene::load(&file).unwrap_err().to_string();
    assert!(error.ends_with("latin.toml:1:12: the text is not UTF-8 from here on; save it as UTF-8"), "{error}");
    fs::write(&marked, format!("\u{feff}{BALL}")).unwrap();
    assert!(Scene::load(&marked).unwrap_err().to_string().contains(":1:1: the text begins with a byte order mark"));
    fs::write(&marked, [0xff, 0xfe, b'n', 0]).unwrap();
    assert!(Scene::load(&marked).is_err());
}

#[test]
fn j3_deep_nesting_is_refused_and_does_not_overflow() {
    let deep = 100_000;
    let lists = format!("name = {}", "[".repeat(deep));
    assert!(Scene::from_toml(&lists).is_err());
    assert!(Scene::from_toml(&format!("{} = 1", "a.".repeat(deep) + "a")).is_err());
    assert!(Scene::from_toml(&format!("[{}]", "a.".repeat(deep) + "a")).is_err());
    assert!(Scene::from_toml(&format!("a = {}", "{ a = ".repeat(deep))).is_err());
    // Dots in the title, in the key and braces in the value: each allowed by itself.
    let (title, key) = (["a"; 60].join("."), ["b"; 60].join("."));
    let mixed = format!("[{title}]\n{key} = {}1{}", "[".repeat(60), "]".repeat(60));
    assert!(Scene::from_toml(&mixed).unwrap_err().to_string().contains("nested deeper than 64"));
    let error = Scene::from_json(&"[".repeat(deep)).unwrap_err().to_string();
    assert_eq!(error, "1:66: lists and tables are nested deeper than 64");
    assert!(Scene::from_json(&"{\"a\":".repeat(deep)).is_err());
    // A shape in a shape in a shape.
    let mut shape = "{\"sphere\":{\"radius\":1}}".to_owned();
    for _ in 0..12 {
        shape = format!("{{\"compound\":{{\"parts\":[{{\"shape\":{shape}}}]}}}}");
    }
    assert!(Scene::from_json(&format!("{{\"bodies\":[{{\"name\":\"b\",\"shape\":{shape}}}]}}")).is_ok());
}

#[test]
fn j4_lengths_that_are_claimed_are_not_believed() {
    let field = |columns: &str| {
        refused(
            "{ half_space = { normal = [0, 0, 1] } }",
            &format!(
                "{{ height_field = {{ columns = {columns}, rows = 4294967295, spacing = [1, 1], heights = [0] }} }}"
            ),
        )
    };
    assert!(field("4294967295").contains("limit"), "{}", field("4294967295"));
    assert!(field("9223372036854775807").contains("limit"));
    assert!(field("18446744073709551615").contains("does not fit 64 bits"));
    assert!(field("-1").contains("expected a whole number, zero or more, found -1"));
}

#[test]
fn j5_files_beyond_the_limit_are_refused_before_they_are_read() {
    let folder = folder("scene_files/large");
    let scene = folder.join("large.toml");
    // Sparse: nothing is on the disk and nothing must come into memory.
    fs::File::create(&scene).unwrap().set_len(1 << 40).unwrap();
    let error = Scene::load(&scene).unwrap_err().to_string();
    assert!(error.contains(&format!("has 1099511627776 bytes, the limit is {TEXT_LIMIT}")), "{error}");
    fs::write(&scene, BALL.replace("{ sphere = { radius = 0.5 } }", "{ file = { path = \"m.stl\", as = \"hull\" } }"))
        .unwrap();
    fs::File::create(folder.join("m.stl")).unwrap().set_len(MESH_FILE_LIMIT + 1).unwrap();
    let error = Scene::load(&scene).unwrap_err().to_string();
    assert!(error.contains("large.toml:10:") && error.contains("the limit is 67108864"), "{error}");
    for read in [Scene::from_toml, Scene::from_json, Scene::from_urdf] {
        let error = read(&" ".repeat(TEXT_LIMIT + 1)).unwrap_err().to_string();
        assert_eq!(error, "4194305 bytes; a scene may have 4194304. Put meshes into files of their own");
    }
}

#[test]
fn j6_a_key_given_twice_is_refused() {
    assert!(refused("mass = 2.0", "mass = 2.0\nmass = 3.0").starts_with("12:"));
    assert!(refused("[[bodies]]", "[materials.rubber]\nfriction = 1.0\n[[bodies]]").starts_with("4:"));
    let json = json_of(BALL).replacen("\"name\": \"ball\"", "\"name\": \"ball\", \"name\": \"bull\"", 1);
    assert_eq!(Scene::from_json(&json).unwrap_err().to_string(), "2:19: key 'name' is given twice; leave one");
    let materials = "{\"materials\": {\"ice\": {\"friction\": 0}, \"ice\": {\"friction\": 1}}}";
    assert!(Scene::from_json(materials).unwrap_err().to_string().contains("key 'ice' is given twice"));
}

#[test]
fn j7_a_name_given_twice_is_refused_where_it_stands() {
    let error = refused("name = \"ball\"\nshape", "name = \"floor\"\nshape");
    assert_eq!(error, "9:8: bodies[1].name: body 'floor' exists already");
}

#[test]
fn j8_an_unknown_field_is_refused_with_what_was_meant() {
    for (from, to, message) in [
        (
            "mass = 2.0",
            "mas = 2.0",
            "11:1: bodies[1]: unknown field 'mas', did you mean 'mass'? There are: name, kind, ",
        ),
        ("name = \"ball\"\n[mat", "colour = 3\n[mat", "1:1: unknown field 'colour'; there are: name, description, "),
        (
            "radius = 0.5",
            "raduis = 0.5",
            "10:22: bodies[1].shape.sphere: unknown field 'raduis', did you mean 'radius'? ",
        ),
        ("{ sphere", "{ sphare", "10:11: bodies[1].shape: unknown name 'sphare', did you mean 'sphere'? There are: "),
        (
            "\"fixed\"",
            "\"statick\"",
            "6:8: bodies[0].kind: unknown name 'statick'; there are: dynamic, kinematic, fixed",
        ),
        ("kind = \"ball\"", "kind = \"bal\"", "14:8: joints[0].kind: unknown name 'bal', did you mean 'ball'? "),
    ] {
        let error = refused(from, to);
        assert!(error.starts_with(message), "'{error}' should begin with '{message}'");
    }
    let json = json_of(BALL).replacen("\"radius\"", "\"Radius\"", 1);
    assert!(
        Scene::from_json(&json).unwrap_err().to_string().contains("unknown field 'Radius', did you mean 'radius'?")
    );
}

#[test]
fn what_is_missing_or_of_the_wrong_kind_is_named_with_its_place() {
    for (from, to, message) in [
        ("name = \"ball\"\nshape", "shape", "8:1: bodies[1]: field 'name' is missing"),
        ("{ radius = 0.5 }", "{}", "10:20: bodies[1].shape.sphere: field 'radius' is missing"),
        ("0.5 }", "\"half\" }", "10:31: bodies[1].shape.sphere.radius: expected a number, found the text \"half\""),
        ("0.5 }", "[0.5] }", "10:31: bodies[1].shape.sphere.radius: expected a number, found a list"),
        ("[0, 0, 1]", "[0, 1]", "7:35: bodies[0].shape.half_space.normal: expected a list of 3, found 2"),
        ("[0, 0, 1]", "[0, 0, 1, 0]", "7:35: bodies[0].shape.half_space.normal: expected a list of 3, found 4"),
        ("[0, 0, 1]", "[0, 0, true]", "7:42: bodies[0].shape.half_space.normal[2]: expected a number, found true"),
        ("{ sphere = { radius = 0.5 } }", "\"sphere\"", "10:9: bodies[1].shape: 'sphere' needs its fields"),
        ("{ sphere = { radius = 0.5 } }", "3", "10:9: bodies[1].shape: expected one of: sphere, cuboid"),
        (
            "{ sphere = { radius = 0.5 } }",
            "{ sphere = { radius = 1 }, cone = {} }",
            "10:36: bodies[1].shape: expected one name",
        ),
        ("a = { body = \"ball\" }", "a = 7", "15:5: joints[0].a: expected a table such as { body = "),
        ("mass = 2.0", "mass = 1979-05-27", "11:8: a scene has no dates"),
    ] {
        let error = refused(from, to);
        assert!(error.starts_with(message), "'{error}' should begin with '{message}'");
    }
}

#[test]
fn what_cannot_be_built_is_named_with_its_place() {
    for (from, to, message) in [
        ("0.5 }", "-0.5 }", "10:31: bodies[1].shape.sphere.radius: radius -0.5 is not a positive length"),
        ("mass = 2.0", "mass = 0.0", "11:8: bodies[1].mass: body 'ball': mass 0 is not in [1e-12, 1e12] kg"),
        ("mass = 2.0", "velocity = [0, 1e9, 0]", "11:16: bodies[1].velocity[1]: "),
        ("mass = 2.0", "orientation = [2, 0, 0, 0]", "11:15: bodies[1].orientation: "),
        ("mass = 2.0", "mass = 2.0\ndensity = 3.0", "12:11: bodies[1].density: give the mass, the density or "),
        ("mass = 2.0", "inertial = { mass = 1, moments = [1, 1, 9] }", "11:34: bodies[1].inertial.moments: "),
        ("friction = 0.9", "friction = -1", "3:12: materials.rubber.friction: friction -1 is not in [0, 1e9]"),
        ("material = \"rubber\"", "restitution = 1.5", "12:15: bodies[1].restitution: "),
        (
            "material = \"rubber\"",
            "material = \"ruber\"",
            "12:12: bodies[1].material: no material is called 'ruber', did you mean 'rubber'?",
        ),
        ("kind = \"fixed\"", "velocity = [1, 0, 0]\nkind = \"fixed\"", "6:12: bodies[0].velocity: "),
        ("kind = \"fixed\"\n", "", "6:9: bodies[0].shape: "),
        ("\n[mat", "\ngravity = [0, 1e9, 0]\n[mat", "2:15: gravity[1]: "),
        ("\n[mat", "\nstep = -1\n[mat", "2:8: step: -1 s is not a time above zero"),
        ("\n[mat", "\nsolver.method = \"hope\"\n[mat", "2:17: solver.method: "),
        ("\n[mat", "\ntreatment.margin = -1\n[mat", "2:20: treatment.margin: "),
        ("[0, 0, 1]", "[0, 0, 0]", "7:35: bodies[0].shape.half_space.normal: "),
    ] {
        let error = refused(from, to);
        assert!(error.starts_with(message), "'{error}' should begin with '{message}'");
    }
}

#[test]
fn j9_a_joint_to_a_body_that_is_not_there_is_refused() {
    let error = refused("{ body = \"ball\" }", "{ body = \"bell\" }");
    assert_eq!(error, "15:14: joints[0].a.body: no body is called 'bell'; did you mean 'ball'?");
    assert!(refused("a = { body = \"ball\" }", "a = {}").contains("one end of a joint must be on a body"));
    assert!(refused("{ body = \"ball\" }", "{ body = \"floor\" }").contains("neither end is on a dynamic body"));
}

#[test]
fn j12_mesh_files_lie_below_the_scene_and_nowhere_else() {
    let folder = folder("scene_files/escape");
    let (inside, outside) = (folder.join("scenes"), folder.join("secret.obj"));
    fs::create_dir_all(inside.join("meshes")).unwrap();
    fs::write(&outside, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::copy(&outside, inside.join("meshes/good.obj")).unwrap();
    let load = |path: &str| {
        let scene = inside.join("scene.toml");
        let shape = format!("{{ file = {{ path = {path:?}, as = \"surface\" }} }}");
        fs::write(&scene, BALL.replace("{ half_space = { normal = [0, 0, 1] } }", &shape)).unwrap();
        Scene::load(&scene)
    };
    load("meshes/good.obj").unwrap();
    load("./meshes/good.obj").unwrap();
    let absolute = outside.canonicalize().unwrap();
    let absolute = absolute.to_str().unwrap();
    let address = format!("file://{absolute}");
    let mut bad = vec![
        "../secret.obj",
        "meshes/../../secret.obj",
        "meshes/../meshes/good.obj",
        absolute,
        address.as_str(),
        "file:secret.obj",
        "https://example.org/a.obj",
        "..\\secret.obj",
        "",
        ".",
        "meshes",
        "missing.obj",
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, inside.join("link.obj")).unwrap();
        std::os::unix::fs::symlink(&folder, inside.join("up")).unwrap();
        // A link that stays inside is one too: what it leads to may change.
        std::os::unix::fs::symlink(inside.join("meshes/good.obj"), inside.join("inner.obj")).unwrap();
        std::os::unix::fs::symlink("meshes", inside.join("other")).unwrap();
        bad.extend(["link.obj", "up/secret.obj", "inner.obj", "other/good.obj"]);
    }
    for path in bad {
        let error = load(path).expect_err(path).to_string();
        assert!(error.contains("scene.toml:7:27: bodies[0].shape.file.path: "), "{path}: {error}");
    }
    let json = inside.join("scene.json");
    fs::write(&json, "{\"bodies\":[{\"name\":\"b\",\"kind\":\"fixed\",\"shape\":{\"file\":{\"path\":\"a\\u0000.obj\",\"as\":\"surface\"}}}]}")
        .unwrap();
    assert!(Scene::load(&json).unwrap_err().to_string().contains("a path holds no zero characters"));
    // A text that came from nowhere has no folder.
    let text = BALL.replace("{ sphere = { radius = 0.5 } }", "{ file = { path = \"a.obj\", as = \"hull\" } }");
    assert!(Scene::from_toml(&text).unwrap_err().to_string().contains("load the scene from a file"));
}

#[test]
fn j13_numbers_that_are_none_are_refused() {
    for (number, message) in [
        ("1e400", "11:8: 1e400 is not a finite number"),
        ("-1e400", "11:8: -1e400 is not a finite number"),
        ("nan", "11:8: nan is not a finite number"),
        ("inf", "11:8: inf is not a finite number"),
        ("NaN", "11:8: "),
        ("1/2", "11:"),
        ("1,5", "11:"),
        ("\"2\"", "11:8: bodies[1].mass: expected a number, found the text \"2\""),
        ("99999999999999999999", "11:8: 99999999999999999999 does not fit 64 bits"),
    ] {
        let error = refused("mass = 2.0", &format!("mass = {number}"));
        assert!(error.starts_with(message), "'{error}' should begin with '{message}'");
    }
    assert!(refused("mass = 2.0", "mass = 1/2").contains("not as fractions"));
    assert!(refused("mass = 2.0", "mass = 1,5").contains("with a point, as in 1.5"));
    for number in ["1e400", "NaN", "Infinity", "1/2", "1,5", "01", "1.", ".5", "+1", "0x10", "1e", "-", "null", "\"2\""]
    {
        let json = json_of(BALL).replacen("\"mass\": 2.0", &format!("\"mass\": {number}"), 1);
        let read = Scene::from_json(&json);
        // A mass that is null is a mass that is not given.
        assert_eq!(read.is_err(), number != "null", "{number}");
    }
}

#[test]
fn j14_a_grid_beyond_the_limit_is_refused_at_once() {
    for count in ["[1000, 1000, 1000]", "[4294967295, 4294967295, 4294967295]"] {
        let error = refused("mass = 2.0", &format!("grid = {{ count = {count}, spacing = [1, 1, 1] }}"));
        assert_eq!(error, format!("11:18: bodies[1].grid.count: more than {BODY_LIMIT} bodies in all"));
    }
    assert!(refused("mass = 2.0", "grid = { count = [1, 1, 4294967296], spacing = [1, 1, 1] }").contains("4294967296"));
}

#[test]
fn j15_j16_hostile_meshes_are_refused() {
    let folder = folder("scene_files/meshes");
    let scene = folder.join("scene.toml");
    let load = |file: &str, bytes: &[u8]| {
        fs::write(folder.join(file), bytes).unwrap();
        let shape = format!("{{ file = {{ path = \"{file}\", as = \"hull\" }} }}");
        fs::write(&scene, BALL.replace("{ sphere = { radius = 0.5 } }", &shape)).unwrap();
        Scene::load(&scene).unwrap_err().to_string()
    };
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (face, message) in [
        ("f 0 1 2", "line 4: vertex 0; vertices are counted from 1"),
        ("f -9 1 2", "line 4: vertex -9 does not exist"),
        ("f 1 2 1000000000", "line 4: vertex 1000000000 does not exist"),
        ("f 1 2 3", "at least 4 are needed"),
    ] {
        let error = load("m.obj", format!("{corners}{face}\n").as_bytes());
        assert!(
            error.contains("scene.toml:10:27: bodies[1].shape.file.path: 'm.obj': ") && error.contains(message),
            "{error}"
        );
    }
    let mut claim = vec![0; 80];
    claim.extend(u32::MAX.to_le_bytes());
    assert!(load("m.stl", &claim).contains("claims 4294967295 triangles, but holds 0"));
    assert!(load("m.gltf", b"{}").contains("a mesh file ends in .obj, .stl, .dae, .glb, .ply or .msh"));
}

/// Nothing is unpacked: a text that was packed is not a text, whatever it would become. These are the first bytes of a gzip
/// stream, a zstd frame and a zip archive.
#[test]
fn j17_packed_files_are_refused_where_they_begin() {
    let folder = folder("scene_files/packed");
    for (name, packed) in [
        ("gzip.toml", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3][..]),
        ("zstd.json", &[0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0xff]),
        ("zip.toml", b"PK\x03\x04\x14\x00\x00\x00\x08\x00"),
    ] {
        let file = folder.join(name);
        fs::write(&file, packed).unwrap();
        let error = Scene::load(&file).unwrap_err().to_string();
        assert!(error.contains(&format!("{name}:1:")), "{error}");
    }
}

#[test]
fn j18_a_scene_cut_anywhere_is_refused_or_a_scene() {
    let mut meshed = Scene::load(samples().join("bowl.toml")).unwrap().to_json();
    meshed.retain(|c| !c.is_whitespace());
    let pendulum = fs::read_to_string(samples().join("pendulum.json")).unwrap();
    for json in [json_of(BALL), pendulum, meshed] {
        let whole = json.trim_end().len();
        for end in (0..whole).filter(|end| json.is_char_boundary(*end)) {
            assert!(Scene::from_json(&json[..end]).is_err(), "cut at {end}");
        }
        assert!(Scene::from_json(&json[..whole]).is_ok());
    }
    // A TOML text that ends between two lines may be a whole scene: one with fewer bodies. Anywhere else it is not, and
    // nowhere does it break anything.
    let tower = fs::read_to_string(samples().join("tower.toml")).unwrap();
    for toml in [BALL, &tower] {
        let whole = Scene::from_toml(toml).unwrap();
        for end in (0..toml.len()).filter(|end| toml.is_char_boundary(*end)) {
            if let Ok(scene) = Scene::from_toml(&toml[..end]) {
                let names = |scene: &Scene| scene.bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
                assert!(names(&whole).starts_with(&names(&scene)), "cut at {end}: {scene:?}");
            }
        }
    }
}

#[test]
fn random_damage_never_breaks_the_reader() {
    let (toml, json) = (BALL.as_bytes(), json_of(BALL).into_bytes());
    let alphabet = b"[]{}\"'=,.:\\#\n 0123456789eE+-_aznu\x00\xc3\xa9";
    damaged(&[toml, &json], alphabet, 20_000, |text| drop((Scene::from_toml(text), Scene::from_json(text))));
}

#[test]
fn only_toml_json_urdf_and_xml_files_are_scenes() {
    let folder = folder("scene_files/kinds");
    for name in ["scene.yaml", "scene", "scene.toml.gz"] {
        let error = Scene::load(folder.join(name)).unwrap_err().to_string();
        assert!(error.ends_with("a scene file ends in .toml, .json, .urdf or .xml"), "{error}");
    }
    assert!(Scene::load(folder.join("none.toml")).unwrap_err().to_string().ends_with("none.toml: no such file"));
    fs::create_dir(folder.join("folder.toml")).unwrap();
    assert!(Scene::load(folder.join("folder.toml")).unwrap_err().to_string().ends_with("is not a file"));
    assert!(Scene::load("/dev/zero.toml").is_err());
}

#[test]
fn the_schema_in_the_book_is_the_one_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/scene.schema.json");
    let mut schema = schemars::schema_for!(Scene);
    // Readers of the schema write TOML and JSON: descriptions end before their Rust examples.
    let mut cut_examples = RecursiveTransform(|schema: &mut Schema| {
        if let Some(serde_json::Value::String(text)) = schema.get_mut("description") {
            text.truncate(text.find("\n\n```").unwrap_or(text.len()));
        }
    });
    cut_examples.transform(&mut schema);
    let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &schema).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == schema, "docs/schema/scene.schema.json is out of date; run this test with UPDATE_SCHEMA=1");
}
