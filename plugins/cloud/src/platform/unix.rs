use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use rustix::fs::OFlags;

fn home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "HOME")
}

/// Returns the settings folder, as defined by the XDG Base Directory Specification.
pub fn settings(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "XDG_CONFIG_HOME").or_else(|| Some(home(variable)?.join(".config")))
}

/// Returns the data folder, as defined by the XDG Base Directory Specification.
pub fn data(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "XDG_DATA_HOME").or_else(|| Some(home(variable)?.join(".local/share")))
}

/// Returns the path in an environment variable, or `None` if the path is relative. The XDG specification requires relative paths to be
/// ignored.
fn absolute(variable: &impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

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

/// Returns the exit status as a shell reports it: 128 plus the signal number for a process killed by a signal.
pub fn shell_status(status: ExitStatus) -> Option<i32> {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
}
