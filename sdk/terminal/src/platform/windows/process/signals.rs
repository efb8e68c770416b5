//! Console events that stop a process, named after the equivalent signals.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::{io, thread};

use bot_cli_system::console::{self, Event};

use crate::signal::StopSignal;
use bot_cli_protocol::failure::{Exit, Failure};

impl StopSignal {
    /// Always returns `false`, because Windows does not report whether this process inherited the event as ignored.
    pub const fn is_ignored(self) -> bool {
        false
    }
}

/// Returns the exit status of a process, or -1 if the status is unknown.
pub fn shell_status(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

/// The subscribers to console events. The process has only one listener, which forwards the events to the subscribers.
static LISTENERS: Mutex<Vec<Sender<StopSignal>>> = Mutex::new(Vec::new());

/// The events since the last call to [`take`](Self::take).
#[derive(Debug)]
pub struct StopSignals(Mutex<Receiver<StopSignal>>);

impl StopSignals {
    /// Returns the events that arrived since the last call.
    pub fn take(&self) -> impl Iterator<Item = StopSignal> {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        events.try_iter().collect::<Vec<_>>().into_iter()
    }
}

/// Starts recording stop events, which then no longer terminate this process.
pub fn note_stop_signals() -> Result<StopSignals, Failure> {
    let (_, signals) = subscribe().map_err(unwatched)?;
    Ok(StopSignals(Mutex::new(signals)))
}

/// Wakes a thread when a stop event arrives.
#[derive(Debug)]
pub struct Alarm {
    bell: Sender<StopSignal>,
    sleeper: Mutex<Receiver<StopSignal>>,
}

impl Alarm {
    /// Creates an alarm for the events that [`note_stop_signals`] records.
    pub fn new() -> Result<Self, Failure> {
        let (bell, sleeper) = subscribe().map_err(unwatched)?;
        let sleeper = Mutex::new(sleeper);
        Ok(Self { bell, sleeper })
    }

    /// Wakes the thread without an event.
    pub fn ring(&self) {
        let _ = self.bell.send(StopSignal::Interrupt);
    }

    /// Waits for an event or for [`ring`](Self::ring), unless there has been one since the last call.
    pub fn wait(&self) {
        let sleeper = self.sleeper.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sleeper.recv();
    }
}

fn unwatched(error: io::Error) -> Failure {
    let could_not = "could not watch for Ctrl-C";
    Failure::because(Exit::Failed, "no_signals", could_not, error)
}

fn subscribe() -> io::Result<(Sender<StopSignal>, Receiver<StopSignal>)> {
    let (sender, signals) = mpsc::channel();
    let mut listeners = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
    listeners.push(sender.clone());
    drop(listeners);
    console::listen(tell)?;
    Ok((sender, signals))
}

/// Makes this process ignore console events, so that only the program that it waits for handles them.
pub fn leave_to_others() -> io::Result<()> {
    LISTENERS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
    console::listen(tell).map(drop)
}

fn tell(event: Event) {
    let signal = match event {
        Event::Interrupt => StopSignal::Interrupt,
        Event::Break => StopSignal::Terminate,
        Event::End => StopSignal::HangUp,
    };
    for listener in LISTENERS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
    {
        // The receiver of a finished subscriber is closed.
        let _ = listener.send(signal);
    }
    if event == Event::End {
        // The process ends when this function returns. Waiting here lets a subscriber end it first; the system ends it after a few seconds.
        loop {
            thread::park();
        }
    }
}

/// Always returns `false`, because Windows has no signals that a process can ignore.
pub const fn is_ignored(_: i32) -> bool {
    false
}
