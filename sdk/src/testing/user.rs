//! A user who gives the answers of a test.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{Answer, Failure, Level, Outcome, Question, Ran, Ui};
use bot_cli_protocol::failure::Exit;
use bot_cli_protocol::question::QuestionKind;
use bot_cli_terminal::ui::Capabilities;

/// A user with scripted answers, by question key. Clones share the record of everything that the user saw.
#[derive(Clone, Default)]
pub struct User {
    answers: HashMap<String, VecDeque<Option<Value>>>,
    pub piped: Option<Vec<u8>>,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    output: String,
    asked: Vec<Question>,
    logs: Vec<(Level, String)>,
    progress: Vec<String>,
}

impl User {
    /// Adds the next answer to the question `key`. `None` means that the user goes back.
    pub fn answer(&mut self, key: &str, answer: Option<Value>) {
        let answers = self.answers.entry(key.to_owned()).or_default();
        answers.push_back(answer);
    }

    pub fn is_there(&self) -> bool {
        !self.answers.is_empty()
    }

    pub fn tell(&self, outcome: Outcome) -> Ran {
        let seen = std::mem::take(&mut *self.seen());
        let status = outcome.status;
        let data = outcome.document();
        let (text, next, failure) = match outcome.result {
            Ok(reply) => (reply.text, reply.next, None),
            Err(failure) => (String::new(), Vec::new(), Some(failure)),
        };
        Ran {
            status,
            text: seen.output + &text,
            data,
            next,
            failure,
            asked: seen.asked,
            logs: seen.logs,
            progress: seen.progress,
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ui for User {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ask: if self.is_there() {
                QuestionKind::ALL.to_vec()
            } else {
                Vec::new()
            },
            stdin: self.piped.is_some(),
            progress: true,
            output: true,
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.seen().asked.push(question.clone());
        let answers = self.answers.get_mut(&question.key);
        match answers.and_then(VecDeque::pop_front) {
            Some(Some(value)) => question.check(&value).map_err(|problem| {
                let message = format!("the test's answer to `{}` {problem}", question.key);
                Failure::new(Exit::Failed, "wrong_answer", message)
            }),
            Some(None) if question.back => Ok(Answer::Back),
            Some(None) => {
                let message = format!("there is no way back from `{}`", question.key);
                Err(Failure::new(Exit::Failed, "wrong_answer", message))
            }
            None => {
                let default = question.default.as_ref();
                default
                    .and_then(|value| question.check(value).ok())
                    .ok_or_else(Failure::cancelled)
            }
        }
    }

    fn progress(&mut self, message: &str, _current: Option<u64>, _total: Option<u64>) {
        self.seen().progress.push(message.to_owned());
    }

    fn log(&mut self, level: Level, message: &str, _data: &Value) {
        self.seen().logs.push((level, message.to_owned()));
    }

    fn output(&mut self, text: &str, _data: &Value) {
        self.seen().output.push_str(text);
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(self.piped.take().unwrap_or_default())
    }
}
