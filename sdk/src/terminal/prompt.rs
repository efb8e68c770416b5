//! Questions at a terminal.

use std::fmt;

use inquire::error::InquireError;
use inquire::list_option::ListOption;
use inquire::ui::{RenderConfig, Styled};
use inquire::{Confirm, MultiSelect, Select, Text};
use serde_json::Value;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{hidden, printable, to_stderr};
use crate::failure::{Exit, Failure, reason};
use crate::question::{Answer, Choice, Question, QuestionKind};

/// Rows of a list that are shown at once.
const PAGE: usize = 12;

/// Columns that a list needs beside its rows: the cursor, the mark, and one that stays free.
const MARGIN: usize = 7;

/// Asks once. Esc and Ctrl-D go back where the question allows that; elsewhere they cancel, as Ctrl-C does.
pub fn ask(question: &Question, color: bool) -> Result<Answer, Failure> {
    // What is typed as soon as the words about a secret are there must not be seen, either.
    let _unseen = match question.kind {
        QuestionKind::Password => {
            let unseen = hidden::Unseen::begin();
            Some(unseen.map_err(|error| failed(question, &reason(&error)))?)
        }
        QuestionKind::Text
        | QuestionKind::Confirm
        | QuestionKind::Select
        | QuestionKind::Multiselect => None,
    };
    let show = |text: String| match question.kind {
        // Such a terminal does not begin a line by itself.
        QuestionKind::Password => to_stderr(&text.replace('\n', "\r\n")),
        QuestionKind::Text
        | QuestionKind::Confirm
        | QuestionKind::Select
        | QuestionKind::Multiselect => to_stderr(&text),
    };
    if let Some(details) = &question.details {
        show(format!("\n{}\n", super::report::text(details, color)));
    }
    if let Some(problem) = &question.problem {
        show(format!("{}\n", printable(problem, false)));
    }
    let prompt = Prompt::new(question, color);
    match prompt.show() {
        Ok(answer) => Ok(answer),
        Err(InquireError::OperationCanceled) if question.back => Ok(Answer::Back),
        Err(InquireError::OperationCanceled) => Err(Failure::cancelled()),
        Err(InquireError::OperationInterrupted) => {
            // A prompt that fills the terminal leaves the cursor in its last line.
            let rest = crossterm::terminal::Clear(crossterm::terminal::ClearType::UntilNewLine);
            let _ = crossterm::execute!(std::io::stderr(), rest);
            Err(Failure::cancelled())
        }
        Err(InquireError::IO(error)) => Err(failed(question, &reason(&error))),
        Err(
            error @ (InquireError::NotTTY
            | InquireError::InvalidConfiguration(_)
            | InquireError::Custom(_)),
        ) => Err(failed(question, &error.to_string())),
    }
}

fn failed(question: &Question, why: &str) -> Failure {
    let message = format!("could not ask `{}`: {why}", question.key);
    Failure::new(Exit::Failed, "terminal_failed", message)
}

/// Leaves the terminal as it was before a question that nobody waits for any more.
pub fn tidy() {
    // Nothing is left to be done where the terminal itself has gone.
    let _ = crossterm::terminal::disable_raw_mode();
    let _ = crossterm::execute!(
        std::io::stderr(),
        crossterm::event::DisableBracketedPaste,
        crossterm::cursor::Show,
        crossterm::style::Print("\n"),
    );
}

/// A question in the words that are shown.
struct Prompt<'a> {
    question: &'a Question,
    message: String,
    help: Option<String>,
    rows: Vec<Row>,
    color: bool,
    render: RenderConfig<'static>,
}

impl<'a> Prompt<'a> {
    fn new(question: &'a Question, color: bool) -> Self {
        let mut help: Vec<String> = Vec::new();
        let long = question.choices.len() > PAGE;
        let columns = super::look::columns().saturating_sub(MARGIN);
        help.extend(question.help.as_deref().map(line));
        match question.kind {
            QuestionKind::Select if long => help.push("type to filter, Enter to choose".to_owned()),
            QuestionKind::Select => help.push("Enter to choose".to_owned()),
            QuestionKind::Multiselect if long => {
                help.push("Space to mark, type to filter, Enter to go on".to_owned());
            }
            QuestionKind::Multiselect => help.push("Space to mark, Enter to go on".to_owned()),
            QuestionKind::Text | QuestionKind::Password | QuestionKind::Confirm => {}
        }
        if question.back {
            help.push("Esc to go back".to_owned());
        }
        Self {
            question,
            message: line(&question.message),
            help: (!help.is_empty()).then(|| help.join("; ")),
            rows: question
                .choices
                .iter()
                .map(|choice| Row::new(choice, columns))
                .collect(),
            color,
            render: if color {
                RenderConfig::default_colored()
            } else {
                RenderConfig::empty()
            }
            .with_canceled_prompt_indicator(Styled::new(if question.back {
                "(back)"
            } else {
                // The line below says it.
                ""
            })),
        }
    }

    fn show(&self) -> Result<Answer, InquireError> {
        match self.question.kind {
            QuestionKind::Text => self.text(),
            QuestionKind::Password => self.password(),
            QuestionKind::Confirm => self.confirm(),
            QuestionKind::Select => self.select(),
            QuestionKind::Multiselect => self.multiselect(),
        }
    }

    fn text(&self) -> Result<Answer, InquireError> {
        let mut prompt = Text::new(&self.message).with_render_config(self.render);
        prompt.help_message = self.help.as_deref();
        prompt.default = self.question.default.as_ref().and_then(Value::as_str);
        prompt.prompt().map(Answer::Text)
    }

    fn password(&self) -> Result<Answer, InquireError> {
        let (help, back) = (self.help.as_deref(), self.question.back);
        hidden::ask(&self.message, help, back, self.color).map(Answer::Secret)
    }

    fn confirm(&self) -> Result<Answer, InquireError> {
        let mut prompt = Confirm::new(&self.message).with_render_config(self.render);
        prompt.help_message = self.help.as_deref();
        prompt.default = self.question.default.as_ref().and_then(Value::as_bool);
        prompt.prompt().map(Answer::Confirm)
    }

    fn select(&self) -> Result<Answer, InquireError> {
        let chosen = self.question.default.as_ref().and_then(Value::as_str);
        let cursor = chosen.and_then(|value| self.rows.iter().position(|row| row.value == value));
        let mut prompt = Select::new(&self.message, self.rows.clone())
            .with_render_config(self.render)
            .with_page_size(PAGE)
            .with_starting_cursor(cursor.unwrap_or(0))
            .with_scorer(&score)
            .with_formatter(&|chosen| chosen.value.label.clone());
        prompt.help_message = self.help.as_deref();
        prompt.prompt().map(|row| Answer::Text(row.value))
    }

    fn multiselect(&self) -> Result<Answer, InquireError> {
        let marked: Vec<usize> = match self.question.default.as_ref().and_then(Value::as_array) {
            Some(values) => self.positions(values),
            None => Vec::new(),
        };
        let mut prompt = MultiSelect::new(&self.message, self.rows.clone())
            .with_render_config(self.render)
            .with_page_size(PAGE)
            .with_default(&marked)
            .with_scorer(&score)
            .with_formatter(&|chosen: &[ListOption<&Row>]| {
                let labels: Vec<&str> = chosen.iter().map(|row| row.value.label.as_str()).collect();
                if labels.is_empty() {
                    "none".to_owned()
                } else {
                    labels.join(", ")
                }
            });
        prompt.help_message = self.help.as_deref();
        let rows = prompt.prompt()?;
        Ok(Answer::Many(
            rows.into_iter().map(|row| row.value).collect(),
        ))
    }

    fn positions(&self, values: &[Value]) -> Vec<usize> {
        let marked = |row: &Row| values.iter().any(|value| value == row.value.as_str());
        (0..self.rows.len())
            .filter(|&index| marked(&self.rows[index]))
            .collect()
    }
}

/// One line of a list.
#[derive(Clone)]
struct Row {
    value: String,
    label: String,
    about: String,
    /// What is seen of it: one line, cut where the terminal ends.
    shown: String,
}

impl Row {
    fn new(choice: &Choice, columns: usize) -> Self {
        let label = line(&choice.label);
        let about = choice.about.as_deref().map(line).unwrap_or_default();
        let whole = match about.as_str() {
            "" => label.clone(),
            about => format!("{label} - {about}"),
        };
        Self {
            value: choice.value.clone(),
            label,
            about,
            shown: cut(&whole, columns),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// As much of `text` as fits.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let fitting = text.chars().take_while(|character| {
        used += character.width().unwrap_or(0);
        used <= columns
    });
    fitting.chain(['…']).collect()
}

/// A row stays while every typed word is somewhere in it; the order of the plugin is kept.
fn score(typed: &str, row: &Row, _shown: &str, _index: usize) -> Option<i64> {
    let text = format!("{} {} {}", row.value, row.label, row.about).to_lowercase();
    typed
        .to_lowercase()
        .split_whitespace()
        .all(|word| text.contains(word))
        .then_some(0)
}

fn line(text: &str) -> String {
    printable(text, false).replace('\n', " ")
}
