//! Writing a recording, step by step.

use crate::cdr::CdrWriter;
use crate::messages::{self, Contacts, Frame};
use crate::{Header, RecordError};
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Attachment, McapError, WriteOptions};
use serde::Serialize;
use signorini::{BodyHandle, StepReport, World};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Name of the attachment that holds the header.
pub(crate) const HEADER: &str = "signorini.json";

/// Whether contacts are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactRecording {
    /// Poses, velocities and reports only.
    #[default]
    Off,
    /// Every contact of every step too.
    On,
}

/// How to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether contacts are recorded.
    pub contacts: ContactRecording,
    /// A chunk is closed before it grows beyond this \[bytes\]; a single larger message has a chunk of its own.
    pub chunk_bytes: usize,
    /// A chunk is closed after this time.
    pub chunk_time: Duration,
    /// How often the file is forced to the disk, so that a power cut loses no more than this. None: never.
    pub sync_time: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            contacts: ContactRecording::Off,
            chunk_bytes: 64 << 10,
            chunk_time: Duration::from_millis(250),
            sync_time: Some(Duration::from_secs(1)),
        }
    }
}

type Sink = NoSeek<BufWriter<Box<dyn Write + Send>>>;

/// A recording being written. Dropping it finishes the file too, but keeps errors to itself: call [`Writer::finish`].
pub struct Writer {
    mcap: mcap::Writer<Sink>,
    /// To force what was written to the disk; none for other sinks than files.
    file: Option<File>,
    options: Options,
    channels: Channels,
    /// Bodies in the order of their ids, and the same sorted by handle.
    bodies: Vec<BodyHandle>,
    order: Vec<(BodyHandle, u32)>,
    frame: Frame,
    cdr: CdrWriter,
    json: Vec<u8>,
    /// Bytes of messages in the chunk being filled, and when it was begun.
    filled: usize,
    begun: Instant,
    synced: Instant,
    stopped: bool,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("options", &self.options).field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy)]
struct Channels {
    state: u16,
    step: u16,
    contacts: Option<u16>,
}

/// A step's message on `/step`.
#[derive(Serialize)]
struct StepMessage<'a> {
    step: u64,
    time: f64,
    #[serde(flatten)]
    report: &'a StepReport,
}

impl Writer {
    /// Creates the file, or takes the place of an old recording, and writes header and first state. The file is locked
    /// against other writers, not against readers. A file that is no recording is left alone.
    pub fn create(
        path: impl AsRef<Path>,
        header: &Header,
        world: &World,
        options: &Options,
    ) -> Result<Writer, RecordError> {
        let path = path.as_ref();
        let open = |cause: io::Error| RecordError::Open { path: path.to_owned(), cause };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(open)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RecordError::InUse { path: path.to_owned() }),
            // Some file systems have no locks. Better an unlocked recording than none.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(cause)) => return Err(open(cause)),
        }
        let mut magic = Vec::new();
        Read::by_ref(&mut file).take(mcap::MAGIC.len() as u64).read_to_end(&mut magic).map_err(open)?;
        // A recording that was cut off in its first bytes may be replaced too.
        if !mcap::MAGIC.starts_with(&magic) {
            return Err(RecordError::WouldOverwrite { path: path.to_owned() });
        }
        file.set_len(0).map_err(open)?;
        io::Seek::rewind(&mut file).map_err(open)?;
        let handle = file.try_clone().map_err(open)?;
        let mut writer = Writer::to_sink(Box::new(file), header, world, options)?;
        writer.file = Some(handle);
        Ok(writer)
    }

    /// The same into anything that takes bytes.
    pub fn to_sink(
        sink: Box<dyn Write + Send>,
        header: &Header,
        world: &World,
        options: &Options,
    ) -> Result<Writer, RecordError> {
        // Room for a chunk and its index, so that both go to the system in one piece.
        let buffered = BufWriter::with_capacity(2 * options.chunk_bytes.max(4096), sink);
        let mut mcap = WriteOptions::new()
            .compression(None)
            .chunk_size(None)
            // Chunks are completed in memory and written once, never gone back to.
            .disable_seeking(true)
            .library(concat!("signorini ", env!("CARGO_PKG_VERSION")))
            .create(NoSeek::new(buffered))
            .map_err(failure)?;
        write_header(&mut mcap, header)?;
        let channels = add_channels(&mut mcap, options).map_err(failure)?;
        let bodies: Vec<BodyHandle> = world.bodies().map(|(handle, _)| handle).collect();
        let mut order: Vec<(BodyHandle, u32)> = bodies.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let now = Instant::now();
        let mut writer = Writer {
            mcap,
            file: None,
            options: options.clone(),
            channels,
            bodies,
            order,
            frame: Frame::default(),
            cdr: CdrWriter::default(),
            json: Vec::new(),
            filled: 0,
            begun: now,
            synced: now,
            stopped: false,
        };
        writer.state(world)?;
        writer.close_chunk()?;
        Ok(writer)
    }

    /// Records a step that was just taken.
    pub fn step(&mut self, world: &World, report: &StepReport) -> Result<(), RecordError> {
        if self.stopped {
            return Err(RecordError::Stopped);
        }
        let same = world.bodies().map(|(handle, _)| handle).eq(self.bodies.iter().copied());
        if !same {
            return Err(RecordError::BodiesChanged);
        }
        let written = self.messages(world, report);
        // After a failed write nobody knows what is in the file beyond the last whole chunk.
        self.stopped = written.is_err();
        written
    }

    fn messages(&mut self, world: &World, report: &StepReport) -> Result<(), RecordError> {
        self.state(world)?;
        self.json.clear();
        let message = StepMessage { step: world.steps(), time: world.time(), report };
        serde_json::to_writer(&mut self.json, &message).map_err(|why| RecordError::Write(why.into()))?;
        let json = std::mem::take(&mut self.json);
        let written = self.message(self.channels.step, world, &json);
        self.json = json;
        written?;
        if let Some(channel) = self.channels.contacts {
            Contacts::of(world, &self.order).write(&mut self.cdr);
            self.cdr_message(channel, world)?;
        }
        if self.begun.elapsed() >= self.options.chunk_time {
            self.close_chunk()?;
        }
        Ok(())
    }

    fn state(&mut self, world: &World) -> Result<(), RecordError> {
        self.frame.take(world);
        self.frame.write(&mut self.cdr);
        self.cdr_message(self.channels.state, world)
    }

    fn cdr_message(&mut self, channel: u16, world: &World) -> Result<(), RecordError> {
        let cdr = std::mem::take(&mut self.cdr);
        let written = self.message(channel, world, cdr.bytes());
        self.cdr = cdr;
        written
    }

    fn message(&mut self, channel: u16, world: &World, data: &[u8]) -> Result<(), RecordError> {
        // Opcode, length, channel, sequence and two times around the data.
        let size = data.len() + 31;
        if self.filled > 0 && self.filled + size > self.options.chunk_bytes {
            self.close_chunk()?;
        }
        if self.filled == 0 {
            self.begun = Instant::now();
        }
        // Saturates; a world's time is never negative.
        let nanoseconds = (world.time() * 1e9).round() as u64;
        let header = MessageHeader {
            channel_id: channel,
            sequence: world.steps() as u32,
            log_time: nanoseconds,
            publish_time: nanoseconds,
        };
        self.mcap.write_to_known_channel(&header, data).map_err(failure)?;
        self.filled += size;
        Ok(())
    }

    fn close_chunk(&mut self) -> Result<(), RecordError> {
        self.mcap.flush().map_err(failure)?;
        self.filled = 0;
        if let (Some(file), Some(interval)) = (&self.file, self.options.sync_time)
            && self.synced.elapsed() >= interval
        {
            file.sync_data().map_err(RecordError::Write)?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Completes the file with the index that other tools like to find at its end.
    pub fn finish(mut self) -> Result<(), RecordError> {
        if self.stopped {
            return Err(RecordError::Stopped);
        }
        self.mcap.finish().map_err(failure)?;
        // The index went into the buffer; it is flushed by hand because dropping would hide the error.
        let file = self.file.take();
        self.mcap.into_inner().into_inner().flush().map_err(RecordError::Write)?;
        match (file, self.options.sync_time) {
            (Some(file), Some(_)) => file.sync_all().map_err(RecordError::Write),
            _ => Ok(()),
        }
    }
}

fn failure(error: McapError) -> RecordError {
    match error {
        McapError::Io(cause) => RecordError::Write(cause),
        other => RecordError::Write(io::Error::other(other)),
    }
}

fn write_header(mcap: &mut mcap::Writer<Sink>, header: &Header) -> Result<(), RecordError> {
    let text = serde_json::to_vec(header).map_err(|why| RecordError::Write(why.into()))?;
    let attachment = Attachment {
        log_time: 0,
        create_time: 0,
        name: HEADER.to_owned(),
        media_type: "application/json".to_owned(),
        data: Cow::Owned(text),
    };
    // For tools that show a file's properties; this program reads the attachment, which has a checksum.
    let metadata = BTreeMap::from([
        ("version".to_owned(), header.version.clone()),
        ("scene".to_owned(), header.scene.name.clone()),
        ("method".to_owned(), header.method.clone()),
        ("tolerance".to_owned(), header.tolerance.to_string()),
        ("bodies".to_owned(), header.bodies.len().to_string()),
    ]);
    mcap.attach(&attachment).map_err(failure)?;
    mcap.write_metadata(&Metadata { name: "signorini".to_owned(), metadata }).map_err(failure)
}

fn add_channels(mcap: &mut mcap::Writer<Sink>, options: &Options) -> Result<Channels, McapError> {
    let none = BTreeMap::new();
    let mut add = |topic: &str, name: &str, language: &str, schema: &str, encoding: &str| {
        let id = mcap.add_schema(name, language, schema.as_bytes())?;
        mcap.add_channel(id, topic, encoding, &none)
    };
    Ok(Channels {
        state: add(messages::STATE, messages::STATE_TYPE, "ros2msg", messages::STATE_SCHEMA, "cdr")?,
        step: add(messages::STEP, messages::STEP_TYPE, "jsonschema", messages::STEP_SCHEMA, "json")?,
        contacts: match options.contacts {
            ContactRecording::Off => None,
            ContactRecording::On => {
                let (name, schema) = (messages::CONTACTS_TYPE, messages::CONTACTS_SCHEMA);
                Some(add(messages::CONTACTS, name, "ros2msg", schema, "cdr")?)
            }
        },
    })
}
