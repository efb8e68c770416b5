//! The end of the input, and signals.

use std::time::Duration;

use super::{Held, UNKNOWN, failed, version};
use crate::conformance::bench::Bench;
use crate::process::{StopSignal, shell_status};

/// The time that a plugin has after a signal.
pub const GRACE: Duration = Duration::from_secs(5);

/// The end of the input ends the plugin well.
pub fn input_end(bench: &Bench) -> Held {
    let (status, _) = bench.start()?.finish()?;
    if status.success() {
        return Ok(());
    }
    failed(format!("at the end of its input it ended with {status}"))
}

/// Checks that requests that have been read are answered before.
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
        (StopSignal::Terminate, "TERM"),
        (StopSignal::Interrupt, "INT"),
        (StopSignal::HangUp, "HUP"),
    ] {
        // What this process ignores, the plugin ignores, too, and not every language can change that.
        if signal.is_ignored() {
            continue;
        }
        let mut plugin = bench.start()?;
        plugin.request(UNKNOWN, version())?;
        plugin.signal(signal, name);
        let (status, _) = plugin.ended(GRACE)?;
        if shell_status(status) != i32::from(signal.status()) {
            return failed(format!("at {name} it ended with {status}"));
        }
    }
    Ok(())
}
