//! The answered questions above a prompt, which are erased when the user goes back.

use super::frame::erased;
use crate::stream::to_stderr;

/// The questions at the bottom of the screen, with nothing else written below them. Going back removes them from the screen.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// Each question's key, and the widths of its rows.
    asked: Vec<(String, Vec<usize>)>,
    goes_back: bool,
}

impl Trail {
    /// Removes the earlier answer to a question, and everything below it, if the user goes back to it.
    pub fn begin(&mut self, key: &str) {
        let goes_back = std::mem::take(&mut self.goes_back);
        let earlier = self.asked.iter().position(|(asked, _)| asked == key);
        if let Some(earlier) = earlier.filter(|_| goes_back) {
            let rows: Vec<usize> = self
                .asked
                .drain(earlier..)
                .flat_map(|(_, rows)| rows)
                .collect();
            to_stderr(&erased(&rows));
        }
    }

    pub fn stays(&mut self, key: &str, rows: Vec<usize>) {
        self.asked.push((key.to_owned(), rows));
    }

    pub fn go_back(&mut self) {
        self.goes_back = true;
    }

    /// Forgets the questions, because something else was written below them.
    pub fn end(&mut self) {
        *self = Self::default();
    }
}
