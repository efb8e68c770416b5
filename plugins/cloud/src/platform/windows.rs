//! The Windows implementation.
//!
//! Owners and access control lists are neither set nor checked. Files inherit the permissions of their folder. By default, only the user
//! and administrators can access the folders of a user profile.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_system::console;
use tempfile::NamedTempFile;
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};

/// The time limit for retrying a rename, which fails while a virus scanner has the new file open.
const PATIENCE: Duration = Duration::from_secs(2);

const TICK: Duration = Duration::from_millis(10);

/// Returns the settings folder. `XDG_CONFIG_HOME` overrides `APPDATA`, so that one machine can have several independent configurations.
pub fn settings(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["XDG_CONFIG_HOME", "APPDATA"])
}

/// Returns the folder for data that is not synchronized with other machines.
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

/// Does nothing, because new files inherit the permissions of their folder.
#[expect(clippy::unnecessary_wraps, reason = "the same on every system")]
pub const fn give_to_owner(_new: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the default options, because new files inherit the permissions of their folder.
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

/// Does nothing, because the file system's journal makes renames durable and Windows can't sync a folder.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub const fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns `None`, because Windows files have no Unix mode.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    fs::metadata(path).map(|_| None)
}

/// Returns `None`, because Windows files have no Unix mode.
pub const fn writable_by_others(_: &Metadata) -> Option<u32> {
    None
}

/// Returns `None`, because owners are not checked on Windows.
pub const fn foreign_owner(_: &Metadata) -> Option<u32> {
    None
}

/// Returns `false`, because files have no mode on Windows.
pub const fn is_executable(_: &Metadata) -> bool {
    false
}

/// Opens a file for reading. Follows links, unlike the Unix implementation.
pub fn open_unfollowed(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Finds a program with any extension in `PATHEXT`, such as `npm.cmd`. Windows itself searches only for `.exe` files.
pub fn program(word: &OsStr) -> OsString {
    which::which(word).map_or_else(|_| word.into(), PathBuf::into_os_string)
}

/// Detaches the command from this process and its console, so that it keeps running after both exit.
pub fn apart(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS)
}

/// Puts the command in its own process group, so that it receives [`interrupt`] but not Ctrl-C from this process's console.
pub fn interruptible(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Sends Ctrl-Break to a child.
pub fn interrupt(child: &Child) {
    // Without a console, the event can't be sent. The child is killed at its time limit.
    let _ = console::send_break(child.id());
}

pub fn shell_status(status: ExitStatus) -> Option<i32> {
    status.code()
}
