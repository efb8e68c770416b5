use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

use rustix::fs::OFlags;

/// The variables that most programs need.
pub const NEEDED: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
    "TMPDIR",
];

/// Reports whether the file is executable by any user.
pub fn is_executable(found: &Metadata) -> bool {
    found.permissions().mode() & 0o111 != 0
}

/// Opens a file for reading. Fails if `path` is a link, and opens a FIFO without waiting for a writer.
pub fn open_unfollowed(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.custom_flags(flags.bits().cast_signed());
    options.read(true).open(path)
}

/// Returns the program unchanged, because the operating system searches `PATH` itself.
pub fn program(word: &OsStr) -> OsString {
    word.into()
}

/// Puts the command in its own process group, so that it continues after this process ends.
pub fn apart(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Does nothing, because [`interrupt`] works for any process.
pub const fn interruptible(_: &mut Command) {}

/// Sends SIGINT to a child, as Ctrl-C does.
pub fn interrupt(child: &Child) {
    let process = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(process) = process {
        // The child may have just ended.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::INT);
    }
}
