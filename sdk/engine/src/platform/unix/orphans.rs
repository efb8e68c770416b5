//! Orphans of a killed group: processes that the group's members started in other groups, such as a nested host's plugins.
//!
//! On Linux, this process becomes the parent of orphans in place of init. It can thus terminate the orphans of a group that was killed or
//! whose leader was terminated by a signal. A process that leaves the session, such as a daemon, is left alone, because it is meant to keep
//! running. Orphans of a group that exited normally are left alone until another group must be killed.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, waitid,
};

use super::stat;
use super::stat::Stat;

/// The time limit for a killed process to exit. A process that is blocked on a device may never exit.
const PATIENCE: Duration = Duration::from_secs(2);

/// The total time limit, in case processes start others faster than they can be killed.
const LONGEST: Duration = Duration::from_secs(30);

/// Locks and returns the list of groups that this process started and that still exist.
pub fn groups() -> MutexGuard<'static, Vec<Pid>> {
    static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process the parent of its orphaned descendants, if the system supports it.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    // If the call fails, no orphans are found later.
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

/// Terminates the orphans of this process with TERM, then with KILL after `patience`. Also terminates processes that become orphans as a
/// result.
///
/// In a chain of nested hosts, each level becomes visible only after the level above it has exited. This takes time on a busy machine, so
/// every killed process extends the time limit.
pub fn end(patience: Duration) {
    let Some(own) = stat::of(getpid()) else {
        return;
    };
    let killing = Instant::now() + patience;
    let mut deadline = killing + PATIENCE;
    let (mut told, mut killed) = (HashSet::new(), HashSet::new());
    loop {
        let left = left_behind(&own);
        let now = Instant::now();
        if left.is_empty() || now >= deadline {
            return;
        }
        for orphan in left {
            if now < killing {
                if told.insert(orphan.process) {
                    send(orphan, Signal::TERM);
                    send(orphan, Signal::CONT);
                }
            } else if killed.insert(orphan.process) {
                send(orphan, Signal::KILL);
                deadline = (now + PATIENCE).min(killing + LONGEST);
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the orphans in this process's session that are still running.
fn left_behind(own: &Stat) -> Vec<Stat> {
    stat::all()
        .filter(|stat| stat.parent == Some(own.process) && stat.session == own.session)
        // Processes that this process started on purpose are in its own group, or in a group that they lead.
        .filter(|stat| stat.group != own.group && !is_led(stat.group))
        .filter(|stat| !has_ended(stat.process))
        .collect()
}

fn send(orphan: Stat, signal: Signal) {
    let _ = match orphan.group {
        Some(group) => kill_process_group(group, signal),
        None => kill_process(orphan.process, signal),
    };
}

fn is_led(group: Option<Pid>) -> bool {
    group.is_some_and(|group| groups().contains(&group))
}

/// Reports whether a child process has exited, and reaps it if so. Only the parent of a process can reap it.
fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}
