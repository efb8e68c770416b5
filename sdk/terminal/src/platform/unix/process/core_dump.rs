//! Core dumps, which would hold every secret that a process knows.
//!
//! On Linux the process is made undumpable, which also keeps other processes of the user out of its memory. That ends when it
//! becomes another program, and its children never have it. Elsewhere the limit for core files is lowered, which is inherited;
//! [`as_found`] gives a child or a successor the limit that this process was started with.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limit that this process was started with, if it has another one now.
static FOUND: OnceLock<Rlimit> = OnceLock::new();

/// From now on no core dump is written of this process. Called before anything secret is read; where the system refuses, the
/// process works on as it is.
pub fn prevent() {
    if !make_undumpable() {
        lower();
    }
}

/// Does `start`, which starts a child or becomes another program, with the limit that this process was started with.
pub fn as_found<T>(start: impl FnOnce() -> T) -> T {
    let Some(found) = FOUND.get() else {
        return start();
    };
    // The hard limit was left alone: this is always allowed.
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

#[cfg(test)]
mod tests {
    use rustix::process::{Resource, getrlimit};

    use super::{as_found, lower};

    #[test]
    fn what_is_started_has_the_limit_that_was_found() {
        let found = getrlimit(Resource::Core);
        lower();
        assert_eq!(getrlimit(Resource::Core).current, Some(0));
        assert_eq!(as_found(|| getrlimit(Resource::Core)), found);
        assert_eq!(getrlimit(Resource::Core).current, Some(0));
        assert_eq!(as_found(|| getrlimit(Resource::Core)), found);
    }
}
