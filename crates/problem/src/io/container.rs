//! The container: magic, header, arrays. Bit for bit what is on disk.

use super::header::{ArrayEntry, Header};
use super::schema::{self, Kind};
use super::{FileError, blocks, global, published};
use crate::{ContactProblem, Limits};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

const MAGIC: &[u8; 8] = b"FCPROB1\n";
/// Magic and the length of the header.
const PREFIX: usize = 12;
/// Most bytes of a header: a published one has 1 kB.
const HEADER_LIMIT: u64 = 1 << 20;
/// Most arrays: no kind has more than nine.
const ARRAY_LIMIT: u64 = 64;
/// Most dimensions of an array: no kind has more than four.
const RANK_LIMIT: u64 = 8;

/// The numbers of an array, in C order.
#[derive(Clone, Debug)]
pub enum ArrayData {
    /// Double precision.
    F64(Vec<f64>),
    /// 32-bit integers.
    I32(Vec<i32>),
}

impl ArrayData {
    /// The name of the type in the header.
    pub fn dtype(&self) -> &'static str {
        match self {
            ArrayData::F64(_) => "f64",
            ArrayData::I32(_) => "i32",
        }
    }

    fn bytes(&self) -> usize {
        match self {
            ArrayData::F64(x) => 8 * x.len(),
            ArrayData::I32(x) => 4 * x.len(),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            ArrayData::F64(x) => x.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
            ArrayData::I32(x) => x.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        }
        out.resize(out.len().next_multiple_of(8), 0);
    }
}

/// A named array.
#[derive(Clone, Debug)]
pub struct Array {
    /// Name, unique in the file.
    pub name: String,
    /// Extent of each dimension.
    pub shape: Vec<usize>,
    /// The numbers.
    pub data: ArrayData,
}

/// A problem file in memory. It keeps the text of its header, so that what was read is written back bit for bit.
#[derive(Clone, Debug)]
pub struct ProblemFile {
    kind: Kind,
    header: Header,
    text: String,
    arrays: Vec<Array>,
    limits: Limits,
}

impl ProblemFile {
    /// Checks the container, the header, and that the arrays are those of the kind, with the right types and shapes.
    /// The numbers themselves are checked by [`ProblemFile::to_problem`].
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, FileError> {
        within("bytes of the file", bytes.len() as u64, limits.file_bytes as u64)?;
        let (text, data) = split(bytes)?;
        let header = Header::parse(text)?;
        within("arrays", header.arrays.len() as u64, ARRAY_LIMIT)?;
        let mut arrays: Vec<Array> = Vec::with_capacity(header.arrays.len());
        let mut position = 0;
        let base = bytes.len() - data.len();
        for entry in &header.arrays {
            if arrays.iter().any(|a| a.name == entry.name) {
                return Err(layout(entry, "the name", "used twice", "a name of its own"));
            }
            arrays.push(read_array(entry, data, base, &mut position)?);
        }
        if position < data.len() {
            return Err(FileError::Trailing {
                offset: (base + position) as u64,
                bytes: (data.len() - position) as u64,
            });
        }
        let kind = schema::check(&header, &arrays, limits)?;
        Ok(ProblemFile { kind, header, text: text.to_owned(), arrays, limits: *limits })
    }

    /// The bytes of the file. For a file that was read: the bytes that were read.
    pub fn to_bytes(&self) -> Vec<u8> {
        let data: usize = self.arrays.iter().map(|a| a.data.bytes().next_multiple_of(8)).sum();
        let mut out = Vec::with_capacity(PREFIX + self.text.len() + data);
        out.extend_from_slice(MAGIC);
        // The length fits: a header is at most HEADER_LIMIT when read, and a few kilobytes when made here.
        out.extend_from_slice(&(self.text.len() as u32).to_le_bytes());
        out.extend_from_slice(self.text.as_bytes());
        for array in &self.arrays {
            array.data.write(&mut out);
        }
        out
    }

    /// Reads a file with the default limits.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::read_within(path, &Limits::default())
    }

    /// Reads a file; its size is checked before it is read.
    pub fn read_within(path: &Path, limits: &Limits) -> Result<Self, FileError> {
        Self::parse(&read_bounded(path, limits.file_bytes as u64)?, limits)
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        std::fs::write(path, self.to_bytes()).map_err(|source| FileError::Io { path: path.to_owned(), source })
    }

    /// The contact problem of the file, with every number checked.
    pub fn to_problem(&self) -> Result<ContactProblem, FileError> {
        match self.kind {
            Kind::Local => published::local(self),
            Kind::Bodies => published::bodies(self),
            Kind::Lcp => published::lcp(self),
            Kind::GlobalCsr => global::problem(self),
            Kind::Blocks => blocks::problem(self),
        }
    }

    /// A file of kind `blocks` that holds the problem bit for bit. Names are cut at 200 characters.
    pub fn from_problem(problem: &ContactProblem, name: &str) -> Self {
        blocks::file(problem, name)
    }

    /// Puts a file together. `keys` are all keys of the header but `arrays`, in the order in which they are written.
    pub(super) fn assemble(kind: Kind, keys: &[(&str, Value)], arrays: Vec<Array>) -> Self {
        let mut entries = Vec::with_capacity(arrays.len());
        let mut described = Vec::with_capacity(arrays.len());
        let mut offset = 0;
        for Array { name, shape, data } in &arrays {
            let (dtype, nbytes) = (data.dtype(), data.bytes());
            described.push(format!(
                r#"{{"name": "{name}", "dtype": "{dtype}", "shape": {shape:?}, "offset": {offset}, "nbytes": {nbytes}}}"#
            ));
            entries.push(ArrayEntry {
                name: name.clone(),
                dtype: dtype.to_owned(),
                shape: shape.iter().map(|x| *x as u64).collect(),
                offset: offset as u64,
                nbytes: nbytes as u64,
            });
            offset += nbytes.next_multiple_of(8);
        }
        let keys_text: String = keys.iter().map(|(key, value)| format!("\"{key}\": {value}, ")).collect();
        let mut text = format!("{{{keys_text}\"arrays\": [{}]}}", described.join(", "));
        while !(PREFIX + text.len()).is_multiple_of(8) {
            text.push(' ');
        }
        let header = Header::new(keys.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect(), entries);
        ProblemFile { kind, header, text, arrays, limits: Limits::default() }
    }

    /// Which kind of problem it holds.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// The name of the problem; empty if the header has none.
    pub fn name(&self) -> &str {
        self.note("name").unwrap_or("")
    }
    /// A header key that holds text, such as `family`, `source` or `note`.
    pub fn note(&self, key: &str) -> Option<&str> {
        self.header.value(key)?.as_str()
    }
    /// The arrays, in file order.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }
    /// The array of that name.
    pub fn array(&self, name: &str) -> Option<&Array> {
        self.arrays.iter().find(|a| a.name == name)
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }
    /// The numbers of an array that the schema has seen to be there.
    pub(super) fn numbers(&self, array: &'static str) -> Result<&[f64], FileError> {
        match self.array(array) {
            Some(Array { data: ArrayData::F64(x), .. }) => Ok(x),
            _ => Err(FileError::MissingArray { kind: self.kind.name(), array }),
        }
    }
    /// The integers of an array that the schema has seen to be there.
    pub(super) fn integers(&self, array: &'static str) -> Result<&[i32], FileError> {
        match self.array(array) {
            Some(Array { data: ArrayData::I32(x), .. }) => Ok(x),
            _ => Err(FileError::MissingArray { kind: self.kind.name(), array }),
        }
    }
}

/// All bytes of an ordinary file that has at most `limit` of them. A pipe or a device is refused before it is opened: opening
/// may block.
pub(super) fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let io = |source| FileError::Io { path: path.to_owned(), source };
    if !path.metadata().map_err(io)?.is_file() {
        return Err(io(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not an ordinary file")));
    }
    let file = std::fs::File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    within("bytes of the file", size, limit)?;
    let mut bytes = Vec::new();
    // A file that grows has no size to trust: never read past the limit either.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
    within("bytes of the file", bytes.len() as u64, limit)?;
    Ok(bytes)
}

pub(super) fn within(what: &'static str, found: u64, limit: u64) -> Result<(), FileError> {
    if found > limit { Err(FileError::Limit { what, found, limit }) } else { Ok(()) }
}

/// Header text and data.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), FileError> {
    if !bytes.starts_with(MAGIC) {
        let found = bytes[..bytes.len().min(MAGIC.len())].escape_ascii().to_string();
        return Err(FileError::Magic { found });
    }
    let truncated = |what: &str, offset: usize, needed: u64| FileError::Truncated {
        what: what.to_owned(),
        offset: offset as u64,
        needed,
        available: (bytes.len() - offset) as u64,
    };
    let Some((length, rest)) = bytes[MAGIC.len()..].split_first_chunk::<4>() else {
        return Err(truncated("the length of the header", MAGIC.len(), 4));
    };
    let length = u64::from(u32::from_le_bytes(*length));
    within("bytes of the header", length, HEADER_LIMIT)?;
    let Some((text, data)) = rest.split_at_checked(length as usize) else {
        return Err(truncated("the header", PREFIX, length));
    };
    let data_start = PREFIX as u64 + length;
    if !data_start.is_multiple_of(8) {
        return Err(FileError::HeaderAlignment { length, data: data_start });
    }
    match std::str::from_utf8(text) {
        Ok(text) => Ok((text, data)),
        Err(e) => Err(FileError::HeaderText { offset: (PREFIX + e.valid_up_to()) as u64 }),
    }
}

fn layout(entry: &ArrayEntry, what: &'static str, found: impl ToString, expected: impl ToString) -> FileError {
    let array = entry.name.chars().take(64).collect();
    FileError::Layout { array, what, found: found.to_string(), expected: expected.to_string() }
}

/// Reads the array that must start at `position`, and moves on past its padding.
fn read_array(entry: &ArrayEntry, data: &[u8], base: usize, position: &mut usize) -> Result<Array, FileError> {
    let size: u64 = match entry.dtype.as_str() {
        "f64" => 8,
        "i32" => 4,
        other => return Err(layout(entry, "dtype", other, "f64 or i32")),
    };
    within("dimensions of an array", entry.shape.len() as u64, RANK_LIMIT)?;
    let nbytes = entry.shape.iter().try_fold(size, |n, extent| n.checked_mul(*extent));
    let Some(nbytes) = nbytes else {
        return Err(layout(entry, "shape", format!("{:?}", entry.shape), "a size below 2^64 bytes"));
    };
    if nbytes != entry.nbytes {
        return Err(layout(entry, "nbytes", entry.nbytes, format!("{nbytes}, from its shape {:?}", entry.shape)));
    }
    if entry.offset != *position as u64 {
        return Err(layout(entry, "offset", entry.offset, format!("{position}, where the array before it ends")));
    }
    let left = &data[*position..];
    let truncated = |needed| FileError::Truncated {
        what: format!("array {}", entry.name),
        offset: (base + *position) as u64,
        needed,
        available: left.len() as u64,
    };
    let padded = nbytes.checked_next_multiple_of(8).ok_or_else(|| truncated(nbytes))?;
    if padded > left.len() as u64 {
        return Err(truncated(padded));
    }
    let (values, padding) = left[..padded as usize].split_at(nbytes as usize);
    if let Some(i) = padding.iter().position(|x| *x != 0) {
        return Err(FileError::Padding {
            array: entry.name.clone(),
            offset: (base + *position + values.len() + i) as u64,
            value: padding[i],
        });
    }
    *position += padded as usize;
    let data = if size == 8 {
        ArrayData::F64(values.as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x)).collect())
    } else {
        ArrayData::I32(values.as_chunks::<4>().0.iter().map(|x| i32::from_le_bytes(*x)).collect())
    };
    let mut shape = Vec::with_capacity(entry.shape.len());
    for extent in &entry.shape {
        match usize::try_from(*extent) {
            Ok(extent) => shape.push(extent),
            Err(_) => return Err(layout(entry, "shape", format!("{:?}", entry.shape), "smaller extents")),
        }
    }
    Ok(Array { name: entry.name.clone(), shape, data })
}
