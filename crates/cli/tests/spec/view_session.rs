//! What `signorini view` shows: frames, reports, control, lanes.

use crate::visitor::{Message, Server, Socket, directory, scene_file};
use serde_json::Value;
use signorini_record::{Reader, RecordedStep};
use std::process::Command;
use std::time::{Duration, Instant};

/// A block that slides to a stop: v₀ = 2 m/s, μ = 0.5, so it stops after v₀/(μ g) = 0.408 s and v₀²/(2 μ g) = 0.408 m.
const SLIDE: &str = r#"
name = "slide"
step = 0.001
duration = 0.6
[[bodies]]
name = "floor"
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
[[bodies]]
name = "block"
shape = { cuboid = { half_extents = [0.5, 0.5, 0.1] } }
mass = 2.0
position = [0, 0, 0.1]
velocity = [2, 0, 0]
"#;

struct Frame {
    lane: u32,
    index: u32,
    time: f64,
    bodies: Vec<[f32; 13]>,
    flags: Vec<u32>,
    contacts: Vec<[u8; 60]>,
    report: Option<Value>,
}

fn decode(bytes: &[u8]) -> Frame {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(&bytes[..4], b"SGF1");
    let (bodies, contacts, report) = (word(24) as usize, word(28) as usize, word(32) as usize);
    let contacts_at = 48 + 56 * bodies;
    let report_at = contacts_at + 60 * contacts;
    assert_eq!(bytes.len(), report_at + report);
    Frame {
        lane: word(4),
        index: word(12),
        time: f64::from_le_bytes(bytes[16..24].try_into().unwrap()),
        bodies: (0..bodies).map(|b| std::array::from_fn(|k| f32::from_bits(word(48 + 56 * b + 4 * k)))).collect(),
        flags: (0..bodies).map(|b| word(48 + 56 * b + 52)).collect(),
        contacts: (0..contacts).map(|c| bytes[contacts_at + 60 * c..][..60].try_into().unwrap()).collect(),
        report: (report > 0).then(|| serde_json::from_slice(&bytes[report_at..]).unwrap()),
    }
}

/// One frame, asked for by number.
fn fetch(socket: &mut Socket, epoch: &Value, lane: u32, index: u32) -> Frame {
    socket.say(&format!(r#"{{"type":"frames","epoch":{epoch},"lane":{lane},"from":{index},"to":{}}}"#, index + 1));
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        assert!(Instant::now() < deadline, "frame {index} of lane {lane} does not come");
        let frame = decode(&socket.frame());
        if (frame.lane, frame.index) == (lane, index) {
            return frame;
        }
    }
}

fn until(socket: &mut Socket, phase: &str) -> Value {
    loop {
        let state = socket.wait_for("state");
        if state["phase"] == phase {
            return state;
        }
    }
}

#[test]
fn a_finished_run_can_be_read_from_its_beginning() {
    let directory = directory("view_slide");
    let server = Server::start(&[&scene_file(&directory, "slide", SLIDE), "--speed", "0"]);
    let (mut socket, welcome) = server.enter();
    assert!(welcome["scenes"].as_array().unwrap().iter().any(|scene| scene["name"] == "slide"));
    let run = socket.wait_for("run");
    let (epoch, scene) = (&run["epoch"], &run["scene"]);
    assert_eq!(scene["bodies"].as_array().unwrap().len(), 2);
    // In the order of names: block, floor.
    assert_eq!([&scene["bodies"][0]["name"], &scene["bodies"][1]["name"]], ["block", "floor"]);
    assert_eq!(scene["shapes"][0]["cuboid"]["half_extents"], serde_json::json!([0.5, 0.5, 0.1]));
    assert_eq!(run["lanes"][0]["method"], "exact");
    let end = until(&mut socket, "finished")["end"].as_u64().unwrap();
    assert_eq!(end, 601);

    let start = fetch(&mut socket, epoch, 0, 0);
    assert!(start.report.is_none() && start.contacts.is_empty());
    assert_eq!(start.bodies[0][7], 2.0);

    let sliding = fetch(&mut socket, epoch, 0, 200);
    assert!((sliding.time - 0.2).abs() < 1e-12);
    assert_eq!(sliding.contacts.len(), 4);
    let states: Vec<u8> = sliding.contacts.iter().map(|c| c[56]).collect();
    assert!(states.iter().all(|state| *state == 2), "sliding contacts are in states {states:?}");
    let report = sliding.report.unwrap();
    assert_eq!(report["status"], "certified");
    assert!(report["measured"].as_f64().unwrap() <= report["tolerance"].as_f64().unwrap());
    // Friction does −μ m g over the way gone in the step: h (v + v′)/2 with v = 2 − μ g t.
    let friction = report["energy"]["friction"].as_f64().unwrap();
    let way = 1e-3 * (2.0 - 0.5 * 9.81 * 0.1995);
    assert!((friction + 0.5 * 2.0 * 9.81 * way).abs() < 1e-9, "{friction}");

    let stopped = fetch(&mut socket, epoch, 0, 600);
    let states: Vec<u8> = stopped.contacts.iter().map(|c| c[56]).collect();
    assert!(states.iter().all(|state| *state != 2), "contacts at rest are in states {states:?}");
    // The last step of sliding is cut short: the way differs from v₀²/(2 μ g) by at most h v₀.
    assert!((stopped.bodies[0][0] - 0.408).abs() < 2e-3, "{}", stopped.bodies[0][0]);
    assert!(stopped.bodies[0][7].abs() < 1e-8, "{}", stopped.bodies[0][7]);
}

#[test]
fn two_lanes_start_equal_and_are_judged_apart() {
    let directory = directory("view_lanes");
    let text = SLIDE.replace("duration = 0.6", "duration = 0.05");
    let server = Server::start(&[
        &scene_file(&directory, "slide", &text),
        "--speed",
        "0",
        "--compare",
        "pgs",
        "--compare-iterations",
        "1",
    ]);
    let (mut socket, _) = server.enter();
    let run = socket.wait_for("run");
    let pgs = serde_json::json!({ "method": "pgs", "max_iterations": 1, "tolerance": 1e-6, "budget": 120 });
    assert_eq!(run["lanes"][1], pgs);
    until(&mut socket, "finished");
    let [a, b] = [0, 1].map(|lane| fetch(&mut socket, &run["epoch"], lane, 0));
    assert_eq!(a.bodies, b.bodies);
    let [a, b] = [0, 1].map(|lane| fetch(&mut socket, &run["epoch"], lane, 1).report.unwrap());
    let measured = |report: &Value| report["measured"].as_f64().unwrap();
    assert_eq!(a["status"], "certified");
    assert!(measured(&b) > measured(&a), "{} against {}", measured(&b), measured(&a));
}

#[test]
fn control_holds_steps_restarts_and_opens() {
    let directory = directory("view_control");
    let text = SLIDE.replace("duration = 0.6", "duration = 1000.0");
    let server = Server::start(&[&scene_file(&directory, "slide", &text), "--control"]);
    let (mut socket, welcome) = server.enter();
    assert_eq!(welcome["control"], true);
    let run = socket.wait_for("run");
    until(&mut socket, "running");
    socket.say(r#"{"type":"pause"}"#);
    let held = until(&mut socket, "paused")["end"].as_u64().unwrap();
    socket.say(r#"{"type":"step"}"#);
    let next = fetch(&mut socket, &run["epoch"], 0, u32::try_from(held).unwrap());
    assert!((next.time - 0.001 * held as f64).abs() < 1e-9);
    socket.say(r#"{"type":"reset"}"#);
    let again = socket.wait_for("run");
    assert_eq!(again["epoch"].as_u64(), run["epoch"].as_u64().map(|epoch| epoch + 1));
    assert_eq!(again["scene"], run["scene"]);
    socket.say(r#"{"type":"open","scene":"seesaw","lanes":[{"method":"nsgs"},{"method":"pgs","max_iterations":5}]}"#);
    let other = socket.wait_for("run");
    assert_eq!(other["scene"]["name"], "seesaw");
    assert_eq!(other["lanes"][0]["method"], "nsgs");
    assert_eq!(other["lanes"].as_array().unwrap().len(), 2);
}

/// The pull is an input of the run: with it the recording comes out again bit for bit.
#[cfg(unix)]
#[test]
fn what_is_pulled_at_is_recorded_and_runs_again() {
    let directory = directory("view_record");
    let scene = scene_file(&directory, "slide", &SLIDE.replace("duration = 0.6", "duration = 1000.0"));
    let file = directory.join("pulled.mcap");
    let _ = std::fs::remove_file(&file);
    let name = file.to_str().unwrap();
    let mut server = Server::start(&[&scene, "--control", "--record", name, "--contacts"]);
    let (mut socket, _) = server.enter();
    socket.wait_for("run");
    let until_pulled = |socket: &mut Socket, pulled: bool| {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            assert!(Instant::now() < deadline, "no frame with pulled = {pulled}");
            let report = decode(&socket.frame()).report;
            if report.is_some_and(|report| (report["drag"]["body"] == 0) == pulled) {
                return;
            }
        }
    };
    // Bodies are in the order of their names: the block is the first.
    socket.say(r#"{"type":"drag","body":0,"point":[0.1,0.2,0.1],"target":[3,0.5,1.5]}"#);
    until_pulled(&mut socket, true);
    socket.say(r#"{"type":"release"}"#);
    until_pulled(&mut socket, false);
    assert_eq!(server.interrupt(), Some(0));
    let mut reader = Reader::open(&file).unwrap();
    assert!(reader.is_finished());
    let read = |reader: &mut Reader, index| RecordedStep::read(&reader.step(index).unwrap()).unwrap();
    let steps: Vec<RecordedStep> = (0..reader.steps()).map(|index| read(&mut reader, index)).collect();
    let pulled: Vec<&RecordedStep> = steps.iter().filter(|step| !step.pushes.is_empty()).collect();
    assert!(!pulled.is_empty() && pulled.len() < steps.len(), "{} of {}", pulled.len(), steps.len());
    // The spring is stretched by metres: its force is the largest there is, twenty times the weight of 2 kg.
    let force = pulled[0].pushes[0].force;
    assert!((force.iter().map(|x| x * x).sum::<f64>().sqrt() - 400.0).abs() < 1e-9, "{force:?}");
    for question in ["--check", "--certify"] {
        let answer = Command::new(env!("CARGO_BIN_EXE_signorini")).args(["replay", name, question]).output().unwrap();
        assert_eq!(answer.status.code(), Some(0), "{}", String::from_utf8_lossy(&answer.stdout));
    }
}

#[test]
fn a_scene_that_cannot_be_shown_is_explained() {
    let directory = directory("view_bad");
    let bad = scene_file(&directory, "bad", &SLIDE.replace("mass = 2.0", "mass = -2.0"));
    let broken = scene_file(&directory, "broken", "name = ");
    for (arguments, words) in [
        (vec![bad.as_str()], vec!["bodies[1]", "mass"]),
        (vec![broken.as_str()], vec!["broken.toml"]),
        (vec!["no such scene"], vec!["no such scene", "wall"]),
        (vec!["--method", "magic"], vec!["magic", "exact"]),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_signorini"))
            .args(["view", "--port", "0"])
            .args(&arguments)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        for word in words {
            assert!(message.contains(word), "no '{word}' in: {message}");
        }
    }
}

#[test]
fn frames_come_in_order_and_at_the_pace_of_the_clock() {
    let directory = directory("view_pace");
    let text = SLIDE.replace("step = 0.001", "step = 0.01").replace("duration = 0.6", "duration = 1000.0");
    let server = Server::start(&[&scene_file(&directory, "slide", &text)]);
    let (mut socket, _) = server.enter();
    socket.frame();
    let start = Instant::now();
    let mut last = None;
    let mut count = 0;
    while start.elapsed() < Duration::from_secs(3) {
        let index = Message::Binary(socket.frame()).index().unwrap();
        assert!(last.is_none_or(|last| index == last + 1), "{last:?} then {index}");
        last = Some(index);
        count += 1;
    }
    // 100 steps a second of the scene's clock.
    assert!((240..=330).contains(&count), "{count} frames in three seconds");
}

#[test]
fn a_recording_shows_the_same_as_the_run_it_was_made_of() {
    let directory = directory("view_recording");
    // A second block lies still and falls asleep after 20 ms.
    let sleepy = "duration = 0.1\n[treatment.sleeping.islands]\nspeed = 0.05\nangular_speed = 0.05\ntime = 0.02";
    let still = SLIDE.find("[[bodies]]\nname = \"block\"").map(|at| SLIDE[at..].replace("block", "still")).unwrap();
    let still = still.replace("velocity = [2, 0, 0]", "").replace("[0, 0, 0.1]", "[9, 0, 0.1]");
    let scene = scene_file(&directory, "slide", &(SLIDE.replace("duration = 0.6", sleepy) + &still));
    let file = directory.join("slide.mcap");
    let _ = std::fs::remove_file(&file);
    let file = file.to_str().unwrap();
    let recorded = Command::new(env!("CARGO_BIN_EXE_signorini"))
        .args(["run", &scene, "--record", file, "--contacts"])
        .output()
        .unwrap();
    assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
    let (film, live) = (Server::start(&[file]), Server::start(&[&scene, "--speed", "0"]));
    let ((mut film, welcome), (mut live, _)) = (film.enter(), live.enter());
    assert_eq!(welcome["control"], false);
    let [recorded, simulated] = [&mut film, &mut live].map(|socket| socket.wait_for("run"));
    assert_eq!(recorded["scene"], simulated["scene"]);
    assert_eq!(recorded["lanes"], simulated["lanes"]);
    assert_eq!(until(&mut film, "recorded")["end"], 101);
    until(&mut live, "finished");
    for index in [0, 1, 50, 100] {
        let a = fetch(&mut film, &recorded["epoch"], 0, index);
        let b = fetch(&mut live, &simulated["epoch"], 0, index);
        assert_eq!(a.time, b.time);
        assert_eq!(a.bodies, b.bodies, "frame {index}");
        // In the order of names: block, floor, still.
        assert_eq!(a.flags, if index < 50 { [0, 0, 0] } else { [0, 0, 1] }, "frame {index}");
        assert_eq!(a.flags, b.flags, "frame {index}");
        assert_eq!(a.contacts, b.contacts, "frame {index}");
        let plain = |report: Option<Value>| {
            report.map(|report| [&report["measured"], &report["energy"], &report["counts"]].map(Value::clone))
        };
        assert_eq!(plain(a.report), plain(b.report), "frame {index}");
    }
    film.say(r#"{"type":"reset"}"#);
    assert_eq!(film.wait_for("error")["code"], 403);
}

#[test]
fn a_recording_that_cannot_be_shown_is_explained() {
    let directory = directory("view_no_recording");
    let file = directory.join("broken.mcap");
    std::fs::write(&file, b"not a recording").unwrap();
    let file = file.to_str().unwrap();
    for (arguments, words) in [
        (vec![file], vec!["broken.mcap"]),
        (vec!["missing.mcap"], vec!["missing.mcap"]),
        (vec![file, "--method", "pgs"], vec!["--method", "recording"]),
        (vec![file, "--control"], vec!["--control", "recording"]),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_signorini"))
            .args(["view", "--port", "0"])
            .args(&arguments)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        for word in words {
            assert!(message.contains(word), "no '{word}' in: {message}");
        }
    }
}
