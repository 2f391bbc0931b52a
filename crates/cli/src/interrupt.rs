//! Ctrl-C: the first asks a run to end after its step, the second ends the program.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody asked for an end.
#[derive(Debug)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on, whatever the program that started this one did with interrupts: a shell that puts a command
    /// into the background lets it ignore them.
    pub fn listen() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order, so that the first finds the flag down.
            flag::register_conditional_default(signal, asked.clone())?;
            flag::register(signal, asked.clone())?;
        }
        Ok(Interrupt { asked })
    }

    /// Whether to end now.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
