//! The parent, group and session of a process.

use std::fs;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// The place of a process among the others.
#[derive(Debug, Clone, Copy)]
pub struct Stat {
    pub process: Pid,
    pub parent: Option<Pid>,
    pub group: Option<Pid>,
    pub session: Option<Pid>,
}

/// The place of one process; `None` where it has ended. It is read from a file: in a container, a group and a session may be led by
/// a process outside, which has no number here, and the system's calls say 0, which is no process.
#[cfg(any(target_os = "linux", target_os = "android"))]
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

/// The place of one process; `None` where it has ended. Only of this one the parent is known.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn of(process: Pid) -> Option<Stat> {
    use rustix::process::{getpgid, getpid, getppid, getsid};

    Some(Stat {
        process,
        parent: getppid().filter(|_| process == getpid()),
        group: Some(getpgid(Some(process)).ok()?),
        session: Some(getsid(Some(process)).ok()?),
    })
}

/// All processes that can be seen: none where no file tells them.
pub fn all() -> impl Iterator<Item = Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| of(pid(entry.file_name().to_str()?.parse().ok()?)?))
}

fn pid(number: i32) -> Option<Pid> {
    // -1 is no number of a process, and must not be taken for one.
    Pid::from_raw(number.max(0))
}

/// The signal that has stopped a child of this process; `None` while it runs.
pub fn stop_signal(process: Pid) -> Option<i32> {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(process), options).ok().flatten()?;
    status.stopping_signal()
}
