//! Solutions as JSON: readable by anything, exact to the last bit.
//!
//! ```json
//! {"problem": "stack_10", "method": "exact", "r": [0.25, 0.0, -0.125], "certificate": {"natural": 1e-16}}
//! ```
//!
//! Read back is a bare list or an object with the key `r`; its other keys are not looked at, because an answer is
//! certified again by whoever reads it.

use super::FileError;
use super::container::{read_bounded, within};
use super::header::json_error;
use crate::Certificate;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Most bytes of one number in a solution file, generously: 17 digits, sign, exponent, separator, indentation.
const BYTES_PER_NUMBER: u64 = 64;
/// Allowance for everything beside the numbers.
const BYTES_BESIDE: u64 = 1 << 20;

/// A solution to be written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolutionFile {
    /// Name of the problem.
    pub problem: String,
    /// Name of the method that found it.
    pub method: String,
    /// Impulses [N·s], block after block.
    pub r: Vec<f64>,
    /// How far off they are. Infinite residuals become null: JSON has no infinity.
    pub certificate: Certificate,
}

impl SolutionFile {
    /// The JSON text. Every number is written with as many digits as it takes to read the same number back.
    pub fn to_json(&self) -> Result<String, FileError> {
        check_finite(&self.r)?;
        let mut text = serde_json::to_string(self).map_err(|e| json_error("solution", &e))?;
        text.push('\n');
        Ok(text)
    }

    /// Writes the JSON text to a file.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        std::fs::write(path, self.to_json()?).map_err(|source| FileError::Io { path: path.to_owned(), source })
    }
}

/// The impulses of a solution for a problem of `rows` rows.
pub fn parse_impulses(text: &[u8], rows: usize) -> Result<Vec<f64>, FileError> {
    #[derive(Deserialize)]
    struct Object {
        r: Vec<f64>,
    }
    within("bytes of the solution", text.len() as u64, size_limit(rows))?;
    let is_list = text.trim_ascii_start().first() == Some(&b'[');
    let read = if is_list { serde_json::from_slice(text) } else { serde_json::from_slice(text).map(|o: Object| o.r) };
    let r: Vec<f64> = read.map_err(|e| json_error("solution", &e))?;
    if r.len() != rows {
        return Err(FileError::SolutionLength { found: r.len(), expected: rows });
    }
    check_finite(&r)?;
    Ok(r)
}

/// Reads a solution file; its size is checked before it is read.
pub fn read_impulses(path: &Path, rows: usize) -> Result<Vec<f64>, FileError> {
    parse_impulses(&read_bounded(path, size_limit(rows))?, rows)
}

fn size_limit(rows: usize) -> u64 {
    (rows as u64).saturating_mul(BYTES_PER_NUMBER).saturating_add(BYTES_BESIDE)
}

fn check_finite(r: &[f64]) -> Result<(), FileError> {
    match r.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(FileError::SolutionNotFinite { index, value: r[index] }),
        None => Ok(()),
    }
}
