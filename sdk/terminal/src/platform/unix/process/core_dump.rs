//! Core dumps, which would contain every secret in the process's memory.
//!
//! On Linux, the process becomes undumpable, which also prevents the user's other processes from reading its memory. Child processes and a
//! program that replaces this process are dumpable again. On other systems, the limit for core files is lowered. Children inherit that limit
//! and may raise it again.

/// Prevents core dumps of this process. Call this before any secret is read. If the system refuses, the process continues unprotected.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn prevent() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};

    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Prevents core dumps of this process. Call this before any secret is read. If the system refuses, the process continues unprotected.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn prevent() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let none = Rlimit {
        current: Some(0),
        ..getrlimit(Resource::Core)
    };
    let _ = setrlimit(Resource::Core, none);
}
