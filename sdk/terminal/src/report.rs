//! Formats results, failures and log lines.

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::printable::is_command;
use super::{one_line, printable};
use crate::ui::Level;
use bot_cli_protocol::failure::{ChangeState, Exit, Failure, Field};
use bot_cli_protocol::outcome::Outcome;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const QUIET: Style = Style::new().dimmed();

/// Returns the JSON document that `--json` prints. Characters that would command a terminal are escaped.
pub fn document(outcome: &Outcome) -> String {
    // A `Value` can always be serialized.
    escaped(&serde_json::to_string_pretty(&outcome.document()).unwrap_or_default())
}

/// Returns a line that `--json=lines` prints. `name` is the kind of message.
pub fn line(name: &str, message: &Value) -> String {
    escaped(&json!({ name: message }).to_string())
}

fn escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len() + 1);
    for character in json.chars() {
        if is_command(character) {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            safe.extend(units.map(|unit| format!("\\u{unit:04x}")));
        } else {
            safe.push(character);
        }
    }
    safe.push('\n');
    safe
}

/// Formats a result as text. Non-empty text ends with a line feed.
pub fn text(text: &str, color: bool) -> String {
    let mut text = printable(text, color);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Formats the suggested next commands, each followed by its remarks.
pub fn next(commands: &[String], color: bool) -> String {
    let remark = |remark: &str| format!("      {}\n", styled(QUIET, &one_line(remark), color));
    let shown = |entry: &String| {
        let (remarks, command): (Vec<&str>, Vec<&str>) =
            entry.lines().partition(|line| line.starts_with("# "));
        std::iter::once(labelled("next", HINT, &command.join("\n"), color))
            .chain(remarks.into_iter().map(remark))
            .collect::<String>()
    };
    commands.iter().map(shown).collect()
}

/// Formats a failure with its fields and hints.
pub fn failure(failure: &Failure, color: bool) -> String {
    let is_stopped = matches!(failure.exit, Exit::Cancelled | Exit::Terminated);
    let mut text = match failure.outcome {
        // The user requested the stop, so it is not an error to report.
        Some(ChangeState::NotDone) if is_stopped && failure.message == "cancelled" => {
            "cancelled; nothing was changed\n".to_owned()
        }
        _ if is_stopped => format!("{}\n", printable(&failure.message, false)),
        _ => labelled("error", ERROR, &failure.message, color),
    };
    let mut lines: Vec<String> = failure
        .fields
        .iter()
        .filter(|field| !is_said(field, failure))
        .map(|field| format!("  {}\n", one_line(&field.to_string())))
        .collect();
    lines.dedup();
    text.extend(lines);
    for hint in &failure.hints {
        text.push_str(&labelled("hint", HINT, hint, color));
    }
    text
}

/// Reports whether the failure's message already covers the problem with the field.
fn is_said(field: &Field, failure: &Failure) -> bool {
    let name = field.flag.as_ref().unwrap_or(&field.field);
    let is_named = failure
        .message
        .to_lowercase()
        .contains(&format!("`{}`", name.to_lowercase()));
    match field.problem.as_str() {
        "missing" => is_named || failure.fields.len() == 1,
        problem => failure.message.ends_with(problem),
    }
}

/// Formats a log line.
pub fn log(level: Level, message: &str, color: bool) -> String {
    match level {
        Level::Warn => labelled("warning", WARNING, message, color),
        Level::Note => {
            let note = format!("note: {}", one_line(message.trim_end()));
            styled(QUIET, &note, color) + "\n"
        }
        Level::Info => format!("{}\n", one_line(message.trim_end())),
        Level::Debug => labelled("debug", QUIET, message, color),
    }
}

fn labelled(label: &str, style: Style, message: &str, color: bool) -> String {
    let label = styled(style, &format!("{label}:"), color);
    format!("{label} {}\n", one_line(message.trim_end()))
}

fn styled(style: Style, text: &str, color: bool) -> String {
    if color {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{document, failure, log, next};
    use crate::ui::Level;
    use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
    use bot_cli_protocol::outcome::{Outcome, Reply};

    #[test]
    fn a_document_escapes_what_a_terminal_would_obey() {
        let data = serde_json::json!({ "a": "b\u{9b}2J\u{202e}\u{e0041}\n\u{7f}é" });
        let said = document(&Outcome::new(Ok(Reply::text("").data(data.clone()))));
        assert!(said.is_ascii() || !said.contains(['\u{9b}', '\u{202e}', '\u{e0041}', '\u{7f}']));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&said).unwrap(),
            data
        );
    }

    #[test]
    fn who_cancels_learns_that_nothing_was_changed() {
        let own = Failure::new(
            Exit::Cancelled,
            "cancelled",
            "cancelled: half of it is done",
        );
        for (cancelled, expected) in [
            (Failure::cancelled(), "cancelled\n"),
            (
                Failure::cancelled().outcome(ChangeState::NotDone),
                "cancelled; nothing was changed\n",
            ),
            (
                Failure::cancelled().outcome(ChangeState::Unknown),
                "cancelled\n",
            ),
            (
                own.outcome(ChangeState::NotDone),
                "cancelled: half of it is done\n",
            ),
        ] {
            assert_eq!(failure(&cancelled, false), expected);
        }
    }

    #[test]
    fn remarks_stand_below_their_command() {
        let commands = [
            "uv sync\n# then \u{1b}[31mopen http://localhost\n# in a second terminal:".to_owned(),
            "one\ntwo".to_owned(),
        ];
        assert_eq!(
            next(&commands, false),
            "next: uv sync\n      # then open http://localhost\n      # in a second terminal:\nnext: one two\n"
        );
        assert!(
            next(&commands, true).contains("      \u{1b}[2m# in a second terminal:\u{1b}[0m\n")
        );
    }

    #[test]
    fn a_note_is_one_dim_line() {
        let note = "the vault is used\nsince there is no account\n";
        for (color, expected) in [
            (false, "note: the vault is used since there is no account\n"),
            (
                true,
                "\u{1b}[2mnote: the vault is used since there is no account\u{1b}[0m\n",
            ),
        ] {
            assert_eq!(log(Level::Note, note, color), expected);
        }
    }
}
