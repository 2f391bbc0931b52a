//! Reading a recording.

use crate::messages::{self, Contacts, Frame};
use crate::parts;
use crate::scan::{self, ChunkCache, Damage, Place, Progress, Visitor};
use crate::topics;
use crate::writer::HEADER;
use crate::{FORMAT, Header, RecordError};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A recording that can be read: finished, being written, cut off or damaged.
#[derive(Debug)]
pub struct Reader {
    file: File,
    header: Header,
    index: Index,
    progress: Progress,
    cache: ChunkCache,
}

/// Where everything is.
#[derive(Debug, Default)]
struct Index {
    header: Option<Vec<u8>>,
    channels: BTreeMap<u16, String>,
    frames: Vec<Place>,
    steps: Vec<Place>,
    contacts: Vec<Place>,
    damage: Vec<Damage>,
}

impl Visitor for Index {
    fn attachment(&mut self, name: &str, data: &[u8]) {
        if name == HEADER && self.header.is_none() {
            self.header = Some(data.to_vec());
        }
    }
    fn channel(&mut self, id: u16, topic: &str) {
        self.channels.insert(id, topic.to_owned());
    }
    fn message(&mut self, channel: u16, place: Place) {
        // Channels are described in the first chunk, which may be lost.
        let described = self.channels.get(&channel).map(String::as_str);
        match topics::of_channel(channel, described).map(|topic| topic.name) {
            Some(messages::STATE) => self.frames.push(place),
            Some(messages::STEP) => self.steps.push(place),
            Some(messages::CONTACTS) => self.contacts.push(place),
            _ => {}
        }
    }
    fn damage(&mut self, damage: Damage) {
        self.damage.push(damage);
    }
}

impl Reader {
    /// Opens a recording and finds everything that is whole in it.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, RecordError> {
        let (mut file, start) = open_file(path.as_ref())?;
        let mut index = Index::default();
        let progress = scan::scan(&mut file, start, &mut index).map_err(RecordError::Read)?;
        let header = found_header(index.header.take(), &index.damage)?;
        Ok(Reader { file, header: parse_header(&header)?, index, progress, cache: ChunkCache::default() })
    }

    /// Looks for what was written since the file was opened. Returns whether there is more.
    pub fn refresh(&mut self) -> Result<bool, RecordError> {
        let Progress::Unfinished(from) = self.progress else { return Ok(false) };
        let before = self.index.frames.len();
        self.progress = scan::scan(&mut self.file, from, &mut self.index).map_err(RecordError::Read)?;
        Ok(self.index.frames.len() > before)
    }

    /// How it begins.
    pub fn header(&self) -> &Header {
        &self.header
    }
    /// Whether the writer came to its end. If not, it is still writing or was interrupted.
    pub fn is_finished(&self) -> bool {
        self.progress == Progress::Finished
    }
    /// Parts that cannot be used.
    pub fn damage(&self) -> &[Damage] {
        &self.index.damage
    }
    /// Number of states; the first is the one before the first step.
    pub fn frames(&self) -> usize {
        self.index.frames.len()
    }
    /// Number of reports of steps.
    pub fn steps(&self) -> usize {
        self.index.steps.len()
    }
    /// Number of steps with recorded contacts.
    pub fn contact_steps(&self) -> usize {
        self.index.contacts.len()
    }

    /// State number `index`.
    pub fn frame(&mut self, index: usize) -> Result<Frame, RecordError> {
        let place = place(&self.index.frames, messages::STATE, index)?;
        let bytes = scan::message(&mut self.file, place, &mut self.cache).map_err(RecordError::Read)?;
        Frame::read(bytes, self.header.bodies.len()).map_err(message(messages::STATE, index))
    }

    /// Report number `index`: step, time, `names` of the bodies at the places of the certificate, and the fields of
    /// [`signorini::StepReport`]. Before format 3 `certificate` is null: it was not told. See [`crate::RecordedStep`].
    pub fn step(&mut self, index: usize) -> Result<Value, RecordError> {
        let place = place(&self.index.steps, messages::STEP, index)?;
        let bytes = scan::message(&mut self.file, place, &mut self.cache).map_err(RecordError::Read)?;
        let read = serde_json::from_slice(bytes);
        let mut told = read.map_err(|why| message(messages::STEP, index)(why.to_string()))?;
        parts::upgrade(&mut told, self.header.format);
        Ok(told)
    }

    /// Contacts number `index`.
    pub fn contacts(&mut self, index: usize) -> Result<Contacts, RecordError> {
        let place = place(&self.index.contacts, messages::CONTACTS, index)?;
        let bytes = scan::message(&mut self.file, place, &mut self.cache).map_err(RecordError::Read)?;
        Contacts::read(bytes, self.header.bodies.len()).map_err(message(messages::CONTACTS, index))
    }
}

/// Opens an ordinary file that begins like a recording; returns where its records begin.
pub(crate) fn open_file(path: &Path) -> Result<(File, u64), RecordError> {
    let open = |cause: io::Error| RecordError::Open { path: path.to_owned(), cause };
    // Opening a pipe would wait for somebody who writes to it.
    if !path.metadata().map_err(open)?.is_file() {
        return Err(RecordError::NotARecording("it is not a file".to_owned()));
    }
    let mut file = File::open(path).map_err(open)?;
    let mut magic = Vec::new();
    Read::by_ref(&mut file).take(mcap::MAGIC.len() as u64).read_to_end(&mut magic).map_err(RecordError::Read)?;
    if magic != mcap::MAGIC {
        return Err(RecordError::NotARecording("it does not begin like an MCAP file".to_owned()));
    }
    Ok((file, magic.len() as u64))
}

/// The header, or why there is none.
pub(crate) fn found_header(header: Option<Vec<u8>>, damage: &[Damage]) -> Result<Vec<u8>, RecordError> {
    header.ok_or_else(|| {
        let what = match damage.first() {
            Some(damage) => format!("its header cannot be used ({} at byte {})", damage.what, damage.offset),
            None => "it has no header of this program".to_owned(),
        };
        RecordError::NotARecording(what)
    })
}

fn place(list: &[Place], topic: &'static str, index: usize) -> Result<Place, RecordError> {
    list.get(index).copied().ok_or(RecordError::NoSuchMessage { topic, index, count: list.len() })
}

fn message(topic: &'static str, index: usize) -> impl FnOnce(String) -> RecordError {
    move |why| RecordError::Message { topic, index, why }
}

pub(crate) fn parse_header(bytes: &[u8]) -> Result<Header, RecordError> {
    let bad = |why: serde_json::Error| RecordError::NotARecording(format!("its header cannot be read ({why})"));
    let value: Value = serde_json::from_slice(bytes).map_err(bad)?;
    // The format is looked at before anything that it may have changed.
    match value.get("format").and_then(Value::as_u64) {
        Some(found) if found > u64::from(FORMAT) => {
            Err(RecordError::Newer { found: u32::try_from(found).unwrap_or(u32::MAX), known: FORMAT })
        }
        Some(_) => serde_json::from_value(value).map_err(bad),
        None => Err(RecordError::NotARecording("its header has no format number".to_owned())),
    }
}
