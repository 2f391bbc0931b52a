//! Recordings under fire: killed writers, full disks, flipped bits. The names are cases of the fault matrix.

use crate::fixture::{Memory, Random, chunks, folder, record, scene, small_chunks, states};
use signorini::Scene;
use signorini_record::{Existing, Frame, Header, Options, Reader, RecordError, Verdict, Writer, check, repair};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const CHILD: &str = "SIGNORINI_TEST_RECORDING_CHILD";

/// Bodies in flight: a step costs next to nothing, so that the child spends its life writing.
fn flying() -> Scene {
    let mut scene = scene();
    scene.bodies.remove(0);
    scene.gravity = [0.0; 3];
    scene.bodies[0].grid.as_mut().unwrap().count = [5, 4, 1];
    scene
}

/// Not a test of its own: what the killed process runs. Writes how far it is where the kill cannot lose it.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let folder = Path::new(&folder);
    let scene = flying();
    let mut world = scene.build().unwrap();
    let mut progress = File::create(folder.join("progress")).unwrap();
    let header = Header::of_scene(&scene, &world);
    let mut writer = Writer::create(folder.join("run.mcap"), &header, &world, &Options::default()).unwrap();
    loop {
        let report = world.step(scene.step).unwrap();
        writer.step(&world, &report).unwrap();
        progress.seek(SeekFrom::Start(0)).unwrap();
        progress.write_all(&world.steps().to_le_bytes()).unwrap();
    }
}

#[test]
fn i9_a_killed_writer_loses_at_most_its_last_six_chunks_and_usually_few() {
    let folder = folder("killed");
    let scene = flying();
    // A state of 20 bodies and the least report: how many steps one chunk can hold.
    let per_chunk = (10 << 10) / (4 + 24 + 16 + 20 * (13 * 8 + 1) + 1024) as u64 + 1;
    let (mut random, mut checked, mut losses) = (Random(0x5eed), 0, Vec::new());
    let mut reference = vec![Frame::of(&scene.build().unwrap())];
    let mut world = scene.build().unwrap();
    for kill in 0..200 {
        let _ = fs::remove_file(folder.join("progress"));
        let _ = fs::remove_file(folder.join("run.mcap"));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["recording_faults::child_that_writes_until_it_is_killed", "--exact", "--nocapture"])
            .env(CHILD, &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.below(80_000) as u64));
        // SIGKILL: no destructor, no buffer flushed.
        child.kill().unwrap();
        child.wait().unwrap();
        let progress = fs::read(folder.join("progress")).unwrap_or_default();
        let taken = progress.try_into().map_or(0, u64::from_le_bytes);
        let mut reader = match Reader::open(folder.join("run.mcap")) {
            Ok(reader) => reader,
            // Killed before the header was there.
            Err(_) => {
                assert_eq!(taken, 0, "kill {kill}");
                continue;
            }
        };
        assert!(!reader.is_finished());
        assert_eq!(reader.damage(), [], "kill {kill}");
        let read = (reader.frames() as u64).saturating_sub(1);
        assert!(read + 6 * per_chunk >= taken, "kill {kill}: {taken} steps taken, {read} readable");
        if read > 0 {
            checked += 1;
            losses.push(taken.saturating_sub(read));
            while world.steps() < read {
                world.step(scene.step).unwrap();
                reference.push(Frame::of(&world));
            }
            for index in [0, reader.frames() / 2, reader.frames() - 1] {
                assert_eq!(reader.frame(index).unwrap(), reference[index]);
            }
        }
    }
    assert!(checked > 20, "only {checked} of 200 children lived long enough to be a test");
    // The one being filled, and those of the two milliseconds that the writing thread rests.
    losses.sort_unstable();
    let usual = losses[losses.len() / 2];
    eprintln!("{checked} of 200: {usual} steps lost as a rule, {} at most", losses[losses.len() - 1]);
    assert!(usual <= 3 * per_chunk, "{usual} steps lost as a rule");
}

/// Takes so many writes, then fails for good, the first time after half of what it was given.
struct Failing {
    memory: Memory,
    left: usize,
    kind: ErrorKind,
    halved: bool,
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left > 0 {
            self.left -= 1;
            return self.memory.write(bytes);
        }
        if !self.halved && bytes.len() > 1 {
            self.halved = true;
            return self.memory.write(&bytes[..bytes.len() / 2]);
        }
        Err(io::Error::from(self.kind))
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn i10_a_full_disk_at_any_write_leaves_a_readable_prefix_and_the_run_goes_on() {
    let (scene, path) = (scene(), folder("full").join("run.mcap"));
    let expected = states(&scene);
    let attempt = |writes: usize, kind: ErrorKind| -> (Result<(), RecordError>, Vec<u8>) {
        let memory = Memory::default();
        let sink = Failing { memory: memory.clone(), left: writes, kind, halved: false };
        let mut world = scene.build().unwrap();
        let header = Header::of_scene(&scene, &world);
        let mut outcome = Ok(());
        // Three steps a chunk, with room to spare: reports hold wall times, whose digits would decide where a chunk ends.
        let options = Options { chunk_bytes: 16 << 10, ..Options::default() };
        let mut writer = match Writer::to_sink(Box::new(sink), &header, &world, &options) {
            Ok(writer) => Some(writer),
            Err(error) => {
                outcome = Err(error);
                None
            }
        };
        for _ in 0..scene.steps() {
            let report = world.step(scene.step).unwrap();
            let Some(recorder) = &mut writer else { continue };
            if let Err(error) = recorder.step(&world, &report) {
                // It says so again, and does nothing.
                assert!(matches!(recorder.step(&world, &report), Err(RecordError::Stopped)));
                (outcome, writer) = (Err(error), None);
            }
        }
        // The run does not care.
        assert_eq!(Frame::of(&world), expected[scene.steps() as usize]);
        if let Some(writer) = writer {
            outcome = writer.finish();
        }
        let bytes = memory.0.lock().unwrap().clone();
        (outcome, bytes)
    };
    let (whole, bytes) = attempt(usize::MAX, ErrorKind::Other);
    whole.unwrap();
    let total = chunks(&bytes).len();
    let (mut writes, mut least_frames) = (0, 0);
    loop {
        let mut finished = false;
        for kind in [ErrorKind::StorageFull, ErrorKind::Other] {
            let (outcome, bytes) = attempt(writes, kind);
            fs::write(&path, &bytes).unwrap();
            match outcome {
                Ok(()) => finished = true,
                Err(RecordError::Write(cause)) => assert_eq!(cause.kind(), kind, "write {writes}"),
                Err(other) => panic!("write {writes}: {other:?}"),
            }
            let frames = match Reader::open(&path) {
                Ok(mut reader) => {
                    for index in 0..reader.frames() {
                        assert_eq!(reader.frame(index).unwrap(), expected[index], "write {writes}");
                    }
                    reader.frames()
                }
                Err(RecordError::NotARecording(_)) => 0,
                Err(other) => panic!("write {writes}: {other:?}"),
            };
            assert!(frames >= least_frames, "write {writes}: {frames} frames after {least_frames}");
            least_frames = frames;
        }
        if finished {
            break;
        }
        writes += 1;
    }
    assert!(writes >= total, "{writes} writes for {total} chunks");
    assert_eq!(least_frames, expected.len());
}

#[test]
fn i11_offsets_beyond_4_gib_are_read() {
    let (scene, folder) = (scene(), folder("far"));
    record(&scene, &folder.join("near.mcap"), &small_chunks());
    let bytes = fs::read(folder.join("near.mcap")).unwrap();
    // A private record of 5 GiB, which is a hole in the file, in front of everything.
    let hole = 5_u64 << 30;
    let mut far = File::create(folder.join("far.mcap")).unwrap();
    far.write_all(&bytes[..8]).unwrap();
    far.write_all(&[0x80]).unwrap();
    far.write_all(&hole.to_le_bytes()).unwrap();
    far.seek(SeekFrom::Current(hole as i64)).unwrap();
    far.write_all(&bytes[8..]).unwrap();
    let mut reader = Reader::open(folder.join("far.mcap")).unwrap();
    assert!(reader.is_finished());
    for (index, frame) in states(&scene).iter().enumerate() {
        assert_eq!(&reader.frame(index).unwrap(), frame);
    }
    drop(reader);
    fs::remove_file(folder.join("far.mcap")).unwrap();
}

/// Changes a chunk's content and gives it the checksum of what it now holds.
fn tamper(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from).expect("the bytes are in the file");
    bytes[at..at + to.len()].copy_from_slice(to);
    let chunk = chunks(bytes).into_iter().find(|chunk| chunk.contains(&at)).expect("in a chunk");
    let records = chunk.start + 9 + 40..chunk.end;
    let checksum = crc32fast::hash(&bytes[records]);
    bytes[chunk.start + 9 + 24..chunk.start + 9 + 28].copy_from_slice(&checksum.to_le_bytes());
}

/// A channel that is described as something else is something else, whoever reads: `repair` lost steps that the reader counted.
#[test]
fn a_topic_of_another_name_is_another_topic() {
    let (scene, folder) = (scene(), folder("renamed"));
    let (path, whole) = (folder.join("run.mcap"), folder.join("whole.mcap"));
    record(&scene, &path, &small_chunks());
    let mut bytes = fs::read(&path).unwrap();
    tamper(&mut bytes, b"\x05\0\0\0/step", b"\x05\0\0\0/stop");
    fs::write(&path, &bytes).unwrap();
    let _ = fs::remove_file(&whole);
    repair(&path, &whole).unwrap();
    for reader in [path, whole].map(|path| Reader::open(path).unwrap()) {
        assert_eq!((reader.frames(), reader.steps()), (states(&scene).len(), 0));
    }
}

#[test]
fn i13_one_ulp_is_found_and_its_step_named() {
    let (scene, path) = (scene(), folder("tampered").join("run.mcap"));
    record(&scene, &path, &small_chunks());
    let (original, frames) = (fs::read(&path).unwrap(), states(&scene));
    let pose = |frame: &Frame| frame.poses[2].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = original.clone();
    // While the boxes come to rest: afterwards all frames are alike.
    let step = 5;
    let (mut changed, before) = (frames[step].clone(), pose(&frames[step]));
    changed.poses[2][1] = changed.poses[2][1].next_up();
    tamper(&mut bytes, &before, &pose(&changed));
    fs::write(&path, &bytes).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!(reader.damage(), []);
    let Verdict::Differs(found) = check(&mut reader, |_| {}).unwrap() else { panic!("not found") };
    assert_eq!((found.step, found.time), (step as u64, frames[step].time));
    assert_eq!(found.what, "position y of 'box/1/0/0'");
    assert_eq!(found.recorded, found.now.next_up());

    // A fingerprint that lies.
    let mut bytes = original.clone();
    tamper(&mut bytes, &frames[30].hash.to_le_bytes(), &(frames[30].hash ^ 1).to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    let Verdict::Differs(found) = check(&mut Reader::open(&path).unwrap(), |_| {}).unwrap() else {
        panic!("not found")
    };
    assert_eq!(found.step, 30);

    // Another scene in the header: the first step of the other simulation differs.
    let mut other = scene.clone();
    other.gravity[2] = other.gravity[2].next_up();
    let world = other.build().unwrap();
    let replacing = Options { existing: Existing::Replace, ..Options::default() };
    let mut writer = Writer::create(&path, &Header::of_scene(&other, &world), &world, &replacing).unwrap();
    let mut world = scene.build().unwrap();
    // Handles belong to their world: the recording is made of the same one it was opened with.
    let report = world.step(scene.step).unwrap();
    assert!(matches!(writer.step(&world, &report), Err(RecordError::BodiesChanged)));
}

/// A chunk that claims to be packed, and to become 2⁶³ bytes: it is named as what it is, nothing is unpacked, and the others are
/// read.
#[test]
fn j17_a_chunk_that_claims_to_be_compressed_is_refused_and_hides_no_other() {
    let (scene, path) = (scene(), folder("packed").join("run.mcap"));
    record(&scene, &path, &small_chunks());
    let (mut bytes, frames) = (fs::read(&path).unwrap(), states(&scene));
    let state = frames[frames.len() / 2].hash.to_le_bytes();
    let list = chunks(&bytes);
    let victim =
        list.iter().find(|chunk| bytes[(*chunk).clone()].windows(8).any(|found| found == state)).unwrap().start;
    // A record is its kind, its length and its content; a chunk begins with two times, the size that its records have unpacked,
    // their checksum, and the name of the compression with its length before it.
    let content = victim + 9;
    let length = u64::from_le_bytes(bytes[victim + 1..content].try_into().unwrap());
    bytes[victim + 1..content].copy_from_slice(&(length + 4).to_le_bytes());
    bytes[content + 16..content + 24].copy_from_slice(&(1_u64 << 63).to_le_bytes());
    assert_eq!(bytes[content + 28..content + 32], [0; 4]);
    bytes[content + 28] = 4;
    bytes.splice(content + 32..content + 32, *b"zstd");
    fs::write(&path, bytes).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert!(reader.frames() > 0 && reader.frames() < frames.len());
    let damage = reader.damage();
    assert!(damage.iter().any(|damage| damage.what.contains("compressed")), "{damage:?}");
}

#[test]
fn i14_a_damaged_chunk_in_the_middle_hides_no_other() {
    let (scene, path) = (scene(), folder("middle").join("run.mcap"));
    record(&scene, &path, &small_chunks());
    let (original, frames) = (fs::read(&path).unwrap(), states(&scene));
    let list = chunks(&original);
    // A chunk with a state in it.
    let state = frames[frames.len() / 2].hash.to_le_bytes();
    let victim = list.iter().find(|chunk| original[(*chunk).clone()].windows(8).any(|bytes| bytes == state));
    let victim = victim.unwrap().clone();
    let lost = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let mut found = Vec::new();
        for index in 0..reader.frames() {
            let frame = reader.frame(index).unwrap();
            assert_eq!(frame, frames[frame.step as usize]);
            found.push(frame.step);
        }
        assert!(found.is_sorted());
        // The replay goes on across the gap.
        assert!(matches!(check(&mut reader, |_| {}).unwrap(), Verdict::Same { steps: 40, .. }));
        (frames.len() - found.len(), reader.damage().len(), reader.is_finished())
    };
    let per_chunk = 4;
    // A bit in the records, in the checksum, four in the length, one in the kind, in the length of the records, and two
    // in the length of the index that follows.
    let index = victim.len();
    for (at, mask) in [
        (60, 1),
        (9 + 24, 1),
        (1, 4),
        (2, 0x40),
        (3, 1),
        (7, 0x40),
        (0, 0x20),
        (9 + 32, 2),
        (index + 2, 0x20),
        (index + 3, 1),
    ] {
        let mut bytes = original.clone();
        bytes[victim.start + at] ^= mask;
        let (missing, damaged, finished) = lost(&bytes);
        // Where only a length is wrong, the checksum still vouches for the content.
        let (fewest, most) = match at {
            60 | 33 => (1, per_chunk),
            _ if at < index => (0, per_chunk),
            _ => (0, 0),
        };
        assert!((fewest..=most).contains(&missing), "byte {at}: {missing} frames lost");
        assert!(finished && damaged == 1, "byte {at}: {damaged} places of damage, finished {finished}");
    }
    // Half of the file overwritten from a chunk's beginning on by zeros, up to another chunk.
    let mut bytes = original.clone();
    bytes[list[5].start..list[9].end].fill(0);
    let (missing, damaged, finished) = lost(&bytes);
    assert!(missing <= 5 * per_chunk && damaged >= 1 && finished, "{missing} lost");
}

#[test]
fn a_recording_cut_anywhere_is_its_beginning_or_refused() {
    let mut scene = scene();
    scene.duration = 0.05;
    let path = folder("cut").join("run.mcap");
    record(&scene, &path, &small_chunks());
    let (whole, frames) = (fs::read(&path).unwrap(), states(&scene));
    let mut before = 0;
    // Every byte near the ends of chunks, every ninth elsewhere.
    let ends: Vec<usize> = chunks(&whole).iter().map(|chunk| chunk.end).collect();
    let tried = |cut: &usize| cut.is_multiple_of(9) || ends.iter().any(|end| cut.abs_diff(*end) < 60);
    for end in (0..whole.len()).filter(tried) {
        fs::write(&path, &whole[..end]).unwrap();
        match Reader::open(&path) {
            Ok(mut reader) => {
                assert!(reader.frames() >= before);
                before = reader.frames();
                if let Some(last) = before.checked_sub(1) {
                    assert_eq!(reader.frame(last).unwrap(), frames[last]);
                }
            }
            Err(RecordError::NotARecording(_)) => assert_eq!(before, 0),
            Err(other) => panic!("cut at {end}: {other}"),
        }
    }
    assert_eq!(before, frames.len());
}

#[test]
fn random_damage_never_breaks_the_reader() {
    let mut scene = scene();
    scene.duration = 0.1;
    let path = folder("random").join("run.mcap");
    record(&scene, &path, &small_chunks());
    let whole = fs::read(&path).unwrap();
    let mut random = Random(0xdead_beef);
    for _ in 0..1500 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(8) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.below(256) as u8,
                2 => bytes[at..(at + 8).min(whole.len())].fill(0xff),
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.len() < whole.len() {
                break;
            }
        }
        fs::write(&path, &bytes).unwrap();
        // Any answer is right; a panic or endless memory is not.
        if let Ok(mut reader) = Reader::open(&path) {
            for index in 0..reader.frames() {
                let _ = reader.frame(index);
            }
            for index in 0..reader.steps() {
                let _ = reader.step(index);
            }
        }
    }
}
