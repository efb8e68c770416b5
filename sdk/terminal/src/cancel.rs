//! Cancellation by the user or by a signal.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::background::{no_thread, spawn};
pub use crate::process::is_ignored;
use crate::process::{self, Alarm, StopSignal, StopSignals};
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};

const TICK: Duration = Duration::from_millis(20);

/// A counter for the user's requests to stop. All clones share the count.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    count: AtomicU8,
    terminated: AtomicBool,
    terminated_first: AtomicBool,
    signals: Option<StopSignals>,
    /// The alarm of the thread that waits for the first request.
    alarm: OnceLock<Alarm>,
    /// The function to run at every request.
    told: OnceLock<Box<dyn Fn() + Send + Sync>>,
    work: Mutex<Work>,
    /// The function that stops the work, unless the work must continue.
    end: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// The function to run before the process exits without waiting for its work.
    last: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// Work that a request stops immediately, unless the work is guarded.
#[derive(Default)]
struct Work {
    stage: Stage,
    guards: usize,
    /// Whether the work has started a step that must not be interrupted.
    had_step: bool,
    /// Whether a cancelled question has notified the work of the request. The work then finishes by itself.
    told: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Stage {
    /// The work has not started yet, or has already finished.
    #[default]
    Idle,
    Working,
    Over,
}

/// A guard that prevents requests from stopping the work until the guard is dropped. After [`std::mem::forget`], the guard remains in
/// effect until the work replies.
#[derive(Debug)]
pub struct Guard(Cancel);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.work().guards -= 1;
    }
}

impl fmt::Debug for CancelState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.count.fmt(f)
    }
}

impl Cancel {
    /// Creates a counter with no requests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a counter for Ctrl-C and the signals TERM and HUP, which then no longer terminate the process. A signal that the parent
    /// process ignores stays ignored, such as HUP under `nohup` or INT in a script's background job. The same applies to a program that
    /// replaces this process.
    pub fn on_signals() -> Result<Self, Failure> {
        let signals = process::note_stop_signals()?;
        Ok(Self(Arc::new(CancelState {
            signals: Some(signals),
            ..CancelState::default()
        })))
    }

    /// Does the same as [`on_signals`](Self::on_signals), but also makes the process exit. On the first request, the process exits with the
    /// status that `report` returns, unless the work must continue. In that case, the process exits on the second request, or `grace` after
    /// the first.
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
        let _ = cancel.0.alarm.set(Alarm::new()?);
        spawn(move || {
            while !watched.requested() {
                watched.0.alarm.get().into_iter().for_each(Alarm::wait);
            }
            let since = Instant::now();
            watched.end();
            while watched.count() == 1 && since.elapsed() < grace {
                thread::sleep(TICK);
            }
            watched.0.last.get().into_iter().for_each(|last| last());
            std::process::exit(watched.exit().status().into());
        })
        .map_err(no_thread)?;
        Ok(cancel)
    }

    /// Sets the function to run before the process exits without waiting for its work, for example on the second request.
    pub fn before_exit(&self, last: impl Fn() + Send + Sync + 'static) {
        // Only the first function is kept.
        let _ = self.0.last.set(Box::new(last));
    }

    /// Sets the function to run at every request, for work that waits for something else at the same time. The function must return at once.
    pub fn on_request(&self, told: impl Fn() + Send + Sync + 'static) {
        // Only the first function is kept.
        let _ = self.0.told.set(Box::new(told));
    }

    /// Sets the function that stops the work after a request. The function must call [`take_over`](Self::take_over) first.
    pub fn ends_by(&self, end: impl Fn() + Send + Sync + 'static) {
        // Only the first function is kept.
        let _ = self.0.end.set(Box::new(end));
    }

    /// Stops the work and returns the failure to report. Returns `None` if the work must continue. Stopped work neither continues nor
    /// replies.
    pub fn take_over(&self) -> Option<Failure> {
        let mut work = self.work();
        if work.stage != Stage::Working || work.guards > 0 || work.told {
            return None;
        }
        work.stage = Stage::Over;
        let mut failure = self.explain(Failure::cancelled());
        failure.outcome = work.had_step.then_some(ChangeState::Unknown);
        Some(failure)
    }

    /// Marks the work as started. A request then stops the work, even if the request arrived earlier.
    pub fn begin(&self) {
        self.work().stage = Stage::Working;
        self.heed();
    }

    /// Marks the work as finished. Its result is then final, and a request no longer stops it.
    pub fn settle(&self) {
        self.living_work().stage = Stage::Idle;
    }

    /// Prevents requests from stopping the work until the guard is dropped. A request that has already arrived stops the work first.
    pub fn guard(&self) -> Guard {
        let held = self.hold();
        self.work().had_step = true;
        held
    }

    /// Does the same as [`guard`](Self::guard), but for work that checks for requests itself and makes no changes.
    pub fn hold(&self) -> Guard {
        self.heed();
        self.living_work().guards += 1;
        Guard(self.clone())
    }

    /// Records that a cancelled question has notified the work of the request. The work may then finish by itself.
    pub fn tell(&self) {
        self.living_work().told = true;
    }

    /// Stops the work if a stop was requested. Blocks the thread until the process exits if the work has been stopped.
    pub fn heed(&self) {
        if self.requested() {
            self.living_work().told = false;
            self.end();
            drop(self.living_work());
        }
    }

    fn end(&self) {
        self.0.end.get().into_iter().for_each(|end| end());
    }

    /// Returns the state of the work. Blocks forever if the work has been stopped.
    fn living_work(&self) -> MutexGuard<'_, Work> {
        loop {
            let work = self.work();
            if work.stage != Stage::Over {
                return work;
            }
            drop(work);
            thread::park();
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.0.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the exit class for a stopped run, which depends on the first request. A later TERM does not change the class, because a host
    /// sends TERM after Ctrl-C to a plugin that stops too slowly.
    pub fn exit(&self) -> Exit {
        self.heed_signals();
        if self.0.terminated_first.load(Ordering::SeqCst) {
            Exit::Terminated
        } else {
            Exit::Cancelled
        }
    }

    /// Changes the class of a cancelled `failure` to [`exit`](Self::exit), so that the status shows whether a signal terminated the
    /// process.
    pub fn explain(&self, mut failure: Failure) -> Failure {
        if failure.exit == Exit::Cancelled {
            failure.exit = self.exit();
        }
        failure
    }

    /// Requests a stop because of a signal such as TERM or HUP.
    pub fn terminate(&self) {
        if !self.requested() {
            self.0.terminated_first.store(true, Ordering::SeqCst);
        }
        self.0.terminated.store(true, Ordering::SeqCst);
        self.request();
    }

    /// Requests a stop because of a signal. Ctrl-C counts as a request by the user.
    pub fn take_signal(&self, signal: StopSignal) {
        match signal {
            StopSignal::Interrupt => self.request(),
            StopSignal::Terminate | StopSignal::HangUp => self.terminate(),
        }
    }

    /// Requests a stop. A second request asks for an immediate stop.
    pub fn request(&self) {
        let count = &self.0.count;
        let _ = count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_add(1));
        self.0.alarm.get().into_iter().for_each(Alarm::ring);
        self.0.told.get().into_iter().for_each(|told| told());
    }

    /// Reports whether a stop was requested.
    pub fn requested(&self) -> bool {
        self.count() > 0
    }

    /// Returns the number of requests.
    pub fn count(&self) -> u8 {
        self.heed_signals();
        self.0.count.load(Ordering::SeqCst)
    }

    /// Reports whether any request came from [`terminate`](Self::terminate), directly or through a signal.
    pub fn terminated(&self) -> bool {
        self.heed_signals();
        self.0.terminated.load(Ordering::SeqCst)
    }

    fn heed_signals(&self) {
        let signals = self.0.signals.iter().flat_map(StopSignals::take);
        signals.for_each(|signal| self.take_signal(signal));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::Cancel;
    use bot_cli_protocol::failure::Exit;

    #[test]
    fn every_request_is_told() {
        let (cancel, told) = (Cancel::new(), Arc::new(AtomicU8::new(0)));
        let count = Arc::clone(&told);
        cancel.on_request(move || {
            count.fetch_add(1, Ordering::SeqCst);
        });
        cancel.request();
        cancel.terminate();
        assert_eq!(told.load(Ordering::SeqCst), 2);
    }

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
