//! Orphans of a killed group: processes that its members started in other groups, such as a host's plugins.
//!
//! On Linux, this process receives orphans instead of init. It can thus end the orphans of a group that was killed or that a signal ended.
//! A process that leaves the session, such as a daemon, is meant to stay. Orphans of a group that ended by itself are left alone until
//! another group must be killed.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, waitid,
};

use super::stat;
use super::stat::Stat;

/// The time limit for a killed process to end. A process that is stuck in a device never ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time limit for processes that start others faster than they are killed.
const LONGEST: Duration = Duration::from_secs(30);

/// Returns the groups that this process started and that still exist.
pub fn groups() -> MutexGuard<'static, Vec<Pid>> {
    static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process the parent of its orphaned descendants, where the system supports it.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    // If the call fails, no orphans are found later.
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

/// Ends the orphans of this process, and in turn the orphans that they leave: TERM, then KILL after `patience`.
///
/// In a chain of nested hosts, each level becomes visible only when the level above it has ended. On a busy machine this is slow, so every
/// killed process extends the time limit.
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

/// Returns the orphans in this process's session that have not ended.
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

/// Reports whether a child process has ended, and reaps it if so. Only the parent of a process can reap it.
fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}
