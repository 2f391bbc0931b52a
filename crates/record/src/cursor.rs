//! Messages in the order of steps, of which some may be lost.

use crate::RecordError;

/// Where one has got to.
pub(crate) struct Cursor<T> {
    at: usize,
    held: Option<(u64, T)>,
}

impl<T> Default for Cursor<T> {
    fn default() -> Self {
        Cursor { at: 0, held: None }
    }
}

impl<T> Cursor<T> {
    /// The message of a step, which is after those asked for before. `read` reads one of `count` messages and tells its step.
    pub fn find(
        &mut self,
        count: usize,
        step: u64,
        mut read: impl FnMut(usize) -> Result<Option<(u64, T)>, RecordError>,
    ) -> Result<Option<T>, RecordError> {
        loop {
            match self.held.take() {
                Some((found, message)) if found == step => return Ok(Some(message)),
                Some(held) if held.0 > step => {
                    self.held = Some(held);
                    return Ok(None);
                }
                _ if self.at == count => return Ok(None),
                _ => {
                    self.held = read(self.at)?;
                    self.at += 1;
                }
            }
        }
    }
}
