//! The heap, counted: a test that names this module has it as its allocator. Tests of other crates name it by its path.

// Each test program uses its own part of this.
#![allow(dead_code)]
#![allow(unsafe_code)] // A global allocator cannot be written without; it only counts and forwards.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static ALL: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: Cell<usize> = const { Cell::new(0) };
}

/// Allocations of this thread so far.
pub fn of_this_thread() -> usize {
    OWN.with(Cell::get)
}

/// Allocations of all threads so far.
pub fn of_all_threads() -> usize {
    ALL.load(Relaxed)
}

/// Bytes in use, of all threads.
pub fn live_bytes() -> usize {
    LIVE.load(Relaxed)
}

/// Most bytes in use at any time of the work beyond those before it. Of all threads: other tests must not run meanwhile.
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (result, PEAK.load(Relaxed) - before)
}

fn count() {
    ALL.fetch_add(1, Relaxed);
    // The counter is gone while a thread ends: allocations then are nobody's.
    let _ = OWN.try_with(|n| n.set(n.get() + 1));
}

fn take(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

struct Counting;

// SAFETY: every call is forwarded unchanged to the system allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        take(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        take(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // Old and new may be there at once while one is copied to the other.
        take(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
