//! The progress line.
//!
//! The line is always narrower than the terminal. In a line of full width, the terminal's echo of Ctrl-C would wrap, and the wrong line
//! would be cleared. Common progress crates use the full width.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use unicode_width::UnicodeWidthStr as _;

use super::look::columns;
use super::stream::to_stderr;
use super::table::cut;

/// The interval between redraws, regardless of how often the text changes.
const TURN: Duration = Duration::from_millis(100);

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The number of columns reserved for the spinner, for `^C`, and for one blank column.
const MARGIN: usize = 2 + 2 + 1;

const CLEARED: &str = "\r\u{1b}[K";

#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Mutex<Option<ProgressLine>>>);

#[derive(Debug)]
struct ProgressLine {
    text: String,
    turn: usize,
    /// A channel that keeps the spinner running until this sender is dropped.
    _turning: Sender<()>,
}

impl Progress {
    /// Draws a new line immediately. If a line already exists, the next redraw shows the new text.
    pub fn show(&self, message: &str, current: Option<u64>, total: Option<u64>) {
        let text = text(message, current, total, columns().saturating_sub(MARGIN));
        let mut shown = self.lock();
        if let Some(line) = shown.as_mut() {
            line.text = text;
            return;
        }
        let line = ProgressLine {
            text,
            turn: 0,
            _turning: self.turn(),
        };
        line.draw();
        *shown = Some(line);
    }

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

    pub fn clear(&self) {
        if self.lock().take().is_some() {
            to_stderr(CLEARED);
        }
    }

    /// Starts a thread that redraws the line until the returned sender is dropped. If the thread can't be started, the line never changes.
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

    fn lock(&self) -> MutexGuard<'_, Option<ProgressLine>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressLine {
    fn draw(&self) {
        let spinner = SPINNER[self.turn % SPINNER.len()];
        to_stderr(&format!("\r{spinner} {}\u{1b}[K", self.text));
    }
}

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
