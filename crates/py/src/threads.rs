//! Threads of the engine, and what a fork of the process does to them.
//!
//! Islands are solved on the global pool of rayon. A forked child (`multiprocessing` on Linux) has that pool but none
//! of its threads, and would wait for them forever. So after a fork the engine runs in a pool of the child's own.

use crate::raise;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, TryLockError};

/// How often this process was forked off.
static FORKS: AtomicU64 = AtomicU64::new(0);
/// The pool of a forked child, and after which fork it was made.
static CHILD: Mutex<Option<(u64, Arc<ThreadPool>)>> = Mutex::new(None);

/// Called in the child after every fork.
#[pyfunction]
pub fn _after_fork_in_child() {
    FORKS.fetch_add(1, Ordering::SeqCst);
}

/// Runs the engine where it has threads.
pub fn engine<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let forks = FORKS.load(Ordering::Relaxed);
    if forks == 0 {
        return Ok(work());
    }
    Ok(child_pool(forks)?.install(work))
}

fn child_pool(forks: u64) -> PyResult<Arc<ThreadPool>> {
    let mut kept = match CHILD.try_lock() {
        Ok(kept) => kept,
        Err(TryLockError::Poisoned(kept)) => kept.into_inner(),
        // Locked by this process, or by a thread of the parent that does not exist here: a pool for this call will do.
        Err(TryLockError::WouldBlock) => return pool(None).map(Arc::new),
    };
    match &*kept {
        Some((made, pool)) if *made == forks => Ok(pool.clone()),
        _ => {
            let made = Arc::new(pool(None)?);
            // The pool of the parent cannot be taken down from here.
            std::mem::forget(kept.replace((forks, made.clone())));
            Ok(made)
        }
    }
}

/// A pool of `threads` threads, or of as many as there are processors.
pub fn pool(threads: Option<usize>) -> PyResult<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    builder.build().map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))
}

/// Work that has nothing to do with a world: a panic is an exception and closes nothing.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| py.detach(|| engine(work))));
    outcome.unwrap_or_else(|panic| Err(raise::internal(&*panic)))
}
