//! What is being worked on, and who wants it to stop: the host, the end of the host, or a signal to this process.

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

/// A message that may come while a question is open.
pub enum HostReply {
    /// The answer to one of our requests.
    To(Id, Result<Value, ErrorObject>),
    /// A request was cancelled.
    Cancelled,
    /// A line was no message; what is to be said of it.
    Refusal(ErrorObject),
}

/// The open requests, each with its cancellation.
#[derive(Clone)]
pub struct OpenRequests(Arc<Mutex<State>>);

struct State {
    /// In the order in which they came. A host that uses a name twice means both.
    requests: Vec<(Id, Cancel)>,
    /// Requests that have no reply yet.
    unanswered: usize,
    /// To the thread that waits for an answer of the host, as long as there can be one.
    waker: Option<Sender<HostReply>>,
    /// The signal that told this process to end.
    signal: Option<StopSignal>,
    output: Output,
}

impl OpenRequests {
    /// No open requests. `waker` leads to the thread that waits for an answer, and `output` to the host.
    pub fn new(waker: Sender<HostReply>, output: Output) -> Self {
        Self(Arc::new(Mutex::new(State {
            requests: Vec::new(),
            unanswered: 0,
            waker: Some(waker),
            signal: None,
            output,
        })))
    }

    /// Takes on a request. What comes after a signal is not wanted any more.
    pub fn open(&self, id: &Id) -> Cancel {
        let cancel = Cancel::new();
        let open_requests = self.clone();
        cancel.ends_by(move || open_requests.end_unwanted());
        let mut open = self.lock();
        if let Some(signal) = open.signal {
            stop(&cancel, signal);
        }
        open.unanswered += 1;
        open.requests.push((id.clone(), cancel.clone()));
        cancel
    }

    /// The host does not want the reply any more.
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

    /// Cancels every request, because the host has gone.
    pub fn cancel_all(&self) {
        let open = self.lock();
        open.requests
            .iter()
            .for_each(|(_, cancel)| cancel.request());
        open.wake();
    }

    /// Replies to everything and ends this process, if nothing is wanted any more and the work that has begun may be ended.
    pub fn end_unwanted(&self) {
        let open = self.lock();
        // One that is wanted is replied to after the one that is worked on, however long that takes.
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
        // Whoever hears the host does not wait for it to read.
        if spawn(end.clone()).is_err() {
            end();
        }
    }

    /// The host will answer nothing any more.
    pub fn input_ended(&self) {
        self.lock().waker = None;
    }

    /// A cancel from now on is not meant for this request, whose name may be used again.
    pub fn close(&self, id: &Id) {
        let mut open = self.lock();
        if let Some(oldest) = open.requests.iter().position(|(open, _)| open == id) {
            open.requests.remove(oldest);
        }
    }

    /// A reply is on its way. After a signal the status to exit with comes back as soon as that was the last one.
    pub fn replied(&self) -> Option<u8> {
        let mut open = self.lock();
        open.unanswered -= 1;
        open.status().filter(|_| open.unanswered == 0)
    }

    /// After a signal: the status to exit with.
    pub fn status(&self) -> Option<u8> {
        self.lock().status()
    }

    /// Returns the input. From now on INT, TERM and HUP end this process only after its replies, for which it has `grace`.
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

    /// Stops everything; whether there was something.
    fn told_to_end(&self, signal: StopSignal) -> bool {
        let mut open = self.lock();
        open.signal = Some(signal);
        for (_, cancel) in &open.requests {
            stop(cancel, signal);
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
            // Nobody waits when the last request is done.
            let _ = waker.send(HostReply::Cancelled);
        }
    }

    fn status(&self) -> Option<u8> {
        self.signal.map(StopSignal::status)
    }
}

/// Ctrl-C is a request of the user, the other signals are an order to the process.
fn stop(cancel: &Cancel, signal: StopSignal) {
    match signal {
        StopSignal::Interrupt => cancel.request(),
        StopSignal::Terminate | StopSignal::HangUp => cancel.terminate(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::{HostReply, OpenRequests, Output};
    use bot_cli_protocol::Id;
    use bot_cli_terminal::process::StopSignal;

    #[test]
    fn a_signal_stops_what_is_open_and_what_comes_later() {
        for (signal, terminated, status) in [
            (StopSignal::Interrupt, false, 130),
            (StopSignal::Terminate, true, 143),
        ] {
            let (waker, woken) = mpsc::channel();
            let open_requests = OpenRequests::new(waker, Output::new(Box::new(std::io::sink())));
            let first = open_requests.open(&Id::Number(1));
            assert!(open_requests.told_to_end(signal));
            assert!(matches!(woken.try_recv(), Ok(HostReply::Cancelled)));
            let second = open_requests.open(&Id::Number(2));
            for cancel in [first, second] {
                assert!(cancel.requested());
                assert_eq!(cancel.terminated(), terminated);
            }
            assert_eq!(open_requests.replied(), None);
            assert_eq!(open_requests.replied(), Some(status));
        }
    }

    #[test]
    fn a_signal_waits_for_nobody_when_all_is_replied() {
        let output = Output::new(Box::new(std::io::sink()));
        let open_requests = OpenRequests::new(mpsc::channel().0, output);
        open_requests.open(&Id::Number(1));
        open_requests.close(&Id::Number(1));
        assert_eq!(open_requests.replied(), None);
        assert!(!open_requests.told_to_end(StopSignal::Terminate));
        assert_eq!(open_requests.status(), Some(143));
    }
}
