//! How long a host waits for a plugin.

use std::time::Duration;

/// The number of hosts that may stand one above the other.
pub const DEEPEST: u32 = 8;

/// The time limits of a host that waits for a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Patience {
    /// From `cancel` to the signal TERM.
    pub cancel: Duration,
    /// The same where it was a signal that told this process to end.
    pub told: Duration,
    /// From TERM to KILL.
    pub terminate: Duration,
    /// From the end of its input to TERM.
    pub finish: Duration,
    /// For the reply; `None` waits as long as it takes.
    pub reply: Option<Duration>,
    /// For a word of the plugin while it works on a request; `None` waits as long as it takes. The time that the user takes for an answer
    /// does not count.
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
    /// As long for every step, and for the reply as long as it takes.
    pub fn of(step: Duration) -> Self {
        Self {
            cancel: step,
            told: step,
            terminate: step,
            finish: step,
            ..Self::default()
        }
    }

    /// The patience of a host that has `depth` others above it. It passes a signal on at once, so that it reaches every plugin
    /// at about the same time. After Ctrl-C it waits half as long as the host above. So it comes to KILL before that one does, which
    /// could not know what is left, nor what became of the work.
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
