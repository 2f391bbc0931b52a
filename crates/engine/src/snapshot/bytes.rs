//! Sections of bytes with checksums.
//!
//! ```text
//! file     "SIGNSNAP"  version u32  section*
//! section  tag [u8; 4]  length u64  checksum u64  payload
//! ```
//!
//! All numbers little-endian, floats by their bits. The checksum is FNV-1a over version, tag, length and payload: each
//! of its steps maps different states to different states, so a change of any single byte is always seen.

use crate::SnapshotError;
use glamx::{DMat3, DPose3, DQuat, DVec3};

/// First bytes of every snapshot.
const MAGIC: &[u8; 8] = b"SIGNSNAP";
/// Of the format. A change of what is written, or of its meaning, is a new version.
const VERSION: u32 = 7;
/// The oldest version that is still read: before it joints had three kinds and no coordinates.
const OLDEST: u32 = 3;

fn checksum(version: u32, tag: &[u8; 4], payload: &[u8]) -> u64 {
    let (version, length) = (version.to_le_bytes(), (payload.len() as u64).to_le_bytes());
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in version.iter().chain(tag).chain(&length).chain(payload) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// Writes sections one after the other.
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub fn new() -> Writer {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        Writer { bytes }
    }

    /// One section with the payload that `write` makes.
    pub fn section(&mut self, tag: &[u8; 4], write: impl FnOnce(&mut Payload)) {
        let mut payload = Payload { bytes: Vec::new() };
        write(&mut payload);
        self.bytes.extend(tag);
        self.bytes.extend((payload.bytes.len() as u64).to_le_bytes());
        self.bytes.extend(checksum(VERSION, tag, &payload.bytes).to_le_bytes());
        self.bytes.extend(payload.bytes);
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// What is inside a section.
pub(super) struct Payload {
    bytes: Vec<u8>,
}

impl Payload {
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend(value.to_le_bytes());
    }
    pub fn u64(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }
    pub fn count(&mut self, value: usize) {
        self.u64(value as u64);
    }
    pub fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }
    pub fn vector(&mut self, value: DVec3) {
        value.to_array().into_iter().for_each(|x| self.f64(x));
    }
    pub fn quaternion(&mut self, value: DQuat) {
        value.to_array().into_iter().for_each(|x| self.f64(x));
    }
    pub fn matrix(&mut self, value: DMat3) {
        value.to_cols_array().into_iter().for_each(|x| self.f64(x));
    }
    pub fn pose(&mut self, value: &DPose3) {
        self.vector(value.translation);
        self.quaternion(value.rotation);
    }
    pub fn text(&mut self, value: &str) {
        self.count(value.len());
        self.bytes.extend(value.as_bytes());
    }
}

/// Reads sections one after the other.
pub(super) struct Reader<'a> {
    /// The version that was written.
    pub version: u32,
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Checks magic and version.
    pub fn new(bytes: &'a [u8]) -> Result<Reader<'a>, SnapshotError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::NotASnapshot)?;
        let mut header = Section { name: "header", bytes: rest, at: 0 };
        let found = header.u32()?;
        if !(OLDEST..=VERSION).contains(&found) {
            return Err(SnapshotError::Version { found, supported: VERSION });
        }
        Ok(Reader { version: found, bytes: &rest[header.at..] })
    }

    /// The payload of the next section, which has to be the one with this tag. Its checksum is right.
    pub fn section(&mut self, name: &'static str, tag: &[u8; 4]) -> Result<Section<'a>, SnapshotError> {
        let mut header = Section { name, bytes: self.bytes, at: 0 };
        if header.take(4)? != tag {
            return Err(SnapshotError::Invalid { section: name, offset: 0, what: "another section is here" });
        }
        let length = header.u64()?;
        let stored = header.u64()?;
        let payload = match usize::try_from(length) {
            Ok(length) => header.take(length)?,
            Err(_) => return Err(header.truncated(length)),
        };
        if checksum(self.version, tag, payload) != stored {
            return Err(SnapshotError::Checksum { section: name });
        }
        self.bytes = &self.bytes[header.at..];
        Ok(Section { name, bytes: payload, at: 0 })
    }

    /// Refuses what follows the last section.
    pub fn finish(self) -> Result<(), SnapshotError> {
        match self.bytes.len() {
            0 => Ok(()),
            count => Err(SnapshotError::Excess { section: "after the last", count }),
        }
    }
}

/// The payload of one section, read from front to back.
pub(super) struct Section<'a> {
    name: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Section<'a> {
    /// Bytes not read yet.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn truncated(&self, needed: u64) -> SnapshotError {
        SnapshotError::Truncated { section: self.name, offset: self.at, needed, left: self.left() }
    }

    /// An error at this place.
    pub fn invalid(&self, what: &'static str) -> SnapshotError {
        SnapshotError::Invalid { section: self.name, offset: self.at, what }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        if count > self.left() {
            return Err(self.truncated(count as u64));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub fn u8(&mut self) -> Result<u8, SnapshotError> {
        Ok(self.array::<1>()?[0])
    }
    pub fn u32(&mut self) -> Result<u32, SnapshotError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub fn u64(&mut self) -> Result<u64, SnapshotError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A number of things of at least `size` ≥ 1 bytes each: never more than the bytes left can hold.
    pub fn count(&mut self, size: usize) -> Result<usize, SnapshotError> {
        let count = self.u64()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.left() / size => Ok(count),
            _ => Err(self.truncated(count.saturating_mul(size as u64))),
        }
    }

    /// Any float.
    pub fn f64(&mut self) -> Result<f64, SnapshotError> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// A finite float.
    pub fn finite(&mut self) -> Result<f64, SnapshotError> {
        let value = self.f64()?;
        if value.is_finite() { Ok(value) } else { Err(self.invalid("number is not finite")) }
    }

    /// Numbers that may be infinite; whoever they are for says what they may be.
    pub fn numbers<const N: usize>(&mut self) -> Result<[f64; N], SnapshotError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.f64()?;
        }
        Ok(numbers)
    }

    pub fn vector(&mut self) -> Result<DVec3, SnapshotError> {
        Ok(DVec3::new(self.finite()?, self.finite()?, self.finite()?))
    }

    /// A float of at most this size.
    pub fn within(&mut self, limit: f64, beyond: &'static str) -> Result<f64, SnapshotError> {
        let value = self.finite()?;
        if value.abs() <= limit { Ok(value) } else { Err(self.invalid(beyond)) }
    }

    /// A vector that is unit to round-off, bit for bit.
    pub fn direction(&mut self) -> Result<DVec3, SnapshotError> {
        let vector = self.vector()?;
        if (vector.length() - 1.0).abs() <= 1e-6 { Ok(vector) } else { Err(self.invalid("direction is not unit")) }
    }

    /// A quaternion that is unit to round-off, bit for bit.
    pub fn quaternion(&mut self) -> Result<DQuat, SnapshotError> {
        let q = DQuat::from_xyzw(self.finite()?, self.finite()?, self.finite()?, self.finite()?);
        if (q.length() - 1.0).abs() <= 1e-6 { Ok(q) } else { Err(self.invalid("quaternion is not unit")) }
    }

    pub fn matrix(&mut self) -> Result<DMat3, SnapshotError> {
        Ok(DMat3::from_cols(self.vector()?, self.vector()?, self.vector()?))
    }

    pub fn pose(&mut self) -> Result<DPose3, SnapshotError> {
        Ok(DPose3::from_parts(self.vector()?, self.quaternion()?))
    }

    pub fn text(&mut self) -> Result<&'a str, SnapshotError> {
        let length = self.count(1)?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.invalid("text is not UTF-8"))
    }

    /// Refuses bytes that nothing has read.
    pub fn finish(self) -> Result<(), SnapshotError> {
        match self.left() {
            0 => Ok(()),
            count => Err(SnapshotError::Excess { section: self.name, count }),
        }
    }
}
