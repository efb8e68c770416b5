//! The limit for the size of files, which a shell sets with `ulimit -f`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGXFSZ;

use super::is_ignored;

/// From now on, a write beyond the limit fails with an error instead of ending the process. A program that this process starts
/// or becomes has the signal as this process found it.
pub fn fail_writes() {
    if is_ignored(SIGXFSZ) {
        return;
    }
    // Unlike an ignored signal, a handler is not inherited. Where there can be none, the process works on as it is.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
