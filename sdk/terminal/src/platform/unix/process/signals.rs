//! The signals that end a process.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::signal::StopSignal;
use bot_cli_protocol::failure::{Exit, Failure};

impl StopSignal {
    const ALL: [Self; 3] = [Self::Interrupt, Self::Terminate, Self::HangUp];

    /// Reports whether this process inherited the signal as ignored.
    pub fn is_ignored(self) -> bool {
        is_ignored(self.number())
    }

    /// Returns the number of the signal.
    pub const fn number(self) -> i32 {
        match self {
            Self::Interrupt => SIGINT,
            Self::Terminate => SIGTERM,
            Self::HangUp => SIGHUP,
        }
    }
}

/// Returns the exit status that a shell reports for a process: the process's own status, or 128 plus the number of the signal that
/// terminated it.
pub fn shell_status(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    let signalled = || status.signal().map_or(-1, |signal| 128 + signal);
    status.code().unwrap_or_else(signalled)
}

fn unwatched(error: io::Error) -> Failure {
    let could_not = "could not watch for signals";
    Failure::because(Exit::Failed, "no_signals", could_not, error)
}

/// The stop signals since the last call to [`take`](Self::take).
#[derive(Debug)]
pub struct StopSignals(Vec<(StopSignal, Arc<AtomicBool>)>);

impl StopSignals {
    /// Returns the signals that arrived since the last call.
    pub fn take(&self) -> impl Iterator<Item = StopSignal> {
        let signals = self.0.iter();
        let come = signals.filter(|(_, come)| come.swap(false, Ordering::SeqCst));
        come.map(|(signal, _)| *signal)
    }
}

/// Starts recording stop signals, which then no longer terminate this process. A signal that the parent process ignores stays ignored, such
/// as HUP under `nohup` or INT in a script's background job. The same applies to a program that replaces this process.
pub fn note_stop_signals() -> Result<StopSignals, Failure> {
    let heard = StopSignal::ALL.into_iter();
    let noted = heard.filter(|signal| !signal.is_ignored()).map(|signal| {
        let come = Arc::default();
        signal_hook::flag::register(signal.number(), Arc::clone(&come))?;
        Ok((signal, come))
    });
    let noted: io::Result<Vec<_>> = noted.collect();
    noted.map(StopSignals).map_err(unwatched)
}

/// Wakes a thread when a stop signal arrives.
#[derive(Debug)]
pub struct Alarm {
    bell: UnixStream,
    sleeper: UnixStream,
}

impl Alarm {
    /// Creates an alarm for the signals that [`note_stop_signals`] records.
    pub fn new() -> Result<Self, Failure> {
        Self::on_signals().map_err(unwatched)
    }

    fn on_signals() -> io::Result<Self> {
        let (bell, sleeper) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        for signal in StopSignal::ALL {
            if !signal.is_ignored() {
                pipe::register(signal.number(), bell.try_clone()?)?;
            }
        }
        Ok(Self { bell, sleeper })
    }

    /// Wakes the thread without a signal.
    pub fn ring(&self) {
        // If there is no more room, the thread has enough to wake up.
        let _ = (&self.bell).write(&[0]);
    }

    /// Waits for a signal or for [`ring`](Self::ring), unless there has been one since the last call. May return without either.
    pub fn wait(&self) {
        let _ = (&self.sleeper).read(&mut [0; 16]);
    }
}

/// Reports whether this process inherited a signal as ignored. The first call's result is cached, because this process may change the
/// signal's disposition later.
pub fn is_ignored(signal: i32) -> bool {
    static FOUND: LazyLock<Mutex<HashMap<i32, bool>>> = LazyLock::new(Mutex::default);
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let ask = || bot_cli_system::signal::is_ignored(signal);
    *found.entry(signal).or_insert_with(ask)
}
