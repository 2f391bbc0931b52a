//! Exclusive access to a world. A second caller gets an exception at once; nothing waits, so nothing can deadlock. A
//! panic closes the world permanently.

use crate::raise;
use pyo3::prelude::*;
use signorini::World;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

static NEXT_THREAD: AtomicU64 = AtomicU64::new(1);
thread_local! {
    /// A number of this thread's own, never zero.
    static THREAD: u64 = NEXT_THREAD.fetch_add(1, Ordering::Relaxed);
}

fn this_thread() -> u64 {
    THREAD.with(|number| *number)
}

/// A world behind a lock that is only ever tried.
pub struct Guarded {
    world: Mutex<World>,
    /// The thread that has the world; zero if none. Only for what an exception says.
    holder: AtomicU64,
    /// The thread that is inside `run`; zero if none. With a callback the world is free between steps, but time may not be
    /// advanced by another call.
    runner: AtomicU64,
    /// A panic left the world half-way.
    closed: AtomicBool,
}

impl Guarded {
    pub fn new(world: World) -> Self {
        Guarded {
            world: Mutex::new(world),
            holder: AtomicU64::new(0),
            runner: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        }
    }

    /// Takes the world, or says why it cannot be had.
    pub fn hold(&self) -> PyResult<Held<'_>> {
        match self.world.try_lock() {
            _ if self.closed.load(Ordering::Acquire) => Err(raise::closed()),
            Ok(guard) => {
                self.holder.store(this_thread(), Ordering::Relaxed);
                Ok(Held { guard, holder: &self.holder })
            }
            Err(TryLockError::WouldBlock) if self.holder.load(Ordering::Relaxed) == this_thread() => Err(raise::busy(
                "the world is in use by a call further up on this thread, which a signal handler or a progress \
                 callback interrupted",
            )),
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
        match self.runner.compare_exchange(0, this_thread(), Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Claim(&self.runner)),
            Err(runner) => Err(running(runner)),
        }
    }

    /// An error while somebody holds the claim.
    pub fn check_not_running(&self) -> PyResult<()> {
        match self.runner.load(Ordering::Acquire) {
            0 => Ok(()),
            runner => Err(running(runner)),
        }
    }
}

/// Why time cannot be advanced while this thread is inside `run`.
fn running(runner: u64) -> PyErr {
    raise::busy(if runner == this_thread() {
        "the world is already running: this call came from its own callback"
    } else {
        "the world is being run by another thread"
    })
}

/// The world, until this is dropped.
pub struct Held<'a> {
    guard: MutexGuard<'a, World>,
    holder: &'a AtomicU64,
}

impl Deref for Held<'_> {
    type Target = World;
    fn deref(&self) -> &World {
        &self.guard
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.guard
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

/// The right to advance time.
pub struct Claim<'a>(&'a AtomicU64);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}
