//! What a killed group leaves behind: processes that its members put into groups of their own, such as the plugins of a host.
//!
//! On Linux, orphans are handed to this process instead of to the system's first one, so that those of a group that had to be
//! killed, or that a signal ended, can be ended too. A process that leaves the session, as a daemon does, is meant to stay. Orphans
//! of a group that ended by itself are left alone.

use std::collections::HashSet;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, waitid,
};

use super::stat::Stat;
use super::{stat, suspension};

/// The time limit for a killed process. The system takes a moment; one that is stuck in a device takes for ever.
const PATIENCE: Duration = Duration::from_secs(2);

/// When to give up with processes that start others faster than they are killed.
const LONGEST: Duration = Duration::from_secs(30);

/// From now on, orphans among the descendants of this process are handed to it, where the system can do that.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    // Without it, there is nothing to be found later.
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

/// The children of this process, without those in `group`: a member whose parent has ended is a child as well, and what it
/// started counts as left behind.
pub fn children_outside(group: Pid) -> HashSet<Pid> {
    let own = Some(getpid());
    stat::all()
        .filter(|stat| stat.parent == own && stat.group != Some(group))
        .map(|stat| stat.process)
        .collect()
}

/// The children of this process.
pub fn children() -> HashSet<Pid> {
    // Mostly it has none yet, which the system says at once.
    let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if matches!(waitid(WaitId::All, any), Err(Errno::CHILD)) {
        return HashSet::new();
    }
    let own = getpid();
    // Where the system tells them, that is faster than a look at every process.
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let told: Vec<String> = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .collect();
    if told.is_empty() {
        let all = stat::all().filter(|stat| stat.parent == Some(own));
        return all.map(|stat| stat.process).collect();
    }
    let words = told.iter().flat_map(|line| line.split_whitespace());
    words
        .filter_map(|word| Pid::from_raw(word.parse().ok()?))
        .collect()
}

/// Ends what has become a child of this process since it had `known` children: TERM, and KILL after `patience`.
pub fn end(known: &HashSet<Pid>, patience: Duration) {
    let Some(own) = stat::own() else {
        return;
    };
    let deadline = Instant::now() + patience;
    let mut told = HashSet::new();
    loop {
        let left = left_behind(&own, known);
        if left.is_empty() {
            return;
        }
        if Instant::now() >= deadline {
            return kill(known);
        }
        for orphan in left {
            if !has_ended(orphan.process) && told.insert(orphan.process) {
                send(orphan, Signal::TERM);
                send(orphan, Signal::CONT);
            }
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Kills what has become a child of this process since it had `known` children, and what that leaves behind in turn.
///
/// Each level of hosts that ran one another comes to light when the one above it has ended, which takes its time on a busy
/// machine: the limit is of what ends, not of all together.
pub fn kill(known: &HashSet<Pid>) {
    let start = Instant::now();
    let Some(own) = stat::own() else {
        return;
    };
    let mut stuck = HashSet::new();
    while start.elapsed() < LONGEST {
        let mut orphans = left_behind(&own, known);
        orphans.retain(|orphan| !stuck.contains(&orphan.process));
        if orphans.is_empty() {
            return;
        }
        for orphan in &orphans {
            send(*orphan, Signal::KILL);
        }
        let deadline = Instant::now() + PATIENCE;
        for orphan in orphans {
            // Its own children come to this process before its end can be seen.
            while !has_ended(orphan.process) {
                if Instant::now() >= deadline {
                    stuck.insert(orphan.process);
                    break;
                }
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Returns what this process was handed since it had `known` children, in its session.
fn left_behind(own: &Stat, known: &HashSet<Pid>) -> Vec<Stat> {
    stat::all()
        .filter(|stat| stat.parent == Some(own.process) && stat.session == own.session)
        .filter(|stat| !known.contains(&stat.process))
        // What another thread has started meanwhile is a child like them.
        .filter(|stat| stat.group != own.group && !is_led(stat.group))
        .collect()
}

fn send(orphan: Stat, signal: Signal) {
    let _ = match orphan.group {
        Some(group) => kill_process_group(group, signal),
        None => kill_process(orphan.process, signal),
    };
}

/// Whether a group is one that this process has started on purpose.
fn is_led(group: Option<Pid>) -> bool {
    group.is_some_and(|group| suspension::groups().contains(&group))
}

fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}
