//! State that threads share and that tests can wait for.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::patience;

/// State that threads share.
#[derive(Debug, Default)]
pub struct Watched<T>(Mutex<T>);

/// A lock on the state.
pub type Guard<'a, T> = MutexGuard<'a, T>;

impl<T> Watched<T> {
    /// Creates shared state from `state`.
    pub fn new(state: T) -> Self {
        Self(Mutex::new(state))
    }

    /// Locks the state. The state stays readable after a test fails while holding the lock.
    pub fn lock(&self) -> Guard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Polls until `done` returns `true`. `done` may lock the state.
    ///
    /// # Panics
    ///
    /// Panics with `what` if the wait exceeds [`patience::PATIENCE`].
    #[track_caller]
    pub fn wait_until(&self, what: &str, done: impl Fn() -> bool) {
        patience::wait_until(what, done);
    }
}
