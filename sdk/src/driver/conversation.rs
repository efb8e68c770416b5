//! Requests to a plugin and everything that may happen until the reply.

mod ending;

use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::listener::Listener;
use super::process::{Outgoing, Process, outgoing};
use super::service::{self, Notice};
use super::stop_sequence::{StopAction, StopSequence};
use super::{Launch, Patience, Violation, not_runnable};
use crate::cancel::Cancel;
use crate::event::Event;
use crate::failure::Failure;
use crate::line::Line;
use crate::outcome::Format;
use crate::process::Stopped;
use crate::protocol::{
    CancelParams, ErrorObject, Id, MAX_LINE, Message, NearMessage, NotAMessage, WireCapabilities,
    methods, names_a_member_twice, wiped_json,
};
use crate::ui::{Capabilities, Level, Ui};

/// The interval at which cancelling and deadlines are looked at.
const TICK: Duration = Duration::from_millis(20);

/// The limit of what is kept while a question is open, before the plugin has to wait.
const PENDING: usize = 64;

/// The answer of a plugin: a result, or its own error.
type Replied = Result<Value, ErrorObject>;

/// A running plugin that serves requests one after the other.
#[derive(Debug)]
pub struct Plugin {
    name: String,
    patience: Patience,
    process: Process,
    /// The events that came in while a question was open, oldest first.
    pending: VecDeque<Event>,
    last_id: i64,
    /// A line that the plugin has no room for as long as it does not read.
    unsent: Option<Outgoing>,
    /// Whether the plugin was made to end: what it still asks for is not answered.
    ending: bool,
    /// Whether the user was told that somebody stopped it.
    stop_told: bool,
    /// Whether the open request is the last one.
    last: bool,
    listener: Listener,
}

/// A request that has no reply yet.
struct Open<'a> {
    id: Id,
    cancel: &'a Cancel,
    stop_sequence: StopSequence<'a>,
    /// Whether the request is one of a role, whose result nobody but this process sees.
    for_role: bool,
    /// The capabilities that the plugin was offered.
    offered: Capabilities,
    format: Format,
    /// Parts of the result that came although they can't be shown before the rest.
    output: String,
}

impl Plugin {
    /// Starts a plugin.
    pub fn start(launch: &Launch) -> Result<Self, Failure> {
        let process =
            Process::start(launch).map_err(|error| not_runnable(&launch.program, error))?;
        Ok(Self {
            name: launch.name.clone(),
            patience: launch.patience,
            process,
            pending: VecDeque::new(),
            last_id: 0,
            unsent: None,
            ending: false,
            stop_told: false,
            last: false,
            listener: Listener::new(&launch.name),
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
        let id = self.next_id();
        let mut open = Open {
            id: id.clone(),
            cancel,
            stop_sequence: StopSequence::new(self.patience, cancel),
            for_role: false,
            offered: offered(&params),
            format: if params["context"]["format"] == "json" {
                Format::Json
            } else {
                Format::Text
            },
            output: String::new(),
        };
        self.send(outgoing(&Message::Request {
            id,
            method: method.to_owned(),
            params,
        }));
        let replied = self.await_reply(&mut open, ui)?;
        let mut result = replied.map_err(|error| cancel.explain(error.into()))?;
        if let Some(Value::String(text)) = result.get_mut("text") {
            text.insert_str(0, &open.output);
        } else if let Some(result) = result.as_object_mut()
            && !open.output.is_empty()
            && !result.contains_key("text")
        {
            result.insert("text".to_owned(), open.output.into());
        }
        Ok(result)
    }

    /// The same for the last request: the plugin's input ends with its reply.
    pub fn last_request(
        &mut self,
        method: &str,
        params: Value,
        ui: &mut dyn Ui,
        cancel: &Cancel,
    ) -> Result<Value, Failure> {
        self.last = true;
        let replied = self.request(method, params, ui, cancel);
        self.process.close_input();
        replied
    }

    /// Sends a request of a role and serves the plugin, as far as `offered`, until it has replied. The inner error is the plugin's own
    /// answer; after the outer one, and it may have done what it was asked for, the plugin has been ended. Of
    /// `params` no copy stays in memory.
    pub fn call(
        &mut self,
        method: &str,
        params: &impl Serialize,
        offered: Capabilities,
        ui: &mut dyn Ui,
        cancel: &Cancel,
    ) -> Result<Result<Value, ErrorObject>, Failure> {
        let id = self.next_id();
        let mut open = Open {
            id: id.clone(),
            cancel,
            stop_sequence: StopSequence::new(self.patience, cancel),
            for_role: true,
            offered,
            // There is no text that early output could be a part of.
            format: Format::Json,
            output: String::new(),
        };
        self.send(request_line(&id, method, params));
        self.await_reply(&mut open, ui)
    }

    /// Hears what the plugin has said since its last reply, which ends it if that was another one. An error means that it
    /// is not there any more.
    pub fn hear_out(&mut self, ui: &mut dyn Ui) -> Result<(), Failure> {
        let mut ended = false;
        while let Some(event) = self.next_late(Duration::ZERO) {
            ended |= matches!(event, Event::OutputEnded);
            if let Some(violation) = self.listener.late(event, ui) {
                return Err(self.give_up(violation, ui));
            }
        }
        if !ended && self.process.takes_answers() {
            return Ok(());
        }
        let end = self.process.end();
        Err(self.give_up(self.no_reply(end), ui))
    }

    /// From now on nothing that the plugin says is shown or quoted: it was given, or has given, what must not be seen.
    pub fn mute(&mut self) {
        self.listener.mute();
    }

    fn next_id(&mut self) -> Id {
        self.last_id += 1;
        Id::Number(self.last_id)
    }

    fn await_reply(&mut self, open: &mut Open<'_>, ui: &mut dyn Ui) -> Result<Replied, Failure> {
        let mut output_ended = false;
        loop {
            match self.next_event() {
                Ok(Event::Line(line)) => {
                    if let Some(reply) = self.hear(line, open, ui)? {
                        return self.judge(reply, open);
                    }
                }
                Ok(Event::Stderr(line)) => self.listener.stderr(&line, ui),
                Ok(Event::OutputEnded) | Err(RecvTimeoutError::Disconnected) => output_ended = true,
                Err(RecvTimeoutError::Timeout) => {
                    output_ended |= self.process.end().is_some();
                }
            }
            if output_ended {
                return self.without_reply(open, ui);
            }
            match self.process.stopped() {
                Some(Stopped::AtTheTerminal) => return Err(self.end_at_the_terminal(ui)),
                Some(Stopped::BySomebody) => self.tell_of_the_stop(open.cancel, ui),
                None => self.stop_told = false,
            }
            match open.stop_sequence.advance(Instant::now()) {
                None => {}
                Some(StopAction::Tell(reason)) => {
                    // What the terminal shows for Ctrl-C would stand behind it.
                    ui.clear_progress();
                    self.tell_to_stop(&open.id, reason);
                }
                Some(StopAction::Terminate) => {
                    // It may have something to say on its way out, but nothing to hear any more.
                    self.unsent = None;
                    self.ending = true;
                    self.process.terminate();
                }
                Some(StopAction::Kill) => {
                    self.end(Duration::ZERO, ui);
                    return Err(self.stopped(open));
                }
            }
        }
    }

    /// Somebody may have a reason to stop it, but not for as long as it is to come to its end.
    fn tell_of_the_stop(&mut self, cancel: &Cancel, ui: &mut dyn Ui) {
        if cancel.requested() {
            self.process.resume();
        } else if !self.stop_told {
            self.stop_told = true;
            let message = format!(
                "plugin `{}` was stopped by a signal; it goes on after `kill -CONT {}`",
                self.name,
                self.process.id()
            );
            ui.log(Level::Warn, &message);
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
        if let Some(event) = self.pending.pop_front() {
            return Ok(event);
        }
        self.process.next_event_or_end(TICK)
    }

    /// The next event of a plugin that may be at its end.
    fn next_late(&mut self, patience: Duration) -> Option<Event> {
        let pending = self.pending.pop_front();
        pending.or_else(|| self.process.next_event(patience).ok())
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

    /// Takes a line; the reply to the open request if it is that.
    fn hear(
        &mut self,
        line: Line,
        open: &mut Open<'_>,
        ui: &mut dyn Ui,
    ) -> Result<Option<Replied>, Failure> {
        let bytes = match line {
            // It may hold what must not be seen.
            Line::Complete(bytes) => Zeroizing::new(bytes),
            Line::TooLong { .. } => return Err(self.give_up(Violation::LineTooLong, ui)),
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        open.stop_sequence.hear(Instant::now());
        if self.last && begins_with_result(&bytes, &open.id) {
            // It comes to its end while its reply is read.
            self.process.close_input();
        }
        match Message::from_line(&bytes) {
            Ok(Message::Request { id, method, params }) => {
                self.serve(id, &method, params, open, ui);
                open.stop_sequence.hear(Instant::now());
            }
            // The question that it takes back is not asked any more.
            Ok(Message::Notification { method, .. }) if method == methods::CANCEL => {}
            Ok(Message::Notification { method, params }) => {
                let notice = Notice::read(&method, params);
                self.notice(&method, notice, open, ui);
            }
            Ok(Message::Result {
                id: replied,
                result,
            }) if replied == open.id => {
                if open.for_role && names_a_member_twice(&bytes) {
                    let reason = "an object in it names a member twice".to_owned();
                    return Err(self.give_up(Violation::WrongReply(reason), ui));
                }
                return Ok(Some(Ok(result)));
            }
            // A plugin that could not read the request can't name it.
            Ok(Message::Error { id: replied, error })
                if replied.as_ref().is_none_or(|replied| *replied == open.id) =>
            {
                for problem in error.read_details().1 {
                    let what = format!("sent an error that can't be read as a whole: {problem}");
                    self.listener.note(&what, ui);
                }
                return Ok(Some(Err(error)));
            }
            Ok(Message::Result { id: replied, .. }) => return Err(self.stray(Some(replied), ui)),
            Ok(Message::Error { id: replied, .. }) => return Err(self.stray(replied, ui)),
            Err(NotAMessage::NotUtf8) => return Err(self.give_up(Violation::NotUtf8, ui)),
            Err(NotAMessage::NotJson | NotAMessage::NotJsonRpc) => {
                match NearMessage::of(&bytes, &open.id) {
                    Some(NearMessage::Reply(reason)) => {
                        return Err(self.give_up(Violation::WrongReply(reason), ui));
                    }
                    Some(NearMessage::Other(reason)) => {
                        self.listener.skipped(&bytes, Some(&reason), ui);
                    }
                    None => self.listener.skipped(&bytes, None, ui),
                }
            }
        }
        Ok(None)
    }

    /// Serves a request of the plugin, as long as it can take the answer: nobody is asked for a plugin that has ended.
    fn serve(&mut self, id: Id, method: &str, params: Value, open: &mut Open<'_>, ui: &mut dyn Ui) {
        if self.ending || !self.process.takes_answers() {
            return;
        }
        let question = id.clone();
        let pending = &mut self.pending;
        let mut wanted = || {
            while pending.len() < PENDING
                && let Ok(event) = self.process.next_event(Duration::ZERO)
            {
                pending.push_back(event);
            }
            let withdrawn = |event| withdraws(event, &question, &open.id);
            !pending.iter().any(withdrawn) && self.process.takes_answers()
        };
        let reply = service::reply(id, method, params, &open.offered, ui, &mut wanted);
        let Some(reply) = reply else {
            return;
        };
        if reply.secret {
            self.listener.be_discreet();
        }
        self.send(reply.line);
        if reply.cancelled && !open.cancel.requested() {
            // Whoever cancels a question cancels the work.
            open.cancel.request();
        }
    }

    /// Shows a notification of the plugin, if it belongs to the open request.
    fn notice(&self, method: &str, notice: Notice, open: &mut Open<'_>, ui: &mut dyn Ui) {
        if let Some(id) = notice.request()
            && *id != open.id
        {
            let id = self.listener.shown(id.clone());
            let what = format!("sent `{method}` for the request {id}, which is not open");
            return self.listener.note(&what, ui);
        }
        match notice {
            _ if self.listener.is_muted() => {}
            Notice::Progress(progress) => {
                ui.progress(&progress.message, progress.current, progress.total);
            }
            Notice::Log(log) => ui.log(service::level(log.level), &log.message),
            Notice::Output(output) if open.offered.output => ui.output(&output.text),
            Notice::Output(output) => {
                let fits = open.output.len() + output.text.len() <= MAX_LINE;
                let what = match open.format {
                    Format::Json => "sent `output`, which is not a part of the JSON document",
                    Format::Text if !fits => "sent more `output` than fits into a line",
                    Format::Text => "sent `output`, which can't be shown before the result",
                };
                self.listener.note(what, ui);
                if open.format == Format::Text && fits {
                    open.output.push_str(&output.text);
                }
            }
            Notice::Unknown => {
                let method = self.listener.shown_name(method);
                ui.log(
                    Level::Debug,
                    &format!("ignored the notification `{method}`"),
                );
            }
            Notice::Unreadable(problem) => {
                let what = format!("sent `{method}` that can't be read: {problem}");
                self.listener.note(&what, ui);
            }
        }
    }

    /// A reply that nobody waits for.
    fn stray(&mut self, id: Option<Id>, ui: &mut dyn Ui) -> Failure {
        let violation = match id {
            Some(Id::Number(number)) if (1..self.last_id).contains(&number) => {
                Violation::DoubleReply(Id::Number(number))
            }
            id => Violation::WrongId(id.map(|id| self.listener.shown(id))),
        };
        self.give_up(violation, ui)
    }

    /// A reply as it counts: one that came too late is none.
    fn judge(&self, reply: Replied, open: &Open<'_>) -> Result<Replied, Failure> {
        match open.stop_sequence.late() {
            Some(late) => Err(Violation::from(late).by(&self.name).into()),
            None => Ok(reply),
        }
    }
}

/// Whether a line is a reply to the request `id`, in the order in which most libraries write the members.
fn begins_with_result(line: &[u8], id: &Id) -> bool {
    let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
    line.starts_with(start.as_bytes())
}

/// Whether `event` takes the question back, or ends the request that it belongs to.
fn withdraws(event: &Event, question: &Id, open: &Id) -> bool {
    let Event::Line(Line::Complete(line)) = event else {
        return false;
    };
    match Message::from_line(line) {
        Ok(Message::Notification { method, params }) if method == methods::CANCEL => {
            CancelParams::deserialize(params).is_ok_and(|params| params.id == *question)
        }
        Ok(Message::Result { id, .. } | Message::Error { id: Some(id), .. }) => id == *open,
        Ok(
            Message::Request { .. }
            | Message::Notification { .. }
            | Message::Error { id: None, .. },
        )
        | Err(_) => false,
    }
}

/// The line of a request, of which no other copy stays in memory.
fn request_line(id: &Id, method: &str, params: &impl Serialize) -> Outgoing {
    #[derive(Serialize)]
    struct Request<'a, P> {
        jsonrpc: &'a str,
        id: &'a Id,
        method: &'a str,
        params: &'a P,
    }
    let mut line = wiped_json(&Request {
        jsonrpc: "2.0",
        id,
        method,
        params,
    });
    line.push(b'\n');
    line
}

/// Returns what the parameters of a request offer the plugin.
fn offered(params: &Value) -> Capabilities {
    let wire = WireCapabilities::deserialize(&params["capabilities"]);
    Capabilities::from(&wire.unwrap_or_default())
}
