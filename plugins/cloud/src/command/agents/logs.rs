//! The `agents logs` command, which shows an agent's log and can follow new lines.

use std::collections::HashMap;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Format;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::short_line;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::{Opened, opened};
use crate::command::context::CommandContext;
use crate::input::wrong;
use crate::options::{LogLevel, Logs};
use crate::service::{LogLine, LogLines};
use crate::text::theirs;

/// The maximum number of lines in one response.
const PAGE: usize = 200;

/// The number of lines after which no further pages are read.
const LONGEST: usize = 50_000;

/// The length of the period to read again, in milliseconds. The service may return lines late and out of order.
const OVERLAP: i64 = 30_000;

/// The number of additional earlier lines to read, because some may have the same timestamp as the first line to show.
const MARGIN: usize = 50;

/// The number of consecutive failed reads after which following the log fails.
const FAILURES: u32 = 5;

pub fn logs(context: &CommandContext<'_>, options: &Logs) -> Result<Reply, Failure> {
    let since = options.since.as_deref().map(|text| since(text, Utc::now()));
    let since = since
        .transpose()
        .map_err(|problem| wrong("since", problem))?;
    if options.follow && context.session().context().format == Format::Json {
        return Err(wrong(
            "follow",
            "can't be combined with `--json`, which prints one document",
        ));
    }
    let opened = opened(context, &options.agent)?;
    let wanted = usize::try_from(options.lines).unwrap_or(usize::MAX);
    let margin = if options.follow { MARGIN } else { 0 };
    let all = last(&opened, options, since, wanted.saturating_add(margin))?;
    let mut levels = Levels::default();
    let mut lines = levels.filter(&all, options.level);
    lines.drain(..lines.len().saturating_sub(wanted));
    if !options.follow {
        let text: String = lines.iter().map(shown).collect();
        let lines: Vec<_> = lines
            .iter()
            .map(|line| {
                json!({
                    "time": theirs(&line.timestamp),
                    "deployment": line.deployment_id.as_deref().map(theirs),
                    "line": line.log,
                })
            })
            .collect();
        if lines.is_empty() {
            context.note("there are no such lines");
        }
        return Ok(Reply::text(text).data(json!({ "lines": lines })));
    }
    let mut followed = Followed::after(&all, lines.first(), since.unwrap_or(0));
    let show = |lines: &[LogLine]| {
        let text: String = lines.iter().map(shown).collect();
        context.session().output(&text);
    };
    show(&lines);
    let mut show = |lines: Vec<LogLine>| show(&levels.filter(&lines, options.level));
    follow(context, &opened, options, &mut followed, &mut show)
}

/// Returns the last lines, oldest first: so many that `wanted` of them have the level, if there are so many.
fn last(
    opened: &Opened<'_>,
    options: &Logs,
    since: Option<i64>,
    wanted: usize,
) -> Result<Vec<LogLine>, Failure> {
    let mut pages = Pages::default();
    let mut until = None;
    loop {
        let limit = match options.level {
            None => (wanted - pages.lines.len()).min(PAGE),
            Some(_) => PAGE,
        };
        let page = page(
            opened,
            options,
            "desc",
            (since, until),
            pages.lines.len(),
            limit,
        )?;
        // Lines that appear meanwhile would move those of the next pages.
        until = until.or(page
            .logs
            .first()
            .and_then(|line| milliseconds(&line.timestamp)));
        let is_last = !pages.add(page);
        let mut levels = Levels::default();
        let found = pages.lines.iter().rev();
        let found = found
            .filter(|line| levels.keep(line, options.level))
            .count();
        if is_last || found >= wanted {
            pages.lines.reverse();
            return Ok(pages.lines);
        }
    }
}

/// The lines collected from several responses.
#[derive(Default)]
struct Pages {
    lines: Vec<LogLine>,
    last: Vec<LogLine>,
}

impl Pages {
    /// Adds a page and reports whether more pages may follow. A page that repeats the previous one marks the end.
    fn add(&mut self, page: LogLines) -> bool {
        if page.logs.is_empty() || page.logs == self.last {
            return false;
        }
        self.lines.extend(page.logs.iter().cloned());
        let total = page.total.filter(|total| total.relation != "gte");
        let is_all = total.is_some_and(|total| self.lines.len() >= total.value);
        self.last = page.logs;
        !is_all && self.lines.len() < LONGEST
    }
}

fn page(
    opened: &Opened<'_>,
    options: &Logs,
    order: &str,
    (since, until): (Option<i64>, Option<i64>),
    offset: usize,
    limit: usize,
) -> Result<LogLines, Failure> {
    let query = [
        ("limit", Some(limit.to_string())),
        ("offset", Some(offset.to_string()).filter(|_| offset > 0)),
        ("order", Some(order.to_owned())),
        ("startTime", since.map(|since| since.to_string())),
        ("endTime", until.map(|until| until.to_string())),
        ("deploymentId", options.deployment.clone()),
        ("sessionId", options.session.clone()),
        ("query", options.search.clone()),
    ];
    let service = &opened.service;
    let parts = [service.agents(), &opened.name, "logs"];
    opened.found(service.get(&parts, &query))
}

/// Shows new lines until the user cancels or [`FAILURES`] consecutive reads fail.
fn follow(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    options: &Logs,
    followed: &mut Followed,
    show: &mut impl FnMut(Vec<LogLine>),
) -> Result<Reply, Failure> {
    let mut failures = 0;
    loop {
        if opened
            .service
            .client
            .pause(opened.scope.pace.longest_look / 2)
            .is_err()
        {
            return Err(Failure::cancelled());
        }
        match all(opened, options, followed.start) {
            Ok(lines) => {
                failures = 0;
                show(followed.take_new(lines));
            }
            Err(failure) if failure.exit == Failure::cancelled().exit => return Err(failure),
            Err(failure) if failures + 1 >= FAILURES => return Err(failure),
            Err(failure) => {
                failures += 1;
                context.tell(&format!("the log could not be read: {}", failure.message));
            }
        }
    }
}

/// Returns the lines since the given time, oldest first.
fn all(opened: &Opened<'_>, options: &Logs, since: i64) -> Result<Vec<LogLine>, Failure> {
    let mut pages = Pages::default();
    loop {
        let offset = pages.lines.len();
        let page = page(opened, options, "asc", (Some(since), None), offset, PAGE)?;
        if !pages.add(page) {
            return Ok(pages.lines);
        }
    }
}

/// The lines to skip if the service returns them again.
struct Followed {
    /// The time from which the log is read again, in milliseconds since the Unix epoch.
    start: i64,
    /// The lines to skip, with the number of occurrences of each line. Lines before `start` are removed.
    shown: HashMap<LogLine, usize>,
    /// The time of the first line to show, in nanoseconds since the Unix epoch. Earlier lines are never shown.
    floor: Option<i128>,
}

impl Followed {
    /// Follows a log of which `all` lines were read and those from `first` on were shown. Without lines, everything since `start` is new.
    fn after(all: &[LogLine], first: Option<&LogLine>, start: i64) -> Self {
        let floor = first.or(all.last());
        let mut followed = Self {
            start,
            shown: HashMap::new(),
            floor: floor.and_then(|line| nanoseconds(&line.timestamp)),
        };
        followed.remember(all);
        followed
    }

    /// Returns the lines that haven't been shown yet, and records them as shown.
    fn take_new(&mut self, lines: Vec<LogLine>) -> Vec<LogLine> {
        let mut left = self.shown.clone();
        let is_new = |line: &LogLine| {
            if nanoseconds(&line.timestamp) < self.floor {
                return false;
            }
            match left.get_mut(line) {
                Some(times) if *times > 0 => {
                    *times -= 1;
                    false
                }
                _ => true,
            }
        };
        let new: Vec<LogLine> = lines.into_iter().filter(is_new).collect();
        self.remember(&new);
        new
    }

    fn remember(&mut self, lines: &[LogLine]) {
        for line in lines {
            *self.shown.entry(line.clone()).or_default() += 1;
        }
        let times = lines
            .iter()
            .filter_map(|line| milliseconds(&line.timestamp));
        if let Some(last) = times.max() {
            self.start = self.start.max(last - OVERLAP);
        }
        let start = self.start;
        self.shown
            .retain(|line, _| milliseconds(&line.timestamp).is_none_or(|time| time >= start));
    }
}

/// Tracks the log level of consecutive lines. A line without a level, such as a traceback line, has the previous line's level.
#[derive(Default)]
struct Levels(Option<LogLevel>);

impl Levels {
    /// Returns the lines of this level and above.
    fn filter(&mut self, lines: &[LogLine], least: Option<LogLevel>) -> Vec<LogLine> {
        let kept = lines.iter().filter(|line| self.keep(line, least));
        kept.cloned().collect()
    }

    fn keep(&mut self, line: &LogLine, least: Option<LogLevel>) -> bool {
        self.0 = level(&line.log).or(self.0);
        least.is_none_or(|least| self.0.is_some_and(|level| level >= least))
    }
}

/// Returns the level at the beginning of a line, after the timestamp.
fn level(line: &str) -> Option<LogLevel> {
    let words = line.split(|c: char| !c.is_ascii_alphabetic());
    words
        .filter(|word| !word.is_empty())
        .take(4)
        .find_map(|word| match word {
            "TRACE" => Some(LogLevel::Trace),
            "DEBUG" => Some(LogLevel::Debug),
            "INFO" | "SUCCESS" => Some(LogLevel::Info),
            "WARNING" | "WARN" => Some(LogLevel::Warning),
            "ERROR" => Some(LogLevel::Error),
            "CRITICAL" | "FATAL" => Some(LogLevel::Critical),
            _ => None,
        })
}

fn shown(line: &LogLine) -> String {
    let time = theirs(line.timestamp.split('.').next().unwrap_or_default());
    let text = short_line(line.log.trim_end(), 4000);
    format!("{}  {text}\n", time.trim_end_matches('Z'))
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|time| time.to_utc())
}

fn milliseconds(text: &str) -> Option<i64> {
    Some(time(text)?.timestamp_millis())
}

fn nanoseconds(text: &str) -> Option<i128> {
    let time = time(text)?;
    Some(i128::from(time.timestamp()) * 1_000_000_000 + i128::from(time.timestamp_subsec_nanos()))
}

/// Parses a time, or a duration before `now`, into milliseconds since the Unix epoch.
fn since(text: &str, now: DateTime<Utc>) -> Result<i64, String> {
    if let Some(time) = milliseconds(text) {
        return Ok(time);
    }
    let problem =
        || "is not a time, such as `10m`, `2h`, `1d` or `2026-01-31T12:00:00Z`".to_owned();
    let (number, unit) = text.split_at(text.len().saturating_sub(1));
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(problem()),
    };
    let number: i64 = number.parse().map_err(|_| problem())?;
    let before = number.checked_mul(seconds).and_then(TimeDelta::try_seconds);
    let time = before
        .filter(|_| number >= 0)
        .and_then(|before| now.checked_sub_signed(before));
    time.map(|time| time.timestamp_millis()).ok_or_else(problem)
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::{Followed, Levels, LogLine, since, time};
    use crate::options::LogLevel;

    fn line(timestamp: &str, log: &str) -> LogLine {
        LogLine {
            log: log.to_owned(),
            timestamp: format!("2026-01-01T00:00:{timestamp}Z"),
            deployment_id: None,
        }
    }

    #[test]
    fn no_line_is_shown_twice_and_none_is_lost() {
        let shown = [line("10.1", "b"), line("10.2", "c")];
        let mut followed = Followed::after(&shown, shown.first(), 0);
        // The line before the first one was left out on purpose; a second `c` has the same time, and `b2` comes late.
        let now = vec![
            line("10.0", "a"),
            line("10.1", "b"),
            line("10.15", "b2"),
            line("10.2", "c"),
            line("10.2", "c"),
            line("10.2", "d"),
        ];
        let new: Vec<String> = followed
            .take_new(now.clone())
            .into_iter()
            .map(|it| it.log)
            .collect();
        assert_eq!(new, ["b2", "c", "d"]);
        assert_eq!(followed.take_new(now), []);
        let later = vec![line("10.2", "d"), line("59.0", "e")];
        assert_eq!(followed.take_new(later.clone()), [line("59.0", "e")]);
        assert!(followed.start > time("2026-01-01T00:00:24Z").unwrap().timestamp_millis());
        assert_eq!(followed.take_new(vec![line("59.0", "e")]), []);
        assert_eq!(followed.shown.len(), 1);
    }

    #[test]
    fn a_traceback_has_the_level_of_the_line_above_it() {
        let mut levels = Levels::default();
        let kept: Vec<bool> = [
            "  File \"bot.py\"",
            "2026-01-01 00:00:00.000 | ERROR    | bot:run:1 - no",
            "  File \"bot.py\"",
            "INFO:     Started",
            "  more",
        ]
        .iter()
        .map(|log| levels.keep(&line("1", log), Some(LogLevel::Warning)))
        .collect();
        assert_eq!(kept, [false, true, true, false, false]);
    }

    #[test]
    fn a_time_is_absolute_or_relative() {
        let now = time("2026-01-01T01:00:00Z").unwrap();
        let at = |text: &str| since(text, now).ok();
        let hour = time("2026-01-01T00:00:00Z").map(|time| time.timestamp_millis());
        for text in [
            "60m",
            "1h",
            "3600s",
            "2026-01-01T00:00:00Z",
            "2026-01-01T01:00:00+01:00",
        ] {
            assert_eq!(at(text), hour, "{text}");
        }
        for text in ["", "m", "-1h", "1w", "yesterday", "99999999999999999h"] {
            assert_eq!(at(text), None, "{text}");
        }
        assert!(since("0s", Utc::now()).is_ok());
    }
}
