//! Ctrl-C: whatever was started ends before this process does.

use std::collections::BTreeSet;
use std::fs;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bot_cli_sdk::cancel::Cancel;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};

/// The interval at which the request to stop, and the processes that are left, are looked for.
const TICK: Duration = Duration::from_millis(50);

/// The time that a process may take to end by itself.
const GRACE: Duration = Duration::from_secs(5);

/// The user's request to stop, and what comes of it.
#[derive(Debug)]
pub(super) struct Interrupt {
    cancel: Cancel,
    ending: JoinHandle<()>,
}

impl Interrupt {
    /// From now on a stop signal ends what this process has started, at any depth, instead of this process.
    pub(super) fn watch() -> Result<Self, String> {
        // Then a process whose parent has ended is still found: it becomes a child of this one.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(getpid()));
        let cancel = Cancel::on_signals().map_err(|failure| failure.to_string())?;
        let request = cancel.clone();
        let ending = thread::spawn(move || {
            while !request.requested() {
                thread::sleep(TICK);
            }
            end_descendants(&request);
        });
        Ok(Self { cancel, ending })
    }

    /// Whether the user asked to stop.
    pub(super) fn requested(&self) -> bool {
        self.cancel.requested()
    }

    /// Once the user asked to stop and nothing that was started is left: the status to end with.
    pub(super) fn status(self) -> Option<u8> {
        if !self.cancel.requested() {
            return None;
        }
        let _ = self.ending.join();
        // Not every system's first process takes note of the ends that nobody waited for.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        Some(self.cancel.exit().status())
    }
}

/// Asks first, then kills: `grace` later, or when the user asks again. What the processes start meanwhile ends as well.
fn end_descendants(request: &Cancel) {
    let begun = Instant::now();
    let mut asked = BTreeSet::new();
    loop {
        let left = descendants();
        if left.is_empty() {
            return;
        }
        let kill = begun.elapsed() > GRACE || request.count() > 1;
        for pid in left {
            if kill {
                let _ = kill_process(pid, Signal::KILL);
            } else if asked.insert(pid.as_raw_nonzero()) {
                let _ = kill_process(pid, Signal::TERM);
            }
        }
        thread::sleep(TICK);
    }
}

/// The processes that descend from this one, as Linux lists them.
fn descendants() -> Vec<Pid> {
    let Ok(folder) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pairs: Vec<(i32, i32)> = folder
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name, in parentheses, may hold anything.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let has_ended = matches!(fields.next()?, "Z" | "X");
            let parent = fields.next()?.parse().ok()?;
            (!has_ended).then_some((pid, parent))
        })
        .collect();
    let mut found = vec![getpid().as_raw_nonzero().get()];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        let children = pairs.iter().filter(|pair| pair.1 == parent);
        found.extend(children.map(|pair| pair.0));
        next += 1;
    }
    found[1..]
        .iter()
        .filter_map(|&pid| Pid::from_raw(pid))
        .collect()
}
