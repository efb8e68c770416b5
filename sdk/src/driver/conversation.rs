//! Requests to a plugin and everything that may happen until the reply.

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::process::{Event, LastWords, Process};
use super::{Launch, Patience, Violation, not_runnable, service};
use crate::cancel::Cancel;
use crate::failure::Failure;
use crate::line::Line;
use crate::protocol::{CancelParams, Id, Message, NotAMessage, methods};
use crate::ui::{Level, Ui};

/// How often cancelling and deadlines are looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long the output of a plugin that has ended is read on.
const DRAIN: Duration = Duration::from_millis(100);

/// A running plugin that serves requests one after the other.
#[derive(Debug)]
pub struct Plugin {
    name: String,
    patience: Patience,
    process: Process,
    last_id: i64,
    last_words: LastWords,
}

/// How far cancelling has come.
enum Rung {
    Working,
    Asked(Instant),
    Terminated(Instant),
}

impl Plugin {
    /// Starts a plugin.
    pub fn start(launch: &Launch) -> Result<Self, Failure> {
        let process = Process::start(launch).map_err(|error| not_runnable(launch, &error))?;
        Ok(Self {
            name: launch.name.clone(),
            patience: launch.patience,
            process,
            last_id: 0,
            last_words: LastWords::default(),
        })
    }

    /// Sends a request and serves the plugin until it has replied. After a failure that is not the plugin's own answer
    /// the plugin has been ended.
    pub fn request(
        &mut self,
        method: &str,
        params: Value,
        ui: &mut dyn Ui,
        cancel: &Cancel,
    ) -> Result<Value, Failure> {
        self.last_id += 1;
        let id = Id::Number(self.last_id);
        let request = Message::Request {
            id: id.clone(),
            method: method.to_owned(),
            params,
        };
        self.process.send(request.to_line());
        self.await_reply(&id, ui, cancel)
    }

    fn await_reply(&mut self, id: &Id, ui: &mut dyn Ui, cancel: &Cancel) -> Result<Value, Failure> {
        let started = Instant::now();
        let mut rung = Rung::Working;
        let mut output_ended = false;
        loop {
            match self.process.next_event(TICK) {
                Ok(Event::Line(line)) => {
                    if let Some(reply) = self.hear(line, id, ui)? {
                        return reply.map_err(|failure| cancel.explain(failure));
                    }
                }
                Ok(Event::Stderr(line)) => self.relay_stderr(&line, ui),
                Ok(Event::OutputEnded) | Err(RecvTimeoutError::Disconnected) => output_ended = true,
                Err(RecvTimeoutError::Timeout) => {
                    output_ended |= self.process.end().is_some();
                }
            }
            if output_ended {
                return self.without_reply(id, ui, cancel);
            }
            rung = self.climb(rung, id, cancel)?;
            if let Some(limit) = self.patience.reply
                && started.elapsed() >= limit
            {
                return Err(self.give_up(Violation::Late(limit.as_secs())));
            }
        }
    }

    /// Takes a line; the reply to `id` if it is that.
    fn hear(
        &mut self,
        line: Line,
        id: &Id,
        ui: &mut dyn Ui,
    ) -> Result<Option<Result<Value, Failure>>, Failure> {
        let bytes = match line {
            Line::Complete(bytes) => bytes,
            Line::TooLong { .. } => return Err(self.give_up(Violation::LineTooLong)),
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        match Message::from_line(&bytes) {
            Ok(Message::Request { id, method, params }) => {
                let reply = service::reply(id, &method, params, ui);
                self.process.send(reply.to_line());
            }
            Ok(Message::Notification { method, params }) => service::show(&method, params, ui),
            Ok(Message::Result {
                id: replied,
                result,
            }) if replied == *id => {
                return Ok(Some(Ok(result)));
            }
            // A plugin that could not read the request can't name it.
            Ok(Message::Error { id: replied, error })
                if replied.as_ref().is_none_or(|replied| replied == id) =>
            {
                return Ok(Some(Err(error.into())));
            }
            Ok(Message::Result { id: replied, .. }) => return Err(self.stray(Some(replied))),
            Ok(Message::Error { id: replied, .. }) => return Err(self.stray(replied)),
            Err(NotAMessage::NotUtf8) => return Err(self.give_up(Violation::NotUtf8)),
            Err(NotAMessage::NotJson | NotAMessage::NotJsonRpc) => {
                self.note_skipped(&bytes, ui);
            }
        }
        Ok(None)
    }

    /// A reply that nobody waits for.
    fn stray(&mut self, id: Option<Id>) -> Failure {
        let violation = match id {
            Some(Id::Number(number)) if (1..self.last_id).contains(&number) => {
                Violation::DoubleReply(Id::Number(number))
            }
            id => Violation::WrongId(id),
        };
        self.give_up(violation)
    }

    /// Climbs the ladder: `cancel`, then TERM, then KILL.
    fn climb(&mut self, rung: Rung, id: &Id, cancel: &Cancel) -> Result<Rung, Failure> {
        match rung {
            Rung::Working if cancel.requested() => {
                let params = json!(CancelParams {
                    id: id.clone(),
                    reason: Some("user".to_owned())
                });
                let method = methods::CANCEL.to_owned();
                self.process
                    .send(Message::Notification { method, params }.to_line());
                Ok(Rung::Asked(Instant::now()))
            }
            Rung::Asked(since) if cancel.count() > 1 || since.elapsed() >= self.patience.cancel => {
                self.process.signal(Signal::TERM);
                Ok(Rung::Terminated(Instant::now()))
            }
            Rung::Terminated(since) if since.elapsed() >= self.patience.terminate => {
                self.process.end_group(Duration::ZERO);
                Err(cancel.explain(Failure::cancelled()))
            }
            rung @ (Rung::Working | Rung::Asked(_) | Rung::Terminated(_)) => Ok(rung),
        }
    }

    /// The output ended or the process did: a last look at what it left, then it is over.
    fn without_reply(
        &mut self,
        id: &Id,
        ui: &mut dyn Ui,
        cancel: &Cancel,
    ) -> Result<Value, Failure> {
        let deadline = Instant::now() + self.patience.finish;
        while Instant::now() < deadline {
            let Ok(event) = self.process.next_event(DRAIN) else {
                break;
            };
            match event {
                Event::Line(line) => {
                    if let Some(reply) = self.hear(line, id, ui)? {
                        return reply.map_err(|failure| cancel.explain(failure));
                    }
                }
                Event::Stderr(line) => self.relay_stderr(&line, ui),
                Event::OutputEnded => {}
            }
        }
        self.process.close_input();
        let end = self
            .process
            .wait_until(Instant::now() + self.patience.finish);
        self.process.end_group(self.patience.terminate);
        if cancel.requested() {
            return Err(cancel.explain(Failure::cancelled()));
        }
        let end = end.map_or_else(
            || "its output was closed".to_owned(),
            |status| status.to_string(),
        );
        let stderr = self.last_words.lines();
        Err(Violation::NoReply { end, stderr }.by(&self.name).into())
    }

    /// Ends the plugin: its input ends, then it has a moment, then it is ended with everything it started.
    pub fn finish(mut self, ui: &mut dyn Ui, cancel: &Cancel) -> Result<(), Failure> {
        self.process.close_input();
        let cancels = cancel.count();
        let deadline = Instant::now() + self.patience.finish;
        let mut pause = Duration::from_millis(1);
        let mut double = None;
        let mut left = self.process.end().is_none();
        while left && Instant::now() < deadline && cancel.count() == cancels {
            match self.process.next_event(pause) {
                Ok(event) => double = double.or(self.last_event(event, ui)),
                Err(RecvTimeoutError::Timeout) => pause = (pause * 2).min(TICK),
                Err(RecvTimeoutError::Disconnected) => {
                    self.process.wait_until(Instant::now() + pause);
                    pause = (pause * 2).min(TICK);
                }
            }
            left = self.process.end().is_none();
        }
        if left {
            ui.log(
                Level::Info,
                &format!("plugin `{}` went on after its reply", self.name),
            );
        }
        self.process.end_group(self.patience.terminate);
        while let Ok(event) = self.process.next_event(DRAIN) {
            double = double.or(self.last_event(event, ui));
        }
        double.map_or(Ok(()), |violation| Err(violation.by(&self.name).into()))
    }

    /// Looks at what a plugin says after its last reply.
    fn last_event(&mut self, event: Event, ui: &mut dyn Ui) -> Option<Violation> {
        match event {
            Event::Stderr(line) => {
                self.relay_stderr(&line, ui);
                None
            }
            Event::Line(Line::Complete(bytes)) => match Message::from_line(&bytes) {
                Ok(Message::Result { id, .. } | Message::Error { id: Some(id), .. }) => {
                    Some(Violation::DoubleReply(id))
                }
                _ => None,
            },
            Event::Line(Line::TooLong { .. }) | Event::OutputEnded => None,
        }
    }

    fn relay_stderr(&mut self, line: &str, ui: &mut dyn Ui) {
        self.last_words.push(line);
        ui.plugin_stderr(line);
    }

    fn note_skipped(&self, line: &[u8], ui: &mut dyn Ui) {
        let text = String::from_utf8_lossy(line);
        let start: String = text.chars().take(120).collect();
        let message = format!(
            "plugin `{}` printed a line that is not a message: `{}`",
            self.name,
            start.escape_debug()
        );
        ui.log(Level::Info, &message);
    }

    fn give_up(&mut self, violation: Violation) -> Failure {
        self.process.end_group(self.patience.terminate);
        violation.by(&self.name).into()
    }
}
