//! How a plugin is brought to stop, step by step: it is told, it gets TERM, it gets KILL.

use std::time::{Duration, Instant};

use super::Patience;
use crate::cancel::Cancel;

/// What is to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Send `cancel` for this reason.
    Tell(&'static str),
    /// Send the signal TERM.
    Terminate,
    /// Send the signal KILL, and wait no longer.
    Kill,
}

/// How far it has come.
#[derive(Debug)]
pub struct Ladder<'a> {
    patience: Patience,
    cancel: &'a Cancel,
    started: Instant,
    /// When the plugin last said something, or was last asked to.
    heard: Instant,
    rung: Rung,
    late: Option<Late>,
}

/// Why a plugin was not waited for any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Late {
    /// There was no reply within so many seconds.
    Reply(u64),
    /// It said nothing for so many seconds.
    Silence(u64),
}

#[derive(Debug, Clone, Copy)]
enum Rung {
    Working,
    /// With the number of wishes from which on it is not waited for.
    Told(Instant, u8),
    Terminated(Instant),
}

impl<'a> Ladder<'a> {
    /// A plugin that begins to work on a request now.
    pub fn new(patience: Patience, cancel: &'a Cancel) -> Self {
        Self {
            patience,
            cancel,
            started: Instant::now(),
            heard: Instant::now(),
            rung: Rung::Working,
            late: None,
        }
    }

    /// The plugin said something.
    pub fn hear(&mut self, now: Instant) {
        self.heard = now;
    }

    /// The step that is due at `now`.
    pub fn climb(&mut self, now: Instant) -> Option<Step> {
        let over = |since: Instant, patience| now.saturating_duration_since(since) >= patience;
        let limit = self.patience.reply.unwrap_or(Duration::MAX);
        let silence = self.patience.silence.unwrap_or(Duration::MAX);
        let (rung, step) = match self.rung {
            Rung::Working if self.cancel.requested() => {
                (Rung::Told(now, 2), Step::Tell(self.wish()))
            }
            Rung::Working if over(self.started, limit) => {
                self.late = Some(Late::Reply(limit.as_secs()));
                (Rung::Told(now, 1), Step::Tell("timeout"))
            }
            Rung::Working if over(self.heard, silence) => {
                self.late = Some(Late::Silence(silence.as_secs()));
                (Rung::Told(now, 1), Step::Tell("timeout"))
            }
            Rung::Told(since, enough)
                if self.cancel.count() >= enough || over(since, self.patience()) =>
            {
                (Rung::Terminated(now), Step::Terminate)
            }
            Rung::Terminated(since) if over(since, self.patience.terminate) => {
                (self.rung, Step::Kill)
            }
            Rung::Working | Rung::Told(..) | Rung::Terminated(_) => return None,
        };
        self.rung = rung;
        Some(step)
    }

    /// How long the plugin was waited for, if that is why it was to stop.
    pub fn late(&self) -> Option<Late> {
        self.late.filter(|_| !self.cancel.requested())
    }

    /// From `cancel` to TERM.
    fn patience(&self) -> Duration {
        if self.cancel.terminated() {
            self.patience.told
        } else {
            self.patience.cancel
        }
    }

    fn wish(&self) -> &'static str {
        if self.cancel.terminated() {
            "signal"
        } else {
            "user"
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Ladder, Late, Step};
    use crate::cancel::Cancel;
    use crate::driver::{DEEPEST, Patience};

    const PATIENCE: Patience = Patience {
        cancel: Duration::from_secs(5),
        told: Duration::from_secs(5),
        terminate: Duration::from_secs(2),
        finish: Duration::from_secs(2),
        reply: Some(Duration::from_secs(60)),
        silence: None,
    };

    /// Climbs at these seconds.
    fn climbed(ladder: &mut Ladder, seconds: &[u64]) -> Vec<Option<Step>> {
        let start = ladder.started;
        let at = |second: &u64| start + Duration::from_secs(*second);
        seconds
            .iter()
            .map(|second| ladder.climb(at(second)))
            .collect()
    }

    #[test]
    fn each_step_has_its_patience() {
        let cancel = Cancel::new();
        let mut ladder = Ladder::new(PATIENCE, &cancel);
        assert_eq!(climbed(&mut ladder, &[59]), [None]);
        cancel.request();
        assert_eq!(
            climbed(&mut ladder, &[59, 63, 64, 65, 66]),
            [
                Some(Step::Tell("user")),
                None,
                Some(Step::Terminate),
                None,
                Some(Step::Kill)
            ]
        );
        assert_eq!(ladder.late(), None);
    }

    #[test]
    fn a_second_wish_skips_the_patience_of_the_first() {
        let cancel = Cancel::new();
        let mut ladder = Ladder::new(PATIENCE, &cancel);
        cancel.terminate();
        assert_eq!(climbed(&mut ladder, &[1]), [Some(Step::Tell("signal"))]);
        cancel.request();
        assert_eq!(climbed(&mut ladder, &[1]), [Some(Step::Terminate)]);
    }

    #[test]
    fn a_nested_host_passes_a_signal_on_at_once_and_kills_before_the_one_above() {
        let mut above = PATIENCE;
        for depth in 1..DEEPEST {
            let patience = PATIENCE.below(depth);
            assert!(patience.terminate < above.terminate, "{depth}");
            let cancel = Cancel::new();
            let mut ladder = Ladder::new(patience, &cancel);
            cancel.terminate();
            assert_eq!(
                climbed(&mut ladder, &[1, 1]),
                [Some(Step::Tell("signal")), Some(Step::Terminate)]
            );
            above = patience;
        }
        assert_eq!(PATIENCE.below(0), PATIENCE);
    }

    #[test]
    fn a_late_plugin_is_told_too_and_a_wish_is_then_the_second_one() {
        let cancel = Cancel::new();
        let mut ladder = Ladder::new(PATIENCE, &cancel);
        assert_eq!(
            climbed(&mut ladder, &[60, 61]),
            [Some(Step::Tell("timeout")), None]
        );
        assert_eq!(ladder.late(), Some(Late::Reply(60)));
        cancel.request();
        assert_eq!(climbed(&mut ladder, &[61]), [Some(Step::Terminate)]);
        assert_eq!(ladder.late(), None, "the user's wish is what counts");
    }

    #[test]
    fn silence_counts_from_the_last_word() {
        let cancel = Cancel::new();
        let patience = Patience {
            silence: Some(Duration::from_secs(10)),
            ..PATIENCE
        };
        let mut ladder = Ladder::new(patience, &cancel);
        assert_eq!(climbed(&mut ladder, &[9]), [None]);
        ladder.hear(ladder.started + Duration::from_secs(9));
        assert_eq!(
            climbed(&mut ladder, &[18, 19]),
            [None, Some(Step::Tell("timeout"))]
        );
        assert_eq!(ladder.late(), Some(Late::Silence(10)));
    }
}
