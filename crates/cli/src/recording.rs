//! A recording that is written during a simulation. If it fails, the simulation goes on.

use crate::error::InputError;
use signorini::{Scene, StepReport, World};
use signorini_record::{ContactRecording, Existing, Header, Options, Push, RecordError, Writer};
use std::path::{Path, PathBuf};

/// A file that is being written, or the reason why it no longer is.
pub struct Recording {
    path: PathBuf,
    writer: Option<Writer>,
    failure: Option<RecordError>,
}

impl Recording {
    /// Begins a file with the first state of a scene's world.
    pub fn create(
        path: &Path,
        (contacts, force): (bool, bool),
        scene: &Scene,
        world: &World,
    ) -> Result<Self, InputError> {
        let contacts = if contacts { ContactRecording::On } else { ContactRecording::Off };
        let existing = if force { Existing::Replace } else { Existing::Keep };
        let options = Options { contacts, existing, ..Options::default() };
        let writer =
            Writer::create(path, &Header::of_scene(scene, world), world, &options).map_err(|why| match why {
                why @ (RecordError::Write(_) | RecordError::Stopped) => {
                    InputError::Recording { path: path.to_owned(), why }
                }
                RecordError::Exists { path } => InputError::Exists { path },
                why => InputError::Record(why),
            })?;
        Ok(Recording { path: path.to_owned(), writer: Some(writer), failure: None })
    }

    /// Writes a step with the forces from outside. If that fails, prints a message once.
    pub fn step(
        &mut self,
        world: &World,
        report: &StepReport,
        pushes: impl IntoIterator<Item = Push>,
    ) -> Option<String> {
        let writer = self.writer.as_mut()?;
        pushes.into_iter().for_each(|push| writer.push(push));
        let why = writer.step(world, report).err()?;
        let warning = format!("{}: {why}; the simulation goes on without it", self.path.display());
        (self.writer, self.failure) = (None, Some(why));
        Some(warning)
    }

    /// Completes the file and returns its name and its size \[bytes\].
    pub fn finish(self) -> Result<(String, u64), InputError> {
        let outcome = match (self.writer, self.failure) {
            (_, Some(why)) => Err(why),
            (Some(writer), None) => writer.finish(),
            (None, None) => Ok(()),
        };
        outcome.map_err(|why| InputError::Recording { path: self.path.clone(), why })?;
        let bytes = self.path.metadata().map_or(0, |found| found.len());
        Ok((self.path.display().to_string(), bytes))
    }
}
