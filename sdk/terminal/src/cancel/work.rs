//! Work that a request stops immediately, unless the work is guarded.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// A guard that prevents requests from stopping the work until the guard is dropped. After [`std::mem::forget`], the guard remains in
/// effect until the work replies.
#[derive(Debug)]
pub struct Guard(Arc<Work>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.lock().guards -= 1;
    }
}

#[derive(Default)]
pub(super) struct Work {
    state: Mutex<State>,
    /// The function that stops the work, unless the work must continue.
    end: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    guards: usize,
    /// Whether the work has started a step that must not be interrupted.
    had_step: bool,
    /// Whether a cancelled question has notified the work of the request. The work then finishes by itself.
    told: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The work has not started yet, or has already finished.
    #[default]
    Idle,
    Working,
    Over,
}

impl Work {
    pub fn set_end(&self, end: impl Fn() + Send + Sync + 'static) {
        // Only the first function is kept.
        let _ = self.end.set(Box::new(end));
    }

    pub fn end(&self) {
        if let Some(end) = self.end.get() {
            end();
        }
    }

    /// Stops the work and returns whether it had guarded steps. Returns `None` if the work must continue.
    pub fn take_over(&self) -> Option<bool> {
        let mut state = self.lock();
        if state.stage != Stage::Working || state.guards > 0 || state.told {
            return None;
        }
        state.stage = Stage::Over;
        Some(state.had_step)
    }

    pub fn begin(&self) {
        self.lock().stage = Stage::Working;
    }

    pub fn settle(&self) {
        self.living().stage = Stage::Idle;
    }

    pub fn hold(self: &Arc<Self>) -> Guard {
        self.living().guards += 1;
        Guard(Arc::clone(self))
    }

    pub fn step(self: &Arc<Self>) -> Guard {
        self.living().had_step = true;
        self.hold()
    }

    pub fn set_told(&self, told: bool) {
        self.living().told = told;
    }

    /// Blocks the thread until the process exits if the work has been stopped.
    pub fn wait_if_over(&self) {
        drop(self.living());
    }

    /// Returns the state of the work. Blocks forever if the work has been stopped.
    fn living(&self) -> MutexGuard<'_, State> {
        loop {
            let state = self.lock();
            if state.stage != Stage::Over {
                return state;
            }
            drop(state);
            thread::park();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)
    }
}
