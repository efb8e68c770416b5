//! Stops a plugin in steps: the `cancel` message, then TERM, then KILL.

use std::time::{Duration, Instant};

use super::Violation;
use super::patience::Patience;
use bot_cli_terminal::cancel::Cancel;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopAction {
    /// Send the `cancel` message with this reason.
    Tell(&'static str),
    Remind,
    Terminate,
    /// Send KILL, and stop waiting.
    Kill,
}

/// The time from the user's request until the reminder that the plugin is still running.
const REMINDER: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct StopSequence<'a> {
    patience: Patience,
    cancel: &'a Cancel,
    started: Instant,
    /// The time of the last message from the plugin, or of the last line sent to the plugin.
    heard: Instant,
    stage: Stage,
    reminded: bool,
    /// The time limit that the plugin missed, if that is the reason for stopping.
    late: Option<Violation>,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    Working,
    /// The time of the `cancel` message, and the number of user requests after which TERM is sent.
    Told(Instant, u8),
    Terminated(Instant),
}

impl<'a> StopSequence<'a> {
    pub fn new(patience: Patience, cancel: &'a Cancel) -> Self {
        Self {
            patience,
            cancel,
            started: Instant::now(),
            heard: Instant::now(),
            stage: Stage::Working,
            reminded: false,
            late: None,
        }
    }

    pub fn hear(&mut self, now: Instant) {
        self.heard = now;
    }

    pub fn advance(&mut self, now: Instant) -> Option<StopAction> {
        let over = |since: Instant, patience| now.saturating_duration_since(since) >= patience;
        let limit = self.patience.reply.unwrap_or(Duration::MAX);
        let silence = self.patience.silence.unwrap_or(Duration::MAX);
        let (stage, step) = match self.stage {
            Stage::Working if self.cancel.requested() => {
                (Stage::Told(now, 2), StopAction::Tell(self.reason()))
            }
            Stage::Working if over(self.started, limit) => {
                self.late = Some(Violation::Late(limit.as_secs()));
                (Stage::Told(now, 1), StopAction::Tell("timeout"))
            }
            Stage::Working if over(self.heard, silence) => {
                self.late = Some(Violation::Silent(silence.as_secs()));
                (Stage::Told(now, 1), StopAction::Tell("timeout"))
            }
            Stage::Told(since, enough)
                if self.cancel.count() >= enough || over(since, self.patience()) =>
            {
                (Stage::Terminated(now), StopAction::Terminate)
            }
            Stage::Told(since, 2)
                if !self.reminded && !self.cancel.terminated() && over(since, REMINDER) =>
            {
                self.reminded = true;
                (self.stage, StopAction::Remind)
            }
            Stage::Terminated(since) if over(since, self.patience.terminate) => {
                (self.stage, StopAction::Kill)
            }
            Stage::Working | Stage::Told(..) | Stage::Terminated(_) => return None,
        };
        self.stage = stage;
        Some(step)
    }

    /// Returns the time limit that the plugin missed, unless the user also requested a stop.
    pub fn late(&self) -> Option<Violation> {
        self.late.clone().filter(|_| !self.cancel.requested())
    }

    fn patience(&self) -> Duration {
        if self.cancel.terminated() {
            self.patience.told
        } else {
            self.patience.cancel
        }
    }

    fn reason(&self) -> &'static str {
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

    use super::{StopAction, StopSequence};
    use crate::driver::{DEEPEST, Patience, Violation};
    use bot_cli_terminal::cancel::Cancel;

    const PATIENCE: Patience = Patience {
        cancel: Duration::from_secs(5),
        told: Duration::from_secs(5),
        terminate: Duration::from_secs(2),
        finish: Duration::from_secs(2),
        reply: Some(Duration::from_secs(60)),
        silence: None,
    };

    /// Returns the action that is due at each time, in seconds after the start.
    fn advanced(stop_sequence: &mut StopSequence, seconds: &[u64]) -> Vec<Option<StopAction>> {
        let start = stop_sequence.started;
        let at = |second: &u64| start + Duration::from_secs(*second);
        seconds
            .iter()
            .map(|second| stop_sequence.advance(at(second)))
            .collect()
    }

    #[test]
    fn each_step_has_its_patience() {
        let cancel = Cancel::new();
        let mut stop_sequence = StopSequence::new(PATIENCE, &cancel);
        assert_eq!(advanced(&mut stop_sequence, &[59]), [None]);
        cancel.request();
        assert_eq!(
            advanced(&mut stop_sequence, &[59, 60, 63, 64, 65, 66]),
            [
                Some(StopAction::Tell("user")),
                Some(StopAction::Remind),
                None,
                Some(StopAction::Terminate),
                None,
                Some(StopAction::Kill)
            ]
        );
        assert_eq!(stop_sequence.late(), None);
    }

    #[test]
    fn a_second_request_skips_the_patience_of_the_first() {
        let cancel = Cancel::new();
        let mut stop_sequence = StopSequence::new(PATIENCE, &cancel);
        cancel.terminate();
        assert_eq!(
            advanced(&mut stop_sequence, &[1]),
            [Some(StopAction::Tell("signal"))]
        );
        cancel.request();
        assert_eq!(
            advanced(&mut stop_sequence, &[1]),
            [Some(StopAction::Terminate)]
        );
    }

    #[test]
    fn a_nested_host_passes_a_signal_on_at_once_and_kills_before_the_one_above() {
        let mut above = PATIENCE;
        for depth in 1..DEEPEST {
            let patience = PATIENCE.below(depth);
            assert!(patience.terminate < above.terminate, "{depth}");
            let cancel = Cancel::new();
            let mut stop_sequence = StopSequence::new(patience, &cancel);
            cancel.terminate();
            assert_eq!(
                advanced(&mut stop_sequence, &[1, 1]),
                [
                    Some(StopAction::Tell("signal")),
                    Some(StopAction::Terminate)
                ]
            );
            above = patience;
        }
        assert_eq!(PATIENCE.below(0), PATIENCE);
    }

    #[test]
    fn a_late_plugin_is_told_too_and_a_request_is_then_the_second_one() {
        let cancel = Cancel::new();
        let mut stop_sequence = StopSequence::new(PATIENCE, &cancel);
        assert_eq!(
            advanced(&mut stop_sequence, &[60, 61]),
            [Some(StopAction::Tell("timeout")), None]
        );
        assert_eq!(stop_sequence.late(), Some(Violation::Late(60)));
        cancel.request();
        assert_eq!(
            advanced(&mut stop_sequence, &[61]),
            [Some(StopAction::Terminate)]
        );
        assert_eq!(
            stop_sequence.late(),
            None,
            "the user's request is what counts"
        );
    }

    #[test]
    fn silence_counts_from_the_last_word() {
        let cancel = Cancel::new();
        let patience = Patience {
            silence: Some(Duration::from_secs(10)),
            ..PATIENCE
        };
        let mut stop_sequence = StopSequence::new(patience, &cancel);
        assert_eq!(advanced(&mut stop_sequence, &[9]), [None]);
        stop_sequence.hear(stop_sequence.started + Duration::from_secs(9));
        assert_eq!(
            advanced(&mut stop_sequence, &[18, 19]),
            [None, Some(StopAction::Tell("timeout"))]
        );
        assert_eq!(stop_sequence.late(), Some(Violation::Silent(10)));
    }
}
