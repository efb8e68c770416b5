//! Asks questions at a terminal.

mod frame;
mod hidden;
mod key;
mod keyboard;
mod line;
mod list;
mod plain;
mod text;
mod trail;

use std::error::Error;
use std::time::Duration;

use frame::{CHOSEN, Frame, Piece};
use hidden::Hidden;
use key::Key;
use keyboard::{Event, Keyboard};
use list::{List, PAGE};
use text::Text;
pub use trail::Trail;
use unicode_width::UnicodeWidthStr as _;

use super::look::Prompts;
use super::stream::to_stderr;
use super::waiting::Waiting;
use super::{Look, one_line, printable};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer, Question, QuestionKind};

pub const KINDS: &[QuestionKind] = &QuestionKind::ALL;

/// Asks `question` until the answer is valid. In a rich prompt, Esc and Ctrl-D return to the previous question if `question` allows it, and
/// cancel otherwise. Ctrl-C and the end of the input always cancel.
pub fn ask(
    question: &Question,
    look: &Look,
    waiting: &mut Waiting,
    trail: &mut Trail,
) -> Result<Answer, Failure> {
    if question.kind.has_choices() && question.choices.is_empty() {
        return Err(failed(question, "there is nothing to choose from"));
    }
    match look.prompts {
        Prompts::Plain => plain::ask(question, look.stderr_color, waiting),
        Prompts::Rich => rich(question, look.stderr_color, waiting, trail),
    }
}

enum KeyOutcome {
    Stay,
    Done(Answer),
    /// Return to the previous question, or cancel.
    Back,
}

trait Prompt {
    fn press(&mut self, key: Key) -> KeyOutcome;

    /// Returns the time to wait for a key before [`nothing`](Self::nothing) is called.
    fn patience(&self) -> Option<Duration> {
        None
    }

    fn nothing(&mut self) -> KeyOutcome {
        KeyOutcome::Stay
    }

    /// Returns the pieces that show the open question.
    fn asked(&self) -> Vec<Piece>;

    /// Returns the pieces that stay on the screen after the answer.
    fn answered(&self) -> Vec<Piece>;
}

fn rich(
    question: &Question,
    color: bool,
    waiting: &mut Waiting,
    trail: &mut Trail,
) -> Result<Answer, Failure> {
    // Must come first: a secret that is typed as soon as the question appears must not be echoed.
    let keyboard = Keyboard::begin(waiting).map_err(|error| failed(question, error))?;
    let words = help(question);
    let help: Vec<Piece> = match &words {
        Some(help) => vec![Piece::LineEnd, Piece::text(CHOSEN, &format!("[{help}]"))],
        None => Vec::new(),
    };
    let mut prompt: Box<dyn Prompt> = match question.kind {
        QuestionKind::Text | QuestionKind::Confirm => Box::new(Text::new(question, &help)),
        QuestionKind::Password => Box::new(Hidden::new(question, words.as_deref())),
        QuestionKind::Select | QuestionKind::Multiselect => Box::new(List::new(question, &help)),
    };
    trail.begin(&question.key);
    to_stderr(&above(question, color));
    let mut rows: Vec<usize> = above(question, false).lines().map(str::width).collect();
    let mut frame = Frame::begin(color);
    let answer = put(question, prompt.as_mut(), keyboard, &mut frame);
    match &answer {
        Ok(Answer::Back) => {
            frame.erase();
            trail.go_back();
        }
        Err(failure) if failure.code == "withdrawn" => frame.erase(),
        Ok(_) => rows.extend(frame.finish(&prompt.answered())),
        Err(_) => rows.extend(frame.finish(&text::asked(&question.message))),
    }
    trail.stays(&question.key, rows);
    answer
}

fn put(
    question: &Question,
    prompt: &mut dyn Prompt,
    mut keyboard: Keyboard,
    frame: &mut Frame,
) -> Result<Answer, Failure> {
    loop {
        // Draws pasted text once, not after every character.
        if !keyboard.is_busy()? {
            frame.draw(&prompt.asked());
        }
        let step = match keyboard.next(prompt.patience())? {
            Event::Key(Key::Control('c')) => return Err(Failure::cancelled()),
            Event::Key(key) => prompt.press(key),
            Event::Nothing => prompt.nothing(),
            Event::Redraw => KeyOutcome::Stay,
        };
        match step {
            KeyOutcome::Stay => {}
            KeyOutcome::Done(answer) => return Ok(answer),
            KeyOutcome::Back if question.back => return Ok(Answer::Back),
            KeyOutcome::Back => return Err(Failure::cancelled()),
        }
    }
}

fn above(question: &Question, color: bool) -> String {
    let mut above = String::new();
    if let Some(details) = &question.details {
        above.push('\n');
        above.push_str(&super::report::text(details, color));
        above.push('\n');
    }
    if let Some(problem) = &question.problem {
        above.push_str(printable(problem, false).trim_end());
        above.push('\n');
    }
    above
}

fn help(question: &Question) -> Option<String> {
    let long = question.choices.len() > PAGE;
    let keys = match question.kind {
        QuestionKind::Select if long => Some("type to filter, Enter to choose"),
        QuestionKind::Select => Some("Enter to choose"),
        QuestionKind::Multiselect if long => Some("Space to mark, type to filter, Enter to go on"),
        QuestionKind::Multiselect => Some("Space to mark, Enter to go on"),
        QuestionKind::Text | QuestionKind::Password | QuestionKind::Confirm => None,
    };
    let back = question.back.then_some("Esc to go back");
    let own = question.help.as_deref().map(one_line);
    let help: Vec<String> = own
        .into_iter()
        .chain([keys, back].into_iter().flatten().map(str::to_owned))
        .collect();
    (!help.is_empty()).then(|| help.join("; "))
}

fn failed(question: &Question, why: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    let could_not = format!("could not ask `{}`", question.key);
    Failure::because(Exit::Failed, "terminal_failed", could_not, why)
}
