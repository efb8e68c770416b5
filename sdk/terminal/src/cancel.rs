//! The user's request to stop.

mod work;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::background::{no_thread, spawn};
pub use crate::process::is_ignored;
use crate::process::{self, StopSignal, StopSignals};
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
pub use work::Guard;
use work::Work;

/// The interval at which a request is looked for.
const TICK: Duration = Duration::from_millis(20);

/// Counts how often the user asked to stop. Clones share the count.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    count: AtomicU8,
    terminated: AtomicBool,
    /// Whether the first request was a signal that tells a process to end.
    terminated_first: AtomicBool,
    /// The signals that count as requests, too.
    signals: Option<StopSignals>,
    work: Arc<Work>,
    /// What is done before the process ends without waiting for its work.
    last: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl fmt::Debug for CancelState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.count.fmt(f)
    }
}

impl Cancel {
    /// No request yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts Ctrl-C and the signals TERM and HUP of this process from now on, instead of ending at once. A signal that the
    /// parent ignores stays ignored, also by a program that this process becomes: HUP under `nohup`, INT in a script's
    /// background job.
    pub fn on_signals() -> Result<Self, Failure> {
        let signals = process::note_stop_signals()?;
        Ok(Self(Arc::new(CancelState {
            signals: Some(signals),
            ..CancelState::default()
        })))
    }

    /// Like [`on_signals`](Self::on_signals), but ends the process: at the first signal with the status of `report`, unless the work is
    /// guarded; otherwise at the second, or `grace` after the first.
    pub fn on_signals_or_exit(
        grace: Duration,
        report: impl Fn(Failure) -> u8 + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let cancel = Self::on_signals()?;
        let ended = cancel.clone();
        cancel.ends_by(move || {
            if let Some(failure) = ended.take_over() {
                std::process::exit(report(failure).into());
            }
        });
        let watched = cancel.clone();
        spawn(move || {
            while !watched.requested() {
                thread::sleep(TICK);
            }
            let since = Instant::now();
            watched.0.work.end();
            while watched.count() == 1 && since.elapsed() < grace {
                thread::sleep(TICK);
            }
            watched.0.last.get().into_iter().for_each(|last| last());
            std::process::exit(watched.exit().status().into());
        })
        .map_err(no_thread)?;
        Ok(cancel)
    }

    /// Has `last` called before the process ends without waiting for its work, as at the second request.
    pub fn before_exit(&self, last: impl Fn() + Send + Sync + 'static) {
        // There is one way to end it.
        let _ = self.0.last.set(Box::new(last));
    }

    /// Lets a request end the work by `end`, which asks [`take_over`](Self::take_over) first.
    pub fn ends_by(&self, end: impl Fn() + Send + Sync + 'static) {
        self.0.work.set_end(end);
    }

    /// The failure with which the work ends here and now, if it may: from now on it neither goes on nor replies.
    pub fn take_over(&self) -> Option<Failure> {
        let had_step = self.0.work.take_over()?;
        let failure = self.explain(Failure::cancelled());
        Some(if had_step {
            failure.outcome(ChangeState::Unknown)
        } else {
            failure
        })
    }

    /// From now on a request ends the work, also one that is there already.
    pub fn begin(&self) {
        self.0.work.begin();
        self.heed();
    }

    /// The work has come to its own end, which counts.
    pub fn settle(&self) {
        self.0.work.settle();
    }

    /// Keeps the work from being ended. A request that is there already ends it before.
    pub fn guard(&self) -> Guard {
        self.heed();
        self.0.work.step()
    }

    /// The same where the work learns by itself that it is to stop, and changes nothing.
    pub fn hold(&self) -> Guard {
        self.heed();
        self.0.work.hold()
    }

    /// The work was told by a failure, and is left to come to its end.
    pub fn tell(&self) {
        self.0.work.set_told(true);
    }

    /// Ends the work if a stop was requested.
    pub fn heed(&self) {
        if self.requested() {
            self.0.work.set_told(false);
            self.0.work.end();
            self.0.work.wait_if_over();
        }
    }

    /// The class of a run that was stopped this way: that of the first request. After Ctrl-C, a host ends with TERM who takes too long.
    pub fn exit(&self) -> Exit {
        self.heed_signals();
        if self.0.terminated_first.load(Ordering::SeqCst) {
            Exit::Terminated
        } else {
            Exit::Cancelled
        }
    }

    /// `failure` as it is where a signal told the process to end: a cancelled run says so by its status.
    pub fn explain(&self, mut failure: Failure) -> Failure {
        if failure.exit == Exit::Cancelled {
            failure.exit = self.exit();
        }
        failure
    }

    /// Asks to stop because the process was told to end.
    pub fn terminate(&self) {
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

    /// Whether a stop was requested.
    pub fn requested(&self) -> bool {
        self.count() > 0
    }

    /// Returns the number of requests.
    pub fn count(&self) -> u8 {
        self.heed_signals();
        self.0.count.load(Ordering::SeqCst)
    }

    /// Whether it was a signal that tells a process to end.
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
    use bot_cli_protocol::failure::Exit;

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
