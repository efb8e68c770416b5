//! What Ctrl-Z does, for whoever reads it as a key.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_current_process_group};
use signal_hook::consts::SIGCONT;

/// The interval at which it is checked whether the process goes on.
const TICK: Duration = Duration::from_millis(20);

/// Within this time a process that can be stopped is. Another thread may have groups to stop before.
const STOPPING: Duration = Duration::from_secs(1);

/// Stops this process's group as Ctrl-Z does; returns when it goes on, or where nobody could let it go on.
pub fn suspend() -> io::Result<()> {
    let goes_on = Arc::new(AtomicBool::new(false));
    let heard = signal_hook::flag::register(SIGCONT, Arc::clone(&goes_on))?;
    kill_current_process_group(Signal::TSTP)?;
    let deadline = Instant::now() + STOPPING;
    while !goes_on.load(Ordering::SeqCst) && Instant::now() < deadline {
        thread::sleep(TICK);
    }
    signal_hook::low_level::unregister(heard);
    Ok(())
}
