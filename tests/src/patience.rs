//! Waits for files and processes. A wait blocks until something changes, with a time limit.

use std::net::{SocketAddr, TcpStream};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{io, thread};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// A time limit far above what any step takes on a busy machine. Only a failing test reaches it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The polling interval.
const PAUSE: Duration = Duration::from_millis(2);

/// Waits until a file exists at `path`.
///
/// # Panics
///
/// Panics if the wait exceeds [`PATIENCE`].
#[track_caller]
pub fn wait_for_file(path: &Path) {
    wait_until(&path.display().to_string(), || path.exists());
}

/// Polls until `done` returns `true`. Use this for events without notifications, such as a program that starts to listen on a port.
///
/// # Panics
///
/// Panics with `what` if the wait exceeds [`PATIENCE`].
#[track_caller]
pub fn wait_until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited for {what} in vain");
        thread::sleep(PAUSE);
    }
}

/// Waits until a process ends, even if it is not a child of this process.
///
/// # Panics
///
/// Panics if the wait exceeds [`PATIENCE`].
#[track_caller]
pub fn wait_for_end(pid: u32) {
    if let Some(process) = process(pid) {
        let ended = wait(&mut [readable(&process)], PATIENCE);
        assert!(ended, "waited for the end of {pid} in vain");
    }
}

/// Waits until a server has accepted all earlier connections to `address`. The server must accept connections in order and close a
/// connection that sends no request.
pub fn wait_for_earlier_connections(address: SocketAddr) {
    if let Ok(stream) = TcpStream::connect(address) {
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = io::copy(&mut &stream, &mut io::sink());
    }
}

/// Returns a pidfd for a process, or `None` if there is no such process. The process may have ended.
fn process(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(pid.try_into().ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Waits up to `patience` until one of `sources` is ready. Returns whether one is.
pub fn wait(sources: &mut [PollFd<'_>], patience: Duration) -> bool {
    let patience = Timespec::try_from(patience).ok();
    loop {
        match poll(sources, patience.as_ref()) {
            Err(Errno::INTR) => {}
            ready => return ready.is_ok_and(|ready| ready > 0),
        }
    }
}

/// Returns a poll source that is ready once the process has ended.
pub fn readable<'a>(process: &'a impl std::os::fd::AsFd) -> PollFd<'a> {
    let descriptor: BorrowedFd<'a> = process.as_fd();
    PollFd::from_borrowed_fd(descriptor, PollFlags::IN)
}
