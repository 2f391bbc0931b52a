//! Standard output, which its reader may close at any time.

use crate::error::InputError;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Lines for a person. When the reader has closed the pipe (`signorini … | head`), further lines are dropped, and the
/// run continues to its files and its exit code.
pub struct Output {
    sink: Option<Box<dyn Write>>,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Output { sink: Some(Box::new(io::stdout())) }
    }

    /// Standard error, if standard output is used by a drawing.
    pub fn stderr() -> Self {
        Output { sink: Some(Box::new(io::stderr())) }
    }

    /// One line.
    pub fn line(&mut self, text: &str) -> Result<(), InputError> {
        let Some(sink) = &mut self.sink else { return Ok(()) };
        match writeln!(sink, "{text}").and_then(|()| sink.flush()) {
            Ok(()) => Ok(()),
            Err(cause) if cause.kind() == ErrorKind::BrokenPipe => {
                self.sink = None;
                Ok(())
            }
            Err(cause) => Err(InputError::Stdout(cause)),
        }
    }
}

/// Destination of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// Standard output.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Drawing {
    /// Checks that the destination can be written.
    pub fn check(&self) -> Result<(), InputError> {
        match self {
            Drawing::Standard => Ok(()),
            Drawing::File(path) => check_writable(path),
        }
    }

    /// Writes the drawing.
    pub fn write(&self, text: &str) -> Result<(), InputError> {
        match self {
            Drawing::Standard => Output::stdout().line(text.trim_end()),
            Drawing::File(path) => {
                std::fs::write(path, text).map_err(|cause| InputError::Unwritable { path: path.clone(), cause })
            }
        }
    }
}

/// Checks that a file can be written, so that a long run does not fail at its end.
pub fn check_writable(path: &Path) -> Result<(), InputError> {
    let unwritable = |cause: io::Error| InputError::Unwritable { path: path.to_owned(), cause };
    if path.is_dir() {
        return Err(unwritable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match parent.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(unwritable(io::Error::from(io::ErrorKind::NotADirectory))),
        Err(cause) => Err(unwritable(cause)),
    }
}
