//! `signorini audit`: a step from paper passes, a wrong one is named, a bad file says what is wrong.

use crate::workshop::{Workshop, signorini};

/// A block of 2 kg that meets the floor at 0.1 m/s while sliding at 0.2 m/s, μ = 0.5: it slides on at 0.15 m/s.
fn step(friction_impulse: f64) -> String {
    format!(
        r#"{{"engine": "paper", "dt": 0.01, "gravity": [0, 0, 0],
            "bodies": [{{"mass": 2, "inertia": [1, 1, 1], "orientation": [1, 0, 0, 0], "position": [0, 0, 0],
                         "before": [0.2, 0, -0.1, 0, 0, 0], "after": [0.15, 0, 0, 0, 0, 0]}}],
            "contacts": [{{"a": null, "b": 0, "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.5,
                           "impulse": [{friction_impulse}, 0, 0.2]}}]}}"#
    )
}

#[test]
fn a_right_step_passes_and_a_wrong_one_is_named() {
    let shop = Workshop::new("audit");
    let (right, list) = (shop.path("right.json"), shop.path("list.json"));
    std::fs::write(&right, step(-0.1)).unwrap();
    std::fs::write(&list, format!("[{}, {}]", step(-0.1), step(-0.05))).unwrap();
    let run = signorini(&["audit", &right]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("paper: certified"), "{}", run.stdout);
    let run = signorini(&["audit", &list]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("step 1, paper: not certified"), "{}", run.stdout);
    // 0.05 N·s of friction left unused, over 2 kg: 0.025 m/s that nothing explains.
    assert!(run.stdout.contains("2.500e-2 m/s"), "{}", run.stdout);
    let run = signorini(&["audit", "--json", &list]);
    let graded: Vec<serde_json::Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((graded[0]["certified"].as_bool(), graded[1]["certified"].as_bool()), (Some(true), Some(false)));
}

#[test]
fn a_bad_step_says_what_is_wrong_and_where() {
    let shop = Workshop::new("audit_bad");
    let path = shop.path("bad.json");
    for (text, complaint) in [
        ("{".to_owned(), "line 1 column 1"),
        (step(-0.1).replace("\"b\": 0", "\"b\": 3"), "contacts[0]: there is no body of that index"),
        (step(-0.1).replace("\"mass\": 2", "\"mass\": -2"), "mass or inertia: -2 is not finite and above zero"),
        (step(-0.1).replace("\"friction\"", "\"fricton\""), "unknown field `fricton`"),
    ] {
        std::fs::write(&path, text).unwrap();
        let run = signorini(&["audit", &path]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(complaint) && run.stderr.contains("docs/command.md"), "{}", run.stderr);
    }
}
