//! What the last questions have left on the screen, so that going back takes it away again.

use super::frame::erase;
use crate::look;
use bot_cli_protocol::question::{Answer, Question};

/// The questions that stand on the screen one below the other, and the last answer.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The rows of each.
    questions: Vec<usize>,
    /// As wide as the terminal was then.
    columns: usize,
    /// The key of the last question, and its answer unless that is secret.
    last: Option<(String, Option<Answer>)>,
}

impl Trail {
    /// Something else is written below.
    pub fn leave(&mut self) {
        self.questions.clear();
    }

    /// Adds a question that takes `rows`.
    pub fn push(&mut self, question: &Question, answer: &Answer, rows: usize) {
        self.leave_if_resized();
        self.questions.push(rows);
        let shown = match answer {
            Answer::Text(_) | Answer::Many(_) => Some(answer.clone()),
            Answer::Confirm(_) | Answer::Secret(_) | Answer::Back => None,
        };
        self.last = Some((question.key.clone(), shown));
    }

    /// The rows of the last question, which is taken away.
    pub fn pop(&mut self) -> usize {
        self.leave_if_resized();
        self.last = None;
        self.questions.pop().unwrap_or(0)
    }

    /// Takes the question away if it stands there with an answer that was refused. Gives the answer.
    pub fn take_back(&mut self, question: &Question) -> Option<Answer> {
        let (key, answer) = self.last.take()?;
        if question.problem.is_none() || key != question.key {
            return None;
        }
        erase(self.pop());
        answer
    }

    /// What was one row may be several now.
    fn leave_if_resized(&mut self) {
        let (columns, _) = look::size();
        if std::mem::replace(&mut self.columns, columns) != columns {
            self.leave();
        }
    }
}
