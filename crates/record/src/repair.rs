//! Repairs a recording that was cut off or damaged: writes a complete file, whose index other tools need to open it.

use crate::reader::open_file;
use crate::scan::{self, ChunkCache, Damage, Place, Visitor};
use crate::topics;
use crate::writer::{HEADER, begin_file, write_attachment};
use crate::writer_thread::failure;
use crate::{Options, RecordError, reader};
use mcap::records::MessageHeader;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// What was found of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// Messages that were copied, of all topics.
    pub messages: usize,
    /// What could not be used.
    pub damage: Vec<Damage>,
}

#[derive(Default)]
struct Everything {
    header: Option<Vec<u8>>,
    channels: BTreeMap<u16, String>,
    /// Of our topics. Those of other programs are left out.
    messages: Vec<(&'static str, Place)>,
    damage: Vec<Damage>,
}

impl Visitor for Everything {
    fn attachment(&mut self, name: &str, data: &[u8]) {
        if name == HEADER && self.header.is_none() {
            self.header = Some(data.to_vec());
        }
    }
    fn channel(&mut self, id: u16, topic: &str) {
        self.channels.insert(id, topic.to_owned());
    }
    fn message(&mut self, channel: u16, place: Place) {
        let described = self.channels.get(&channel).map(String::as_str);
        self.messages.extend(topics::of_channel(channel, described).map(|topic| (topic.name, place)));
    }
    fn damage(&mut self, damage: Damage) {
        self.damage.push(damage);
    }
}

/// Copies every whole message of `source` into a finished recording at `target`, which must not exist.
pub fn repair(source: impl AsRef<Path>, target: impl AsRef<Path>) -> Result<Repaired, RecordError> {
    let (mut file, start) = open_file(source.as_ref())?;
    let mut found = Everything::default();
    scan::scan(&mut file, start, &mut found).map_err(RecordError::Read)?;
    let header = reader::found_header(found.header.take(), &found.damage)?;
    reader::parse_header(&header)?;
    let target = target.as_ref();
    let whole = File::create_new(target).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => RecordError::Exists { path: target.to_owned() },
        _ => RecordError::Open { path: target.to_owned(), cause },
    })?;
    let options = Options::default();
    let mut mcap = begin_file(Box::new(whole), &options)?;
    write_attachment(&mut mcap, header)?;
    // Described in the order in which a writer does, so that channels keep their numbers.
    let mut numbers = BTreeMap::new();
    for topic in &topics::ALL {
        numbers.insert(topic.name, topic.add(&mut mcap).map_err(failure)?);
    }
    let (mut cache, mut filled, mut messages) = (ChunkCache::default(), 0, 0);
    for (topic, place) in found.messages {
        let Some(&channel_id) = numbers.get(topic) else { continue };
        let times = scan::message_times(&mut file, place, &mut cache).map_err(RecordError::Read)?;
        let data = scan::message(&mut file, place, &mut cache).map_err(RecordError::Read)?;
        if filled > 0 && filled + data.len() > options.chunk_bytes {
            mcap.flush().map_err(failure)?;
            filled = 0;
        }
        let header = MessageHeader {
            channel_id,
            sequence: times.sequence,
            log_time: times.log_time,
            publish_time: times.publish_time,
        };
        mcap.write_to_known_channel(&header, data).map_err(failure)?;
        filled += data.len();
        messages += 1;
    }
    mcap.finish().map_err(failure)?;
    mcap.into_inner().into_inner().flush().map_err(RecordError::Write)?;
    Ok(Repaired { messages, damage: found.damage })
}
