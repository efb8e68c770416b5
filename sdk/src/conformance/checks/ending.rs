//! The end of the input, and signals.

use std::time::Duration;

use rustix::process::Signal;

use super::{Held, UNKNOWN, failed, version};
use crate::cancel::is_ignored;
use crate::conformance::bench::Bench;

/// How long a plugin has after a signal.
pub const GRACE: Duration = Duration::from_secs(5);

/// The end of the input ends the plugin well.
pub fn input_end(bench: &Bench) -> Held {
    let (status, _) = bench.start()?.finish()?;
    if status.success() {
        return Ok(());
    }
    failed(format!("at the end of its input it ended with {status}"))
}

/// What has been read is answered before.
pub fn replies_at_input_end(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let lines: Vec<String> = (0..2).map(|_| plugin.line(UNKNOWN, version())).collect();
    plugin.write(lines.concat());
    let (status, _) = plugin.finish()?;
    match plugin.open() {
        [] if status.success() => Ok(()),
        [] => failed(format!("after its replies it ended with {status}")),
        open => failed(format!("it ended without {} of 2 replies", open.len())),
    }
}

/// Signals end a plugin that does nothing.
pub fn signal(bench: &Bench) -> Held {
    for (signal, name) in [
        (Signal::TERM, "TERM"),
        (Signal::INT, "INT"),
        (Signal::HUP, "HUP"),
    ] {
        let number = signal.as_raw();
        // What this process ignores, the plugin ignores, too, and not every language can change that.
        if is_ignored(number) {
            continue;
        }
        let mut plugin = bench.start()?;
        plugin.request(UNKNOWN, version())?;
        plugin.signal(signal, name);
        let (status, _) = plugin.ended(GRACE)?;
        let told = shell_status(status);
        if told != 128 + number {
            return failed(format!("at {name} it ended with {status}"));
        }
    }
    Ok(())
}

/// The status as a shell tells it.
pub fn shell_status(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;

    let signalled = || status.signal().map_or(-1, |signal| 128 + signal);
    status.code().unwrap_or_else(signalled)
}
