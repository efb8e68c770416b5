//! The events of the console that tell a process to stop, under the names of the signals that they stand for.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::{io, thread};

use bot_cli_system::console::{self, Event};

use crate::signal::StopSignal;
use bot_cli_protocol::failure::{Exit, Failure};

impl StopSignal {
    /// Whether the parent has this process ignore the event. Windows does not tell.
    pub const fn is_ignored(self) -> bool {
        false
    }
}

/// Returns how a process ended: its status.
pub fn shell_status(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

/// Those who listen. The system has one listener of this process, and knows nothing of them.
static LISTENERS: Mutex<Vec<Sender<StopSignal>>> = Mutex::new(Vec::new());

/// The events since the last look.
#[derive(Debug)]
pub struct StopSignals(Mutex<Receiver<StopSignal>>);

impl StopSignals {
    /// Returns the events that have come since the last time.
    pub fn take(&self) -> impl Iterator<Item = StopSignal> {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        events.try_iter().collect::<Vec<_>>().into_iter()
    }
}

/// From now on, these events are noted instead of ending this process at once.
pub fn note_stop_signals() -> Result<StopSignals, Failure> {
    let signals = subscribe().map_err(unwatched)?;
    Ok(StopSignals(Mutex::new(signals)))
}

fn unwatched(error: io::Error) -> Failure {
    let could_not = "could not watch for Ctrl-C";
    Failure::because(Exit::Failed, "no_signals", could_not, error)
}

fn subscribe() -> io::Result<Receiver<StopSignal>> {
    let (sender, signals) = mpsc::channel();
    let mut listeners = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
    listeners.push(sender);
    drop(listeners);
    console::listen(tell)?;
    Ok(signals)
}

/// From now on, the events of the console do nothing to this process: they are for the program that it waits for.
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
        // Who does not listen any more has ended.
        let _ = listener.send(signal);
    }
    if event == Event::End {
        // The process ends when this returns. Whoever listens ends it, or the system does after a few seconds.
        loop {
            thread::park();
        }
    }
}

/// Whether the parent has this process ignore a signal: there are none.
pub const fn is_ignored(_: i32) -> bool {
    false
}
