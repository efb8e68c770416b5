//! Sends requests to a plugin, and handles all events until the reply.

mod ending;

use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::listener::Listener;
use super::process::{Outgoing, Process};
use super::service;
use super::stop_sequence::{StopAction, StopSequence};
use super::{Launch, Patience, Violation, not_runnable};
use crate::process::{Event, Stopped};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::line::Line;
use bot_cli_protocol::{
    CancelParams, ErrorObject, Id, LogParams, Message, NotAMessage, OutputParams, ProgressParams,
    methods, shape, unique_members, wiped_json,
};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Capabilities, Level, Ui};

const TICK: Duration = Duration::from_millis(20);

/// The maximum number of events to store while a question is open. Beyond this limit, the plugin blocks on its output.
const PENDING: usize = 64;

/// A plugin's reply: a result, or the plugin's own error.
type Replied = Result<Value, ErrorObject>;

/// A running plugin that serves one request at a time.
#[derive(Debug)]
pub struct RunningPlugin {
    name: String,
    patience: Patience,
    process: Process,
    /// The events that arrived while a question was open, oldest first.
    pending: VecDeque<Event>,
    last_id: i64,
    /// Whether the plugin is being shut down. Requests from the plugin are then no longer answered.
    ending: bool,
    listener: Listener,
}

struct Open<'a> {
    id: Id,
    cancel: &'a Cancel,
    stop_sequence: StopSequence<'a>,
    /// Whether a plugin's role defines the request's method. Only this process sees the result of such a request.
    for_role: bool,
    offered: Capabilities,
}

impl RunningPlugin {
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
            ending: false,
            listener: Listener::new(&launch.name),
        })
    }

    /// Sends the plugin its only request, serves the plugin until it replies, and closes its input. Unless the failure is an error returned
    /// by the plugin, the plugin has already been shut down when this method fails.
    pub fn request(
        &mut self,
        method: &str,
        params: &Value,
        ui: &mut dyn Ui,
        cancel: &Cancel,
    ) -> Result<Value, Failure> {
        let offered = Capabilities::deserialize(&params["capabilities"]).unwrap_or_default();
        let mut open = Open {
            for_role: false,
            ..self.open(method, params, offered, ui, cancel)?
        };
        let replied = self.await_reply(&mut open, ui);
        self.process.close_input();
        replied?.map_err(|error| cancel.explain(error.into()))
    }

    /// Sends a request for a role, and serves the plugin until it replies. The plugin may use the `offered` capabilities. The inner error
    /// comes from the plugin. On an outer error, the plugin has already been shut down, but may have completed the work. No copy of
    /// `params` stays in memory.
    pub fn call(
        &mut self,
        method: &str,
        params: &impl Serialize,
        offered: Capabilities,
        ui: &mut dyn Ui,
        cancel: &Cancel,
    ) -> Result<Result<Value, ErrorObject>, Failure> {
        let mut open = self.open(method, params, offered, ui, cancel)?;
        self.await_reply(&mut open, ui)
    }

    fn open<'a>(
        &mut self,
        method: &str,
        params: &impl Serialize,
        offered: Capabilities,
        ui: &mut dyn Ui,
        cancel: &'a Cancel,
    ) -> Result<Open<'a>, Failure> {
        self.last_id += 1;
        let id = Id::Number(self.last_id);
        self.send(request_line(&id, method, params), ui)?;
        Ok(Open {
            id,
            cancel,
            stop_sequence: StopSequence::new(self.patience, cancel),
            for_role: true,
            offered,
        })
    }

    /// Handles the output since the plugin's last reply. If the plugin replied again or can no longer receive requests, shuts down the
    /// plugin and fails.
    pub fn hear_out(&mut self, ui: &mut dyn Ui) -> Result<(), Failure> {
        while let Ok(event) = self.next_event(Duration::ZERO) {
            if let Some(violation) = self.listener.late(event, ui) {
                return Err(self.give_up(violation, ui));
            }
        }
        if self.process.takes_answers() {
            return Ok(());
        }
        let end = self.process.group.end();
        Err(self.give_up(self.no_reply(end), ui))
    }

    /// Stops showing and quoting the plugin's output. Call this before the plugin receives or sends secrets.
    pub fn mute(&mut self) {
        self.listener.discreet = true;
        self.listener.muted = true;
    }

    fn await_reply(&mut self, open: &mut Open<'_>, ui: &mut dyn Ui) -> Result<Replied, Failure> {
        let mut output_ended = false;
        loop {
            match self.next_event(TICK) {
                Ok(Event::Line(line)) => {
                    if let Some(reply) = self.hear(line, open, ui)? {
                        return self.judge(reply, open);
                    }
                }
                Ok(Event::Stderr(line)) => self.listener.stderr(&line, ui),
                Ok(Event::OutputEnded) | Err(RecvTimeoutError::Disconnected) => output_ended = true,
                Err(RecvTimeoutError::Timeout) => {
                    output_ended |= self.process.group.end().is_some();
                }
            }
            if output_ended {
                return self.without_reply(open, ui);
            }
            match self.process.group.stopped() {
                Some(Stopped::AtTheTerminal) => return Err(self.end_at_the_terminal(ui)),
                // A plugin may be stopped for a good reason, but it must be running to end.
                Some(Stopped::BySomebody) if open.cancel.requested() => self.process.group.resume(),
                Some(Stopped::BySomebody) | None => {}
            }
            match open.stop_sequence.advance(Instant::now()) {
                None => {}
                Some(StopAction::Tell(reason)) => {
                    // The terminal shows `^C` on Ctrl-C, which would otherwise follow the progress line.
                    ui.clear_progress();
                    self.tell_to_stop(&open.id, reason);
                }
                Some(StopAction::Remind) => ui.waits_for(&self.name),
                Some(StopAction::Terminate) => {
                    // The plugin may still send output, but it receives no more answers.
                    self.ending = true;
                    self.process.group.terminate();
                }
                Some(StopAction::Kill) => {
                    self.end(Duration::ZERO, ui);
                    return Err(self.stopped(open));
                }
            }
        }
    }

    fn next_event(&mut self, patience: Duration) -> Result<Event, RecvTimeoutError> {
        let pending = self.pending.pop_front();
        pending.map_or_else(|| self.process.streams.next(patience), Ok)
    }

    /// Sends a line without blocking, because a plugin that does not read its input may itself be blocked on its output. Shuts down the
    /// plugin if the queue is full.
    fn send(&mut self, line: Outgoing, ui: &mut dyn Ui) -> Result<(), Failure> {
        if !self.process.send(line) {
            return Err(self.give_up(Violation::UnreadAnswers, ui));
        }
        Ok(())
    }

    fn tell_to_stop(&mut self, id: &Id, reason: &str) {
        let params = json!(CancelParams {
            id: id.clone(),
            reason: Some(reason.to_owned())
        });
        let method = methods::CANCEL.to_owned();
        let message = Message::Notification { method, params };
        // The message can't reach a plugin that does not read.
        let _ = self.process.send(message.to_wiped_line());
    }

    /// Handles a line. Returns the contents if the line is the reply to the open request.
    fn hear(
        &mut self,
        line: Line,
        open: &mut Open<'_>,
        ui: &mut dyn Ui,
    ) -> Result<Option<Replied>, Failure> {
        let bytes = match line {
            // The line may contain secrets.
            Line::Complete(bytes) => Zeroizing::new(bytes),
            Line::TooLong { .. } => return Err(self.give_up(Violation::LineTooLong, ui)),
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        open.stop_sequence.hear(Instant::now());
        match Message::from_line(&bytes) {
            Ok(Message::Request { id, method, params }) => {
                self.serve(&id, &method, params, open, ui)?;
                open.stop_sequence.hear(Instant::now());
            }
            // The question that this message withdraws is no longer open.
            Ok(Message::Notification { method, .. }) if method == methods::CANCEL => {}
            Ok(Message::Notification { method, params }) => {
                self.notice(&method, params, open, ui);
            }
            Ok(Message::Result { id, result }) => {
                if id != open.id {
                    return Err(self.stray(id, ui));
                }
                if open.for_role && unique_members(&bytes).is_err() {
                    let reason = "an object in it names a member twice".to_owned();
                    return Err(self.give_up(Violation::WrongReply(reason), ui));
                }
                return Ok(Some(Ok(result)));
            }
            // The id is missing if the plugin could not read the request.
            Ok(Message::Error { id, error }) => {
                if let Some(id) = id.filter(|id| *id != open.id) {
                    return Err(self.stray(id, ui));
                }
                return Ok(Some(Err(error)));
            }
            Err(NotAMessage::NotUtf8) => return Err(self.give_up(Violation::NotUtf8, ui)),
            Err(NotAMessage::NotJson | NotAMessage::NotJsonRpc) => {
                let has = |name: &[u8]| memchr::memmem::find(&bytes, name).is_some();
                let meant = has(br#""jsonrpc""#);
                // The line is probably the reply, so waiting for another one is pointless.
                if meant && !has(br#""method""#) || answers(&bytes, &open.id) {
                    let reason = self.listener.beginning(&bytes);
                    return Err(self.give_up(Violation::WrongReply(reason), ui));
                }
                let level = if meant { Level::Warn } else { Level::Info };
                self.listener.skipped(&bytes, level, ui);
            }
        }
        Ok(None)
    }

    /// Serves a request from the plugin, as long as the plugin can receive the answer. Never prompts the user on behalf of a plugin that
    /// has exited.
    fn serve(
        &mut self,
        id: &Id,
        method: &str,
        params: Value,
        open: &mut Open<'_>,
        ui: &mut dyn Ui,
    ) -> Result<(), Failure> {
        if self.ending || !self.process.takes_answers() {
            return Ok(());
        }
        let pending = &mut self.pending;
        let mut wanted = || {
            while pending.len() < PENDING
                && let Ok(event) = self.process.streams.next(Duration::ZERO)
            {
                pending.push_back(event);
            }
            let withdrawn = |event| withdraws(event, id, &open.id);
            !pending.iter().any(withdrawn) && self.process.takes_answers()
        };
        let reply = service::reply(id, method, params, &open.offered, ui, &mut wanted);
        let Some(reply) = reply else {
            return Ok(());
        };
        if reply.secret {
            self.listener.discreet = true;
        }
        self.send(reply.line, ui)?;
        if reply.cancelled && !open.cancel.requested() {
            // Cancelling a question cancels the work.
            open.cancel.request();
        }
        Ok(())
    }

    /// Shows a notification from the plugin, if the notification belongs to the open request.
    fn notice(&self, method: &str, params: Value, open: &Open<'_>, ui: &mut dyn Ui) {
        if self.listener.muted {
            return;
        }
        if ![methods::PROGRESS, methods::LOG, methods::OUTPUT].contains(&method) {
            let method = self.listener.shown_name(method);
            let message = format!("ignored the notification `{method}`");
            return ui.log(Level::Debug, &message, &Value::Null);
        }
        if let Ok(id) = Id::deserialize(&params["id"])
            && id != open.id
        {
            let id = self.listener.shown(id);
            let what = format!("sent `{method}` for the request {id}, which is not open");
            return self.listener.note(&what, ui);
        }
        let shown = match method {
            methods::PROGRESS => shape::read("params", params).map(|it: ProgressParams| {
                ui.progress(&it.message, it.current, it.total);
            }),
            methods::LOG => shape::read("params", params).map(|it: LogParams| {
                ui.log(it.level, &it.message, &it.data);
            }),
            _ => shape::read("params", params).map(|it: OutputParams| {
                if open.offered.output {
                    return ui.output(&it.text, &it.data);
                }
                let what = "sent `output`, which is not a part of the JSON document";
                self.listener.note(what, ui);
            }),
        };
        if let Err(problem) = shown {
            let what = format!("sent `{method}` that can't be read: {problem}");
            self.listener.note(&what, ui);
        }
    }

    /// Shuts down the plugin after a reply to a request that is not open.
    fn stray(&mut self, id: Id, ui: &mut dyn Ui) -> Failure {
        let was_open = matches!(id, Id::Number(number) if (1..self.last_id).contains(&number));
        let violation = if was_open {
            Violation::DoubleReply(id)
        } else {
            Violation::WrongId(self.listener.shown(id))
        };
        self.give_up(violation, ui)
    }

    fn judge(&self, reply: Replied, open: &Open<'_>) -> Result<Replied, Failure> {
        let late = open.stop_sequence.late();
        late.map_or(Ok(reply), |late| Err(late.by(&self.name)))
    }
}

/// Reports whether a line that is not a message has the members of a reply to the request `open`, such as a reply without `jsonrpc`.
fn answers(line: &[u8], open: &Id) -> bool {
    let line: Value = serde_json::from_slice(line).unwrap_or_default();
    let is_open = Id::deserialize(&line["id"]).is_ok_and(|id| id == *open);
    is_open && (line.get("result").is_some() || line.get("error").is_some())
}

/// Reports whether `event` withdraws the question, or ends the request that the question belongs to.
fn withdraws(event: &Event, question: &Id, open: &Id) -> bool {
    let Event::Line(Line::Complete(line)) = event else {
        return false;
    };
    match Message::from_line(line) {
        Ok(Message::Notification { method, params }) => {
            let taken_back = CancelParams::deserialize(params);
            method == methods::CANCEL && taken_back.is_ok_and(|it| it.id == *question)
        }
        Ok(Message::Result { id, .. } | Message::Error { id: Some(id), .. }) => id == *open,
        Ok(Message::Request { .. } | Message::Error { id: None, .. }) | Err(_) => false,
    }
}

/// Serializes a request as a line. No other copy of the request stays in memory.
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
