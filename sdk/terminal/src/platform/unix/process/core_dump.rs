//! Core dumps, which would contain every secret in the process's memory.
//!
//! On Linux, the process becomes undumpable, which also prevents the user's other processes from reading its memory. Child processes and a
//! program that replaces this process are dumpable again. On other systems, the limit for core files is lowered, and children inherit that
//! limit. [`as_found`] restores the original limit for a child or a replacement program.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The original limit for core files, if it was lowered.
static FOUND: OnceLock<Rlimit> = OnceLock::new();

/// Prevents core dumps of this process. Call this before any secret is read. If the system refuses, the process continues unprotected.
pub fn prevent() {
    if !make_undumpable() {
        lower();
    }
}

/// Calls `start` with the original limit. `start` starts a child process or replaces this process.
pub fn as_found<T>(start: impl FnOnce() -> T) -> T {
    let Some(found) = FOUND.get() else {
        return start();
    };
    // The hard limit is unchanged, so this is always allowed.
    let _ = setrlimit(Resource::Core, *found);
    let started = start();
    lower();
    started
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn make_undumpable() -> bool {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};

    set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn make_undumpable() -> bool {
    false
}

fn lower() {
    let found = getrlimit(Resource::Core);
    let none = Rlimit {
        current: Some(0),
        maximum: found.maximum,
    };
    if setrlimit(Resource::Core, none).is_ok() {
        FOUND.get_or_init(|| found);
    }
}
