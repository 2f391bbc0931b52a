//! `signorini statics` as a user meets it.

use std::path::PathBuf;
use std::process::{Command, Output};

fn signorini(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_signorini")).args(arguments).output().unwrap()
}

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("statics");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The built-in arch stands and the thinner one does not; each has a drawing.
#[test]
fn an_arch_that_stands_and_one_that_falls() {
    for (scene, code, said) in [("arch", 0, "can rest: yes"), ("arch_falls", 1, "can rest: no")] {
        let drawing = folder().join(format!("{scene}.svg"));
        let run = signorini(&["statics", scene, "--plot", drawing.to_str().unwrap()]);
        let text = String::from_utf8_lossy(&run.stdout);
        assert_eq!(run.status.code(), Some(code), "{text}{}", String::from_utf8_lossy(&run.stderr));
        assert!(text.contains(said) && text.contains("duality gap"), "{text}");
        let svg = std::fs::read_to_string(drawing).unwrap();
        // Fifteen stones, and a bar at every joint or a line for every stone that moves.
        assert_eq!(svg.matches("class=\"body\"").count(), 15);
        assert!(svg.matches(if code == 0 { "class=\"most\"" } else { "class=\"falls\"" }).count() > 10);
    }
}

/// A block of 2 kg on friction 0.4 slides at 7.848 N: the number in the JSON report.
#[test]
fn a_load_has_the_limit_on_paper() {
    let scene = folder().join("block.toml");
    let text = "\
        [[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nfriction = 0.4\nshape.half_space.normal = [0, 0, 1]\n\
        [[bodies]]\nname = \"block\"\nmass = 2\nfriction = 0.4\nposition = [0, 0, 0.1]\nshape.cuboid.half_extents = [0.1, 0.1, 0.1]\n";
    std::fs::write(&scene, text).unwrap();
    let scene = scene.to_str().unwrap();
    let run = signorini(&["statics", scene, "--load", "block=1,0,0", "--per", "point", "--report", "json"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!((report["load_greatest"].as_f64().unwrap() - 0.4 * 2.0 * 9.81).abs() < 1e-5, "{report}");
    assert_eq!(report["rests_without_friction"], true);
    assert_eq!(report["contacts"].as_array().unwrap().len(), 4);
    for (arguments, complaint) in [
        (vec!["statics", scene, "--load", "crate=1,0,0"], "no body is called 'crate'"),
        (vec!["statics", scene, "--load", "block=1,0"], "three numbers"),
        (vec!["statics", scene, "--touching=-1"], "touching distance"),
    ] {
        let run = signorini(&arguments);
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.code() == Some(2) && said.contains(complaint), "{said}");
    }
}
