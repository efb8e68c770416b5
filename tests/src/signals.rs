//! The signals that whoever started the tests has them ignore, as `nohup` does with HUP.

use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::AtomicBool;

use bot_cli_terminal::cancel::is_ignored;
use rustix::process::Signal;
use signal_hook::flag;

/// Every process that is started from now on has the default action for signals, as at a terminal.
///
/// An ignored signal would stay ignored in what a test starts; one that is caught does not. So what this process ignores, it
/// catches instead, and does nothing about it.
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
