//! A process group: a process and everything it started that stays with it.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};

use super::orphans::{self, groups};
use super::stat::stop_signal;
use crate::platform::process::Stopped;
use bot_cli_terminal::process::{StopSignal, core_dump};

/// A process that leads a group of its own.
#[derive(Debug)]
pub struct Group {
    leader: Child,
    id: Pid,
    ended: Option<ExitStatus>,
    /// Whether nothing is left of the group, whose number may belong to strangers from then on.
    gone: bool,
}

impl Group {
    /// Starts a process as the leader of a group of its own.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        orphans::adopt();
        let leader = core_dump::as_found(|| command.process_group(0).spawn())?;
        let id = Pid::from_child(&leader);
        groups().push(id);
        Ok(Self {
            leader,
            id,
            ended: None,
            gone: false,
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

    /// Why the leader is stopped, if it is.
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

    /// Lets the group go on.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Tells the group to end. One that is stopped hears it, too.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
        self.resume();
    }

    /// Sends the group a signal that tells it to stop.
    pub fn tell(&self, signal: StopSignal) {
        if let Some(signal) = Signal::from_named_raw(signal.number()) {
            self.signal(signal);
        }
    }

    /// Whether anything of the group is left.
    pub fn is_left(&mut self) -> bool {
        if self.end().is_some() && !self.gone {
            self.bury_orphans();
            if test_kill_process_group(self.id).is_err() {
                self.forget();
            }
        }
        !self.gone
    }

    /// What has ended of the group counts as long as nobody looks after it, which its parent can't any more.
    fn bury_orphans(&self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        while let Ok(Some(_)) = waitid(WaitId::Pgid(Some(self.id)), options) {}
    }

    /// Kills what is left of the group, and the orphans that this makes.
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

    /// Ends what the group leaves behind where its leader was ended by a signal and could not look after it: TERM, and KILL after
    /// `patience`.
    pub fn end_orphans(&mut self, patience: Duration) {
        if self.end().is_some_and(ended_by_signal) {
            orphans::end(patience);
        }
    }

    fn signal(&self, signal: Signal) {
        if !self.gone {
            // The group may have ended by itself meanwhile.
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

/// Kills every group that this process has started and that is not gone, for a process that ends at once.
pub fn kill_all() {
    for group in groups().iter() {
        // It may have ended by itself.
        let _ = kill_process_group(*group, Signal::KILL);
    }
}

/// Whether a process was ended by a signal, in the middle of whatever it did.
pub fn ended_by_signal(end: ExitStatus) -> bool {
    end.signal().is_some()
}
