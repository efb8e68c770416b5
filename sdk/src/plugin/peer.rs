//! Receives messages from the host and uses the host as the user interface.

use std::io::BufRead;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::{Value, json};
use zeroize::{Zeroize, Zeroizing};

use super::open_requests::{HostReply, OpenRequests};
use super::output::Output;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::line::{self, Line};
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_protocol::{
    AskAction, AskResult, CancelParams, ErrorObject, Id, LogParams, Message, NotAMessage,
    OutputParams, ProgressParams, StdinResult, codes, methods,
};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Capabilities, Level, Ui, withdrawn};

const TICK: Duration = Duration::from_millis(20);

/// A line from the host that requires a reply.
pub enum Work {
    Request(Incoming),
    /// An invalid line, whose error is in the reply queue.
    Refusal,
}

pub struct Incoming {
    pub id: Id,
    pub method: String,
    pub params: Value,
    pub cancel: Cancel,
}

/// A receiver that forwards the host's messages to other threads. It never writes to the host, because a blocked write would stop it from
/// receiving.
pub struct Listener<I> {
    pub input: I,
    pub open_requests: OpenRequests,
    pub work: Sender<Work>,
    pub replies: Sender<HostReply>,
}

impl<I: BufRead> Listener<I> {
    /// Reads and handles the next line. Returns `false` at the end of the input.
    pub fn hear(&mut self) -> bool {
        let bytes = match line::read(&mut self.input) {
            // The line may contain the answer to a password question.
            Ok(Some(Line::Complete(bytes))) => Zeroizing::new(bytes),
            Ok(Some(Line::TooLong { ended })) => {
                self.refuse(codes::INVALID_REQUEST, "a line is longer than 8 MiB");
                return ended || self.input.skip_until(b'\n').is_ok();
            }
            Ok(None) | Err(_) => return false,
        };
        if !bytes.iter().all(u8::is_ascii_whitespace) {
            self.take(&bytes);
        }
        true
    }

    fn take(&self, line: &[u8]) {
        match Message::from_line(line) {
            Ok(Message::Request { id, method, params }) => {
                let cancel = self.open_requests.open(&id);
                drop(self.work.send(Work::Request(Incoming {
                    id,
                    method,
                    params,
                    cancel,
                })));
            }
            Ok(Message::Notification { method, params }) if method == methods::CANCEL => {
                if let Ok(params) = CancelParams::deserialize(params) {
                    self.open_requests.cancel(&params.id);
                }
            }
            Ok(Message::Notification { .. } | Message::Error { id: None, .. }) => {}
            Ok(Message::Result { id, result }) => {
                drop(self.replies.send(HostReply::To(id, Ok(result))));
            }
            Ok(Message::Error {
                id: Some(id),
                error,
            }) => {
                drop(self.replies.send(HostReply::To(id, Err(error))));
            }
            Err(NotAMessage::NotUtf8) => self.refuse(codes::PARSE_ERROR, "a line is not UTF-8"),
            Err(NotAMessage::NotJson) => self.refuse(
                codes::PARSE_ERROR,
                "a line is not JSON; each message is one line",
            ),
            Err(NotAMessage::NotJsonRpc) => {
                let reason = "a line is not a JSON-RPC 2.0 message";
                self.refuse(codes::INVALID_REQUEST, reason);
            }
        }
    }

    fn refuse(&self, code: i64, reason: &str) {
        let refusal = ErrorObject::protocol(code, reason);
        drop(self.replies.send(HostReply::Refusal(refusal)));
        drop(self.work.send(Work::Refusal));
    }
}

pub fn refuse(error: ErrorObject, output: &Output) {
    output.send(&Message::Error { id: None, error });
}

/// The maximum length, in bytes, of the text in one `output` notification.
const PIECE: usize = 512 * 1024;

pub struct Peer {
    pub id: Id,
    pub capabilities: Capabilities,
    pub cancel: Cancel,
    pub output: Output,
    pub replies: Rc<Receiver<HostReply>>,
    pub asked: u64,
}

impl Peer {
    fn notify(&self, method: &str, params: Value) {
        self.output.send(&Message::Notification {
            method: method.to_owned(),
            params,
        });
    }

    /// Sends a request and waits for the reply. Withdraws the request when `wanted` returns `false`.
    fn request(
        &mut self,
        method: &str,
        params: Value,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Value, Failure> {
        self.asked += 1;
        let id = Id::Text(format!("{}-{}", plain(&self.id), self.asked));
        let sent = self.output.send(&Message::Request {
            id: id.clone(),
            method: method.to_owned(),
            params,
        });
        if !sent {
            let message = format!("a request `{method}` is too large for a line of the protocol");
            return Err(Failure::new(Exit::Failed, "too_large", message));
        }
        loop {
            if self.cancel.requested() {
                return Err(Failure::cancelled());
            }
            if !wanted() {
                let reason = "withdrawn".to_owned();
                let params = CancelParams {
                    id,
                    reason: Some(reason),
                };
                self.notify(methods::CANCEL, json!(params));
                return Err(withdrawn());
            }
            match self.replies.recv_timeout(TICK) {
                Ok(HostReply::To(replied, result)) if replied == id => return Ok(result?),
                Ok(HostReply::Refusal(error)) => refuse(error, &self.output),
                Ok(HostReply::To(..) | HostReply::Cancelled) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let message = format!("the host went away before it answered `{method}`");
                    return Err(Failure::new(Exit::Failed, "host_gone", message));
                }
            }
        }
    }
}

fn plain(id: &Id) -> String {
    match id {
        Id::Number(number) => number.to_string(),
        Id::Text(text) => text.clone(),
    }
}

impl Ui for Peer {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.ask_while(question, &mut || true)
    }

    fn ask_while(
        &mut self,
        question: &Question,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, Failure> {
        let result = self.request(methods::ASK, json!(question), wanted)?;
        let mut result: AskResult = decoded(methods::ASK, result)?;
        match result.action {
            AskAction::Accept => {
                let answer = question.check(&result.value);
                if question.kind == QuestionKind::Password
                    && let Value::String(text) = &mut result.value
                {
                    text.zeroize();
                }
                answer
                    .map_err(|problem| wrong_answer(methods::ASK, &format!("the value {problem}")))
            }
            AskAction::Back if question.back => Ok(Answer::Back),
            AskAction::Back => Err(wrong_answer(methods::ASK, "there is no way back")),
            AskAction::Cancel => Err(Failure::cancelled()),
        }
    }

    fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>) {
        let message = message.to_owned();
        let params = ProgressParams {
            id: self.id.clone(),
            message,
            current,
            total,
        };
        self.notify(methods::PROGRESS, json!(params));
    }

    fn log(&mut self, level: Level, message: &str, data: &Value) {
        let params = LogParams {
            id: self.id.clone(),
            level,
            message: message.to_owned(),
            data: data.clone(),
        };
        self.notify(methods::LOG, json!(params));
    }

    fn output(&mut self, text: &str, data: &Value) {
        let (mut rest, mut data) = (text, data.clone());
        while !rest.is_empty() || !data.is_null() {
            let mut end = PIECE.min(rest.len());
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, after) = rest.split_at(end);
            let params = OutputParams {
                id: self.id.clone(),
                text: piece.to_owned(),
                data: data.take(),
            };
            self.notify(methods::OUTPUT, json!(params));
            rest = after;
        }
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        let result = self.request(methods::STDIN, json!({}), &mut || true)?;
        let result: StdinResult = decoded(methods::STDIN, result)?;
        match (result.text, result.base64) {
            (Some(text), _) => Ok(text.into_bytes()),
            (None, Some(text)) => BASE64
                .decode(text)
                .map_err(|error| wrong_answer(methods::STDIN, &error.to_string())),
            (None, None) => Err(wrong_answer(
                methods::STDIN,
                "it has neither text nor base64",
            )),
        }
    }
}

fn decoded<T: for<'de> Deserialize<'de>>(method: &str, result: Value) -> Result<T, Failure> {
    T::deserialize(result).map_err(|_| wrong_answer(method, "it has another shape"))
}

fn wrong_answer(method: &str, reason: &str) -> Failure {
    let message = format!("the host's answer to `{method}` is wrong: {reason}");
    Failure::new(Exit::Failed, "host_protocol", message)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::rc::Rc;
    use std::sync::mpsc;
    use std::sync::{Arc, Mutex};

    use super::{Output, Peer};
    use bot_cli_protocol::Id;
    use bot_cli_protocol::question::Question;
    use bot_cli_terminal::cancel::Cancel;
    use bot_cli_terminal::ui::{Capabilities, Ui};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_question_that_is_not_wanted_any_more_is_taken_back() {
        let written = Written::default();
        let (_host, replies) = mpsc::channel();
        let mut peer = Peer {
            id: Id::Number(1),
            capabilities: Capabilities::all(),
            cancel: Cancel::new(),
            output: Output::new(Box::new(written.clone())),
            replies: Rc::new(replies),
            asked: 0,
        };
        let mut looks = 0;
        let answer = peer.ask_while(&Question::text("name", "Name"), &mut || {
            looks += 1;
            looks < 3
        });
        assert_eq!(answer.unwrap_err().code, "withdrawn");
        let written = written.0.lock().unwrap();
        let lines = String::from_utf8_lossy(&written);
        assert_eq!(
            lines.lines().last(),
            Some(
                r#"{"jsonrpc":"2.0","method":"cancel","params":{"id":"1-1","reason":"withdrawn"}}"#
            )
        );
    }
}
