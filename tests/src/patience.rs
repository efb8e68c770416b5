//! Waiting for files and processes: blocked until they change, and never for longer than that can take.

use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// Far more than anything takes on a busy machine; only a test that fails waits so long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until there is a file at `path`, whose folder exists.
///
/// # Panics
///
/// If that takes longer than [`PATIENCE`], or files can't be watched.
#[track_caller]
pub fn wait_for_file(path: &Path) {
    let events = Events::new();
    assert!(events.is_ok(), "{events:?}");
    let Ok(events) = events else { return };
    events.watch(path.parent().unwrap_or(path));
    let deadline = Instant::now() + PATIENCE;
    while !path.exists() {
        let left = deadline.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "waited for {} in vain", path.display());
        wait(&mut [events.readable()], left);
        let _ = events.take();
    }
}

/// Waits until `done`, where nothing tells of it: whether somebody listens at a port.
///
/// # Panics
///
/// If that takes longer than [`PATIENCE`]; `what` was waited for.
#[track_caller]
pub fn wait_until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited for {what} in vain");
        thread::sleep(PAUSE);
    }
}

/// Waits until a process has ended, whoever its parent is.
///
/// # Panics
///
/// If that takes longer than [`PATIENCE`].
#[track_caller]
pub fn wait_for_end(pid: u32) {
    if let Some(process) = process(pid) {
        let ended = wait(&mut [readable(&process)], PATIENCE);
        assert!(ended, "waited for the end of {pid} in vain");
    }
}

/// Waits until a server has accepted every connection that was made to `address` before: it accepts them in their order, and
/// closes one on which nothing is asked.
pub fn wait_for_earlier_connections(address: SocketAddr) {
    if let Ok(stream) = TcpStream::connect(address) {
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = io::copy(&mut &stream, &mut io::sink());
    }
}

/// A process that may have ended; `None` where there is no such process.
pub fn process(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(pid.try_into().ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Waits until one of `sources` has something to say. Returns whether it was one within `patience`.
pub fn wait(sources: &mut [PollFd<'_>], patience: Duration) -> bool {
    let patience = Timespec::try_from(patience).ok();
    loop {
        match poll(sources, patience.as_ref()) {
            Err(Errno::INTR) => {}
            ready => return ready.is_ok_and(|ready| ready > 0),
        }
    }
}

/// Returns what is readable once a process has ended.
pub fn readable<'a>(process: &'a impl std::os::fd::AsFd) -> PollFd<'a> {
    let descriptor: BorrowedFd<'a> = process.as_fd();
    PollFd::from_borrowed_fd(descriptor, PollFlags::IN)
}

/// The names that appear in folders and go from them, as they do.
#[derive(Debug)]
pub struct Events(OwnedFd);

impl Events {
    /// Watches nothing yet.
    pub fn new() -> io::Result<Self> {
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        Ok(Self(inotify::init(flags)?))
    }

    /// Watches a folder, too; one that has gone has nothing to watch.
    pub fn watch(&self, folder: &Path) {
        let names = inotify::WatchFlags::CREATE
            | inotify::WatchFlags::DELETE
            | inotify::WatchFlags::MOVED_FROM
            | inotify::WatchFlags::MOVED_TO;
        let _ = inotify::add_watch(&self.0, folder, names);
    }

    /// Watches a folder and all that are in it.
    pub fn watch_all(&self, folder: &Path) {
        self.watch(folder);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.watch_all(&entry.path());
            }
        }
    }

    /// Returns what is readable when there are events.
    pub fn readable(&self) -> PollFd<'_> {
        readable(&self.0)
    }

    /// Takes the events that are there and counts them.
    pub fn take(&self) -> usize {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        let mut count = 0;
        while reader.next().is_ok() {
            count += 1;
        }
        count
    }
}
