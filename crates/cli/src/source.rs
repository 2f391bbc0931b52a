//! Where problems come from: files, directories of files, or the one built in.

use crate::error::InputError;
use signorini_problem::ContactProblem;
use signorini_problem::io::{FileError, ProblemFile};
use signorini_scenes::problems::{PileOptions, pyramid3d};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the demonstration solves.
pub const BUILT_IN_DESCRIPTION: &str =
    "A pyramid of 14 cubes, 116 frictional contacts, one step of gravity (10 ms), solved by every method:";

/// A problem that can be loaded when its turn comes.
#[derive(Debug)]
pub struct Source {
    name: String,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    File(PathBuf),
    BuiltIn,
}

impl Source {
    /// The name in tables and files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads and validates the problem.
    pub fn load(&self) -> Result<ContactProblem, InputError> {
        match &self.origin {
            Origin::File(path) => read_file(path),
            Origin::BuiltIn => built_in(),
        }
    }
}

/// Files as they are, directories as their .fcp files in order of name; nothing means the built-in problem.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<Source>, InputError> {
    if paths.is_empty() {
        return Ok(vec![Source { name: BUILT_IN_NAME.to_owned(), origin: Origin::BuiltIn }]);
    }
    let mut files = Vec::new();
    for path in paths {
        let unreadable = |cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => InputError::Missing { path: path.clone() },
            _ => InputError::Unreadable { path: path.clone(), cause },
        };
        if !path.metadata().map_err(unreadable)?.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if file.extension().is_some_and(|extension| extension == "fcp") {
                files.push(file);
            }
        }
        if files.len() == before {
            return Err(InputError::EmptyDirectory { path: path.clone() });
        }
        files[before..].sort();
    }
    let stems: Vec<String> = files.iter().map(|file| stem(file)).collect();
    let mut sorted = stems.clone();
    sorted.sort();
    let ambiguous = sorted.windows(2).any(|pair| pair[0] == pair[1]);
    Ok(files
        .into_iter()
        .zip(stems)
        .map(|(path, stem)| Source {
            // Files of the same name in different places are told apart by their paths.
            name: if ambiguous { path.display().to_string() } else { stem },
            origin: Origin::File(path),
        })
        .collect())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn read_file(path: &Path) -> Result<ContactProblem, InputError> {
    let bad = |why: FileError| match why {
        FileError::Io { source, .. } => InputError::Unreadable { path: path.to_owned(), cause: source },
        why => InputError::BadFile { path: path.to_owned(), why: why.to_string() },
    };
    ProblemFile::read(path).map_err(bad)?.to_problem().map_err(bad)
}

const BUILT_IN_NAME: &str = "pyramid";

fn built_in() -> Result<ContactProblem, InputError> {
    pyramid3d(3, &PileOptions::default()).map(|generated| generated.problem).map_err(InputError::BuiltIn)
}
