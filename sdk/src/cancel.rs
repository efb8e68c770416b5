//! The user's wish to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Counts how often the user asked to stop. Clones share the count.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicU8>);

impl Cancel {
    /// Nobody asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to stop; the second time means at once.
    pub fn request(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| {
                count.checked_add(1)
            });
    }

    /// Whether somebody asked to stop.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.count() > 0
    }

    /// How often somebody asked.
    #[must_use]
    pub fn count(&self) -> u8 {
        self.0.load(Ordering::SeqCst)
    }
}
