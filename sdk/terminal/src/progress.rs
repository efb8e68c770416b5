//! One line that says how far the work is. It is never as wide as the terminal: what the terminal shows for Ctrl-C would begin
//! another line, and this one would be taken away from the wrong place. The usual crates fill the line.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use unicode_width::UnicodeWidthStr as _;

use super::look::columns;
use super::stream::to_stderr;
use super::table::cut;

/// The interval at which the line is drawn, however often it changes.
const TURN: Duration = Duration::from_millis(100);

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The columns of the spinner, of `^C`, and one that stays free.
const MARGIN: usize = 2 + 2 + 1;

/// To the start of the line, and nothing on it.
const CLEARED: &str = "\r\u{1b}[K";

/// The line, once there is something to show.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Mutex<Option<Line>>>);

#[derive(Debug)]
struct Line {
    text: String,
    turn: usize,
    /// The spinner turns until this is dropped.
    _turning: Sender<()>,
}

impl Progress {
    /// Shows the line at once if there was none, otherwise the next time that it is drawn.
    pub fn show(&self, message: &str, current: Option<u64>, total: Option<u64>) {
        let text = text(message, current, total, columns().saturating_sub(MARGIN));
        let mut shown = self.lock();
        if let Some(line) = shown.as_mut() {
            line.text = text;
            return;
        }
        let line = Line {
            text,
            turn: 0,
            _turning: self.turn(),
        };
        line.draw();
        *shown = Some(line);
    }

    /// Takes the line away while `print` writes beside it.
    pub fn pause(&self, print: impl FnOnce()) {
        let shown = self.lock();
        match shown.as_ref() {
            Some(line) => {
                to_stderr(CLEARED);
                print();
                line.draw();
            }
            None => print(),
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.lock().take().is_some() {
            to_stderr(CLEARED);
        }
    }

    /// Draws the line again and again. Where there is no thread for it, the line stays as it began.
    fn turn(&self) -> Sender<()> {
        let (turning, turn) = mpsc::channel();
        let progress = self.clone();
        let _ = thread::Builder::new().spawn(move || {
            while turn.recv_timeout(TURN) == Err(RecvTimeoutError::Timeout) {
                if let Some(line) = progress.lock().as_mut() {
                    line.turn += 1;
                    line.draw();
                }
            }
        });
        turning
    }

    fn lock(&self) -> MutexGuard<'_, Option<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn draw(&self) {
        let spinner = SPINNER[self.turn % SPINNER.len()];
        to_stderr(&format!("\r{spinner} {}\u{1b}[K", self.text));
    }
}

/// As much of the message as fits beside the numbers.
fn text(message: &str, current: Option<u64>, total: Option<u64>, columns: usize) -> String {
    let numbers = match (current, total) {
        (Some(current), Some(total)) => format!(" {current}/{total}"),
        (Some(current), None) => format!(" {current}"),
        (None, _) => String::new(),
    };
    let room = columns.saturating_sub(numbers.width());
    cut(&message.replace(['\n', '\t'], " "), room) + &numbers
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn the_numbers_are_seen_beside_any_message() {
        for (message, current, total, expected) in [
            ("Upload", None, None, "Upload"),
            ("Upload", Some(1), None, "Upload 1"),
            ("Upload", Some(1), Some(2), "Upload 1/2"),
            ("Upload", None, Some(2), "Upload"),
            ("Two\nlines\tand more", Some(1), Some(20), "Two lin… 1/20"),
        ] {
            assert_eq!(text(message, current, total, 13), expected);
        }
    }
}
