//! Ctrl-C: the first press ends the run after the current step, the second ends the program.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed.
#[derive(Debug)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on, even if the parent process made this one ignore interrupts, as shells do for commands in
    /// the background.
    pub fn listen() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Registered in this order, so that the first interrupt finds the flag unset.
            flag::register_conditional_default(signal, asked.clone())?;
            flag::register(signal, asked.clone())?;
        }
        Ok(Interrupt { asked })
    }

    /// Whether the run should end now.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
