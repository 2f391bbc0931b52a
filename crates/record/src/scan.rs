//! Reads an MCAP file record by record without its index: finds intact records and skips damaged ones.
//!
//! The format is a magic number followed by records of one byte kind, eight bytes length and content; chunks hold
//! records of the same form under a CRC-32. Lengths beyond the end of the file are not trusted. After a damaged length
//! the next chunk is searched for byte by byte, and recognised by its checksum.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

const FOOTER: u8 = 0x02;
const CHANNEL: u8 = 0x04;
const MESSAGE: u8 = 0x05;
const CHUNK: u8 = 0x06;
const MESSAGE_INDEX: u8 = 0x07;
const ATTACHMENT: u8 = 0x09;
const DATA_END: u8 = 0x0f;
/// Kind and length.
const PREFIX: u64 = 9;
/// Times, size, checksum and the lengths of compression name and records: what stands before a chunk's records.
const CHUNK_PREFIX: u64 = 8 + 8 + 8 + 4 + 4 + 8;
/// Number and two times of a message.
const TIMES: usize = 4 + 8 + 8;
/// Largest chunk or attachment that is read into memory \[bytes\].
const RECORD_LIMIT: u64 = 1 << 30;
/// How much is looked through at a time for the next chunk.
const WINDOW: usize = 1 << 20;

/// A part of the file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where it begins \[bytes\].
    pub offset: u64,
    /// What is wrong with it.
    pub what: String,
}

/// Where a message is: its chunk and the bytes within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub chunk: u64,
    start: u32,
    length: u32,
}

/// What a scan finds.
pub trait Visitor {
    /// An attachment with a good checksum.
    fn attachment(&mut self, name: &str, data: &[u8]);
    /// A channel.
    fn channel(&mut self, id: u16, topic: &str);
    /// A message on a channel.
    fn message(&mut self, channel: u16, place: Place);
    /// A part that cannot be used.
    fn damage(&mut self, damage: Damage);
}

/// Where a scan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The end of the data was reached: the file is finished.
    Finished,
    /// The file ends here for now, perhaps in the middle of a record.
    Unfinished(u64),
}

/// Scans from `offset` to the end.
pub fn scan(file: &mut File, mut offset: u64, visitor: &mut impl Visitor) -> io::Result<Progress> {
    let length = file.metadata()?.len();
    let mut buffer = Vec::new();
    loop {
        if length.saturating_sub(offset) < PREFIX {
            return Ok(Progress::Unfinished(offset));
        }
        let (kind, size) = prefix(file, offset)?;
        let end = (offset + PREFIX).checked_add(size);
        let known = (0x01..=DATA_END).contains(&kind) || kind >= 0x80;
        let Some(end) = end.filter(|end| known && *end <= length) else {
            match next_chunk(file, offset + 1, length, &mut buffer)? {
                Some(next) => {
                    visitor.damage(Damage { offset, what: "a record whose length is wrong".to_owned() });
                    offset = next;
                    continue;
                }
                None if known => return Ok(Progress::Unfinished(offset)),
                None => {
                    visitor.damage(Damage { offset, what: "bytes that are no record, to the end".to_owned() });
                    return Ok(Progress::Unfinished(length));
                }
            }
        };
        match kind {
            DATA_END | FOOTER => return Ok(Progress::Finished),
            CHUNK | ATTACHMENT | CHANNEL if size > RECORD_LIMIT => {
                visitor.damage(Damage { offset, what: format!("a record of {size} bytes, beyond the limit") });
            }
            CHUNK | ATTACHMENT | CHANNEL => {
                read_at(file, offset + PREFIX, size, &mut buffer)?;
                let outcome = match kind {
                    CHUNK => chunk(&buffer, offset, visitor),
                    ATTACHMENT => attachment(&buffer, visitor),
                    _ => channel(&buffer, visitor),
                };
                if let Err(what) = outcome {
                    visitor.damage(Damage { offset, what: what.to_owned() });
                    // Its length may be what is wrong with it: believing it could skip good chunks.
                    offset = next_chunk(file, offset + 1, length, &mut buffer)?.unwrap_or(end);
                    continue;
                }
            }
            MESSAGE_INDEX if !is_message_index(file, offset, size)? => {
                visitor.damage(Damage { offset, what: "an index whose length is wrong".to_owned() });
                offset = next_chunk(file, offset + 1, length, &mut buffer)?.unwrap_or(end);
                continue;
            }
            _ => {}
        }
        offset = end;
    }
}

/// The bytes of a message; `cache` keeps the chunk for the next one.
pub fn message<'c>(file: &mut File, place: Place, cache: &'c mut ChunkCache) -> io::Result<&'c [u8]> {
    if cache.chunk != Some(place.chunk) {
        cache.chunk = None;
        let (_, size) = prefix(file, place.chunk)?;
        if size > RECORD_LIMIT {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        read_at(file, place.chunk + PREFIX, size, &mut cache.bytes)?;
        cache.chunk = Some(place.chunk);
    }
    let start = place.start as usize;
    // The file may have been replaced since it was scanned.
    cache.bytes.get(start..start + place.length as usize).ok_or(io::Error::from(io::ErrorKind::InvalidData))
}

/// Number and times of a message, which stand before its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTimes {
    pub sequence: u32,
    pub log_time: u64,
    pub publish_time: u64,
}

/// Number and times of a message.
pub fn message_times(file: &mut File, place: Place, cache: &mut ChunkCache) -> io::Result<MessageTimes> {
    message(file, place, cache)?;
    let start = place.start as usize;
    let bytes = start.checked_sub(TIMES).and_then(|before| cache.bytes.get(before..start)).unwrap_or_default();
    let mut fields = Fields { bytes, at: 0 };
    let mut read =
        || Some(MessageTimes { sequence: fields.u32()?, log_time: fields.u64()?, publish_time: fields.u64()? });
    read().ok_or(io::Error::from(io::ErrorKind::InvalidData))
}

/// The chunk that was read last.
#[derive(Debug, Default)]
pub struct ChunkCache {
    chunk: Option<u64>,
    bytes: Vec<u8>,
}

fn prefix(file: &mut File, offset: u64) -> io::Result<(u8, u64)> {
    let mut bytes = [0; PREFIX as usize];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    let [kind, size @ ..] = bytes;
    Ok((kind, u64::from_le_bytes(size)))
}

/// Whether the length of an index agrees with the one inside it: channel, length of the entries, entries.
fn is_message_index(file: &mut File, offset: u64, size: u64) -> io::Result<bool> {
    let mut head = [0; 6];
    if size < head.len() as u64 {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(offset + PREFIX))?;
    file.read_exact(&mut head)?;
    let [_, _, entries @ ..] = head;
    Ok(u64::from(u32::from_le_bytes(entries)) + head.len() as u64 == size)
}

fn read_at(file: &mut File, offset: u64, size: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    file.seek(SeekFrom::Start(offset))?;
    // Memory grows with what is really there.
    let read = file.take(size).read_to_end(buffer)?;
    if read as u64 == size { Ok(()) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof)) }
}

/// Fields of a record, one after the other.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(bytes)
    }
    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }
    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }
    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }
    fn string(&mut self) -> Option<&'a str> {
        let length = self.u32()? as usize;
        str::from_utf8(self.take(length)?).ok()
    }
}

/// The records of a chunk whose checksum is right, and where they begin in its content.
fn checked(content: &[u8]) -> Result<(&[u8], usize), &'static str> {
    let mut fields = Fields { bytes: content, at: 0 };
    let mut header = || {
        fields.take(24)?;
        let checksum = fields.u32()?;
        let compression = fields.string()?;
        let size = fields.u64()?;
        let start = fields.at;
        Some((checksum, compression, fields.take(usize::try_from(size).ok()?)?, start))
    };
    let (checksum, compression, records, start) = header().ok_or("a chunk whose lengths do not fit")?;
    // A length that is too large would lead past good chunks.
    if start + records.len() != content.len() {
        return Err("a chunk whose lengths do not fit");
    }
    if !compression.is_empty() {
        return Err("a compressed chunk; recordings of this program are not compressed");
    }
    if crc32fast::hash(records) != checksum {
        return Err("a chunk whose checksum is wrong");
    }
    Ok((records, start))
}

fn chunk(content: &[u8], offset: u64, visitor: &mut impl Visitor) -> Result<(), &'static str> {
    let (records, start) = checked(content)?;
    let mut fields = Fields { bytes: records, at: 0 };
    while fields.at < records.len() {
        let mut next = || {
            let kind = fields.u8()?;
            let size = usize::try_from(fields.u64()?).ok()?;
            let at = fields.at;
            Some((kind, at, fields.take(size)?))
        };
        let (kind, at, body) = next().ok_or("a chunk with a record that does not fit")?;
        match kind {
            CHANNEL => channel(body, visitor)?,
            MESSAGE => {
                // Channel, sequence, two times.
                let mut message = Fields { bytes: body, at: 0 };
                let id = message.u16().ok_or("a message that is too short")?;
                message.take(TIMES).ok_or("a message that is too short")?;
                let (begin, length) = (start + at + message.at, body.len() - message.at);
                if let (Ok(begin), Ok(length)) = (u32::try_from(begin), u32::try_from(length)) {
                    visitor.message(id, Place { chunk: offset, start: begin, length });
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn channel(body: &[u8], visitor: &mut impl Visitor) -> Result<(), &'static str> {
    let mut fields = Fields { bytes: body, at: 0 };
    let mut read = || {
        let id = fields.u16()?;
        fields.u16()?;
        Some((id, fields.string()?))
    };
    let (id, topic) = read().ok_or("a channel that is too short")?;
    visitor.channel(id, topic);
    Ok(())
}

fn attachment(body: &[u8], visitor: &mut impl Visitor) -> Result<(), &'static str> {
    let mut fields = Fields { bytes: body, at: 0 };
    let mut read = || {
        fields.take(16)?;
        let name = fields.string()?;
        fields.string()?;
        let size = usize::try_from(fields.u64()?).ok()?;
        let data = fields.take(size)?;
        let end = fields.at;
        Some((name, data, end, fields.u32()?))
    };
    let (name, data, end, checksum) = read().ok_or("an attachment whose lengths do not fit")?;
    if crc32fast::hash(&body[..end]) != checksum {
        return Err("an attachment whose checksum is wrong");
    }
    visitor.attachment(name, data);
    Ok(())
}

/// The first whole chunk at or after `from`: what looks like one and has the right checksum.
fn next_chunk(file: &mut File, from: u64, length: u64, buffer: &mut Vec<u8>) -> io::Result<Option<u64>> {
    let needed = (PREFIX + CHUNK_PREFIX) as usize;
    let mut window = Vec::new();
    let mut start = from;
    while start + (needed as u64) <= length {
        let size = (WINDOW as u64).min(length - start);
        read_at(file, start, size, &mut window)?;
        for at in 0..=window.len() - needed {
            let candidate = &window[at..at + needed];
            if candidate[0] != CHUNK {
                continue;
            }
            let mut fields = Fields { bytes: candidate, at: 1 };
            let (Some(size), Some(_), Some(_), Some(name), Some(records)) =
                (fields.u64(), fields.take(24), fields.u32(), fields.u32(), fields.u64())
            else {
                continue;
            };
            let offset = start + at as u64;
            let fits = name == 0
                && records.checked_add(CHUNK_PREFIX) == Some(size)
                && size <= RECORD_LIMIT
                && offset + PREFIX + size <= length;
            if fits {
                read_at(file, offset + PREFIX, size, buffer)?;
                if checked(buffer).is_ok() {
                    return Ok(Some(offset));
                }
            }
        }
        // A chunk may begin in the last bytes of the window.
        start += (window.len() - needed + 1) as u64;
    }
    Ok(None)
}
