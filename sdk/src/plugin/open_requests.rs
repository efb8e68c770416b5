//! The open requests, which can be cancelled by the host, by the host's exit, or by a signal to this process.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::output::Output;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::{ErrorObject, Id, Message};
use bot_cli_terminal::background::spawn;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::process::{HeedfulInput, StopSignal};

pub enum HostReply {
    To(Id, Result<Value, ErrorObject>),
    Cancelled,
    /// The error for an invalid line.
    Refusal(ErrorObject),
}

#[derive(Clone)]
pub struct OpenRequests(Arc<Mutex<State>>);

struct State {
    /// The requests in order of arrival. If several requests have the same ID, a cancellation applies to all of them.
    requests: Vec<(Id, Cancel)>,
    /// The number of requests that have not been replied to, including closed requests.
    unanswered: usize,
    /// The channel to the thread that waits for the host's reply. `None` once the input has ended.
    waker: Option<Sender<HostReply>>,
    signal: Option<StopSignal>,
    output: Output,
}

impl OpenRequests {
    pub fn new(waker: Sender<HostReply>, output: Output) -> Self {
        Self(Arc::new(Mutex::new(State {
            requests: Vec::new(),
            unanswered: 0,
            waker: Some(waker),
            signal: None,
            output,
        })))
    }

    /// Adds a request, and cancels it immediately if a signal has already arrived.
    pub fn open(&self, id: &Id) -> Cancel {
        let cancel = Cancel::new();
        let open_requests = self.clone();
        cancel.ends_by(move || open_requests.end_unwanted());
        let mut open = self.lock();
        if let Some(signal) = open.signal {
            cancel.take_signal(signal);
        }
        open.unanswered += 1;
        open.requests.push((id.clone(), cancel.clone()));
        cancel
    }

    pub fn cancel(&self, id: &Id) {
        let open = self.lock();
        let mut named = (open.requests.iter())
            .filter(|(open, _)| open == id)
            .peekable();
        if named.peek().is_some() {
            named.for_each(|(_, cancel)| cancel.request());
            open.wake();
        }
    }

    pub fn cancel_all(&self) {
        let open = self.lock();
        open.requests
            .iter()
            .for_each(|(_, cancel)| cancel.request());
        open.wake();
    }

    /// If all requests are cancelled and the current work may be interrupted, replies to all of them and exits.
    pub fn end_unwanted(&self) {
        let open = self.lock();
        // A request that is still wanted gets its reply after the current one, however long that takes.
        if !open.requests.iter().all(|(_, cancel)| cancel.requested()) {
            return;
        }
        let Some(failure) = open
            .requests
            .first()
            .and_then(|(_, begun)| begun.take_over())
        else {
            return;
        };
        let status = open.status().unwrap_or(failure.exit.status());
        let mut failures = vec![failure];
        let waiting = open.requests.iter().skip(1);
        failures.extend(waiting.map(|(_, cancel)| cancel.explain(Failure::cancelled())));
        let ids = open.requests.iter().map(|(id, _)| id.clone());
        let replies: Vec<Message> = (ids.zip(failures))
            .map(|(id, failure)| Message::Error {
                id: Some(id),
                error: failure.into(),
            })
            .collect();
        let output = open.output.clone();
        let end = move || {
            for reply in &replies {
                output.send(reply);
            }
            std::process::exit(status.into());
        };
        // The thread that listens to the host must not wait for the host to read.
        if spawn(end.clone()).is_err() {
            end();
        }
    }

    pub fn input_ended(&self) {
        self.lock().waker = None;
    }

    /// Removes a finished request. A later cancellation with the same ID applies to a different request.
    pub fn close(&self, id: &Id) {
        let mut open = self.lock();
        if let Some(oldest) = open.requests.iter().position(|(open, _)| open == id) {
            open.requests.remove(oldest);
        }
    }

    /// Records that a reply was sent. After a signal, returns the exit status once all requests have been replied to.
    pub fn replied(&self) -> Option<u8> {
        let mut open = self.lock();
        open.unanswered -= 1;
        open.status().filter(|_| open.unanswered == 0)
    }

    pub fn status(&self) -> Option<u8> {
        self.lock().status()
    }

    /// Returns standard input and handles SIGINT, SIGTERM and SIGHUP from then on. A signal ends the process once all requests have been
    /// replied to, or after `grace` at the latest.
    pub fn heedful_input(&self, grace: Duration) -> Result<HeedfulInput, Failure> {
        let open_requests = self.clone();
        HeedfulInput::new(move |signal| {
            let end = move || std::process::exit(signal.status().into());
            if !open_requests.told_to_end(signal) {
                end();
            }
            open_requests.end_unwanted();
            let started = spawn(move || {
                thread::sleep(grace);
                end();
            });
            if started.is_err() {
                thread::sleep(grace);
                end();
            }
        })
    }

    /// Cancels all requests in response to `signal`. Reports whether any request has not been replied to.
    fn told_to_end(&self, signal: StopSignal) -> bool {
        let mut open = self.lock();
        open.signal = Some(signal);
        for (_, cancel) in &open.requests {
            cancel.take_signal(signal);
        }
        open.wake();
        open.unanswered > 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wake(&self) {
        if let Some(waker) = &self.waker {
            // The receiver no longer exists after the last request.
            let _ = waker.send(HostReply::Cancelled);
        }
    }

    fn status(&self) -> Option<u8> {
        self.signal.map(StopSignal::status)
    }
}
