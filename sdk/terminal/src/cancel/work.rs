//! Work that a request to stop ends immediately, unless it is guarded.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// A guard that keeps a request to stop from ending the work until it is dropped. A forgotten guard ([`std::mem::forget`]) protects the
/// work until its reply.
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
    /// The function that ends the work if that is allowed.
    end: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    guards: usize,
    /// Whether a step has begun that must not be interrupted.
    had_step: bool,
    /// Whether a failed question has informed the work, which therefore ends by itself.
    told: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Not begun, or finished by itself.
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

    /// Ends the work and returns whether it had guarded steps. Returns `None` if the work must continue.
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

    /// Blocks the thread until the process ends if the work is over.
    pub fn wait_if_over(&self) {
        drop(self.living());
    }

    /// Returns the state of work that is not over, and blocks otherwise.
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
