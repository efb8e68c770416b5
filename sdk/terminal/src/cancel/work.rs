//! The work that a request to stop ends at once, unless it is guarded.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// The work lasts until this is dropped: a request to stop does not end it. Whoever forgets it
/// ([`std::mem::forget`]) holds the work until its reply.
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
    /// Ends the work, if that may be.
    end: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    guards: usize,
    /// Whether there was a step that must not be cut.
    had_step: bool,
    /// Whether a question has failed for it, so that the work comes to its end by itself.
    told: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Stage {
    /// It has not begun, or has come to its own end.
    #[default]
    Idle,
    Working,
    Over,
}

impl Work {
    pub fn set_end(&self, end: impl Fn() + Send + Sync + 'static) {
        // There is one way to end it.
        let _ = self.end.set(Box::new(end));
    }

    /// Ends it as [`set_end`](Self::set_end) said.
    pub fn end(&self) {
        if let Some(end) = self.end.get() {
            end();
        }
    }

    /// Whether it is over from now on; with whether it had guarded steps.
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

    /// Blocks the thread of work that is over until the process ends.
    pub fn wait_if_over(&self) {
        drop(self.living());
    }

    /// The state of work that is not over.
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
