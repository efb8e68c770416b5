//! Restores the default signal actions in child processes if the tests themselves run with ignored signals, as under `nohup`.

use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::AtomicBool;

use bot_cli_terminal::cancel::is_ignored;
use rustix::process::Signal;
use signal_hook::flag;

/// Gives every process started from now on the default signal actions, as at a terminal.
///
/// Children inherit ignored signals but not signal handlers. So each ignored signal gets a handler that does nothing.
pub fn default_in_children() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM] {
            let signal = signal.as_raw();
            if is_ignored(signal) {
                // Where that fails, the test that needs it does.
                let _ = flag::register(signal, Arc::new(AtomicBool::new(false)));
            }
        }
    });
}
