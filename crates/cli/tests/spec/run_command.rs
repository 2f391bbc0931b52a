//! Scenes and recordings as a person meets them: run, replay, export, scenes, completions.

use crate::workshop::{Workshop, signorini};
use serde_json::Value;
use signorini::Scene;
use signorini_record::Reader;
use signorini_scenes::worlds;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A box that slides, stops and stays: certified throughout.
const SLIDING: &str = r#"
name = "sliding"
step = 0.01
duration = 0.5

[[bodies]]
name = "floor"
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }

[[bodies]]
name = "box"
shape = { cuboid = { half_extents = [0.2, 0.1, 0.1] } }
position = [0, 0, 0.1]
velocity = [1, 0, 0]
"#;

fn write(shop: &Workshop, name: &str, text: &str) -> String {
    fs::write(shop.path(name), text).unwrap();
    shop.path(name)
}

#[test]
fn without_arguments_the_demonstration_runs_and_says_what_is_next() {
    let run = signorini(&[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    for word in ["certified: all", "residual", "energy", "signorini view", "signorini solve"] {
        assert!(run.stdout.contains(word), "{word} is missing:\n{}", run.stdout);
    }
}

#[test]
fn a_scene_file_runs_to_its_end_and_is_accounted_for() {
    let shop = Workshop::new("run_file");
    let scene = write(&shop, "sliding.toml", SLIDING);
    let run = signorini(&["run", &scene]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    for word in ["50 steps of 10.0 ms", "certified: all 50 steps", "of 'box' and 'floor'", "friction -", "fingerprint"]
    {
        assert!(run.stdout.contains(word), "{word} is missing:\n{}", run.stdout);
    }
    // What friction takes is the energy the box had: 16 kg at 1 m/s.
    let json = signorini(&["run", &scene, "--report", "json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((report["certified"].as_u64(), report["degraded"].as_u64()), (Some(50), Some(0)));
    assert_eq!(report["worst_residual"]["bodies"], serde_json::json!(["box", "floor"]));
    assert!((report["energy"]["friction"].as_f64().unwrap() + 8.0).abs() < 1e-6, "{report}");
    assert!(report["energy"]["closure"].as_f64().unwrap() < 1e-9);
    assert!(report["energy"]["after"]["linear"].as_f64().unwrap() < 1e-12);
    let parts = report["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 8);
    for part in parts {
        assert!(part["value"].as_f64().unwrap() <= part["bound"].as_f64().unwrap(), "{part}");
        assert_eq!((part["missed"].as_u64(), part["unknown"].as_u64()), (Some(0), Some(0)), "{part}");
    }
}

/// One body tied to two points a metre apart: no pose fits.
const TORN: &str = r#"
name = "torn"
step = 0.01
duration = 0.1
gravity = [0, 0, 0]

[[bodies]]
name = "rod"
shape = { sphere = { radius = 0.1 } }

[[joints]]
kind = "ball"
a = { body = "rod" }
b = { point = [0, 0, 0] }

[[joints]]
kind = "ball"
a = { body = "rod" }
b = { point = [1, 0, 0] }
"#;

#[test]
fn a_degraded_run_says_which_part_missed_by_how_much_and_where() {
    let shop = Workshop::new("run_torn");
    let (scene, file) = (write(&shop, "torn.toml", TORN), shop.path("torn.mcap"));
    let run = signorini(&["run", &scene, "--record", &file]);
    assert_eq!(run.code, 1, "{run:?}");
    for word in [
        "degraded: 10 of 10 steps miss a bound",
        "joint gap in 10 steps: ",
        "bound 1.00e-8 m",
        "joint of 'rod' and 'the world'",
    ] {
        assert!(run.stdout.contains(word), "{word} is missing:\n{}", run.stdout);
    }
    // The recording tells the same.
    let shown = signorini(&["replay", &file]);
    let missed = |text: &str| text.lines().filter(|line| line.contains("joint gap in")).collect::<String>();
    assert_eq!((shown.code, missed(&shown.stdout)), (1, missed(&run.stdout)));
    let json = signorini(&["replay", &file, "--report", "json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    let gap = report["parts"].as_array().unwrap().iter().find(|part| part["part"] == "joint_gap").unwrap();
    assert!(gap["value"].as_f64().unwrap() > 0.4 && gap["missed"] == 10, "{gap}");
    assert_eq!(gap["bodies"], serde_json::json!(["rod", "the world"]));
}

#[test]
fn an_old_recording_does_not_tell_the_parts() {
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record/tests/data/format_1.mcap");
    let shown = signorini(&["replay", old.to_str().unwrap()]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("overlap      at the end of a step: not told by the recording"), "{}", shown.stdout);
}

#[test]
fn options_change_the_scene_and_nothing_else() {
    let shop = Workshop::new("run_options");
    let scene = write(&shop, "sliding.toml", SLIDING);
    let report = |arguments: &[&str]| {
        let run = signorini(&[&["run", &scene, "--report", "json"], arguments].concat());
        assert_eq!(run.code, 0, "{run:?}");
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    let hash = |report: &Value| report["hash"].as_str().unwrap().to_owned();
    let plain = report(&[]);
    assert_eq!(report(&["--steps", "7"])["steps"], 7);
    assert_eq!(report(&["--time", "0.2"])["steps"], 20);
    let other = report(&["--method", "nsgs", "--tolerance", "1e-8"]);
    assert_eq!((other["method"].as_str(), other["tolerance"].as_f64()), (Some("nsgs"), Some(1e-8)));
    for threads in ["1", "2", "5"] {
        assert_eq!(hash(&report(&["--threads", threads])), hash(&plain));
    }
}

#[test]
fn a_run_that_misses_its_tolerance_says_so_with_its_exit_code() {
    let shop = Workshop::new("run_degraded");
    let mut scene = worlds::find("demo").unwrap().scene();
    (scene.solver.method, scene.solver.max_iterations) = ("pgs".to_owned(), Some(2));
    let file = write(&shop, "hard.json", &scene.to_json());
    let plot = shop.path("hard.svg");
    let run = signorini(&["run", &file, "--steps", "20", "--plot", &plot]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("degraded: ") && run.stdout.contains("miss a bound"), "{}", run.stdout);
    assert!(run.stdout.contains("missed       velocity in ") && run.stdout.contains("of '"), "{}", run.stdout);
    let drawing = fs::read_to_string(plot).unwrap();
    assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>\n"));
    assert!(drawing.contains("degraded step") && drawing.contains("energy [J]") && drawing.contains("residual [m/s]"));
    assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "a point that cannot be drawn");
}

/// A recording with the first occurrence of a number changed: without and with a checksum to match.
fn tamper(bytes: &[u8], old: f64, new: f64) -> (Vec<u8>, Vec<u8>) {
    let mut bytes = bytes.to_vec();
    let at = bytes.windows(8).position(|window| window == old.to_le_bytes()).unwrap();
    bytes[at..at + 8].copy_from_slice(&new.to_le_bytes());
    let (mut chunk, mut size) = (8, 0);
    while chunk + 9 + size <= at {
        chunk += if size == 0 { 0 } else { 9 + size };
        size = u64::from_le_bytes(bytes[chunk + 1..chunk + 9].try_into().unwrap()) as usize;
    }
    let damaged = bytes.clone();
    let checksum = crc32fast::hash(&bytes[chunk + 49..chunk + 9 + size]);
    bytes[chunk + 33..chunk + 37].copy_from_slice(&checksum.to_le_bytes());
    (damaged, bytes)
}

#[test]
fn a_recording_is_certified_again_from_the_file_alone() {
    let shop = Workshop::new("certify");
    let (scene, file) = (write(&shop, "sliding.toml", SLIDING), shop.path("sliding.mcap"));
    assert_eq!(signorini(&["run", &scene, "--record", &file, "--contacts"]).code, 0);
    let good = signorini(&["replay", &file, "--certify"]);
    assert_eq!((good.code, good.stderr.as_str()), (0, ""), "{good:?}");
    let holds = "holds up: no check refutes any of the 50 steps recorded as certified, of 50";
    assert!(good.stdout.contains(holds) && !good.stdout.contains("not in the file"), "{}", good.stdout);
    for check in ["overlap", "joint gap", "energy rise", "momentum", "push", "friction cone", "Signorini", "Coulomb"] {
        assert!(good.stdout.lines().any(|line| line.starts_with(check)), "{check} is missing:\n{}", good.stdout);
    }
    let json = signorini(&["replay", &file, "--certify", "--report", "json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, &report["steps"], &report["refuted"]), (0, &Value::from(50), &Value::from(0)));
    assert_eq!(report["checks"].as_array().unwrap().len(), 11);

    let original = fs::read(&file).unwrap();
    let mut reader = Reader::open(&file).unwrap();
    let (frame, contacts) = (reader.frame(11).unwrap(), reader.contacts(10).unwrap());
    let changes = [
        (contacts.impulses[0][2], 1.001 * contacts.impulses[0][2], "momentum"),
        (frame.poses[0][2], frame.poses[0][2] - 1e-3, "overlap"),
        (frame.velocities[0][0], frame.velocities[0][0] + 1e-3, "momentum"),
    ];
    for (old, new, check) in changes {
        fs::write(&file, tamper(&original, old, new).1).unwrap();
        let bad = signorini(&["replay", &file, "--certify"]);
        assert_eq!((bad.code, bad.stderr.as_str()), (1, ""), "{check}: {bad:?}");
        assert!(bad.stdout.contains("does not hold up: "), "{}", bad.stdout);
        assert!(bad.stdout.lines().any(|line| line.starts_with("  step ") && line.contains(check)), "{}", bad.stdout);
    }

    // Without contacts most is not in the file, and the table says so.
    let bare = shop.path("bare.mcap");
    assert_eq!(signorini(&["run", &scene, "--record", &bare]).code, 0);
    let partly = signorini(&["replay", &bare, "--certify"]);
    assert_eq!(partly.code, 0, "{partly:?}");
    for check in ["momentum", "Signorini", "Coulomb"] {
        let line = partly.stdout.lines().find(|line| line.starts_with(check)).unwrap();
        assert!(line.contains("not in the file: contacts"), "{line}");
    }
    let both = signorini(&["replay", &bare, "--certify", "--check"]);
    assert_eq!(both.code, 2, "{both:?}");
}

#[test]
fn a_recording_is_replayed_checked_and_exported() {
    let shop = Workshop::new("record");
    let (scene, file) = (write(&shop, "sliding.toml", SLIDING), shop.path("sliding.mcap"));
    let run = signorini(&["run", &scene, "--record", &file, "--contacts"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("sliding.mcap"), "{}", run.stdout);
    let mut reader = Reader::open(&file).unwrap();
    assert_eq!((reader.frames(), reader.contact_steps(), reader.is_finished()), (51, 50, true));
    assert_eq!(reader.header().scene, Scene::load(&scene).unwrap());

    let shown = signorini(&["replay", &file]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shown:?}");
    assert!(shown.stdout.contains("51 states") && shown.stdout.contains("certified: all 50 steps"), "{}", shown.stdout);
    let fingerprint = |text: &str| text.lines().find(|line| line.starts_with("fingerprint")).unwrap().to_owned();
    assert_eq!(fingerprint(&shown.stdout), fingerprint(&run.stdout));

    let same = signorini(&["replay", &file, "--check"]);
    assert_eq!((same.code, same.stderr.as_str()), (0, ""), "{same:?}");
    assert!(same.stdout.contains("same: 51 states of 50 steps came out again, bit for bit"), "{}", same.stdout);

    let tables = shop.path("tables");
    let exported = signorini(&["export", &file, "--csv", &tables]);
    assert_eq!(exported.code, 0, "{exported:?}");
    for table in ["bodies.csv", "steps.csv", "contacts.csv"] {
        assert!(fs::read_to_string(Path::new(&tables).join(table)).unwrap().lines().count() > 50, "{table}");
    }

    // One bit of the last digit of a number, while the box still moves, and a checksum to match.
    let frame = reader.frame(11).unwrap();
    let original = fs::read(&file).unwrap();
    let (damaged, tampered) = tamper(&original, frame.poses[0][0], frame.poses[0][0].next_up());
    // Without the checksum the chunk is damaged and passed over.
    fs::write(&file, &damaged).unwrap();
    let damaged = signorini(&["replay", &file, "--check"]);
    assert_eq!(damaged.code, 2, "{damaged:?}");
    assert!(damaged.stdout.contains("a chunk whose checksum is wrong"), "{}", damaged.stdout);
    // Both lines of the summary count the steps that are left.
    let rest = signorini(&["replay", &file]);
    let left = Reader::open(&file).unwrap().steps();
    assert!(left < 50 && rest.code == 2, "{rest:?}");
    for words in [format!("{left} steps of 10.0 ms"), format!("certified: all {left} steps")] {
        assert!(rest.stdout.contains(&words), "'{words}' is missing:\n{}", rest.stdout);
    }
    fs::write(&file, &tampered).unwrap();
    let different = signorini(&["replay", &file, "--check"]);
    assert_eq!((different.code, different.stderr.as_str()), (1, ""), "{different:?}");
    assert!(different.stdout.contains("differs: step 11 (") && different.stdout.contains("position x of 'box'"));
}

#[test]
fn a_recording_is_read_while_its_run_goes_on_and_after_it_is_killed() {
    let shop = Workshop::new("live");
    let (scene, file) = (write(&shop, "sliding.toml", SLIDING), shop.path("long.mcap"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_signorini"))
        .args(["run", &scene, "--steps", "100000000", "--record", &file])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(Child)
        .unwrap();
    let frames = (0..600).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        Reader::open(&file).ok().map(|reader| reader.frames()).filter(|frames| *frames > 100)
    });
    let second = signorini(&["run", &scene, "--record", &file]);
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    assert!(frames.is_some(), "nothing was readable for a minute");
    assert_eq!(second.code, 2, "{second:?}");
    assert!(second.stderr.contains("is being written by another program"), "{}", second.stderr);
    let shown = signorini(&["replay", &file]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("The recording has no end"), "{}", shown.stdout);
}

/// A child that does not outlive its test, whatever becomes of that.
struct Child(std::process::Child);

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Also where the shell lets programs in the background ignore interrupts.
#[cfg(unix)]
#[test]
fn an_interrupt_writes_the_report_and_closes_the_recording() {
    let shop = Workshop::new("interrupted");
    let (scene, file) = (write(&shop, "sliding.toml", SLIDING), shop.path("interrupted.mcap"));
    let (report, plot) = (shop.path("report.json"), shop.path("interrupted.svg"));
    for signal in ["INT", "TERM"] {
        let mut child = Command::new("sh")
            .args(["-c", "trap '' INT; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_signorini"), "run", &scene])
            .args(["--steps", "100000000", "--report", "json", "--record", &file, "--force", "--plot", &plot])
            .stdout(fs::File::create(&report).unwrap())
            .stderr(Stdio::null())
            .spawn()
            .map(Child)
            .unwrap();
        let written = (0..600).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            Reader::open(&file).is_ok_and(|reader| reader.frames() > 100)
        });
        assert!(written, "nothing was recorded for a minute");
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.0.wait().unwrap().code(), Some(130));
        let report: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
        let steps = report["steps"].as_u64().unwrap();
        assert_eq!((report["interrupted"].as_u64(), report["degraded"].as_u64()), (Some(100_000_000), Some(0)));
        let reader = Reader::open(&file).unwrap();
        assert!(reader.is_finished());
        assert_eq!((reader.steps() as u64, reader.frames() as u64), (steps, steps + 1));
        assert!(fs::read_to_string(&plot).unwrap().ends_with("</svg>\n"));
    }
}

#[test]
fn a_recording_is_replaced_only_by_force() {
    let shop = Workshop::new("force");
    let (scene, file) = (write(&shop, "sliding.toml", SLIDING), shop.path("kept.mcap"));
    assert_eq!(signorini(&["run", &scene, "--steps", "5", "--record", &file]).code, 0);
    let first = fs::read(&file).unwrap();
    let again = signorini(&["run", &scene, "--steps", "9", "--record", &file]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("is a recording already") && again.stderr.contains("--force"), "{}", again.stderr);
    assert_eq!(fs::read(&file).unwrap(), first);
    assert_eq!(signorini(&["run", &scene, "--steps", "9", "--record", &file, "--force"]).code, 0);
    assert_eq!(Reader::open(&file).unwrap().steps(), 9);
    // What is no recording stays whatever is asked.
    let forced = signorini(&["run", &scene, "--record", &scene, "--force"]);
    assert_eq!(forced.code, 2, "{forced:?}");
    assert_eq!(fs::read_to_string(&scene).unwrap(), SLIDING);
}

#[test]
fn a_drawing_is_svg_or_refused_and_may_go_to_standard_output() {
    let shop = Workshop::new("drawing");
    let scene = write(&shop, "sliding.toml", SLIDING);
    let run = signorini(&["run", &scene, "--plot", "-"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("<svg ") && run.stdout.ends_with("</svg>\n"), "{}", run.stdout);
    assert!(run.stderr.contains("certified: all 50 steps"), "{}", run.stderr);
    for name in ["x.png", "x.pdf", "x"] {
        let refused = signorini(&["run", &scene, "--plot", &shop.path(name)]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains("ends in .svg, or - for standard output"), "{}", refused.stderr);
        assert!(!Path::new(&shop.path(name)).exists());
    }
    let solve = signorini(&["solve", "--scene", "stack3", "--method", "exact", "--plot", "-"]);
    assert!(solve.code == 0 && solve.stdout.starts_with("<svg "), "{solve:?}");
}

#[test]
fn iterations_are_those_of_the_method() {
    let shop = Workshop::new("iterations");
    let scene = write(&shop, "hard.json", &worlds::find("demo").unwrap().scene().to_json());
    let run = signorini(&["run", &scene, "--steps", "20", "--method", "pgs", "--iterations", "2"]);
    assert!(run.code == 1 && run.stdout.contains("miss a bound"), "{run:?}");
    assert_eq!(signorini(&["run", &scene, "--iterations", "0"]).code, 2);
}

/// Nothing is read from what is no ordinary file, and nothing waits for it.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_read() {
    let shop = Workshop::new("pipes");
    let scene = write(&shop, "sliding.toml", SLIDING);
    for name in ["p.toml", "p.json", "p.urdf", "p.xml", "p.mcap", "p.fcp", "p.jsonl"] {
        assert!(Command::new("mkfifo").arg(shop.path(name)).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", shop.path(&format!("zero-{name}"))).unwrap();
        std::os::unix::fs::symlink(shop.path(name), shop.path(&format!("link-{name}"))).unwrap();
        for file in [name.to_owned(), format!("zero-{name}"), format!("link-{name}")] {
            let file = shop.path(&file);
            let commands: &[&[&str]] = match name.rsplit_once('.').unwrap().1 {
                "mcap" => &[&["replay", &file], &["view", &file], &["run", &scene, "--record", &file, "--force"]],
                "fcp" => &[&["solve", &file, "--quiet"]],
                "json" => &[&["run", &file], &["audit", &file], &["view", &file]],
                "jsonl" => &[&["bench", "--with", &file]],
                _ => &[&["run", &file], &["view", &file]],
            };
            for arguments in commands {
                let run = signorini(arguments);
                assert_eq!(run.code, 2, "{arguments:?}: {run:?}");
            }
        }
    }
}

#[test]
fn scenes_are_listed_and_written_out_to_start_from() {
    let list = signorini(&["scenes"]);
    assert_eq!((list.code, list.stderr.as_str()), (0, ""));
    assert_eq!(list.stdout.lines().count(), worlds::all().len());
    let entries: Vec<Value> = serde_json::from_str(&signorini(&["scenes", "--json"]).stdout).unwrap();
    assert_eq!(entries.len(), worlds::all().len());
    for named in worlds::all() {
        assert!(list.stdout.lines().any(|line| line.starts_with(named.name) && line.contains(named.about)));
    }
    let shop = Workshop::new("scenes");
    let name = worlds::all()[1].name;
    let (toml, json) = (signorini(&["scenes", name]), signorini(&["scenes", name, "--json"]));
    let scene = worlds::all()[1].scene();
    assert_eq!(Scene::load(write(&shop, "mine.toml", &toml.stdout)).unwrap(), scene);
    assert_eq!(Scene::load(write(&shop, "mine.json", &json.stdout)).unwrap(), scene);
}

#[test]
fn a_robot_runs_and_is_written_out_as_a_scene() {
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes/double_pendulum.urdf");
    let robot = robot.to_str().unwrap();
    let shop = Workshop::new("robot");
    let written = signorini(&["scenes", robot]);
    assert_eq!((written.code, written.stderr.as_str()), (0, ""));
    let scene = write(&shop, "robot.toml", &written.stdout);
    let fingerprint = |file: &str| {
        let run = signorini(&["run", file, "--steps", "60"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        run.stdout.lines().find(|line| line.starts_with("fingerprint")).unwrap().to_owned()
    };
    assert_eq!(fingerprint(robot), fingerprint(&scene));
    let text = fs::read_to_string(robot).unwrap();
    let screwed = text.replace("type=\"spherical\"", "type=\"screw\"");
    let refused = signorini(&["run", &write(&shop, "screwed.urdf", &screwed)]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("screwed.urdf:30:3: joint 'shoulder': there is no joint of type 'screw'"),
        "{}",
        refused.stderr
    );
    // What has no effect is said once, on standard error, and the run goes on.
    let hinged = text.replace("type=\"spherical\"", "type=\"revolute\"");
    let run = signorini(&["run", &write(&shop, "hinged.urdf", &hinged), "--steps", "3"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("hinged.urdf:30:3: a revolute or prismatic joint without 'limit'"), "{}", run.stderr);
    let arm = "<mujoco><worldbody><body name='arm'><joint axis='0 1 0'/><geom size='0.1 0.2' type='capsule' pos='0 0 -1'/>\
               </body></worldbody></mujoco>";
    let run = signorini(&["run", &write(&shop, "arm.xml", arm), "--steps", "3"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let shop = Workshop::new("run_wrong");
    let broken = write(&shop, "broken.toml", &SLIDING.replace("velocity", "velocty"));
    let letter = write(&shop, "letter.mcap", "dear reader, this is no recording");
    let scene = write(&shop, "sliding.toml", SLIDING);
    let nowhere = shop.path("no/such/place/out.mcap");
    for (arguments, words) in [
        (vec!["run", "dmo"], vec!["no scene is called 'dmo'", "did you mean 'demo'?", "signorini scenes"]),
        (vec!["run", "xyzzy"], vec!["no scene is called 'xyzzy'", "signorini scenes"]),
        (vec!["run", "no/such.toml"], vec!["no/such.toml: no such file"]),
        (vec!["run", &letter], vec!["a scene file ends in .toml, .json, .urdf or .xml"]),
        (vec!["run", &broken], vec!["broken.toml:15:1: ", "did you mean 'velocity'?", "docs/scenes.md"]),
        (vec!["run", &scene, "--record", &scene], vec!["exists and is not a recording; it is left alone"]),
        (vec!["run", &scene, "--record", &nowhere], vec!["cannot be written"]),
        (vec!["run", &scene, "--method", "magic"], vec!["unknown method 'magic'"]),
        (vec!["run", &scene, "--method", "active-set"], vec!["step 1 was not taken", "active-set"]),
        (vec!["run", &scene, "--steps", "0"], vec!["--steps"]),
        (vec!["run", &scene, "--time", "-1"], vec!["such as 2.5"]),
        (vec!["run", &scene, "--time", "1", "--steps", "1"], vec!["cannot be used with"]),
        (vec!["run", &scene, "--threads", "0"], vec!["between 1 and 1024"]),
        (vec!["run", &scene, "--contacts"], vec!["--record"]),
        (vec!["run"], vec!["<SCENE>"]),
        (vec!["audit", "nosuch.json"], vec!["nosuch.json: no such file"]),
        (vec!["bench", "--with", "nosuch.jsonl"], vec!["nosuch.jsonl: no such file"]),
        (vec!["replay", &letter], vec!["letter.mcap: not a recording"]),
        (vec!["replay", "none.mcap", "--check"], vec!["none.mcap"]),
        (vec!["export", &letter, "--csv", &letter], vec!["not a recording"]),
        (vec!["scenes", "dmo"], vec!["did you mean 'demo'?"]),
        (vec!["completions", "cmd.exe"], vec!["bash"]),
    ] {
        let run = signorini(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {run:?}");
        for word in words {
            assert!(run.stderr.contains(word), "{arguments:?}: '{word}' is missing in {}", run.stderr);
        }
    }
    assert_eq!(fs::read_to_string(&scene).unwrap(), SLIDING);
}

#[test]
fn every_command_shows_an_example_and_shells_complete_it() {
    for command in ["run", "replay", "export", "scenes", "solve", "completions"] {
        let help = signorini(&[command, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains(&format!("  signorini {command}")), "{}", help.stdout);
    }
    assert!(signorini(&["--help"]).stdout.contains("Exit code: 0 all certified"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = signorini(&["completions", shell]);
        assert_eq!((script.code, script.stderr.as_str()), (0, ""));
        assert!(script.stdout.contains("signorini") && script.stdout.contains("replay"), "{shell}");
        // Scenes and methods are completed by name.
        if ["bash", "zsh", "fish"].contains(&shell) {
            assert!(script.stdout.contains("card_house") && script.stdout.contains("interior-point"), "{shell}");
        }
        // Files beside the names.
        assert!(shell != "zsh" || script.stdout.contains(":_signorini_scenes'"), "{}", script.stdout);
    }
}
