//! Text files that are read whole.

use crate::error::InputError;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Largest size of a list of steps or numbers \[bytes\].
const LIMIT: u64 = 1 << 30;

/// The text of an ordinary file. Pipes and devices are refused before they are opened, because opening may block and
/// reading may never end.
pub fn read_text(path: &Path) -> Result<String, InputError> {
    let unreadable = |cause: io::Error| match cause.kind() {
        ErrorKind::NotFound => InputError::NoFile { path: path.to_owned() },
        _ => InputError::Unreadable { path: path.to_owned(), cause },
    };
    let found = path.metadata().map_err(unreadable)?;
    if !found.is_file() {
        return Err(InputError::NotAFile { path: path.to_owned() });
    }
    if found.len() > LIMIT {
        return Err(unreadable(io::Error::from(ErrorKind::FileTooLarge)));
    }
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(LIMIT).read_to_string(&mut text)).map_err(unreadable)?;
    Ok(text)
}
