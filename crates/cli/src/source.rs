//! Where problems come from: files, directories of files, or the one built in.

use crate::error::InputError;
use signorini_problem::io::{FileError, ProblemFile};
use signorini_problem::{Block, ContactProblem, Delassus, FactoredDelassus, Symmetry};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the demonstration solves.
pub const BUILT_IN_DESCRIPTION: &str =
    "Ten boxes in a stack, four frictional contacts per face, one step of gravity (10 ms), solved by every method:";

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

const BUILT_IN_NAME: &str = "stack of 10";

/// Ten unit cubes of 1 kg on a floor, four corners per face, friction 0.5, one step of 10 ms.
fn built_in() -> Result<ContactProblem, InputError> {
    const BOXES: u32 = 10;
    const FALL: f64 = 9.81 * 0.01;
    let mut inverse_mass = [[0.0; 6]; 6];
    for i in 0..3 {
        (inverse_mass[i][i], inverse_mass[i + 3][i + 3]) = (1.0, 6.0);
    }
    let (mut blocks, mut bodies, mut jacobian, mut q) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for upper in 0..BOXES {
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
            blocks.push(Block::contact(0.5));
            bodies.push([upper.checked_sub(1), Some(upper)]);
            for direction in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
                let [dx, dy, dz] = direction;
                let arm = |z: f64| [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx];
                let mut row = [0.0; 12];
                for i in 0..3 {
                    (row[i], row[i + 3]) = (-direction[i], -arm(0.5)[i]);
                    (row[i + 6], row[i + 9]) = (direction[i], arm(-0.5)[i]);
                }
                jacobian.push(row);
                q.push(if upper == 0 { -FALL * dz } else { 0.0 });
            }
        }
    }
    let delassus = FactoredDelassus::new(vec![inverse_mass; BOXES as usize], bodies, jacobian);
    ContactProblem::new(blocks, Delassus::Factored(delassus), q, Symmetry::Exact).map_err(InputError::BuiltIn)
}
