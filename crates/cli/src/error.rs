//! Errors of input: what is wrong, where, and what to do next.

use crate::view::ViewError;
use signorini::StepError;
use signorini_record::RecordError;
use signorini_scenes::SceneError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Bad input or unusable output. An unsolved problem is not an error: it is a verdict.
#[derive(Debug, Error)]
pub enum InputError {
    #[error("{path}: no such file; give .fcp problem files or directories of them, or --scene NAME for a generated one", path = .path.display())]
    Missing { path: PathBuf },
    #[error("{path}: no such file", path = .path.display())]
    NoFile { path: PathBuf },
    #[error("{path}: is not an ordinary file; pipes and devices are not read", path = .path.display())]
    NotAFile { path: PathBuf },
    #[error("{path}: no .fcp files in this directory; name the files one by one if theirs end differently", path = .path.display())]
    EmptyDirectory { path: PathBuf },
    #[error("{path}: cannot be read ({cause}); check its permissions", path = .path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    #[error("{path}: {why}; the format is described in docs/problem-files.md", path = .path.display())]
    BadFile { path: PathBuf, why: String },
    #[error("{path}: {why}; the fields of a step are listed in docs/command.md", path = .path.display())]
    BadStep { path: PathBuf, why: String },
    #[error("{path}: {why}; the lines are those of `signorini bench --json`, see docs/command.md", path = .path.display())]
    BadLines { path: PathBuf, why: String },
    #[error("no generated problem is called '{name}'; `signorini problems` lists them")]
    UnknownProblem { name: String },
    #[error(
        "no scene is called '{name}'; {meant}`signorini scenes` lists them, and a scene file ends in .toml, .json, .urdf or .xml"
    )]
    UnknownWorld { name: String, meant: String },
    #[error("{0}\n  scene files are described in docs/scenes.md")]
    Scene(#[from] signorini::SceneError),
    #[error("no body is called '{name}' in this scene; `signorini scenes SCENE` writes it out")]
    UnknownBody { name: String },
    #[error(transparent)]
    Statics(#[from] signorini::statics::StaticsError),
    #[error("step {step} was not taken: {why}")]
    Step { step: u64, why: StepError },
    #[error("{path}: is a recording already and is left alone; give another name, or --force to replace it", path = .path.display())]
    Exists { path: PathBuf },
    #[error("{path}: exists and is left alone; give another name", path = .path.display())]
    Taken { path: PathBuf },
    #[error(transparent)]
    Record(RecordError),
    #[error("{path}: {why}", path = .path.display())]
    Recording { path: PathBuf, why: RecordError },
    #[error("interrupts cannot be listened to ({0})")]
    Interrupts(io::Error),
    #[error("the threads asked for cannot be had ({0})")]
    Threads(String),
    #[error("scene {name} cannot be generated ({why}); this is a defect, please report it")]
    Generator { name: &'static str, why: SceneError },
    #[error("{path}: cannot be written ({cause}); give a path in a directory that exists and may be written to", path = .path.display())]
    Unwritable { path: PathBuf, cause: io::Error },
    #[error(transparent)]
    View(#[from] ViewError),
    #[error("standard output cannot be written ({0})")]
    Stdout(io::Error),
}
