//! Facts about processes, and whether one is stopped.

use std::fs;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

#[derive(Debug, Clone, Copy)]
pub struct Stat {
    pub process: Pid,
    pub parent: Option<Pid>,
    pub group: Option<Pid>,
    pub session: Option<Pid>,
}

/// Reads a process's ids from `/proc`. Returns `None` if the process has exited. In a container, the leader of a group or session may be
/// outside the container and have no id inside. The system then reports 0, which is not a valid process id.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn of(process: Pid) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    // The name in parentheses may contain anything, even parentheses.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(1);
    // A process that is just being reaped has -1.
    let mut next = || fields.next()?.parse().ok().and_then(pid);
    Some(Stat {
        process,
        parent: next(),
        group: next(),
        session: next(),
    })
}

/// Reads a process's ids. Returns `None` if the process has exited. The parent is known only for the current process.
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

/// Returns every visible process. The result is empty on a system without `/proc`.
pub fn all() -> impl Iterator<Item = Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| of(pid(entry.file_name().to_str()?.parse().ok()?)?))
}

fn pid(number: i32) -> Option<Pid> {
    // -1 is not a process number, and must not be used as one.
    Pid::from_raw(number.max(0))
}

/// Returns the signal that stopped a child of this process, or `None` while the child runs.
pub fn stop_signal(process: Pid) -> Option<i32> {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(process), options).ok().flatten()?;
    status.stopping_signal()
}
