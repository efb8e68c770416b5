//! The Windows implementation.
//!
//! Owners and access control lists are neither set nor checked. Files inherit the rights of their folder. By default, only the user and
//! administrators can enter a profile's folders.

use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_system::console;
use tempfile::NamedTempFile;
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};

/// The time limit for repeating a rename. Virus scanners open every new file for a moment.
const PATIENCE: Duration = Duration::from_secs(2);

const TICK: Duration = Duration::from_millis(10);

pub fn home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["HOME", "USERPROFILE"])
}

/// Returns the settings folder. `XDG_CONFIG_HOME` overrides `APPDATA`, so that several homes can be used on one machine.
pub fn settings(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["XDG_CONFIG_HOME", "APPDATA"])
}

/// Returns the folder for data that stays on this machine.
pub fn data(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["XDG_DATA_HOME", "LOCALAPPDATA"])
}

fn first_absolute(variable: impl Fn(&str) -> Option<OsString>, names: &[&str]) -> Option<PathBuf> {
    let mut found = names.iter().filter_map(|name| variable(name));
    found
        .find(|path| Path::new(path).is_absolute())
        .map(PathBuf::from)
}

/// Creates a folder and its parents.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Does nothing: new files inherit the rights of their folder.
#[expect(clippy::unnecessary_wraps, reason = "the same on every system")]
pub const fn give_to_owner(_new: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the default options: new files inherit the rights of their folder.
pub fn private_file() -> OpenOptions {
    OpenOptions::new()
}

/// Replaces `path` with the temporary file, even while other processes read the old file.
pub fn put_in_place(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    let kept = temporary.into_temp_path().keep();
    let from = kept.map_err(|error| error.error)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match fs::rename(&from, path) {
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied && Instant::now() < deadline =>
            {
                thread::sleep(TICK);
            }
            Err(error) => {
                // The file may contain secrets.
                let _ = fs::remove_file(&from);
                return Err(error);
            }
            Ok(()) => return Ok(()),
        }
    }
}

/// Does nothing: the file system's journal makes renames durable, and Windows offers no sync call.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub const fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns `None`, because files have no mode on Windows.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    fs::metadata(path).map(|_| None)
}

/// Returns `None`, because files have no mode on Windows.
pub const fn writable_by_others(_: &Metadata) -> Option<u32> {
    None
}

/// Returns `None`, because owners are not checked on Windows.
pub const fn foreign_owner(_: &Metadata) -> Option<u32> {
    None
}

/// Finds a program with any extension in `PATHEXT`, such as `npm.cmd`. The system itself searches only for `.exe`.
pub fn program(word: &str) -> OsString {
    which::which(word).map_or_else(|_| word.into(), PathBuf::into_os_string)
}

/// Lets the command's process continue after this one and its console end.
pub fn apart(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS)
}

/// Lets the command's process receive [`interrupt`], but not the Ctrl-C of this process's console.
pub fn interruptible(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Sends Ctrl-Break to a child.
pub fn interrupt(child: &Child) {
    // Without a console, the event can't be sent. The child is killed at its time limit.
    let _ = console::send_break(child.id());
}

/// Returns the exit status of a process.
pub fn shell_status(status: ExitStatus) -> Option<i32> {
    status.code()
}
