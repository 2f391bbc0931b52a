//! Recordings: what is whole is read, what is not is named, nothing breaks.

use super::{Scratch, Target};
use signorini_record::{ContactRecording, Header, Options, Reader, RecordedStep, Writer, recertify, repair};
use signorini_scenes::worlds;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

pub const RECORDING: Target = Target { name: "recording", run, seeds, tokens: &[], mend: Some(mend), short: 7500 };

/// A place for bytes that outlives its writer.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let small = worlds::all().iter().map(|named| named.scene()).filter(|scene| scene.bodies.len() <= 3);
    let recorded = small.take(3).filter_map(|scene| {
        let (mut world, memory) = (scene.build().ok()?, Memory::default());
        let options = Options { contacts: ContactRecording::On, chunk_bytes: 4096, ..Options::default() };
        let header = Header::of_scene(&scene, &world);
        let mut writer = Writer::to_sink(Box::new(memory.clone()), &header, &world, &options).ok()?;
        for _ in 0..4 {
            let report = world.step(scene.step).ok()?;
            writer.step(&world, &report).ok()?;
        }
        writer.finish().ok()?;
        let bytes = memory.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Some(bytes)
    });
    recorded.collect()
}

fn run(bytes: &[u8]) -> String {
    let (file, whole) = (Scratch::new("run.mcap"), Scratch::new("whole.mcap"));
    file.write(bytes);
    let mut reader = match Reader::open(&file.0) {
        Err(error) => return error.to_string(),
        Ok(reader) => reader,
    };
    let mut words = format!("finished {} damage {}", reader.is_finished(), reader.damage().len().min(3));
    for damage in reader.damage() {
        words += &damage.what;
    }
    for index in 0..reader.frames() {
        words += &reader.frame(index).map_or_else(|error| error.to_string(), |_| String::new());
    }
    for index in 0..reader.steps() {
        match reader.step(index) {
            Ok(step) => words += if RecordedStep::read(&step).is_some() { "" } else { "no step" },
            Err(error) => words += &error.to_string(),
        }
    }
    for index in 0..reader.contact_steps() {
        words += &reader.contacts(index).map_or_else(|error| error.to_string(), |_| String::new());
    }
    if reader.header().scene.bodies.len() <= 8 {
        words += &recertify(&mut reader, |_| {}).map_or_else(|error| error.to_string(), |_| String::new());
    }
    // What is whole again has as many states, and nothing that is damaged.
    match repair(&file.0, &whole.0) {
        Err(error) => words += &error.to_string(),
        Ok(_) => {
            let again = Reader::open(&whole.0);
            let same = |again: &Reader| {
                let counts = (again.frames(), again.steps(), again.contact_steps());
                again.is_finished()
                    && again.damage().is_empty()
                    && counts == (reader.frames(), reader.steps(), reader.contact_steps())
            };
            assert!(again.as_ref().is_ok_and(same), "not whole again: {again:?}");
        }
    }
    words
}

/// Checksums of chunks and attachments.
fn mend(bytes: &mut [u8]) {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 9) {
        let (kind, size) = (head[0], number(&head[1..9]));
        let Some(end) = usize::try_from(size).ok().and_then(|size| (at + 9).checked_add(size)) else { return };
        if end > bytes.len() {
            return;
        }
        match kind {
            // Two times and a size, the checksum, the name of no compression, a length.
            0x06 if size >= 40 => {
                let checksum = crc32fast::hash(&bytes[at + 49..end]);
                bytes[at + 33..at + 37].copy_from_slice(&checksum.to_le_bytes());
            }
            0x09 if size >= 4 => {
                let checksum = crc32fast::hash(&bytes[at + 9..end - 4]);
                bytes[end - 4..end].copy_from_slice(&checksum.to_le_bytes());
            }
            _ => {}
        }
        at = end;
    }
}
