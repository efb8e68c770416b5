//! Ctrl-Z: the groups that this process has started stop with it and go on with it. Being groups of their own, they hear nothing
//! of the terminal.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpid, kill_process_group};
use signal_hook::consts::{SIGCONT, SIGSTOP, SIGTSTP};
use signal_hook::iterator::Signals;

use super::stat::{self, stop_signal};
use bot_cli_terminal::background::spawn;
use bot_cli_terminal::process::is_ignored;

/// The time that a group has to stop by itself, which a host in it does together with its own groups.
const PATIENCE: Duration = Duration::from_millis(500);

/// The groups that stop and go on with this process. Locked for as long as they are stopped, so that none is started meanwhile
/// and nobody takes the stop for another one.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// The groups, once they are not stopped along with this process.
pub fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, the groups are stopped along with this process. Where it can't be, this process stops alone.
pub fn watch() {
    static WATCHED: OnceLock<()> = OnceLock::new();
    WATCHED.get_or_init(|| {
        if is_ignored(SIGTSTP) {
            return;
        }
        if let Ok(mut signals) = Signals::new([SIGTSTP, SIGCONT]) {
            let _ = spawn(move || {
                loop {
                    let stop = signals.wait().any(|signal| signal == SIGTSTP);
                    // The system does not stop what nobody would continue.
                    if stop && can_be_continued() {
                        stop_with_groups(&mut signals);
                    }
                }
            });
        }
    });
}

fn stop_with_groups(signals: &mut Signals) {
    let groups = groups();
    let tell = |signal| {
        for group in groups.iter() {
            // It may have ended by itself.
            let _ = kill_process_group(*group, signal);
        }
    };
    tell(Signal::TSTP);
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline && groups.iter().any(|group| stop_signal(*group).is_none()) {
        thread::sleep(Duration::from_millis(2));
    }
    tell(Signal::STOP);
    // Whoever continued this process meanwhile does not do so again.
    if !signals.pending().any(|signal| signal == SIGCONT) {
        let _ = signal_hook::low_level::raise(SIGSTOP);
    }
    tell(Signal::CONT);
}

/// Whether somebody outside of this process's group looks after it: its parent, or the leader of the session, which is a shell as a
/// rule. The system asks the same before it stops a group.
fn can_be_continued() -> bool {
    let Some(own) = stat::of(getpid()) else {
        return false;
    };
    [own.parent, own.session]
        .into_iter()
        .flatten()
        .any(|process| {
            let keeper = stat::of(process);
            keeper.is_some_and(|it| it.session == own.session && it.group != own.group)
        })
}
