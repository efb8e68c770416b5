//! The file size limit, which a shell sets with `ulimit -f`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGXFSZ;

use super::is_ignored;

/// Makes a write beyond the limit return an error instead of terminating the process. Child processes and a program that replaces this
/// process inherit the original signal disposition.
pub fn fail_writes() {
    if is_ignored(SIGXFSZ) {
        return;
    }
    // Unlike an ignored signal, a handler is not inherited. If it can't be registered, the limit ends the process as usual.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
