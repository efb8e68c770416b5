//! A line that is typed unseen. The prompts' library would keep what is typed in memory, and type the letter of every control
//! key into it.
//!
//! A paste may have several lines. Terminals send CR for their ends, as for Enter. Where a terminal does not mark what is
//! pasted, lines that arrive faster than anybody types count as pasted, and only an Enter that comes by itself ends the answer.

use std::io::{self, stderr};
use std::time::Duration;

use crossterm::cursor::MoveToColumn;
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind,
    KeyModifiers, poll, read,
};
use crossterm::execute;
use crossterm::style::{Print, Stylize};
use crossterm::terminal::{Clear, ClearType, disable_raw_mode, enable_raw_mode};
use inquire::error::{InquireError, InquireResult};
use unicode_width::UnicodeWidthStr as _;
use zeroize::Zeroizing;

use super::look::columns;
use crate::secret::Secret;

/// More than is ever typed or pasted: the line does not move while it grows, and leaves no copies behind.
const ROOM: usize = 64 * 1024;

/// Nobody presses two keys within this time; the pieces of a paste arrive sooner.
const BURST: Duration = Duration::from_millis(25);

/// Asks for a line on a terminal that is [`Unseen`]; `help` stands behind the question until it is answered. Esc goes back where `back` leads somewhere, and cancels elsewhere; Ctrl-D without a text cancels.
pub fn ask(message: &str, help: Option<&str>, back: bool, color: bool) -> InquireResult<Secret> {
    let help = help.map_or_else(String::new, |help| format!("[{help}] "));
    let mut prompt = Prompt {
        message,
        color,
        width: None,
    };
    prompt.show("?", &help)?;
    let typed = line(back, keyboard, |lines| match lines {
        0 => prompt.show("?", &help),
        _ => prompt.show("?", &format!("{help}({}, Enter to go on) ", count(lines))),
    });
    let outcome = match &typed {
        Ok(text) => match lines_of(text) {
            0 | 1 => "(hidden)".to_owned(),
            lines => format!("(hidden, {})", count(lines)),
        },
        Err(InquireError::OperationCanceled) => "(back)".to_owned(),
        Err(_) => String::new(),
    };
    prompt.show(">", &outcome)?;
    execute!(stderr(), Print("\r\n"))?;
    typed.map(|text| Secret::new(text.as_str().to_owned()))
}

/// The question as it stands on the screen.
struct Prompt<'a> {
    message: &'a str,
    color: bool,
    /// The columns that it takes, once it is shown.
    width: Option<usize>,
}

impl Prompt<'_> {
    fn show(&mut self, mark: &str, rest: &str) -> io::Result<()> {
        if let Some(width) = self.width {
            // Above a line that is wrapped there is no going back.
            if width >= columns() {
                self.width = Some(width + rest.width());
                return execute!(stderr(), Print(rest));
            }
            execute!(stderr(), MoveToColumn(0), Clear(ClearType::CurrentLine))?;
        }
        self.width = Some(mark.width() + self.message.width() + rest.width() + 2);
        let mark = if self.color {
            mark.green().to_string()
        } else {
            mark.to_owned()
        };
        execute!(stderr(), Print(format!("{mark} {} {rest}", self.message)))
    }
}

fn count(lines: usize) -> String {
    match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

fn lines_of(text: &str) -> usize {
    text.trim_end_matches('\n').split('\n').count()
}

/// The next event; with `patience` only one that comes within that time.
fn keyboard(patience: Option<Duration>) -> io::Result<Option<Event>> {
    match patience {
        Some(patience) if !poll(patience)? => Ok(None),
        Some(_) | None => read().map(Some),
    }
}

/// Something that changes the line.
enum Input {
    Key(KeyEvent),
    Pasted(Zeroizing<String>),
}

/// The next input; with `patience` only one that comes within that time.
fn input(
    next: &mut impl FnMut(Option<Duration>) -> io::Result<Option<Event>>,
    patience: Option<Duration>,
) -> io::Result<Option<Input>> {
    while let Some(event) = next(patience)? {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                return Ok(Some(Input::Key(key)));
            }
            Event::Paste(text) => return Ok(Some(Input::Pasted(Zeroizing::new(text)))),
            Event::Key(_)
            | Event::FocusGained
            | Event::FocusLost
            | Event::Mouse(_)
            | Event::Resize(..) => {}
        }
    }
    Ok(None)
}

/// What is typed or pasted up to Enter. `tell` shows how many lines there are, once that is not obvious.
fn line(
    back: bool,
    mut next: impl FnMut(Option<Duration>) -> io::Result<Option<Event>>,
    mut tell: impl FnMut(usize) -> io::Result<()>,
) -> InquireResult<Zeroizing<String>> {
    let mut typed = Typed::default();
    // What was read to find out whether an Enter came by itself.
    let mut ahead = None;
    let mut burst = false;
    let mut told = false;
    loop {
        let at_once = match ahead.take() {
            None if burst => input(&mut next, Some(BURST))?,
            input => input,
        };
        let alone = at_once.is_none();
        if alone && burst {
            tell(lines_of(&typed.text))?;
            told = true;
        }
        let now = match at_once {
            Some(input) => Some(input),
            None => input(&mut next, None)?,
        };
        let key = match now {
            Some(Input::Key(key)) => key,
            Some(Input::Pasted(text)) => {
                typed.paste(&text);
                let lines = lines_of(&typed.text);
                if lines > 1 {
                    tell(lines)?;
                    told = true;
                }
                continue;
            }
            None => continue,
        };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, control) {
            (KeyCode::Enter, _) | (KeyCode::Char('j' | 'm'), true) => {
                let feed = key.code == KeyCode::Char('j');
                if alone || !burst {
                    ahead = input(&mut next, Some(BURST))?;
                    // Some terminals send CR and LF for one Enter.
                    if !feed && ahead.as_ref().is_some_and(is_line_feed) {
                        ahead = input(&mut next, Some(BURST))?;
                    }
                    if ahead.is_none() {
                        return Ok(typed.answer());
                    }
                    burst = true;
                }
                typed.push(if feed { '\n' } else { '\r' });
            }
            (KeyCode::Esc, _) if back => return Err(InquireError::OperationCanceled),
            (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => {
                return Err(InquireError::OperationInterrupted);
            }
            (KeyCode::Char('d'), true) if typed.text.is_empty() => {
                return Err(InquireError::OperationInterrupted);
            }
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => typed.pop(),
            (KeyCode::Char('u' | 'w'), true) => {
                typed = Typed::default();
                burst = false;
                if std::mem::take(&mut told) {
                    tell(0)?;
                }
            }
            (KeyCode::Char(character), false) => typed.push(character),
            (KeyCode::Tab, false) if burst => typed.push('\t'),
            // Whatever else moves a cursor that nobody sees.
            _ => {}
        }
    }
}

fn is_line_feed(input: &Input) -> bool {
    matches!(input, Input::Key(key)
        if key.code == KeyCode::Char('j') && key.modifiers.contains(KeyModifiers::CONTROL))
}

/// A text whose lines end with LF, whatever came for their ends.
struct Typed {
    text: Zeroizing<String>,
    after_return: bool,
}

impl Default for Typed {
    fn default() -> Self {
        Self {
            text: Zeroizing::new(String::with_capacity(ROOM)),
            after_return: false,
        }
    }
}

impl Typed {
    fn push(&mut self, character: char) {
        match character {
            '\n' if self.after_return => {}
            '\r' => self.text.push('\n'),
            character => self.text.push(character),
        }
        self.after_return = character == '\r';
    }

    fn paste(&mut self, text: &str) {
        self.after_return = false;
        text.chars().for_each(|character| self.push(character));
    }

    fn pop(&mut self) {
        self.text.pop();
        self.after_return = false;
    }

    /// Several lines, each with its end, as in the file that they were copied from; or one line without.
    fn answer(mut self) -> Zeroizing<String> {
        let end = self.text.trim_end_matches('\n').len();
        self.text.truncate(end);
        if self.text.contains('\n') {
            self.text.push('\n');
        }
        self.text
    }
}

/// A terminal that shows nothing of what is typed, as long as this lives.
pub struct Unseen;

impl Unseen {
    pub fn begin() -> io::Result<Self> {
        enable_raw_mode()?;
        let unseen = Self;
        execute!(stderr(), EnableBracketedPaste)?;
        Ok(unseen)
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        let _ = execute!(stderr(), DisableBracketedPaste);
        let _ = disable_raw_mode();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
    use inquire::error::InquireError;

    use super::line;

    /// Nothing comes for a while.
    const PAUSE: Option<Event> = None;

    fn typed(events: Vec<Event>) -> Result<String, InquireError> {
        told(true, events.into_iter().map(Some).collect()).0
    }

    /// The line, and the numbers of lines that were shown.
    fn told(
        back: bool,
        mut events: VecDeque<Option<Event>>,
    ) -> (Result<String, InquireError>, Vec<usize>) {
        let mut told = Vec::new();
        let typed = line(
            back,
            |patience| match patience {
                Some(_) if matches!(events.front(), Some(Some(_))) => {
                    Ok(events.pop_front().flatten())
                }
                Some(_) => Ok(None),
                None => loop {
                    match events.pop_front() {
                        Some(Some(event)) => return Ok(Some(event)),
                        Some(PAUSE) => {}
                        None => return Err(std::io::Error::other("no Enter")),
                    }
                },
            },
            |lines| {
                told.push(lines);
                Ok(())
            },
        );
        (typed.map(|text| text.to_string()), told)
    }

    fn key(code: KeyCode) -> Event {
        Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn control(letter: char) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
    }

    fn letters(text: &str) -> impl Iterator<Item = Event> {
        text.chars().map(|letter| key(KeyCode::Char(letter)))
    }

    /// What a terminal sends for these bytes; `|` is a pause.
    fn keys(text: &str) -> VecDeque<Option<Event>> {
        let keys = text.chars().map(|letter| match letter {
            '|' => PAUSE,
            '\r' => Some(key(KeyCode::Enter)),
            '\n' => Some(control('j')),
            '\t' => Some(key(KeyCode::Tab)),
            '\u{3}' => Some(control('c')),
            '\u{15}' => Some(control('u')),
            letter => Some(key(KeyCode::Char(letter))),
        });
        keys.collect()
    }

    #[test]
    fn keys_that_change_a_line_change_it_and_others_type_nothing() {
        let enter = || vec![key(KeyCode::Enter)];
        let of = |parts: Vec<Vec<Event>>| typed(parts.into_iter().flatten().collect());
        let wrong: Vec<Event> = letters("wrong").collect();
        let right: Vec<Event> = letters("rightö").collect();
        for (between, expected) in [
            (vec![control('u')], "rightö"),
            (vec![control('w')], "rightö"),
            (vec![key(KeyCode::Backspace), control('h')], "wrorightö"),
            (
                vec![control('a'), key(KeyCode::Left), key(KeyCode::Tab)],
                "wrongrightö",
            ),
        ] {
            let line = of(vec![wrong.clone(), between, right.clone(), enter()]);
            assert_eq!(line.unwrap(), expected);
        }
    }

    #[test]
    fn a_pasted_text_of_several_lines_ends_with_one_line_end() {
        for end in ["\r", "\n", "\r\n"] {
            let text = format!("-----BEGIN{end}{end}a\tb{end}KEY-----{end}");
            let events = [Event::Paste(text), key(KeyCode::Enter)].map(Some);
            let (line, told) = told(true, events.into());
            assert_eq!(line.unwrap(), "-----BEGIN\n\na\tb\nKEY-----\n", "{end:?}");
            assert_eq!(told, [4], "{end:?}");
        }
        let two = ["one\r", "two\r"].map(|text| Event::Paste(text.to_owned()));
        let line = typed([&two[..], &[key(KeyCode::Enter)]].concat());
        assert_eq!(line.unwrap(), "one\ntwo\n");
    }

    #[test]
    fn lines_that_arrive_at_once_are_one_pasted_text() {
        for (sent, expected, shown) in [
            ("one|\r", "one", &[][..]),
            ("one\r", "one", &[]),
            ("one\r\n", "one", &[]),
            ("one\n", "one", &[]),
            ("one\rtwo|\r", "one\ntwo\n", &[2]),
            ("one\rtwo\r\r|\r", "one\ntwo\n", &[2]),
            ("one\r\ntwo\r\n|\r\n", "one\ntwo\n", &[2]),
            ("one\ntwo\n|\n", "one\ntwo\n", &[2]),
            ("one\r\r\ttwo\r|x|\r", "one\n\n\ttwo\nx\n", &[3, 4]),
            ("one\r\r|\r", "one", &[1]),
            ("one\rtwo|\u{15}|three|\r", "three", &[2, 0]),
            (
                "one\rtwo\r|three\rfour\r|\r",
                "one\ntwo\nthree\nfour\n",
                &[2, 4],
            ),
        ] {
            let (line, told) = told(true, keys(sent));
            assert_eq!(line.unwrap(), expected, "{sent:?}");
            assert_eq!(told, shown, "{sent:?}");
        }
        let (stopped, _) = told(true, keys("one\rtwo|\u{3}"));
        assert!(matches!(stopped, Err(InquireError::OperationInterrupted)));
    }

    #[test]
    fn escape_ctrl_c_and_ctrl_d_are_no_answers() {
        let given_up = typed(vec![key(KeyCode::Esc)]);
        assert!(matches!(given_up, Err(InquireError::OperationCanceled)));
        for stop in [key(KeyCode::Esc), control('c'), control('d')] {
            let (stopped, _) = told(false, [Some(stop.clone())].into());
            assert!(
                matches!(stopped, Err(InquireError::OperationInterrupted)),
                "{stop:?}"
            );
        }
        let events = [key(KeyCode::Char('a')), control('d'), key(KeyCode::Enter)];
        assert_eq!(typed(events.into()).unwrap(), "a");
    }
}
