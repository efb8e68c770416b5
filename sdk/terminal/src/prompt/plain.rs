//! Line-by-line prompts for limited terminals and screen readers. Output is never moved or redrawn.

use std::fmt::Write as _;

use serde_json::Value;
use zeroize::Zeroizing;

use super::hidden::{BURST, ROOM, Typed};
use super::key::{Decoder, Key};
use super::text::{WHAT_TO_TYPE, letters, yes_or_no};
use super::{above, failed};
use crate::one_line;
use crate::platform::input::Modes;
use crate::stream::to_stderr;
use crate::waiting::Waiting;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question, QuestionKind};

/// The answer that returns to the previous question, if the question allows it.
const BACK: &str = "back";

/// The answer that selects none of the choices.
const NONE: &str = "none";

pub fn ask(question: &Question, color: bool, waiting: &mut Waiting) -> Result<Answer, Failure> {
    let is_hidden = question.kind == QuestionKind::Password;
    let _hidden = is_hidden
        .then(Modes::hidden_lines)
        .transpose()
        .map_err(|error| failed(question, error))?;
    to_stderr(&(above(question, color) + &introduction(question)));
    loop {
        to_stderr(&request(question));
        let typed = line(waiting, is_hidden);
        if is_hidden || typed.is_err() {
            to_stderr("\n");
        }
        let typed = typed?;
        if question.back && typed.trim() == BACK {
            return Ok(Answer::Back);
        }
        match understand(question, &typed) {
            Ok(answer) => return Ok(answer),
            Err(problem) => to_stderr(&format!("{}\n", one_line(&problem))),
        }
    }
}

/// Returns the text that is shown only once: the choices and the help.
fn introduction(question: &Question) -> String {
    let mut text = String::new();
    let is_list = !question.choices.is_empty();
    if is_list {
        let _ = writeln!(text, "{}", one_line(&question.message));
    }
    for (number, choice) in (1..).zip(&question.choices) {
        let about = choice.about.as_deref().map(one_line).unwrap_or_default();
        let dash = if about.is_empty() { "" } else { " - " };
        let _ = writeln!(
            text,
            "{number:>3}. {}{dash}{about}",
            one_line(&choice.label)
        );
    }
    let back = question.back.then(|| format!("type `{BACK}` to go back"));
    let help: Vec<String> = question
        .help
        .as_deref()
        .map(one_line)
        .into_iter()
        .chain(back)
        .collect();
    if !help.is_empty() {
        let _ = writeln!(text, "({})", help.join("; "));
    }
    text
}

fn request(question: &Question) -> String {
    let message = one_line(&question.message);
    let default = question.default.as_ref();
    let numbers = || {
        let numbers = defaults(question).map(|(number, _)| number.to_string());
        numbers.collect::<Vec<_>>().join(", ")
    };
    let (what, default) = match question.kind {
        QuestionKind::Text => (message, default.and_then(Value::as_str).map(str::to_owned)),
        QuestionKind::Password => (format!("{message} (hidden)"), None),
        QuestionKind::Confirm => {
            let letters = letters(default.and_then(Value::as_bool));
            (format!("{message} {letters}"), None)
        }
        QuestionKind::Select => ("Number or name".to_owned(), Some(numbers())),
        QuestionKind::Multiselect => {
            let marked = Some(numbers()).filter(|numbers| !numbers.is_empty());
            let what = format!("Numbers or names with commas, or `{NONE}`");
            (what, Some(marked.unwrap_or_else(|| NONE.to_owned())))
        }
    };
    let default = default.filter(|default| !default.is_empty());
    let default = default.map_or_else(String::new, |default| format!(" ({})", one_line(&default)));
    let colon = if what.contains('?') || what.ends_with(':') {
        ""
    } else {
        ":"
    };
    format!("{what}{default}{colon} ")
}

/// Returns the default choices, which Enter accepts, with their numbers.
fn defaults(question: &Question) -> impl Iterator<Item = (usize, &str)> {
    let is_default = |value: &str| match &question.default {
        Some(Value::Array(values)) => values.iter().any(|default| default == value),
        default => default.as_ref().is_some_and(|default| default == value),
    };
    let values = question.choices.iter().map(|choice| choice.value.as_str());
    (1..)
        .zip(values)
        .filter(move |(_, value)| is_default(value))
}

/// Parses a typed line. Returns the problem if the line is not a valid answer.
fn understand(question: &Question, typed: &str) -> Result<Answer, String> {
    if question.kind == QuestionKind::Password {
        let mut secret = Typed::default();
        typed.chars().for_each(|character| secret.push(character));
        return Ok(Answer::Secret(secret.answer()));
    }
    let is_text = question.kind == QuestionKind::Text;
    let typed = if is_text { typed } else { typed.trim() };
    let value = match (question.kind, question.default.as_ref()) {
        (QuestionKind::Confirm, default) => {
            let yes = yes_or_no(typed, default.and_then(Value::as_bool));
            Value::Bool(yes.ok_or(WHAT_TO_TYPE)?)
        }
        (QuestionKind::Multiselect, _) if typed == NONE => Value::Array(Vec::new()),
        (QuestionKind::Multiselect, _) if typed.is_empty() => {
            defaults(question).map(|(_, value)| value).collect()
        }
        (_, Some(default)) if typed.is_empty() => default.clone(),
        (QuestionKind::Multiselect, _) => typed
            .split(',')
            .map(|word| choice(question, word.trim()))
            .collect(),
        (QuestionKind::Select, _) => choice(question, typed).into(),
        (QuestionKind::Text | QuestionKind::Password, _) => typed.into(),
    };
    question.check(&value).map_err(|problem| {
        // The user saw this input, so it may be repeated.
        if problem.starts_with("is not ") {
            format!("`{typed}` {problem}")
        } else {
            problem
        }
    })
}

/// Returns the value of the choice with this number or label. Returns `word` unchanged if no choice matches.
fn choice<'a>(question: &'a Question, word: &'a str) -> &'a str {
    let number = word.parse::<usize>().ok();
    let numbered = number.and_then(|number| question.choices.get(number.checked_sub(1)?));
    let is_shown = |name: &str| one_line(name).to_lowercase() == word.to_lowercase();
    let mut choices = question.choices.iter();
    let named = numbered.or_else(|| choices.find(|choice| is_shown(&choice.label)));
    named.map_or(word, |choice| &choice.value)
}

/// Reads a line and removes the line end and control keys. If `hidden` is `true`, reads all lines that arrive together, because they were
/// pasted.
fn line(waiting: &mut Waiting, hidden: bool) -> Result<Zeroizing<String>, Failure> {
    let mut line = Zeroizing::new(String::with_capacity(ROOM));
    let mut decoder = Decoder::new();
    let mut ended = true;
    loop {
        let Some(byte) = waiting.byte()? else {
            if ended {
                return Err(Failure::cancelled());
            }
            // Ctrl-D within a line only submits the partial line.
            ended = true;
            continue;
        };
        ended = false;
        if byte == b'\n' && !(hidden && waiting.for_input(Some(BURST))?) {
            return Ok(line);
        }
        match decoder.take(byte) {
            Some(Key::Char(character)) => line.push(character),
            Some(Key::Feed) => line.push('\n'),
            Some(Key::Tab) if hidden => line.push('\t'),
            _ => {}
        }
    }
}
