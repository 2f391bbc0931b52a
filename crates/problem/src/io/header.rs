//! The JSON header: every key once, array descriptions by type, all other keys by value.

use super::FileError;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeMap;

/// What the header says about one array.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArrayEntry {
    pub name: String,
    pub dtype: String,
    pub shape: Vec<u64>,
    /// From the start of the data \[bytes\].
    pub offset: u64,
    pub nbytes: u64,
}

/// A parsed header.
#[derive(Clone, Debug)]
pub(super) struct Header {
    keys: BTreeMap<String, Value>,
    pub arrays: Vec<ArrayEntry>,
}

impl Header {
    pub fn parse(text: &str) -> Result<Self, FileError> {
        serde_json::from_str(text).map_err(|e| json_error("header", &e))
    }

    /// The header of a file made here.
    pub fn new(keys: BTreeMap<String, Value>, arrays: Vec<ArrayEntry>) -> Self {
        Header { keys, arrays }
    }

    /// Any key but `arrays`.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.keys.get(key)
    }

    pub fn text(&self, key: &'static str) -> Result<&str, FileError> {
        let value = self.keys.get(key).ok_or(FileError::MissingKey { key })?;
        value.as_str().ok_or_else(|| wrong(key, value, "a string"))
    }

    /// A count: an integer in 0..=limit.
    pub fn count(&self, key: &'static str, limit: usize) -> Result<usize, FileError> {
        let value = self.keys.get(key).ok_or(FileError::MissingKey { key })?;
        let count = value.as_u64().ok_or_else(|| wrong(key, value, "a non-negative integer"))?;
        match usize::try_from(count) {
            Ok(count) if count <= limit => Ok(count),
            _ => Err(FileError::Limit { what: key, found: count, limit: limit as u64 }),
        }
    }

    /// A count that may be left out.
    pub fn optional_count(&self, key: &'static str, limit: usize) -> Result<Option<usize>, FileError> {
        if self.keys.contains_key(key) { self.count(key, limit).map(Some) } else { Ok(None) }
    }
}

/// The error for a key whose value is not what it should be.
pub(super) fn wrong(key: &'static str, value: &Value, expected: impl Into<String>) -> FileError {
    FileError::Key { key, value: shortened(value.to_string()), expected: expected.into() }
}

/// The error of the JSON parser with its place.
pub(super) fn json_error(what: &'static str, e: &serde_json::Error) -> FileError {
    FileError::Json { what, line: e.line(), column: e.column(), message: shortened(e.to_string()) }
}

/// Messages quote the file, but not pages of it.
fn shortened(text: String) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Header;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a header object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Header, M::Error> {
                let mut keys = BTreeMap::new();
                let mut arrays = None;
                while let Some(key) = map.next_key::<String>()? {
                    if keys.contains_key(&key) || (key == "arrays" && arrays.is_some()) {
                        return Err(M::Error::custom(format_args!("key \"{key}\" appears twice")));
                    }
                    if key == "arrays" {
                        arrays = Some(map.next_value()?);
                    } else {
                        keys.insert(key, map.next_value()?);
                    }
                }
                Ok(Header { keys, arrays: arrays.ok_or_else(|| M::Error::missing_field("arrays"))? })
            }
        }
        deserializer.deserialize_map(Keys)
    }
}
