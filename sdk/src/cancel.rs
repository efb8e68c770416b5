//! The user's request to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::background::{no_thread, spawn};
use crate::failure::{Exit, Failure};
pub use crate::process::is_ignored;
use crate::process::{self, Listened, StopSignal, StopSignals};

/// The interval at which a request is looked for.
const TICK: Duration = Duration::from_millis(20);

/// Counts how often the user asked to stop. Clones share the count.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Debug, Default)]
struct CancelState {
    count: AtomicU8,
    terminated: AtomicBool,
    /// Whether the first request was a signal that tells a process to end.
    terminated_first: AtomicBool,
    /// The signals that count, too, as soon as somebody looks.
    signals: Option<StopSignals>,
}

impl Cancel {
    /// Nobody asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts Ctrl-C and the signals TERM and HUP of this process from now on, instead of ending at once. A signal that the
    /// parent ignores stays ignored, also by a program that this process becomes: HUP under `nohup`, INT in a script's
    /// background job.
    pub fn on_signals() -> Result<Self, Failure> {
        let signals = process::note_stop_signals(Listened::NotIgnored)?;
        Ok(Self(Arc::new(CancelState {
            signals: Some(signals),
            ..CancelState::default()
        })))
    }

    /// Like [`on_signals`](Self::on_signals), but ends the process at the second signal, or `grace` after the first.
    pub fn on_signals_or_exit(grace: Duration) -> Result<Self, Failure> {
        let cancel = Self::on_signals()?;
        let watched = cancel.clone();
        spawn(move || {
            let mut since: Option<Instant> = None;
            loop {
                thread::sleep(TICK);
                if watched.requested() {
                    let since = since.get_or_insert_with(Instant::now);
                    if watched.count() > 1 || since.elapsed() >= grace {
                        std::process::exit(watched.exit().status().into());
                    }
                }
            }
        })
        .map_err(no_thread)?;
        Ok(cancel)
    }

    /// The class of a run that was stopped this way: that of the first request. After Ctrl-C, a host ends with TERM who takes too long.
    #[must_use]
    pub fn exit(&self) -> Exit {
        self.heed_signals();
        if self.0.terminated_first.load(Ordering::SeqCst) {
            Exit::Terminated
        } else {
            Exit::Cancelled
        }
    }

    /// `failure` as it is where a signal told the process to end: a cancelled run says so by its status.
    #[must_use]
    pub fn explain(&self, mut failure: Failure) -> Failure {
        if failure.exit == Exit::Cancelled {
            failure.exit = self.exit();
        }
        failure
    }

    /// Asks to stop because the process was told to end.
    pub(crate) fn terminate(&self) {
        if !self.requested() {
            self.0.terminated_first.store(true, Ordering::SeqCst);
        }
        self.0.terminated.store(true, Ordering::SeqCst);
        self.request();
    }

    /// Asks to stop; the second time means at once.
    pub fn request(&self) {
        let count = &self.0.count;
        let _ = count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_add(1));
    }

    /// Whether somebody asked to stop.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.count() > 0
    }

    /// Returns how often somebody asked.
    #[must_use]
    pub fn count(&self) -> u8 {
        self.heed_signals();
        self.0.count.load(Ordering::SeqCst)
    }

    /// Whether it was a signal that tells a process to end.
    #[must_use]
    pub fn terminated(&self) -> bool {
        self.heed_signals();
        self.0.terminated.load(Ordering::SeqCst)
    }

    fn heed_signals(&self) {
        for signal in self.0.signals.iter().flat_map(StopSignals::take) {
            match signal {
                StopSignal::Interrupt => self.request(),
                StopSignal::Terminate | StopSignal::HangUp => self.terminate(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cancel;
    use crate::failure::Exit;

    #[test]
    fn the_first_request_is_the_reason() {
        let cancel = Cancel::new();
        cancel.request();
        cancel.terminate();
        assert_eq!(
            (cancel.exit(), cancel.terminated()),
            (Exit::Cancelled, true)
        );
        let cancel = Cancel::new();
        cancel.terminate();
        cancel.request();
        assert_eq!(cancel.exit(), Exit::Terminated);
    }
}
