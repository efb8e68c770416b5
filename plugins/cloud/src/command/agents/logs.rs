//! The `agents logs` command, which can follow a log.

use std::cell::Cell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::short_line;
use chrono::{DateTime, TimeDelta, Utc};
use clap::ValueEnum as _;
use serde_json::{Value, json};

use crate::backend::hosted::ServiceError;
use crate::command::agent::{self, NamedAgent};
use crate::command::context::CommandContext;
use crate::input::wrong;
use crate::options::{LogLevel, Logs};
use crate::service::{LogLine, LogLines};
use crate::text::theirs;

/// The maximum number of lines in one response.
const PAGE: usize = 500;

/// The number of lines after which no further pages are read.
const LONGEST: usize = 50_000;

/// The interval between requests while a log is followed. A busy log has dozens of pages to read again.
const PACE: Duration = Duration::from_millis(72);

/// The length of the period to read again, in milliseconds. The service may return lines late and out of order.
const OVERLAP: i64 = 5_000;

pub fn logs(context: CommandContext<'_>, options: &Logs) -> Result<Reply, Failure> {
    let since = options.since.as_deref().map(|text| since(text, Utc::now()));
    let since = since.transpose().map_err(|problem| wrong("since", problem));
    if options.follow && !context.session.shows_output() {
        let problem = "can't be combined with `--json`, which prints one document at the end; `--json=lines` prints each line";
        return Err(wrong("follow", problem));
    }
    let (since, agent) = agent::open(context, &options.agent, since)?;
    let log = Log {
        agent: &agent,
        options,
        unit: Cell::new(1),
        turn: Cell::new(Instant::now()),
    };
    let wanted = usize::try_from(options.lines).unwrap_or(usize::MAX);
    let all = agent.found(log.last(since, wanted.max(1)))?;
    let known = of_level(all.iter(), options.level, None);
    let lines = &known[known.len().saturating_sub(wanted)..];
    if options.follow {
        log.tell(lines);
        let start = newest(&all).map(|newest| newest - OVERLAP);
        return log.follow(&all, known, start.max(since));
    }
    if lines.is_empty() {
        context.session.note("there are no such lines");
    }
    let text: String = lines.iter().map(shown).collect();
    let lines: Vec<Value> = lines.iter().map(document).collect();
    Ok(Reply::text(text).data(json!({ "lines": lines })))
}

/// The part of an agent's log that the options select.
struct Log<'a> {
    agent: &'a NamedAgent<'a>,
    options: &'a Logs,
    /// The length of the unit of the service's times, in milliseconds. Its description only says "Unix timestamp".
    unit: Cell<i64>,
    /// The time of the next request, if the log is followed.
    turn: Cell<Instant>,
}

impl Log<'_> {
    /// Returns the latest lines, oldest first. Stops reading once `wanted` lines have the selected level, [`LONGEST`] lines are read, or no
    /// older lines are left. To be followed, a log is read at least as far back as it is read again.
    fn last(&self, since: Option<i64>, wanted: usize) -> Result<Vec<LogLine>, ServiceError> {
        let mut lines = self.read("desc", since, |lines| {
            let is_enough = lines.len() >= LONGEST
                || of_level(lines.iter().rev(), self.options.level, None).len() >= wanted;
            let first = lines.last().and_then(|it| time(&it.timestamp));
            let again = newest(lines).map(|newest| newest - OVERLAP);
            is_enough && (!self.options.follow || first < again)
        })?;
        lines.reverse();
        Ok(lines)
    }

    /// Returns the lines since a time, in the given order, until `is_enough`.
    fn read(
        &self,
        order: &str,
        since: Option<i64>,
        is_enough: impl Fn(&[LogLine]) -> bool,
    ) -> Result<Vec<LogLine>, ServiceError> {
        let mut lines = self.pages(order, since, PAGE, &is_enough)?;
        if let (true, Some(_), 1) = (lines.is_empty(), since, self.unit.get()) {
            // Milliseconds that the service takes for seconds are in the far future.
            let last = self.pages("desc", None, 1, |_| true)?;
            if newest(&last) >= since {
                self.unit.set(1000);
                lines = self.pages(order, since, PAGE, is_enough)?;
            }
        }
        lines.retain(|line| time(&line.timestamp).is_none_or(|time| Some(time) >= since));
        Ok(lines)
    }

    fn pages(
        &self,
        order: &str,
        since: Option<i64>,
        limit: usize,
        is_enough: impl Fn(&[LogLine]) -> bool,
    ) -> Result<Vec<LogLine>, ServiceError> {
        let Self { agent, options, .. } = self;
        let parts = [agent.service.agents(), &agent.name, "logs"];
        // Whether the service includes the time itself is not described.
        let start = since.map(|since| since.div_euclid(self.unit.get()) - 1);
        let (mut lines, mut offset, mut before) = (Vec::<LogLine>::new(), 0, usize::MAX);
        loop {
            let query = [
                ("limit", Some(limit.to_string())),
                ("offset", Some(offset.to_string()).filter(|_| offset > 0)),
                ("order", Some(order.to_owned())),
                ("startTime", start.map(|start| start.to_string())),
                ("deploymentId", options.deployment.clone()),
                ("sessionId", options.session.clone()),
                ("query", options.search.clone()),
            ];
            self.wait_for_turn()?;
            let page: LogLines = agent.service.get(&parts, &query)?;
            let exact = page.total.filter(|total| total.relation == "eq");
            let total = exact.map_or(usize::MAX, |total| total.value);
            let page = page.logs;
            let length = page.len();
            let fresh = if total == usize::MAX {
                // Any line may have been on the page before, and late ones may be among them.
                new(&lines[lines.len().saturating_sub(length)..], &page)
            } else {
                // Lines that were added in between may have moved the last ones to the beginning of this page.
                let most = total.saturating_sub(before).min(length).min(lines.len());
                let mut numbers = (1..=most).rev();
                let moved = numbers.find(|number| lines.ends_with(&page[..*number]));
                page[moved.unwrap_or_default()..].to_vec()
            };
            (before, offset) = (total, offset + length);
            // Without a total, a page with nothing new is the last: the service may not take the offset.
            let has_new = !fresh.is_empty() || (total != usize::MAX && length > 0);
            let is_last = !has_new || offset >= total;
            lines.extend(fresh);
            if is_last || is_enough(&lines) {
                return Ok(lines);
            }
        }
    }

    /// Waits until the next request may be sent.
    fn wait_for_turn(&self) -> Result<(), ServiceError> {
        if !self.options.follow {
            return Ok(());
        }
        let now = Instant::now();
        let turn = now.max(self.turn.get());
        self.turn.set(turn + PACE);
        self.agent.service.client.pause(turn - now)
    }

    fn tell(&self, lines: &[LogLine]) {
        for line in lines {
            let session = self.agent.context.session;
            session.output_with(&shown(line), || document(line));
        }
    }

    /// Shows the lines since `start` that are not in `known`, until the user cancels or reading fails.
    fn follow(
        &self,
        all: &[LogLine],
        mut known: Vec<LogLine>,
        mut start: Option<i64>,
    ) -> Result<Reply, Failure> {
        let mut above = level_before(all, start);
        let followed = self.agent.service.client.poll(Duration::MAX, |_| {
            let begun = Instant::now();
            let all = self.read("asc", start, |_| false)?;
            // Since this look began, late lines may have come in pages that had been read already.
            let read_for = i64::try_from(begun.elapsed().as_millis()).unwrap_or(OVERLAP);
            let lines = of_level(all.iter(), self.options.level, above);
            self.tell(&new(&known, &lines));
            // A look may not grow with the one before.
            let again = OVERLAP + read_for.min(OVERLAP);
            start = start.max(newest(&all).map(|newest| newest.saturating_sub(again)));
            above = level_before(&all, start).or(above);
            known = lines;
            Ok(None)
        });
        followed?.map_or_else(|| Err(Failure::cancelled()), Ok)
    }
}

/// Returns a line as data.
fn document(line: &LogLine) -> Value {
    json!({
        "time": theirs(&line.timestamp),
        "deployment": line.deployment_id.as_deref().map(theirs),
        "line": line.log,
    })
}

fn newest(lines: &[LogLine]) -> Option<i64> {
    lines.iter().filter_map(|it| time(&it.timestamp)).max()
}

/// Returns the lines that are not in `known`. If `known` contains a line once and `lines` contains it twice, the second one is new.
fn new(known: &[LogLine], lines: &[LogLine]) -> Vec<LogLine> {
    let mut left = HashMap::<&LogLine, i64>::new();
    for line in known {
        *left.entry(line).or_default() += 1;
    }
    let lines = lines.iter().filter(|line| {
        let times = left.entry(*line).or_default();
        *times -= 1;
        *times < 0
    });
    lines.cloned().collect()
}

/// Returns the level of the last line before a time that has one.
fn level_before(lines: &[LogLine], start: Option<i64>) -> Option<LogLevel> {
    let before = lines.iter().filter(|line| time(&line.timestamp) < start);
    before.filter_map(|line| level(&line.log)).next_back()
}

/// Returns the lines of this level and above. A line without a level, such as a traceback line, has the level of the line above it.
fn of_level<'a>(
    lines: impl Iterator<Item = &'a LogLine>,
    least: Option<LogLevel>,
    above: Option<LogLevel>,
) -> Vec<LogLine> {
    let mut current = above;
    let kept = lines.filter(|line| {
        current = level(&line.log).or(current);
        least.is_none_or(|least| current.is_some_and(|level| level >= least))
    });
    kept.cloned().collect()
}

/// Returns the level at the beginning of a line, after the timestamp.
fn level(line: &str) -> Option<LogLevel> {
    let words = line.split(|c: char| !c.is_ascii_alphabetic());
    let words = words.filter(|word| !word.is_empty()).take(4);
    let mut levels = words.filter(|word| word.bytes().all(|byte| byte.is_ascii_uppercase()));
    levels.find_map(|word| LogLevel::from_str(word, true).ok())
}

fn shown(line: &LogLine) -> String {
    let time = theirs(line.timestamp.split('.').next().unwrap_or_default());
    let text = short_line(line.log.trim_end(), 4000);
    format!("{}  {text}\n", time.trim_end_matches('Z'))
}

/// Parses a time into milliseconds since the Unix epoch.
fn time(text: &str) -> Option<i64> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    Some(time.timestamp_millis())
}

/// Parses a time, or a duration before `now`, into milliseconds since the Unix epoch.
fn since(text: &str, now: DateTime<Utc>) -> Result<i64, String> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let ago = units.iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        now.checked_sub_signed(TimeDelta::seconds(i64::from(number) * seconds))
    });
    let time = time(text).or(ago.map(|ago| ago.timestamp_millis()));
    time.ok_or_else(|| {
        "is not a time, such as `10m`, `2h`, `1d` or `2026-01-31T12:00:00Z`".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::{since, time};

    #[test]
    fn a_time_is_absolute_or_relative() {
        let now: DateTime<Utc> = "2026-01-01T01:00:00Z".parse().unwrap();
        let at = |text: &str| since(text, now).ok();
        let hour = time("2026-01-01T00:00:00Z");
        for text in [
            "60m",
            "1h",
            "3600s",
            "2026-01-01T00:00:00Z",
            "2026-01-01T01:00:00+01:00",
        ] {
            assert_eq!(at(text), hour, "{text}");
        }
        for text in ["", "m", "-1h", "1w", "1é", "99999999999h"] {
            assert_eq!(at(text), None, "{text}");
        }
        assert!(since("0s", Utc::now()).is_ok());
    }
}
