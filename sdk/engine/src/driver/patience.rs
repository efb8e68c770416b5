//! A host's time limits for its plugins.

use std::time::Duration;

/// The maximum depth of nested hosts.
pub const DEEPEST: u32 = 8;

/// The time limits of a host that waits for a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Patience {
    /// The time between the `cancel` message and TERM.
    pub cancel: Duration,
    /// The time between the `cancel` message and TERM if a signal asked this process to exit.
    pub told: Duration,
    /// The time between TERM and KILL.
    pub terminate: Duration,
    /// The time between the end of the plugin's input and TERM.
    pub finish: Duration,
    /// The time limit for the reply. `None` means no limit.
    pub reply: Option<Duration>,
    /// The maximum time without a message while the plugin works on a request. `None` means no limit. The time that the user takes to
    /// answer a question does not count.
    pub silence: Option<Duration>,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            cancel: Duration::from_secs(5),
            told: Duration::from_secs(5),
            terminate: Duration::from_secs(2),
            finish: Duration::from_secs(2),
            reply: None,
            silence: None,
        }
    }
}

impl Patience {
    /// Creates time limits with `step` for every step and no limit for the reply.
    pub fn of(step: Duration) -> Self {
        Self {
            cancel: step,
            told: step,
            terminate: step,
            finish: step,
            ..Self::default()
        }
    }

    /// Returns the time limits for a host with `depth` hosts above it. The host forwards a signal immediately, so that all plugins receive
    /// the signal at about the same time.
    ///
    /// After Ctrl-C, the host waits half as long as the host above it, and therefore sends KILL first. If the host above killed this host
    /// first, this host could neither find the remaining processes nor report the state of the work.
    pub fn below(self, depth: u32) -> Self {
        if depth == 0 {
            return self;
        }
        Self {
            told: Duration::ZERO,
            cancel: self.cancel / 2_u32.pow(depth.min(DEEPEST)),
            terminate: self.terminate * DEEPEST.saturating_sub(depth) / DEEPEST,
            ..self
        }
    }
}
