//! Sequential identifiers and times, so that every run of a test sees the same values.

use jiff::Timestamp;

/// 2026-01-01T00:00:00Z in milliseconds since the epoch.
const START: i64 = 1_767_225_600_000;

/// A source of sequential identifiers and times.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted {
    ids: u64,
    steps: i64,
}

impl Counted {
    /// Returns the next identifier, in UUID format.
    pub(super) fn id(&mut self) -> String {
        self.ids += 1;
        format!("00000000-0000-4000-8000-{:012}", self.ids)
    }

    /// Returns the time in milliseconds since the epoch. Each call advances the time by one second.
    pub(super) fn now(&mut self) -> i64 {
        self.steps += 1;
        START + (self.steps - 1) * 1000
    }
}

/// Formats a time with milliseconds, as in the service's JSON documents.
pub(super) fn timestamp(time: i64) -> String {
    format!("{:.3}", moment(time))
}

/// Formats a time with nanoseconds, as in log entries.
pub(super) fn exact_timestamp(time: i64) -> String {
    format!("{:.9}", moment(time))
}

fn moment(time: i64) -> Timestamp {
    Timestamp::from_millisecond(time).unwrap_or_default()
}
