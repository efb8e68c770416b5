//! A line that is typed unseen. The prompts' library would keep what is typed in memory, and type the letter of every control
//! key into it.

use std::io::{self, stderr};

use crossterm::cursor::MoveToColumn;
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEventKind, KeyModifiers, read,
};
use crossterm::execute;
use crossterm::style::{Print, Stylize};
use crossterm::terminal::{Clear, ClearType, disable_raw_mode, enable_raw_mode};
use inquire::error::{InquireError, InquireResult};
use unicode_width::UnicodeWidthStr as _;
use zeroize::{Zeroize as _, Zeroizing};

use super::look::columns;
use crate::secret::Secret;

/// More than is ever typed or pasted: the line does not move while it grows, and leaves no copies behind.
const ROOM: usize = 64 * 1024;

/// Asks for a line; `help` stands behind the question until it is answered. Esc leaves it only where `back` leads somewhere.
pub fn ask(message: &str, help: Option<&str>, back: bool, color: bool) -> InquireResult<Secret> {
    let _raw = Raw::enter()?;
    let help = help.map_or_else(String::new, |help| format!("[{help}] "));
    let mark = |text: &str| {
        if color {
            text.green().to_string()
        } else {
            text.to_owned()
        }
    };
    execute!(stderr(), Print(format!("{} {message} {help}", mark("?"))))?;
    let typed = line(back, read);
    let outcome = match &typed {
        Ok(_) => "(hidden)",
        Err(InquireError::OperationCanceled) => "(back)",
        Err(_) => "",
    };
    // Above a line that is wrapped there is no going back.
    if message.width() + help.width() + 3 < columns() {
        execute!(
            stderr(),
            MoveToColumn(0),
            Clear(ClearType::CurrentLine),
            Print(format!("{} {message} ", mark(">")))
        )?;
    }
    execute!(stderr(), Print(format!("{outcome}\r\n")))?;
    typed.map(|text| Secret::new(text.as_str().to_owned()))
}

/// What is typed up to Enter.
fn line(
    back: bool,
    mut next: impl FnMut() -> io::Result<Event>,
) -> InquireResult<Zeroizing<String>> {
    let mut typed = Zeroizing::new(String::with_capacity(ROOM));
    loop {
        let key = match next()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            Event::Paste(mut text) => {
                typed.push_str(text.trim_end_matches(['\r', '\n']));
                text.zeroize();
                continue;
            }
            Event::Key(_)
            | Event::FocusGained
            | Event::FocusLost
            | Event::Mouse(_)
            | Event::Resize(..) => continue,
        };
        match (key.code, key.modifiers.contains(KeyModifiers::CONTROL)) {
            (KeyCode::Enter, _) | (KeyCode::Char('j' | 'm'), true) => return Ok(typed),
            (KeyCode::Esc, _) if back => return Err(InquireError::OperationCanceled),
            (KeyCode::Char('c'), true) => return Err(InquireError::OperationInterrupted),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                typed.pop();
            }
            (KeyCode::Char('u' | 'w'), true) => typed.clear(),
            (KeyCode::Char(character), false) => typed.push(character),
            // Whatever else moves a cursor that nobody sees.
            _ => {}
        }
    }
}

/// A terminal that shows nothing of what is typed, as long as this lives.
struct Raw;

impl Raw {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        let raw = Self;
        execute!(stderr(), EnableBracketedPaste)?;
        Ok(raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = execute!(stderr(), DisableBracketedPaste);
        let _ = disable_raw_mode();
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
    use inquire::error::InquireError;

    use super::line;

    fn typed(events: Vec<Event>) -> Result<String, InquireError> {
        typed_where(true, events)
    }

    fn typed_where(back: bool, events: Vec<Event>) -> Result<String, InquireError> {
        let mut events = events.into_iter();
        line(back, || {
            events
                .next()
                .ok_or_else(|| std::io::Error::other("no Enter"))
        })
        .map(|text| text.to_string())
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
            (vec![control('a'), key(KeyCode::Left)], "wrongrightö"),
        ] {
            let line = of(vec![wrong.clone(), between, right.clone(), enter()]);
            assert_eq!(line.unwrap(), expected);
        }
    }

    #[test]
    fn a_pasted_text_has_its_lines_and_not_the_end_of_the_last() {
        let paste = Event::Paste("-----BEGIN\nKEY-----\r\n".to_owned());
        let line = typed(vec![paste, key(KeyCode::Enter)]).unwrap();
        assert_eq!(line, "-----BEGIN\nKEY-----");
    }

    #[test]
    fn escape_and_ctrl_c_are_no_answers() {
        let given_up = typed(vec![key(KeyCode::Esc)]);
        assert!(matches!(given_up, Err(InquireError::OperationCanceled)));
        let nowhere = typed_where(false, vec![key(KeyCode::Esc), key(KeyCode::Enter)]);
        assert_eq!(nowhere.unwrap(), "");
        let stopped = typed(vec![control('c')]);
        assert!(matches!(stopped, Err(InquireError::OperationInterrupted)));
    }
}
