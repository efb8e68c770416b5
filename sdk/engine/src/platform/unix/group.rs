//! A process group: the leader, and those of its descendants that stay in the group.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};

use super::orphans::{self, groups};
use super::stat::stop_signal;
use crate::platform::process::{Stopped, TakenStreams};
use bot_cli_terminal::process::StopSignal;

/// A process that leads its own group.
#[derive(Debug)]
pub struct Group {
    leader: Child,
    id: Pid,
    ended: Option<ExitStatus>,
    /// Whether the group has no more processes. The group's id may then belong to another group.
    gone: bool,
}

impl Group {
    /// Starts a process as the leader of its own group.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        orphans::adopt();
        // Locked until the group is in the list: a process that is in none of its groups is killed as an orphan.
        let mut groups = groups();
        let leader = command.process_group(0).spawn()?;
        let id = Pid::from_child(&leader);
        groups.push(id);
        drop(groups);
        Ok(Self {
            leader,
            id,
            ended: None,
            gone: false,
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

    /// Returns the reason why the leader is suspended, or `None` if it is not.
    pub fn stopped(&self) -> Option<Stopped> {
        if self.ended.is_some() {
            return None;
        }
        let signal = stop_signal(self.id)?;
        let terminal = [Signal::TTIN.as_raw(), Signal::TTOU.as_raw()];
        Some(if terminal.contains(&signal) {
            Stopped::AtTheTerminal
        } else {
            Stopped::BySomebody
        })
    }

    /// Resumes the group.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Sends TERM to the group. Resumes a suspended group so that it receives the signal.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
        self.resume();
    }

    /// Sends `signal` to the group.
    pub fn tell(&self, signal: StopSignal) {
        if let Some(signal) = Signal::from_named_raw(signal.number()) {
            self.signal(signal);
        }
    }

    /// Reports whether any process in the group remains.
    pub fn is_left(&mut self) -> bool {
        if self.end().is_some() && !self.gone {
            self.bury_orphans();
            if test_kill_process_group(self.id).is_err() {
                self.forget();
            }
        }
        !self.gone
    }

    /// Reaps the group's orphaned zombies, which would otherwise count as remaining processes.
    fn bury_orphans(&self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        while let Ok(Some(_)) = waitid(WaitId::Pgid(Some(self.id)), options) {}
    }

    /// Kills the group's remaining processes, and the processes that become orphans as a result.
    pub fn kill(&mut self) {
        if !self.is_left() {
            return;
        }
        self.signal(Signal::KILL);
        if self.ended.is_none() {
            self.ended = self.leader.wait().ok();
        }
        self.forget();
        orphans::end(Duration::ZERO);
    }

    /// Terminates the group's orphans if the leader was terminated by a signal and could therefore not clean up. Sends TERM, then KILL
    /// after `patience`.
    pub fn end_orphans(&mut self, patience: Duration) {
        if self.end().is_some_and(ended_by_signal) {
            orphans::end(patience);
        }
    }

    fn signal(&self, signal: Signal) {
        if !self.gone {
            // The group may have ended by itself.
            let _ = kill_process_group(self.id, signal);
        }
    }

    fn forget(&mut self) {
        self.gone = true;
        groups().retain(|group| *group != self.id);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills every remaining group that this process started. Call this immediately before the process exits.
pub fn kill_all() {
    for group in groups().iter() {
        // The group may have ended by itself.
        let _ = kill_process_group(*group, Signal::KILL);
    }
}

/// Reports whether a signal terminated the process.
pub fn ended_by_signal(end: ExitStatus) -> bool {
    end.signal().is_some()
}
