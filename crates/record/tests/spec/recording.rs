//! What is recorded is what happened, and others can read it too.

use crate::fixture::{Memory, folder, record, scene, small_chunks, states};
use serde_json::Value;
use signorini::Sleeping;
use signorini::glamx::DVec3;
use signorini::{Body, Check, ContactState, PartName, Scene, Settings, Shape, World};
use signorini_record::{
    ContactRecording, Existing, Frame, Header, Options, Origin, Push, Reader, RecordError, RecordedStep, Verdict,
    Writer, check, export_csv, recertify, repair,
};
use std::fs;
use std::path::Path;

#[test]
fn what_is_read_is_what_happened() {
    let (scene, path) = (scene(), folder("round_trip").join("run.mcap"));
    record(&scene, &path, &Options { contacts: ContactRecording::On, ..Options::default() });
    let mut reader = Reader::open(&path).unwrap();
    assert!(reader.is_finished() && reader.damage().is_empty());
    assert_eq!(reader.header().scene, scene);
    assert_eq!(reader.header().origin, Origin::Scene);
    assert_eq!((reader.header().method.as_str(), reader.header().tolerance), ("exact", 1e-6));
    assert_eq!(reader.header().bodies[0], "box/0/0/0");
    assert_eq!(reader.header().bodies[6], "floor");
    let expected = states(&scene);
    assert_eq!((reader.frames(), reader.steps(), reader.contact_steps()), (41, 40, 40));
    // Back to front, so that nothing depends on the order of reading.
    for (index, frame) in expected.iter().enumerate().rev() {
        assert_eq!(&reader.frame(index).unwrap(), frame);
    }
    let mut world = scene.build().unwrap();
    let mut seen = [false; 3];
    for index in 0..40 {
        let report = world.step(scene.step).unwrap();
        let mut step = reader.step(index).unwrap();
        let Value::Object(fields) = &mut step else { panic!("{step}") };
        assert_eq!(fields.remove("step"), Some(Value::from(world.steps())));
        assert_eq!(fields.remove("time"), Some(Value::from(world.time())));
        let mut report = serde_json::to_value(&report).unwrap();
        // The clock is the one thing that differs from run to run.
        assert!(fields.remove("times").is_some());
        report.as_object_mut().unwrap().remove("times");
        fields_of_places(&world, &mut step, &report);
        assert_eq!(step, report);
        let contacts = reader.contacts(index).unwrap();
        assert_eq!(contacts.gaps.len(), world.contacts().len());
        for (i, contact) in world.contacts().iter().enumerate() {
            assert_eq!(contacts.points[i], contact.point.to_array());
            assert_eq!(contacts.impulses[i], contact.impulse.to_array());
            assert_eq!(contacts.gaps[i], contact.gap);
            let name = |body: u32| reader.header().bodies[body as usize].clone();
            assert_eq!(name(contacts.bodies[i][0]), world.body(contact.a).unwrap().id().label());
            assert_eq!(name(contacts.bodies[i][1]), world.body(contact.b).unwrap().id().label());
            seen[contacts.states[i] as usize] = true;
            if contacts.states[i] == ContactState::Open {
                assert!(contact.impulse.length() <= 1e-12);
            }
        }
        // Told by motion, like those of the world. Which of the contacts at rest carry is up to the read-out.
        let counts = &report["counts"]["states"];
        let counted = ["open", "stick", "slip"].iter().filter_map(|state| counts[state].as_u64()).sum::<u64>();
        assert_eq!(counted, contacts.states.len() as u64);
        assert_eq!(counts["slip"], contacts.states.iter().filter(|s| **s == ContactState::Slip).count());
        assert!(contacts.states.iter().zip(world.contacts()).all(|(state, contact)| *state == contact.state()));
    }
    assert!(seen.iter().filter(|s| **s).count() >= 2, "the scene should have contacts of several states");
    assert!(matches!(reader.frame(41), Err(RecordError::NoSuchMessage { index: 41, count: 41, .. })));
}

/// The names of a message are those of the bodies at the places of its certificate.
fn fields_of_places(world: &World, step: &mut Value, report: &Value) {
    let names = step.as_object_mut().unwrap().remove("names").unwrap();
    let labels: Vec<String> = world.bodies().map(|(_, body)| body.id().label()).collect();
    for (part, told) in report["certificate"].as_object().unwrap() {
        let expected: Vec<&str> = told["place"]["bodies"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|rank| Some(labels[usize::try_from(rank.as_u64()?).unwrap()].as_str()))
            .collect();
        let found: Vec<&str> =
            names[part.as_str()].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(found, expected, "{part}");
    }
}

#[test]
fn a_step_is_read_back_with_its_parts() {
    let (scene, path) = (scene(), folder("parts").join("run.mcap"));
    record(&scene, &path, &Options::default());
    let mut reader = Reader::open(&path).unwrap();
    let mut world = scene.build().unwrap();
    for index in 0..40 {
        let report = world.step(scene.step).unwrap();
        let read = RecordedStep::read(&reader.step(index).unwrap()).unwrap();
        assert_eq!((read.step, read.time, read.certified), (world.steps(), world.time(), true));
        let parts = read.parts.unwrap();
        assert_eq!(parts.len(), PartName::ALL.len());
        for told in &parts {
            assert_eq!(told.part, *report.certificate.part(told.name));
            assert_eq!(told.names, world.names_at(&told.part.place));
        }
        let mut back = read.report.unwrap();
        back.times = report.times;
        assert_eq!(back, report);
    }
    // Infinite numbers have no JSON: they read back as infinite.
    let mut message = reader.step(0).unwrap();
    message["certificate"]["overlap"]["value"] = Value::Null;
    message["velocity"]["natural"] = Value::Null;
    let read = RecordedStep::read(&message).unwrap();
    let overlap = read.parts.unwrap().into_iter().find(|told| told.name == PartName::Overlap).unwrap();
    assert_eq!(overlap.part.value, f64::INFINITY);
    assert_eq!(read.report.unwrap().certificate.overlap.value, f64::INFINITY);
}

#[test]
fn what_an_old_recording_does_not_tell_is_unknown_not_zero() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format_1.mcap");
    let mut reader = Reader::open(path).unwrap();
    let mut touched = 0;
    for index in 0..reader.steps() {
        let message = reader.step(index).unwrap();
        assert_eq!(message["certificate"], Value::Null);
        touched += usize::from(message["velocity"]["natural"].is_number());
        let read = RecordedStep::read(&message).unwrap();
        assert_eq!(read.parts, None);
        assert!(read.report.is_some());
    }
    assert!(touched > 0);
}

/// The reader and writer of the format's authors as a second opinion.
#[test]
fn the_file_is_what_the_format_says() {
    let (scene, path) = (scene(), folder("format").join("run.mcap"));
    record(&scene, &path, &Options { contacts: ContactRecording::On, ..small_chunks() });
    let bytes = fs::read(&path).unwrap();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    assert!(summary.chunk_indexes.len() > 10, "{}", summary.chunk_indexes.len());
    assert_eq!(summary.attachment_indexes.len(), 1);
    let attachment = mcap::read::attachment(&bytes, &summary.attachment_indexes[0]).unwrap();
    let header: Header = serde_json::from_slice(&attachment.data).unwrap();
    assert_eq!(header.scene, scene);
    let mut reader = Reader::open(&path).unwrap();
    let (mut frames, mut steps) = (0, 0);
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        let schema = message.channel.schema.as_ref().unwrap();
        match message.channel.topic.as_str() {
            "/state" => {
                assert_eq!((schema.encoding.as_str(), message.channel.message_encoding.as_str()), ("ros2msg", "cdr"));
                let frame = reader.frame(frames).unwrap();
                assert_eq!(message.log_time, (frame.time * 1e9).round() as u64);
                // 4 bytes encapsulation, three numbers, two lists with padded lengths, and one of bytes.
                assert_eq!(message.data.len(), 4 + 24 + 8 + 7 * 7 * 8 + 8 + 7 * 6 * 8 + 4 + 7);
                assert_eq!(message.data[4..12], (frames as u64).to_le_bytes());
                frames += 1;
            }
            "/step" => {
                assert_eq!(
                    (schema.encoding.as_str(), message.channel.message_encoding.as_str()),
                    ("jsonschema", "json")
                );
                let schema: Value = serde_json::from_slice(&schema.data).unwrap();
                described(&serde_json::from_slice(&message.data).unwrap(), &schema, "");
                steps += 1;
            }
            topic @ ("/scene" | "/contact_arrows") => {
                assert_eq!((schema.name.as_str(), schema.encoding.as_str()), ("foxglove.SceneUpdate", "jsonschema"));
                let (schema, drawn): (Value, Value) =
                    (serde_json::from_slice(&schema.data).unwrap(), serde_json::from_slice(&message.data).unwrap());
                let described = &schema["properties"]["entities"]["items"];
                for entity in drawn["entities"].as_array().unwrap() {
                    entity.as_object().unwrap().keys().for_each(|key| {
                        assert!(described["properties"].get(key).is_some(), "{topic}: {key} is not in its schema");
                    });
                }
            }
            topic => assert!(["/contacts", "/tf", "/plot"].contains(&topic), "{topic}"),
        }
    }
    assert_eq!((frames, steps), (41, 40));
}

/// Every field of a message is in its schema, and the schema's tables are tables.
fn described(value: &Value, schema: &Value, path: &str) {
    let (Value::Object(fields), Some(properties)) = (value, schema.get("properties")) else { return };
    for (key, value) in fields {
        let inner = properties.get(key).unwrap_or_else(|| panic!("{path}.{key} is not in step.schema.json"));
        described(value, inner, &format!("{path}.{key}"));
    }
}

/// The first chunk describes the topics too \[bytes\].
const SCHEMAS: usize = 16_384;
/// Largest message, per body: its shape as JSON \[bytes\].
const SHAPE: usize = 800;

#[test]
fn a_chunk_has_at_most_10_kib_and_one_larger_message_has_its_own() {
    let folder = folder("chunks");
    let mut scene = scene();
    for (count, name) in [(6, "small.mcap"), (1500, "large.mcap")] {
        scene.bodies[1].grid.as_mut().unwrap().count = [count, 1, 1];
        scene.bodies[1].position[2] = 100.0;
        scene.duration = 0.2;
        record(&scene, &folder.join(name), &Options { sync_time: None, ..Options::default() });
        let bytes = fs::read(folder.join(name)).unwrap();
        let limit = if count == 6 { 10 << 10 } else { SHAPE * (count as usize + 1) };
        for (index, chunk) in crate::fixture::chunks(&bytes).into_iter().enumerate() {
            let topics = if index == 0 { SCHEMAS } else { 0 };
            assert!(chunk.len() <= limit + topics + 49, "chunk {index}: {} bytes", chunk.len());
        }
        assert_eq!(Reader::open(folder.join(name)).unwrap().frames(), 21);
    }
}

#[test]
fn a_recording_is_read_while_it_is_written() {
    let (scene, path) = (scene(), folder("live").join("run.mcap"));
    let mut world = scene.build().unwrap();
    let mut writer = Writer::create(&path, &Header::of_scene(&scene, &world), &world, &small_chunks()).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!((reader.frames(), reader.is_finished()), (1, false));
    let mut seen = 1;
    for _ in 0..scene.steps() {
        let report = world.step(scene.step).unwrap();
        writer.step(&world, &report).unwrap();
        if reader.refresh().unwrap() {
            assert!(reader.frames() > seen);
            seen = reader.frames();
            assert_eq!(reader.frame(seen - 1).unwrap().step, seen as u64 - 1);
        }
    }
    assert!(seen > 20, "{seen}");
    writer.finish().unwrap();
    assert!(reader.refresh().unwrap());
    assert_eq!((reader.frames(), reader.is_finished(), reader.damage().len()), (41, true, 0));
    assert!(!reader.refresh().unwrap());
}

#[test]
fn i12_two_writers_of_one_file_are_one_too_many() {
    let (scene, folder) = (scene(), folder("two"));
    let (world, path) = (scene.build().unwrap(), folder.join("run.mcap"));
    let header = Header::of_scene(&scene, &world);
    let create = || Writer::create(&path, &header, &world, &Options::default());
    let first = create().unwrap();
    assert!(matches!(create(), Err(RecordError::InUse { .. })));
    // The first one's file is as it was.
    assert_eq!(Reader::open(&path).unwrap().frames(), 1);
    first.finish().unwrap();
    // A finished one is replaced only by who says so.
    assert!(matches!(create(), Err(RecordError::Exists { .. })));
    assert!(Reader::open(&path).unwrap().is_finished());
    let replacing = Options { existing: Existing::Replace, ..Options::default() };
    Writer::create(&path, &header, &world, &replacing).unwrap().finish().unwrap();
    // What is not a recording is not overwritten.
    let letter = folder.join("letter.txt");
    fs::write(&letter, "dear reader").unwrap();
    let refused = Writer::create(&letter, &header, &world, &Options::default());
    assert!(matches!(refused, Err(RecordError::WouldOverwrite { .. })));
    assert_eq!(fs::read_to_string(&letter).unwrap(), "dear reader");
    assert!(matches!(Reader::open(&letter), Err(RecordError::NotARecording(_))));
    assert!(matches!(Reader::open(&folder), Err(RecordError::NotARecording(_))));
    assert!(matches!(Reader::open(folder.join("none")), Err(RecordError::Open { .. })));
}

#[test]
fn a_world_without_a_scene_is_recorded_and_described() {
    let mut world = World::new(Settings::default()).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).numbered(7);
    let handle = world.add(ball.position(signorini::glamx::DVec3::Z)).unwrap();
    world.add(Body::fixed(Shape::half_space(signorini::glamx::DVec3::Z).unwrap())).unwrap();
    let header = Header::of_world(&world, 0.01);
    assert_eq!(header.bodies, ["#7", "unnamed #0"]);
    let path = folder("world").join("run.mcap");
    let mut writer = Writer::create(&path, &header, &world, &Options::default()).unwrap();
    let report = world.step(0.01).unwrap();
    writer.step(&world, &report).unwrap();
    // A body that leaves cannot be recorded any more, and what was recorded stays.
    world.remove(handle).unwrap();
    let report = world.step(0.01).unwrap();
    assert!(matches!(writer.step(&world, &report), Err(RecordError::BodiesChanged)));
    writer.finish().unwrap();
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!(reader.frames(), 2);
    assert_eq!(reader.header().scene.build().unwrap().bodies().count(), 2);
    assert!(matches!(check(&mut reader, |_| {}), Err(RecordError::NotReplayable)));
}

#[test]
fn a_recording_runs_again_bit_for_bit() {
    let (scene, path) = (scene(), folder("again").join("run.mcap"));
    record(&scene, &path, &Options::default());
    let mut last = 0;
    let verdict = check(&mut Reader::open(&path).unwrap(), |step| last = step).unwrap();
    assert_eq!((verdict, last), (Verdict::Same { frames: 41, steps: 40 }, 40));
}

/// Whoever pushed during a run is in the recording of it, so that it runs again.
#[test]
fn a_run_that_was_pushed_from_outside_runs_again_bit_for_bit() {
    let (scene, path) = (scene(), folder("pushed").join("run.mcap"));
    let mut world = scene.build().unwrap();
    let options = Options { contacts: ContactRecording::On, ..small_chunks() };
    let mut writer = Writer::create(&path, &Header::of_scene(&scene, &world), &world, &options).unwrap();
    let (handle, _) = world.bodies().next().unwrap();
    for step in 1..=scene.steps() {
        // For a tenth of a second, off the centre and with numbers that have no short decimals.
        if (10..20).contains(&step) {
            let body = world.body(handle).unwrap();
            let point = body.position() + body.pose().rotation * DVec3::new(0.1, 0.0, 1.0 / 30.0);
            let force = DVec3::new(500.0 / 3.0, -70.0, 400.0 / step as f64);
            world.add_force_at(handle, force, point).unwrap();
            writer.push(Push { body: 0, force: force.to_array(), point: point.to_array() });
        }
        let report = world.step(scene.step).unwrap();
        writer.step(&world, &report).unwrap();
    }
    writer.finish().unwrap();
    assert_ne!(world.state_hash(), states(&scene).last().unwrap().hash, "the force moves something");
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!(check(&mut reader, |_| {}).unwrap(), Verdict::Same { frames: 41, steps: 40 });
    let mut pushed = Vec::new();
    for index in 0..reader.steps() {
        pushed.push(RecordedStep::read(&reader.step(index).unwrap()).unwrap().pushes.len());
    }
    assert_eq!(pushed, [vec![0; 9], vec![1; 10], vec![0; 21]].concat());
    // What the judge does not weigh is not held against a step.
    let found = recertify(&mut reader, |_| {}).unwrap();
    assert_eq!((found.steps, found.unfounded_count), (40, 0), "{found:?}");
    let momentum = found.checks.iter().find(|tally| tally.check == Check::Momentum).unwrap();
    assert_eq!(momentum.measured, 30);
    export_csv(&mut reader, folder("pushed_tables")).unwrap();
}

#[test]
fn tables_hold_every_number() {
    let (scene, folder) = (scene(), folder("csv"));
    let path = folder.join("run.mcap");
    record(&scene, &path, &Options { contacts: ContactRecording::On, ..Options::default() });
    export_csv(&mut Reader::open(&path).unwrap(), folder.join("tables")).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join("tables").join(name)).unwrap();
    let bodies = read("bodies.csv");
    assert_eq!(bodies.lines().count(), 1 + 41 * 7);
    let expected = states(&scene);
    let row: Vec<&str> = bodies.lines().nth(1 + 40 * 7).unwrap().split(',').collect();
    assert_eq!((row[0], row[2]), ("40", "box/0/0/0"));
    let numbers: Vec<f64> = row[3..].iter().map(|x| x.parse().unwrap()).collect();
    assert_eq!(numbers[..7], expected[40].poses[0]);
    assert_eq!(numbers[7..13], expected[40].velocities[0]);
    assert_eq!(row[16..], ["0", "0"]);
    let steps = read("steps.csv");
    let titles: Vec<&str> = steps.lines().next().unwrap().split(',').collect();
    let natural = titles.iter().position(|t| *t == "velocity.natural").unwrap();
    assert!(titles.contains(&"energy.after.potential") && !titles.contains(&"velocity"), "{titles:?}");
    for title in ["certificate.overlap.value", "certificate.joint_gap.bound", "names.momentum", "counts.missed"] {
        assert!(titles.contains(&title), "{title} is missing: {titles:?}");
    }
    for row in steps.lines().skip(1) {
        assert_eq!(row.split(',').count(), titles.len());
    }
    let last: f64 = steps.lines().last().unwrap().split(',').nth(natural).unwrap().parse().unwrap();
    assert!(last <= 1e-9);
    assert!(read("contacts.csv").lines().nth(40).unwrap().split(',').count() == 18);
}

#[test]
fn names_that_are_awkward_in_tables_are_quoted() {
    let mut scene = scene();
    scene.bodies[1].grid = None;
    scene.bodies[1].name = "a, \"b\"".to_owned();
    scene.duration = 0.01;
    let folder = folder("awkward");
    record(&scene, &folder.join("run.mcap"), &Options::default());
    export_csv(&mut Reader::open(folder.join("run.mcap")).unwrap(), &folder).unwrap();
    assert!(fs::read_to_string(folder.join("bodies.csv")).unwrap().contains("\n0,0.0,\"a, \"\"b\"\"\",0.0,"));
}

#[test]
fn a_later_format_is_refused_by_name() {
    let scene: Scene = scene();
    let world = scene.build().unwrap();
    let mut header = Header::of_scene(&scene, &world);
    header.format = 4;
    let path = folder("newer").join("run.mcap");
    Writer::create(&path, &header, &world, &Options::default()).unwrap().finish().unwrap();
    assert!(matches!(Reader::open(&path), Err(RecordError::Newer { found: 4, known: 3 })));
}

#[test]
fn who_sleeps_is_recorded() {
    let mut scene = scene();
    scene.duration = 1.5;
    scene.treatment.sleeping = Sleeping::Islands { speed: 0.05, angular_speed: 0.05, time: 0.1 };
    let path = folder("sleepers").join("run.mcap");
    record(&scene, &path, &Options::default());
    let (mut reader, expected) = (Reader::open(&path).unwrap(), states(&scene));
    let sleepers = |frame: &Frame| frame.flags.iter().filter(|flags| flags.asleep).count();
    assert_eq!((sleepers(&expected[0]), sleepers(expected.last().unwrap())), (0, 6));
    for (index, frame) in expected.iter().enumerate() {
        let read = reader.frame(index).unwrap();
        assert_eq!(read.flags, frame.flags);
        if let Some(step) = index.checked_sub(1) {
            assert_eq!(reader.step(step).unwrap()["counts"]["sleeping"], sleepers(frame));
        }
    }
    assert!(matches!(check(&mut reader, |_| {}).unwrap(), Verdict::Same { .. }));
}

/// A file that was written when the format was 1.
#[test]
fn a_recording_of_format_1_opens_and_does_not_tell_who_sleeps() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format_1.mcap");
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!((reader.header().format, reader.header().scene.name.as_str()), (1, "recorded by format 1"));
    assert!(reader.is_finished() && reader.damage().is_empty());
    assert_eq!((reader.frames(), reader.steps(), reader.contact_steps()), (7, 6, 6));
    // One slept, as its report says.
    assert_eq!(reader.step(5).unwrap()["counts"]["sleeping"], 1);
    let last = reader.frame(6).unwrap();
    assert!(last.flags.is_empty() && last.poses.len() == 3);
    // The bird fell freely for 60 ms.
    let fallen = 0.5 * 9.81 * 0.06 * 0.06;
    assert!((last.poses[1][2] - (2.0 - fallen)).abs() < 1e-12, "{:?}", last.poses[1]);
    let tables = folder("format_1");
    export_csv(&mut reader, &tables).unwrap();
    assert!(fs::read_to_string(tables.join("bodies.csv")).unwrap().lines().all(|row| row.split(',').count() == 18));
    // Numbers are compared, the fingerprint of those days is not.
    check(&mut reader, |_| {}).unwrap();
}

#[test]
fn dropping_a_writer_finishes_the_file() {
    let (scene, memory) = (scene(), Memory::default());
    let world = scene.build().unwrap();
    let header = Header::of_scene(&scene, &world);
    drop(Writer::to_sink(Box::new(memory.clone()), &header, &world, &Options::default()).unwrap());
    let path = folder("dropped").join("run.mcap");
    fs::write(&path, &*memory.0.lock().unwrap()).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    assert!(reader.is_finished());
    assert_eq!(reader.frame(0).unwrap(), Frame::of(&world));
}

/// Cut anywhere, what is whole of a recording becomes a finished one with the same states.
#[test]
fn a_recording_that_was_cut_off_is_made_whole() {
    let (scene, folder) = (scene(), folder("repair"));
    let (path, whole) = (folder.join("run.mcap"), folder.join("whole.mcap"));
    record(&scene, &path, &Options { contacts: ContactRecording::On, ..small_chunks() });
    let bytes = fs::read(&path).unwrap();
    for cut in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 1, bytes.len()] {
        fs::write(&path, &bytes[..cut]).unwrap();
        let _ = fs::remove_file(&whole);
        let found = repair(&path, &whole).unwrap();
        let (mut before, mut after) = (Reader::open(&path).unwrap(), Reader::open(&whole).unwrap());
        assert!(after.is_finished() && after.damage().is_empty() && found.damage.is_empty());
        let counts = |reader: &Reader| (reader.frames(), reader.steps(), reader.contact_steps());
        assert_eq!(counts(&after), counts(&before));
        assert!(found.messages > after.frames() + after.steps() + after.contact_steps());
        assert_eq!(after.header(), before.header());
        for index in 0..before.frames() {
            assert_eq!(after.frame(index).unwrap(), before.frame(index).unwrap());
        }
        for index in 0..before.contact_steps() {
            assert_eq!(after.contacts(index).unwrap(), before.contacts(index).unwrap());
        }
        // What is there stays there.
        assert!(matches!(repair(&path, &whole), Err(RecordError::Exists { .. })));
    }
}
