//! Where a process stands among the others, as Linux tells it.

use std::fs;

use rustix::process::{Pid, WaitId, WaitIdOptions, getpid, waitid};

/// The place of a process among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    pub process: Pid,
    pub parent: Option<Pid>,
    pub group: Option<Pid>,
    pub session: Option<Pid>,
}

/// The place of one process; `None` where it has ended or the system does not tell.
pub fn of(process: Pid) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    // The name in parentheses may hold anything, parentheses included.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(1);
    // A process that is just being buried has -1.
    let mut next = || fields.next()?.parse().ok().and_then(pid);
    Some(Stat {
        process,
        parent: next(),
        group: next(),
        session: next(),
    })
}

/// The place of this process. In a container, its group and session may be led by a process outside, which has no number
/// here: the system's calls say 0, which is no process.
pub fn own() -> Option<Stat> {
    of(getpid())
}

/// All processes that can be seen.
pub fn all() -> impl Iterator<Item = Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| of(pid(entry.file_name().to_str()?.parse().ok()?)?))
}

fn pid(number: i32) -> Option<Pid> {
    Some(number)
        .filter(|number| *number > 0)
        .and_then(Pid::from_raw)
}

/// The signal that has stopped a child of this process; `None` while it runs.
pub fn stop_signal(process: Pid) -> Option<i32> {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(process), options).ok().flatten()?;
    status.stopping_signal()
}
