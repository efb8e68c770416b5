//! State that threads share and that tests can wait for.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::patience::PATIENCE;

/// State that threads share. Waiting threads check the state again after every change.
#[derive(Debug, Default)]
pub struct Watched<T> {
    state: Mutex<T>,
    /// The number of changes so far.
    changes: Mutex<u64>,
    changed: Condvar,
}

/// A lock on the state.
#[derive(Debug)]
pub struct Guard<'a, T> {
    watched: &'a Watched<T>,
    state: MutexGuard<'a, T>,
    is_changed: bool,
}

impl<T> Watched<T> {
    /// Creates shared state from `state`.
    pub fn new(state: T) -> Self {
        Self {
            state: Mutex::new(state),
            changes: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Locks the state. The state stays readable after a test fails while holding the lock.
    pub fn lock(&self) -> Guard<'_, T> {
        Guard {
            watched: self,
            state: self.state.lock().unwrap_or_else(PoisonError::into_inner),
            is_changed: false,
        }
    }

    /// Waits until `done` returns `true`. `done` may lock the state.
    ///
    /// # Panics
    ///
    /// Panics with `what` if the wait exceeds [`PATIENCE`].
    #[track_caller]
    pub fn wait_until(&self, what: &str, done: impl Fn() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = *self.changes();
            if done() {
                return;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "waited for {what} in vain");
            let unchanged = |changes: &mut u64| *changes == seen;
            drop(
                self.changed
                    .wait_timeout_while(self.changes(), left, unchanged),
            );
        }
    }

    fn changes(&self) -> MutexGuard<'_, u64> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.state
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.is_changed = true;
        &mut self.state
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if self.is_changed {
            *self.watched.changes() += 1;
            self.watched.changed.notify_all();
        }
    }
}
