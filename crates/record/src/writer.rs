//! Writing a recording, step by step.
//!
//! The simulating thread only copies numbers ([`crate::moment`]); another thread does the rest
//! ([`crate::writer_thread`]). Numbers are handed over chunk by chunk through a queue of [`QUEUE`] chunks. When the
//! queue is full, the simulation waits until the writer catches up.

use crate::drawing::Drawing;
use crate::moment::{Batch, Moment};
use crate::writer_thread::{WriterThread, broken, failure};
use crate::{Header, Push, RecordError};
use mcap::records::Metadata;
use mcap::write::NoSeek;
use mcap::{Attachment, WriteOptions};
use signorini::{BodyHandle, StepReport, World};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Name of the attachment that holds the header.
pub(crate) const HEADER: &str = "signorini.json";
/// Capacity of the queue [chunks]. A program that is killed can lose these, the chunk being filled and the one being
/// written.
const QUEUE: usize = 4;

/// Where the file goes.
pub(crate) type Sink = NoSeek<BufWriter<Box<dyn Write + Send>>>;

/// Whether contacts are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactRecording {
    /// Poses, velocities and reports only.
    #[default]
    Off,
    /// Every contact of every step too.
    On,
}

/// What to do if the recording already exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is recorded.
    #[default]
    Keep,
    /// It is replaced. What is no recording stays even so.
    Replace,
}

/// How to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether contacts are recorded.
    pub contacts: ContactRecording,
    /// What to do if the recording already exists.
    pub existing: Existing,
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
            existing: Existing::Keep,
            chunk_bytes: 10 << 10,
            chunk_time: Duration::from_millis(250),
            sync_time: Some(Duration::from_secs(1)),
        }
    }
}

/// A recording being written. Dropping it finishes the file too, but keeps errors to itself: call [`Writer::finish`].
pub struct Writer {
    options: Options,
    /// In the order of their ids.
    bodies: Vec<BodyHandle>,
    batch: Batch,
    /// Of the step to be recorded next.
    pushes: Vec<Push>,
    /// About how many bytes of a step are drawn by others.
    drawn_bytes: usize,
    /// None after an error and at the end.
    background: Option<Background>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stopped = self.background.is_none();
        f.debug_struct("Writer").field("options", &self.options).field("stopped", &stopped).finish_non_exhaustive()
    }
}

/// The other thread.
struct Background {
    full: SyncSender<Batch>,
    spare: Receiver<Batch>,
    thread: JoinHandle<Result<WriterThread, RecordError>>,
}

impl Background {
    fn new(writer: WriterThread) -> io::Result<Self> {
        let (full, batches) = sync_channel(QUEUE);
        let (give_back, spare) = channel();
        let thread = std::thread::Builder::new().name("record".to_owned());
        let thread = thread.spawn(move || writer.run(&batches, &give_back))?;
        Ok(Background { full, spare, thread })
    }

    /// What became of everything handed over.
    fn join(self) -> Result<WriterThread, RecordError> {
        drop(self.full);
        self.thread.join().unwrap_or_else(|_| Err(broken()))
    }
}

impl Writer {
    /// Creates the file and writes header and first state. An old recording is replaced if the options say so; a file that
    /// is no recording is left alone. The file is locked against other writers, not against readers.
    pub fn create(
        path: impl AsRef<Path>,
        header: &Header,
        world: &World,
        options: &Options,
    ) -> Result<Writer, RecordError> {
        let path = path.as_ref();
        let open = |cause: io::Error| RecordError::Open { path: path.to_owned(), cause };
        // Opening a pipe would wait for somebody who reads it.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(RecordError::WouldOverwrite { path: path.to_owned() });
        }
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
        if options.existing == Existing::Keep && magic.len() == mcap::MAGIC.len() {
            return Err(RecordError::Exists { path: path.to_owned() });
        }
        file.set_len(0).map_err(open)?;
        io::Seek::rewind(&mut file).map_err(open)?;
        let handle = file.try_clone().map_err(open)?;
        Writer::begin(Box::new(file), Some(handle), header, world, options)
    }

    /// The same into anything that takes bytes.
    pub fn to_sink(
        sink: Box<dyn Write + Send>,
        header: &Header,
        world: &World,
        options: &Options,
    ) -> Result<Writer, RecordError> {
        Writer::begin(sink, None, header, world, options)
    }

    /// Header and first state are written before this returns.
    fn begin(
        sink: Box<dyn Write + Send>,
        file: Option<File>,
        header: &Header,
        world: &World,
        options: &Options,
    ) -> Result<Writer, RecordError> {
        let mut mcap = begin_file(sink, options)?;
        write_header(&mut mcap, header)?;
        let bodies: Vec<BodyHandle> = world.bodies().map(|(handle, _)| handle).collect();
        let mut order: Vec<(BodyHandle, u32)> = bodies.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let names: Vec<String> = world.bodies().map(|(_, body)| body.id().label()).collect();
        let drawing = Drawing::new(world, &names);
        let drawn_bytes = drawing.bytes();
        let mut writer = WriterThread::new(mcap, file, (order, names), drawing, options)?;
        let mut first = Moment::default();
        first.take_state(world, |_, _| true);
        writer.write(&first)?;
        writer.close_chunk()?;
        let background = Some(Background::new(writer).map_err(RecordError::Write)?);
        Ok(Writer {
            options: options.clone(),
            bodies,
            batch: Batch::new(),
            pushes: Vec::new(),
            drawn_bytes,
            background,
        })
    }

    /// Tells of a force from outside that acts in the step to be recorded next: a replay needs it.
    pub fn push(&mut self, push: Push) {
        self.pushes.push(push);
    }

    /// Records a step that was just taken. An error may be that of an earlier step.
    pub fn step(&mut self, world: &World, report: &StepReport) -> Result<(), RecordError> {
        match &self.background {
            None => return Err(RecordError::Stopped),
            Some(background) if background.thread.is_finished() => return self.stop(),
            Some(_) => {}
        }
        let moment = self.batch.next();
        let known = moment.take_state(world, |index, handle| self.bodies.get(index) == Some(&handle));
        if !known || moment.bodies.len() != self.bodies.len() {
            return Err(RecordError::BodiesChanged);
        }
        moment.report = Some(report.clone());
        moment.pushes.clear();
        moment.pushes.append(&mut self.pushes);
        if self.options.contacts == ContactRecording::On {
            moment.take_contacts(world);
        }
        let another = self.batch.keep(self.drawn_bytes);
        let full = self.batch.bytes + another > self.options.chunk_bytes;
        if full || self.batch.begun.elapsed() >= self.options.chunk_time { self.hand_over() } else { Ok(()) }
    }

    /// Gives the other thread what makes a chunk.
    fn hand_over(&mut self) -> Result<(), RecordError> {
        let Some(background) = &self.background else { return Err(RecordError::Stopped) };
        let next = background.spare.try_recv().unwrap_or_else(|_| Batch::new());
        match background.full.send(std::mem::replace(&mut self.batch, next)) {
            Ok(()) => Ok(()),
            // It takes nothing more.
            Err(_) => self.stop(),
        }
    }

    /// Says why the other thread has ended.
    fn stop(&mut self) -> Result<(), RecordError> {
        match self.background.take().map(Background::join) {
            None => Err(RecordError::Stopped),
            Some(Err(error)) => Err(error),
            // It ends by itself only after an error.
            Some(Ok(_)) => Err(broken()),
        }
    }

    /// Completes the file with the index that other tools like to find at its end. An error may be that of any step.
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.conclude()
    }

    fn conclude(&mut self) -> Result<(), RecordError> {
        if !self.batch.moments().is_empty() {
            self.hand_over()?;
        }
        self.background.take().ok_or(RecordError::Stopped)?.join()?.finish()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.background.is_some() {
            // Who wants to know calls finish.
            let _ = self.conclude();
        }
    }
}

/// A file of chunks that are closed by hand.
pub(crate) fn begin_file(sink: Box<dyn Write + Send>, options: &Options) -> Result<mcap::Writer<Sink>, RecordError> {
    // Room for a chunk and its index, so that both go to the system in one piece.
    let buffered = BufWriter::with_capacity(2 * options.chunk_bytes.max(4096), sink);
    WriteOptions::new()
        .compression(None)
        .chunk_size(None)
        // Chunks are completed in memory and written once, never gone back to.
        .disable_seeking(true)
        .library(concat!("signorini ", env!("CARGO_PKG_VERSION")))
        .create(NoSeek::new(buffered))
        .map_err(failure)
}

fn write_header(mcap: &mut mcap::Writer<Sink>, header: &Header) -> Result<(), RecordError> {
    let text = serde_json::to_vec(header).map_err(|why| RecordError::Write(why.into()))?;
    // For tools that show a file's properties; this program reads the attachment, which has a checksum.
    let metadata = BTreeMap::from([
        ("version".to_owned(), header.version.clone()),
        ("scene".to_owned(), header.scene.name.clone()),
        ("method".to_owned(), header.method.clone()),
        ("tolerance".to_owned(), header.tolerance.to_string()),
        ("bodies".to_owned(), header.bodies.len().to_string()),
    ]);
    write_attachment(mcap, text)?;
    mcap.write_metadata(&Metadata { name: "signorini".to_owned(), metadata }).map_err(failure)
}

/// The header as an attachment.
pub(crate) fn write_attachment(mcap: &mut mcap::Writer<Sink>, header: Vec<u8>) -> Result<(), RecordError> {
    let attachment = Attachment {
        log_time: 0,
        create_time: 0,
        name: HEADER.to_owned(),
        media_type: "application/json".to_owned(),
        data: Cow::Owned(header),
    };
    mcap.attach(&attachment).map_err(failure)
}
