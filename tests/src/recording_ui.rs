//! A user interface for commands and backends that run in the test process.

use std::sync::{Arc, Mutex, PoisonError};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_sdk::session::{Capabilities, Level};
use bot_cli_terminal::ui::Ui;
use serde_json::Value;

/// A user interface that records all output and can't answer questions.
pub(crate) struct RecordingUi(pub Arc<Mutex<String>>);

impl Ui for RecordingUi {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            progress: true,
            ..Capabilities::default()
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        let message = format!("nobody can be asked: {}", question.key);
        Err(Failure::new(Exit::Failed, "asked", message))
    }

    fn progress(&mut self, message: &str, _current: Option<u64>, _total: Option<u64>) {
        self.hear(message);
    }

    fn log(&mut self, _level: Level, message: &str, _data: &Value) {
        self.hear(message);
    }

    fn output(&mut self, text: &str, _data: &Value) {
        self.hear(text);
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }
}

impl RecordingUi {
    fn hear(&self, line: &str) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push_str(line);
        heard.push('\n');
    }
}
