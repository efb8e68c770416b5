//! What a killed group leaves behind: processes that its members put into groups of their own, such as the plugins of a host.
//!
//! On Linux, orphans are handed to this process instead of to the system's first one, so that those of a group that had to be
//! killed, or that a signal ended, can be ended too. A process that leaves the session, as a daemon does, is meant to stay. Orphans
//! of a group that ended by itself are left alone until another has to be killed.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, waitid,
};

use super::stat;
use super::stat::Stat;

/// The time limit for a killed process. The system takes a moment; one that is stuck in a device takes for ever.
const PATIENCE: Duration = Duration::from_secs(2);

/// When to give up with processes that start others faster than they are killed.
const LONGEST: Duration = Duration::from_secs(30);

/// The groups that this process has started and that are not gone.
pub fn groups() -> MutexGuard<'static, Vec<Pid>> {
    static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, orphans among the descendants of this process are handed to it, where the system can do that.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    // Without it, there is nothing to be found later.
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

/// Ends the orphans that this process was handed: TERM, and KILL after `patience`, for them and for what they leave behind in turn.
///
/// Each level of hosts that ran one another comes to light when the one above it has ended, which takes its time on a busy
/// machine: the limit is of what ends, not of all together.
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

/// Returns what this process was handed in its session and has not ended.
fn left_behind(own: &Stat) -> Vec<Stat> {
    stat::all()
        .filter(|stat| stat.parent == Some(own.process) && stat.session == own.session)
        // What this process has started on purpose is in its own group, or leads one.
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

/// Whether a process has ended, which only its parent, this process, can put an end to.
fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}
