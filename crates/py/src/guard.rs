//! One world, one user at a time. Whoever comes second gets an exception at once: nothing ever waits, so nothing can
//! deadlock. A panic closes the world for good.

use crate::raise;
use pyo3::prelude::*;
use signorini::World;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// A world behind a lock that is only ever tried.
pub struct Guarded {
    world: Mutex<World>,
    /// Inside `run` with a callback: the world is free between steps, but time may not be advanced by another call.
    running: AtomicBool,
    /// A panic left the world half-way.
    closed: AtomicBool,
}

impl Guarded {
    pub fn new(world: World) -> Self {
        Guarded { world: Mutex::new(world), running: AtomicBool::new(false), closed: AtomicBool::new(false) }
    }

    /// Takes the world, or says why it cannot be had.
    pub fn hold(&self) -> PyResult<MutexGuard<'_, World>> {
        match self.world.try_lock() {
            _ if self.closed.load(Ordering::Acquire) => Err(raise::closed()),
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(raise::busy("the world is in use by another thread")),
            Err(TryLockError::Poisoned(_)) => Err(raise::closed()),
        }
    }

    /// Refuses further use.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Uses the world. If `work` panics the world is closed.
    pub fn with<T>(&self, work: impl FnOnce(&mut World) -> PyResult<T>) -> PyResult<T> {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut *self.hold()?)));
        outcome.unwrap_or_else(|panic| {
            self.close();
            Err(raise::internal(&*panic))
        })
    }

    /// As [`Guarded::with`], without the interpreter's lock while `work` runs.
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut World) -> T + Send) -> PyResult<T> {
        self.with(|world| Ok(py.detach(|| work(world))))
    }

    /// Claims the right to advance time until the claim is dropped.
    pub fn claim(&self) -> PyResult<Claim<'_>> {
        if self.running.swap(true, Ordering::Acquire) {
            return Err(raise::busy("the world is already running: this call came from its own callback"));
        }
        Ok(Claim(&self.running))
    }

    /// An error while somebody holds the claim.
    pub fn check_not_running(&self) -> PyResult<()> {
        if self.running.load(Ordering::Acquire) {
            return Err(raise::busy("the world is already running: this call came from its own callback"));
        }
        Ok(())
    }
}

/// The right to advance time.
pub struct Claim<'a>(&'a AtomicBool);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
