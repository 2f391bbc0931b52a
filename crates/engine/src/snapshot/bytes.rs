//! The binary format: sections with checksums, and how values are written into them.
//!
//! ```text
//! file     "SIGNSNAP"  version u32  section*
//! section  tag [u8; 4]  length u64  checksum u64  payload
//! ```
//!
//! All numbers little-endian, floats by their bits. The checksum is FNV-1a over version, tag, length and payload: each
//! of its steps maps different states to different states, so a change of any single byte is always seen.

use crate::body::BodyRecord;
use crate::ids::Arena;
use crate::joint::JointRecord;
use crate::shape::Shape;
use crate::{ShapeError, SnapshotError};

/// First bytes of every snapshot.
const MAGIC: &[u8; 8] = b"SIGNSNAP";
/// Version of the format. Every change of content or meaning needs a new version; other versions are refused.
const VERSION: u32 = 8;

/// What reading gives.
pub(super) type Read<T> = Result<T, SnapshotError>;

/// A value that can be written, and read back with checks.
pub(super) trait Stored: Sized {
    fn write(&self, out: &mut Payload);
    fn read(section: &mut Section) -> Read<Self>;
}

/// A struct field by field, in the order given: whoever adds a field has to write it. `as` names a module that writes and reads
/// a field in place of its type.
macro_rules! stored {
    ($name:ty { $($field:ident $(as $with:ident)?),* $(,)? }) => {
        impl Stored for $name {
            fn write(&self, out: &mut Payload) {
                let Self { $($field),* } = self;
                $(stored!(@write out $field $($with)?);)*
            }
            fn read(section: &mut Section) -> Read<Self> {
                Ok(Self { $($field: stored!(@read section $($with)?)),* })
            }
        }
    };
    (@write $out:ident $field:ident) => { Stored::write($field, $out) };
    (@write $out:ident $field:ident $with:ident) => { $with::write($field, $out) };
    (@read $section:ident) => { Stored::read($section)? };
    (@read $section:ident $with:ident) => { $with::read($section)? };
}

/// An enum as a number and the fields of the variant; `$unknown` is what another number is called.
macro_rules! stored_enum {
    ($name:ty, $unknown:literal {
        $($tag:literal => $variant:ident $({ $($field:ident $(as $with:ident)?),* })? $(($($place:ident),*))?),* $(,)?
    }) => {
        impl Stored for $name {
            fn write(&self, out: &mut Payload) {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($($place),*))? => {
                        Stored::write(&$tag, out);
                        $($(stored!(@write out $field $($with)?);)*)?
                        $($(Stored::write($place, out);)*)?
                    })*
                }
            }
            fn read(section: &mut Section) -> Read<Self> {
                Ok(match u8::read(section)? {
                    $($tag => {
                        $($(let $place = Stored::read(section)?;)*)?
                        Self::$variant $({ $($field: stored!(@read section $($with)?)),* })? $(($($place),*))?
                    })*
                    _ => return Err(section.invalid($unknown)),
                })
            }
        }
    };
}

pub(super) use {stored, stored_enum};

fn checksum(version: u32, tag: &[u8; 4], payload: &[u8]) -> u64 {
    let (version, length) = (version.to_le_bytes(), (payload.len() as u64).to_le_bytes());
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in version.iter().chain(tag).chain(&length).chain(payload) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// What is inside a section.
pub(super) struct Payload<'a> {
    pub bytes: Vec<u8>,
    /// The shapes of the world, which bodies write as places in this list.
    pub shapes: &'a [Shape],
}

/// Writes sections one after the other.
pub(super) struct Writer<'a> {
    bytes: Vec<u8>,
    shapes: &'a [Shape],
}

impl<'a> Writer<'a> {
    pub fn new(shapes: &'a [Shape]) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        Writer { bytes, shapes }
    }

    /// One section with the payload that `write` makes.
    pub fn section(&mut self, tag: &[u8; 4], write: impl FnOnce(&mut Payload)) {
        let mut payload = Payload { bytes: Vec::new(), shapes: self.shapes };
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

/// What the sections before have said, for those that name it.
#[derive(Clone, Copy, Default)]
pub(super) struct Known<'a> {
    pub shapes: &'a [Shape],
    pub bodies: Option<&'a Arena<BodyRecord>>,
    pub joints: Option<&'a Arena<JointRecord>>,
}

/// Reads sections one after the other.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Checks magic and version.
    pub fn new(bytes: &'a [u8]) -> Read<Reader<'a>> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::NotASnapshot)?;
        let mut header = Section::new("header", rest, Known::default());
        match u32::read(&mut header)? {
            VERSION => Ok(Reader { bytes: &rest[header.at..] }),
            found => Err(SnapshotError::Version { found, supported: VERSION }),
        }
    }

    /// The value of the next section, which has to be the one with this tag and nothing else.
    pub fn section<T: Stored>(&mut self, name: &'static str, tag: &[u8; 4], known: Known) -> Read<T> {
        let mut header = Section::new(name, self.bytes, known);
        if header.take(4)? != tag {
            return Err(SnapshotError::Invalid { section: name, offset: 0, what: "another section is here" });
        }
        let length = u64::read(&mut header)?;
        let stored = u64::read(&mut header)?;
        let payload = match usize::try_from(length) {
            Ok(length) => header.take(length)?,
            Err(_) => return Err(header.truncated(length)),
        };
        if checksum(VERSION, tag, payload) != stored {
            return Err(SnapshotError::Checksum { section: name });
        }
        self.bytes = &self.bytes[header.at..];
        let mut section = Section::new(name, payload, known);
        let value = T::read(&mut section)?;
        match section.left() {
            0 => Ok(value),
            count => Err(SnapshotError::Excess { section: name, count }),
        }
    }

    /// Refuses what follows the last section.
    pub fn finish(self) -> Read<()> {
        match self.bytes.len() {
            0 => Ok(()),
            count => Err(SnapshotError::Excess { section: "after the last", count }),
        }
    }
}

/// The payload of one section, read from front to back.
pub(super) struct Section<'a> {
    pub known: Known<'a>,
    /// Which of the shapes is being read.
    pub shape: usize,
    name: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Section<'a> {
    fn new(name: &'static str, bytes: &'a [u8], known: Known<'a>) -> Self {
        Section { known, shape: 0, name, bytes, at: 0 }
    }

    /// Bytes not read yet.
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn truncated(&self, needed: u64) -> SnapshotError {
        SnapshotError::Truncated { section: self.name, offset: self.at, needed, left: self.left() }
    }

    /// An error at this place.
    pub fn invalid(&self, what: &'static str) -> SnapshotError {
        SnapshotError::Invalid { section: self.name, offset: self.at, what }
    }

    /// An error of the shape that is being read.
    pub fn refuse(&self, source: ShapeError) -> SnapshotError {
        SnapshotError::Shape { index: self.shape, source }
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Read<&'a [u8]> {
        if count > self.left() {
            return Err(self.truncated(count as u64));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    /// A number of things of at least one byte each: never more than the bytes left.
    pub fn count(&mut self) -> Read<usize> {
        let count = u64::read(self)?;
        usize::try_from(count).ok().filter(|count| *count <= self.left()).ok_or_else(|| self.truncated(count))
    }
}
