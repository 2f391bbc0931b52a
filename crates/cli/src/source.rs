//! Sources of problems: files, directories of files, or the generated problems of the catalogue.

use crate::error::InputError;
use signorini_problem::ContactProblem;
use signorini_problem::io::{FileError, ProblemFile};
use signorini_scenes::problems::{Entry, Size, entries};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The generated problem that is solved by default.
const BUILT_IN: &str = "stack8_shake";
/// Its description.
pub const BUILT_IN_DESCRIPTION: &str =
    "A stack of eight cubes, shaken: 32 frictional contacts, one step of 10 ms, solved by every method.";

/// A problem that is loaded when its turn comes.
#[derive(Debug)]
pub struct Source {
    name: String,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    File(PathBuf),
    Generated(Entry),
}

impl Source {
    /// The name in tables and files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads or generates the problem, and validates it.
    pub fn load(&self) -> Result<ContactProblem, InputError> {
        match &self.origin {
            Origin::File(path) => read_file(path),
            Origin::Generated(entry) => match entry.generate() {
                Ok(generated) => Ok(generated.problem),
                Err(why) => Err(InputError::Generator { name: entry.name, why }),
            },
        }
    }
}

/// Files as given, directories as their .fcp files in order of name, then scenes. An empty list means the built-in
/// problem.
pub fn expand(paths: &[PathBuf], scenes: &[String]) -> Result<Vec<Source>, InputError> {
    let mut sources = expand_files(paths)?;
    for name in scenes {
        expand_scene(name, &mut sources)?;
    }
    if sources.is_empty() {
        expand_scene(BUILT_IN, &mut sources)?;
    }
    Ok(sources)
}

/// Problems of a name of the catalogue, or all problems of a size.
fn expand_scene(name: &str, sources: &mut Vec<Source>) -> Result<(), InputError> {
    let size = Size::ALL.into_iter().find(|size| size.name() == name);
    let before = sources.len();
    let wanted = |entry: &&Entry| entry.name == name || Some(entry.size) == size;
    for entry in entries().iter().filter(wanted) {
        sources.push(Source { name: entry.name.to_owned(), origin: Origin::Generated(*entry) });
    }
    if sources.len() == before { Err(InputError::UnknownProblem { name: name.to_owned() }) } else { Ok(()) }
}

fn expand_files(paths: &[PathBuf]) -> Result<Vec<Source>, InputError> {
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
            // Files of one name in different folders are shown with their paths.
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
