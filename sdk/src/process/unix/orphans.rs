//! What a killed group leaves behind: processes that its members put into groups of their own, such as the plugins of a host.
//!
//! On Linux, orphans are handed to this process instead of to the system's first one, so that those of a group that had to be
//! killed can be ended too. A process that leaves the session, as a daemon does, is meant to stay. Orphans of a group that
//! ended by itself are left alone.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, getsid, kill_process, kill_process_group,
    waitid,
};

use super::{stat, suspension};

/// How long killed processes are waited for. The system takes a moment; one that is stuck in a device takes for ever.
const PATIENCE: Duration = Duration::from_secs(2);

/// From now on, orphans among the descendants of this process are handed to it, where the system can do that.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    // Without it, there is nothing to be found later.
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

/// The children of this process.
pub fn children() -> HashSet<Pid> {
    let own = Some(getpid());
    stat::all()
        .filter(|stat| stat.parent == own)
        .map(|stat| stat.process)
        .collect()
}

/// Kills what has become a child of this process since it had `known` children, and what that leaves behind in turn.
pub fn kill(known: &HashSet<Pid>) {
    let deadline = Instant::now() + PATIENCE;
    let (own, session) = (Some(getpid()), getsid(None).ok());
    while Instant::now() < deadline {
        let orphans: Vec<_> = stat::all()
            .filter(|stat| stat.parent == own && stat.session == session)
            .filter(|stat| !known.contains(&stat.process))
            // What another thread has started meanwhile is a child like them.
            .filter(|stat| stat.group.is_some_and(|group| !is_ours(group)))
            .collect();
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            let _ = match orphan.group {
                Some(group) => kill_process_group(group, Signal::KILL),
                None => kill_process(orphan.process, Signal::KILL),
            };
            // Its own children come to this process before its end can be seen.
            while !has_ended(orphan.process) && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Whether a group is that of this process, or one that it leads on purpose.
fn is_ours(group: Pid) -> bool {
    group == getpgrp() || suspension::groups().contains(&group)
}

fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}
