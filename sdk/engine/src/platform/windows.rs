//! Processes on Windows: each with everything that it started, in a job.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use bot_cli_system::console;
use bot_cli_system::job::{Hears, Job};

use super::process::Stopped;
use bot_cli_terminal::process::StopSignal;

/// The variables without which libraries of the system fail.
pub const INDISPENSABLE: &[&str] = &["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT"];

/// The status of processes that are killed, as a shell elsewhere has it for KILL.
const KILLED: u32 = 137;

/// From here on, a status says that the system ended a process: an access violation, Ctrl-C.
const FAULTS: u32 = 0xc000_0000;

/// A process with a job of its own. It ends with this process, however that ends.
#[derive(Debug)]
pub struct Group {
    leader: Child,
    job: Job,
    ended: Option<ExitStatus>,
}

impl Group {
    /// Starts a process in a job of its own. It does not hear the Ctrl-C of this process's console.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let (job, leader) = Job::start(command, Hears::ItsOwn)?;
        Ok(Self {
            leader,
            job,
            ended: None,
        })
    }

    /// The leader's streams, as far as they are piped and nobody has them yet.
    pub fn take_streams(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let Child {
            stdin,
            stdout,
            stderr,
            ..
        } = &mut self.leader;
        (stdin.take(), stdout.take(), stderr.take())
    }

    /// The number of the leader.
    pub fn id(&self) -> u32 {
        self.leader.id()
    }

    /// Returns how the leader ended, if it has.
    pub fn end(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.leader.try_wait().ok().flatten();
        }
        self.ended
    }

    /// Why the leader is stopped: it never is.
    pub const fn stopped(&self) -> Option<Stopped> {
        None
    }

    /// Lets the group go on, which it always does.
    pub const fn resume(&self) {}

    /// Tells the group to end.
    pub fn terminate(&self) {
        // Without a console there is nobody to tell; it is killed when its time is over.
        let _ = console::send_break(self.leader.id());
    }

    /// Sends the group an event that tells it to stop. There is one for all of them: the others go to everybody at the console.
    pub fn tell(&self, _: StopSignal) {
        self.terminate();
    }

    /// Whether anything of the group is left.
    pub fn is_left(&mut self) -> bool {
        self.end().is_none() || self.job.running().is_ok_and(|running| running > 0)
    }

    /// Kills what is left of the group.
    pub fn kill(&mut self) {
        if !self.is_left() {
            return;
        }
        let _ = self.job.kill(KILLED);
        if self.ended.is_none() {
            self.ended = self.leader.wait().ok();
        }
    }

    /// Ends what the group leaves behind: nothing, because everything that it starts is in its job.
    pub const fn end_orphans(&mut self, _: Duration) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills every group of a process that ends at once: the system does.
pub const fn kill_all() {}

/// Whether the system ended a process, in the middle of whatever it did.
pub fn ended_by_signal(end: ExitStatus) -> bool {
    end.code()
        .is_some_and(|code| code.cast_unsigned() >= FAULTS)
}
