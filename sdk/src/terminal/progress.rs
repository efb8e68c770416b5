//! One line that says how far the work is.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The line, once there is something to show.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Mutex<Option<ProgressBar>>>);

impl Progress {
    /// Draws the line anew.
    pub fn show(&self, message: &str, current: Option<u64>, total: Option<u64>) {
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = line.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        let template = match (current, total) {
            (Some(_), Some(_)) => "{spinner} {wide_msg} {pos}/{len}",
            (Some(_), None) => "{spinner} {wide_msg} {pos}",
            (None, _) => "{spinner} {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_position(current.unwrap_or(0));
        bar.set_message(message.replace('\n', " "));
    }

    /// Takes the line away while `print` writes beside it.
    pub fn pause(&self, print: impl FnOnce()) {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match line.as_ref() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = line.take() {
            bar.finish_and_clear();
        }
    }
}
