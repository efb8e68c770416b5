//! Processes on Windows. Each process runs in a job together with every process that it started.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use bot_cli_system::console;
use bot_cli_system::job::{Hears, Job};

use super::process::{Stopped, TakenStreams};
use bot_cli_terminal::process::StopSignal;

/// The environment variables without which system libraries fail.
pub const INDISPENSABLE: &[&str] = &["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT"];

/// The exit status for killed processes, which equals the status that a Unix shell reports for KILL.
const KILLED: u32 = 137;

/// The lowest exit status of a process that the system terminated, for example because of an access violation or Ctrl-C.
const FAULTS: u32 = 0xc000_0000;

/// A process with its own job. The system terminates the job when this process exits for any reason.
#[derive(Debug)]
pub struct Group {
    leader: Child,
    job: Job,
    ended: Option<ExitStatus>,
}

impl Group {
    /// Starts a process in its own job. The process does not receive Ctrl-C from this process's console.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let (job, leader) = Job::start(command, Hears::ItsOwn)?;
        Ok(Self {
            leader,
            job,
            ended: None,
        })
    }

    /// Takes the leader's piped streams, unless they have already been taken.
    pub fn take_streams(&mut self) -> TakenStreams {
        let it = &mut self.leader;
        (it.stdin.take(), it.stdout.take(), it.stderr.take())
    }

    /// Returns the process id of the leader.
    pub fn id(&self) -> u32 {
        self.leader.id()
    }

    /// Returns the exit status of the leader, if it has exited.
    pub fn end(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.leader.try_wait().ok().flatten();
        }
        self.ended
    }

    /// Returns `None`, because the leader is never suspended.
    pub const fn stopped(&self) -> Option<Stopped> {
        None
    }

    /// Does nothing, because the group is never suspended.
    pub const fn resume(&self) {}

    /// Sends Ctrl-Break to the group to ask its processes to exit.
    pub fn terminate(&self) {
        // Without a console, the event can't be sent, and the group is killed after its time limit.
        let _ = console::send_break(self.leader.id());
    }

    /// Sends Ctrl-Break to the group, whatever the signal, because the other events would reach every process in the console.
    pub fn tell(&self, _: StopSignal) {
        self.terminate();
    }

    /// Reports whether any process in the group remains.
    pub fn is_left(&mut self) -> bool {
        self.end().is_none() || self.job.running().is_ok_and(|running| running > 0)
    }

    /// Kills the group's remaining processes.
    pub fn kill(&mut self) {
        if !self.is_left() {
            return;
        }
        let _ = self.job.kill(KILLED);
        if self.ended.is_none() {
            self.ended = self.leader.wait().ok();
        }
    }

    /// Does nothing, because the job contains every process that the group starts.
    pub const fn end_orphans(&mut self, _: Duration) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Does nothing, because the system kills the groups when this process exits.
pub const fn kill_all() {}

/// Reports whether the system terminated the process.
pub fn ended_by_signal(end: ExitStatus) -> bool {
    end.code()
        .is_some_and(|code| code.cast_unsigned() >= FAULTS)
}
