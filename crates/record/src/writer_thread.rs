//! Writer thread of a recording: turns states into messages, packs messages into chunks, and writes the chunks to the file.
//!
//! A second thread calls `sync_data` now and then, which may take as long as many steps.

use crate::cdr::CdrWriter;
use crate::drawing::{self, Drawing};
use crate::messages::{Contacts, Frame};
use crate::moment::{Batch, MESSAGE_BYTES, Moment};
use crate::parts::Names;
use crate::topics;
use crate::writer::{ContactRecording, Options, Sink};
use crate::{Push, RecordError};
use mcap::McapError;
use mcap::records::MessageHeader;
use serde::Serialize;
use signorini::{BodyHandle, StepReport};
use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Pause when nothing is left to write. Waking this thread for every chunk would cost the simulating thread more than copying
/// the chunk does.
const REST: Duration = Duration::from_micros(500);

/// Everything that is needed to write moments into a file.
pub(crate) struct WriterThread {
    mcap: mcap::Writer<Sink>,
    disk: Option<Disk>,
    chunk_bytes: usize,
    channels: Channels,
    /// Handles in ascending order, with the place in the list of bodies.
    order: Vec<(BodyHandle, u32)>,
    /// In the order of poses.
    names: Vec<String>,
    drawing: Drawing,
    frame: Frame,
    cdr: CdrWriter,
    json: Vec<u8>,
    /// Bytes of messages in the chunk being filled.
    filled: usize,
}

#[derive(Clone, Copy)]
struct Channels {
    state: u16,
    step: u16,
    /// There also where contacts are not recorded: readers that lost the descriptions know channels by their numbers.
    contacts: u16,
    scene: u16,
    transforms: u16,
    plot: u16,
    /// None where contacts are not recorded.
    arrows: Option<u16>,
}

/// A step's message on `/step`.
#[derive(Serialize)]
struct StepMessage<'a> {
    step: u64,
    time: f64,
    names: Names,
    #[serde(skip_serializing_if = "<[Push]>::is_empty")]
    pushes: &'a [Push],
    #[serde(flatten)]
    report: &'a StepReport,
}

impl WriterThread {
    /// Goes on with a file that has its header.
    pub fn new(
        mut mcap: mcap::Writer<Sink>,
        file: Option<File>,
        (order, names): (Vec<(BodyHandle, u32)>, Vec<String>),
        drawing: Drawing,
        options: &Options,
    ) -> Result<Self, RecordError> {
        let channels = add_channels(&mut mcap, options).map_err(failure)?;
        let disk = match (file, options.sync_time) {
            (Some(file), Some(interval)) => Some(Disk::new(file, interval)?),
            _ => None,
        };
        Ok(WriterThread {
            mcap,
            disk,
            chunk_bytes: options.chunk_bytes,
            channels,
            order,
            names,
            drawing,
            frame: Frame::default(),
            cdr: CdrWriter::default(),
            json: Vec::new(),
            filled: 0,
        })
    }

    /// Writes until no more come, and gives memory back. After an error nobody knows what is in the file beyond the last
    /// whole chunk, so that nothing more is written.
    pub fn run(mut self, batches: &Receiver<Batch>, spare: &Sender<Batch>) -> Result<WriterThread, RecordError> {
        loop {
            match batches.try_recv() {
                Err(TryRecvError::Empty) => std::thread::sleep(REST),
                Err(TryRecvError::Disconnected) => return Ok(self),
                Ok(mut batch) => {
                    for moment in batch.moments() {
                        self.write(moment)?;
                    }
                    self.close_chunk()?;
                    batch.clear();
                    // The other side may be waiting for the end already.
                    let _ = spare.send(batch);
                }
            }
        }
    }

    /// The messages of a moment.
    pub fn write(&mut self, moment: &Moment) -> Result<(), RecordError> {
        self.frame.copy(moment);
        self.frame.write(&mut self.cdr);
        self.cdr_message(self.channels.state, moment)?;
        self.drawing.transforms(moment, &mut self.cdr);
        self.cdr_message(self.channels.transforms, moment)?;
        let Some(report) = &moment.report else {
            // Before the first step: everything stands where it begins.
            let scene = std::mem::take(&mut self.drawing.scene);
            return self.message(self.channels.scene, moment, &scene);
        };
        self.json.clear();
        let names = Names::of(&report.certificate, &self.names);
        let message = StepMessage { step: moment.step, time: moment.time, names, pushes: &moment.pushes, report };
        serde_json::to_writer(&mut self.json, &message).map_err(|why| RecordError::Write(why.into()))?;
        let json = std::mem::take(&mut self.json);
        let written = self.message(self.channels.step, moment, &json);
        self.json = json;
        written?;
        drawing::plot(moment, report, &mut self.cdr);
        self.cdr_message(self.channels.plot, moment)?;
        if let Some(arrows) = self.channels.arrows {
            Contacts::of(moment, &self.order).write(&mut self.cdr);
            self.cdr_message(self.channels.contacts, moment)?;
            let drawn = self.drawing.arrows(moment);
            self.message(arrows, moment, &drawn)?;
        }
        Ok(())
    }

    fn cdr_message(&mut self, channel: u16, moment: &Moment) -> Result<(), RecordError> {
        let cdr = std::mem::take(&mut self.cdr);
        let written = self.message(channel, moment, cdr.bytes());
        self.cdr = cdr;
        written
    }

    fn message(&mut self, channel: u16, moment: &Moment, data: &[u8]) -> Result<(), RecordError> {
        let size = data.len() + MESSAGE_BYTES;
        if self.filled > 0 && self.filled + size > self.chunk_bytes {
            self.close_chunk()?;
        }
        // Saturates; a world's time is never negative.
        let nanoseconds = (moment.time * 1e9).round() as u64;
        let header = MessageHeader {
            channel_id: channel,
            sequence: moment.step as u32,
            log_time: nanoseconds,
            publish_time: nanoseconds,
        };
        self.mcap.write_to_known_channel(&header, data).map_err(failure)?;
        self.filled += size;
        Ok(())
    }

    /// Gives the chunk to the system.
    pub fn close_chunk(&mut self) -> Result<(), RecordError> {
        self.mcap.flush().map_err(failure)?;
        self.filled = 0;
        match &mut self.disk {
            // An error of the disk ends its thread: this tells which.
            Some(disk) if disk.thread.is_finished() => self.disk.take().map_or(Ok(()), Disk::finish),
            Some(disk) => {
                disk.written();
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Completes the file with the index that other tools like to find at its end.
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.mcap.finish().map_err(failure)?;
        // The index went into the buffer; it is flushed by hand because dropping would hide the error.
        self.mcap.into_inner().into_inner().flush().map_err(RecordError::Write)?;
        self.disk.map_or(Ok(()), Disk::finish)
    }
}

/// Forces a file to the disk, on a thread of its own.
struct Disk {
    file: File,
    interval: Duration,
    forced: Instant,
    wake: SyncSender<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl Disk {
    fn new(file: File, interval: Duration) -> Result<Self, RecordError> {
        let handle = file.try_clone().map_err(RecordError::Write)?;
        // One order may wait while another is carried out.
        let (wake, orders) = sync_channel::<()>(1);
        let force = move || orders.iter().try_for_each(|()| handle.sync_data());
        let thread = std::thread::Builder::new().name("record-sync".to_owned()).spawn(force);
        Ok(Disk { file, interval, forced: Instant::now(), wake, thread: thread.map_err(RecordError::Write)? })
    }

    /// More has been written.
    fn written(&mut self) {
        if self.forced.elapsed() >= self.interval {
            // If one is waiting already it will do for this as well.
            let _ = self.wake.try_send(());
            self.forced = Instant::now();
        }
    }

    fn finish(self) -> Result<(), RecordError> {
        drop(self.wake);
        match self.thread.join() {
            Ok(outcome) => outcome.and_then(|()| self.file.sync_all()).map_err(RecordError::Write),
            Err(_) => Err(broken()),
        }
    }
}

/// A thread of the recording panicked.
pub(crate) fn broken() -> RecordError {
    RecordError::Write(io::Error::other("the recording broke off; this is a defect, please report it"))
}

pub(crate) fn failure(error: McapError) -> RecordError {
    match error {
        McapError::Io(cause) => RecordError::Write(cause),
        other => RecordError::Write(io::Error::other(other)),
    }
}

fn add_channels(mcap: &mut mcap::Writer<Sink>, options: &Options) -> Result<Channels, McapError> {
    Ok(Channels {
        state: topics::STATE.add(mcap)?,
        step: topics::STEP.add(mcap)?,
        contacts: topics::CONTACTS.add(mcap)?,
        scene: topics::SCENE.add(mcap)?,
        transforms: topics::TRANSFORMS.add(mcap)?,
        plot: topics::PLOT.add(mcap)?,
        arrows: match options.contacts {
            ContactRecording::Off => None,
            ContactRecording::On => Some(topics::ARROWS.add(mcap)?),
        },
    })
}
