//! The user's wish to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Counts how often the user asked to stop. Clones share the count.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Wishes>);

#[derive(Debug, Default)]
struct Wishes {
    count: AtomicU8,
    terminated: AtomicBool,
}

impl Cancel {
    /// Nobody asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts Ctrl-C and the signals TERM and HUP of this process from now on, instead of ending at once.
    pub fn on_signals() -> io::Result<Self> {
        let cancel = Self::new();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let wishes = cancel.clone();
        thread::spawn(move || {
            for signal in signals.forever() {
                if signal != SIGINT {
                    wishes.0.terminated.store(true, Ordering::SeqCst);
                }
                wishes.request();
            }
        });
        Ok(cancel)
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

    /// How often somebody asked.
    #[must_use]
    pub fn count(&self) -> u8 {
        self.0.count.load(Ordering::SeqCst)
    }

    /// Whether it was a signal that tells a process to end.
    #[must_use]
    pub fn terminated(&self) -> bool {
        self.0.terminated.load(Ordering::SeqCst)
    }
}
