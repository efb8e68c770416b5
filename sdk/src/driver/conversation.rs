//! Requests to a plugin and everything that may happen until the reply.

use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::ear::Ear;
use super::ladder::{Ladder, Step};
use super::process::{Event, Outgoing, Process, outgoing};
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
    /// A line that the plugin has no room for as long as it does not read.
    unsent: Option<Outgoing>,
    /// Whether the plugin was made to end: what it still asks for is not answered.
    ending: bool,
    ear: Ear,
}

impl Plugin {
    /// Starts a plugin.
    pub fn start(launch: &Launch) -> Result<Self, Failure> {
        let process =
            Process::start(launch).map_err(|error| not_runnable(&launch.program, &error))?;
        Ok(Self {
            name: launch.name.clone(),
            patience: launch.patience,
            process,
            last_id: 0,
            unsent: None,
            ending: false,
            ear: Ear::new(&launch.name),
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
        self.send(outgoing(&Message::Request {
            id: id.clone(),
            method: method.to_owned(),
            params,
        }));
        self.await_reply(&id, ui, cancel)
    }

    fn await_reply(&mut self, id: &Id, ui: &mut dyn Ui, cancel: &Cancel) -> Result<Value, Failure> {
        let mut ladder = Ladder::new(self.patience, cancel);
        let mut output_ended = false;
        loop {
            match self.next_event() {
                Ok(Event::Line(line)) => {
                    if let Some(reply) = self.hear(line, id, ui)? {
                        return self.judge(reply, &ladder, cancel);
                    }
                }
                Ok(Event::Stderr(line)) => self.ear.stderr(&line, ui),
                Ok(Event::OutputEnded) | Err(RecvTimeoutError::Disconnected) => output_ended = true,
                Err(RecvTimeoutError::Timeout) => {
                    output_ended |= self.process.end().is_some();
                }
            }
            if output_ended {
                return self.without_reply(id, ui, &ladder, cancel);
            }
            match ladder.climb(Instant::now()) {
                None => {}
                Some(Step::Tell(reason)) => self.tell_to_stop(id, reason),
                Some(Step::Terminate) => {
                    // It may have something to say on its way out, but nothing to hear any more.
                    self.unsent = None;
                    self.ending = true;
                    self.process.signal(Signal::TERM);
                }
                Some(Step::Kill) => {
                    self.end(Duration::ZERO, ui);
                    return Err(self.stopped(&ladder, cancel));
                }
            }
        }
    }

    /// The next event. As long as the plugin leaves its answers unread, it is not listened to: what it asks for meanwhile
    /// would have to be kept.
    fn next_event(&mut self) -> Result<Event, RecvTimeoutError> {
        if let Some(line) = self.unsent.take() {
            self.send(line);
        }
        if self.unsent.is_some() {
            thread::sleep(TICK);
            return Err(RecvTimeoutError::Timeout);
        }
        self.process.next_event(TICK)
    }

    fn send(&mut self, line: Outgoing) {
        self.unsent = self.process.send(line).err();
    }

    fn tell_to_stop(&mut self, id: &Id, reason: &str) {
        let params = json!(CancelParams {
            id: id.clone(),
            reason: Some(reason.to_owned())
        });
        let method = methods::CANCEL.to_owned();
        let message = Message::Notification { method, params };
        // A plugin that does not read can't be told.
        let _ = self.process.send(outgoing(&message));
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
            Line::TooLong { .. } => return Err(self.give_up(Violation::LineTooLong, ui)),
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        match Message::from_line(&bytes) {
            Ok(Message::Request { .. }) if self.ending => {}
            Ok(Message::Request { id, method, params }) => {
                let reply = service::reply(id, &method, params, ui);
                if reply.secret {
                    self.ear.be_discreet();
                }
                self.send(reply.line);
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
            Ok(Message::Result { id: replied, .. }) => return Err(self.stray(Some(replied), ui)),
            Ok(Message::Error { id: replied, .. }) => return Err(self.stray(replied, ui)),
            Err(NotAMessage::NotUtf8) => return Err(self.give_up(Violation::NotUtf8, ui)),
            Err(NotAMessage::NotJson | NotAMessage::NotJsonRpc) => self.ear.skipped(&bytes, ui),
        }
        Ok(None)
    }

    /// A reply that nobody waits for.
    fn stray(&mut self, id: Option<Id>, ui: &mut dyn Ui) -> Failure {
        let violation = match id {
            Some(Id::Number(number)) if (1..self.last_id).contains(&number) => {
                Violation::DoubleReply(Id::Number(number))
            }
            id => Violation::WrongId(id),
        };
        self.give_up(violation, ui)
    }

    /// A reply as it counts: one that came too late is none.
    fn judge(
        &self,
        reply: Result<Value, Failure>,
        ladder: &Ladder,
        cancel: &Cancel,
    ) -> Result<Value, Failure> {
        match ladder.late() {
            Some(seconds) => Err(Violation::Late(seconds).by(&self.name).into()),
            None => reply.map_err(|failure| cancel.explain(failure)),
        }
    }

    /// The failure of a plugin that was to stop and did not reply.
    fn stopped(&self, ladder: &Ladder, cancel: &Cancel) -> Failure {
        match ladder.late() {
            Some(seconds) => Violation::Late(seconds).by(&self.name).into(),
            None => cancel.explain(Failure::cancelled()),
        }
    }

    /// The output ended or the process did: a last look at what it left, then it is over.
    fn without_reply(
        &mut self,
        id: &Id,
        ui: &mut dyn Ui,
        ladder: &Ladder,
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
                        return self.judge(reply, ladder, cancel);
                    }
                }
                Event::Stderr(line) => self.ear.stderr(&line, ui),
                Event::OutputEnded => {}
            }
        }
        self.process.close_input();
        let end = self
            .process
            .wait_until(Instant::now() + self.patience.finish);
        self.end(self.patience.terminate, ui);
        if cancel.requested() || ladder.late().is_some() {
            return Err(self.stopped(ladder, cancel));
        }
        let end = end.map_or_else(
            || "its output was closed".to_owned(),
            |status| status.to_string(),
        );
        let stderr = self.ear.last_words();
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
                Ok(event) => double = double.or(self.ear.late(event, ui)),
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
        double = double.or(self.end(self.patience.terminate, ui));
        double.map_or(Ok(()), |violation| Err(violation.by(&self.name).into()))
    }

    fn give_up(&mut self, violation: Violation, ui: &mut dyn Ui) -> Failure {
        self.end(self.patience.terminate, ui);
        violation.by(&self.name).into()
    }

    /// Ends what is left of the plugin, hears what it says meanwhile, and tells whether it replied once more.
    fn end(&mut self, patience: Duration, ui: &mut dyn Ui) -> Option<Violation> {
        let mut double = None;
        let ear = &mut self.ear;
        let mut hear = |event| double = double.take().or(ear.late(event, ui));
        self.process.end_group(patience, &mut hear);
        let deadline = Instant::now() + self.patience.finish;
        while Instant::now() < deadline {
            match self.process.next_event(DRAIN) {
                Ok(event) => hear(event),
                Err(_) => break,
            }
        }
        double
    }
}
