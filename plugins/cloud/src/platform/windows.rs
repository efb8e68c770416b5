//! Windows.
//!
//! Owners and access control lists are neither set nor read: files have the rights of their folder, and by default the folders of a
//! profile can be entered by their user and by administrators only.

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

/// How long a rename is tried again: scanners for viruses open every new file for a moment.
const PATIENCE: Duration = Duration::from_secs(2);

/// The interval between attempts.
const TICK: Duration = Duration::from_millis(10);

/// The user's home folder.
pub fn home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["HOME", "USERPROFILE"])
}

/// The folder of settings. One in the form of the XDG base directory specification wins, so that several homes can be used on one
/// machine.
pub fn settings(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["XDG_CONFIG_HOME", "APPDATA"])
}

/// The folder of data, which stay on this machine.
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

/// Does nothing: new files have the rights of their folder.
#[expect(clippy::unnecessary_wraps, reason = "the same on every system")]
pub const fn give_to_owner(_new: &Path) -> io::Result<()> {
    Ok(())
}

/// How files are opened that only their owner can read.
pub fn private_file() -> OpenOptions {
    OpenOptions::new()
}

/// Puts a file in the place of an earlier one, also while others have that open to read it.
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
                // It may have secrets.
                let _ = fs::remove_file(&from);
                return Err(error);
            }
            Ok(()) => return Ok(()),
        }
    }
}

/// Makes the names in a folder durable: the file system's journal does that, and there is no call for it.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub const fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the mode of a file that others than its owner can read or write: files have none.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    fs::metadata(path).map(|_| None)
}

/// Returns the mode of a file or folder that others than its owner can write: they have none.
pub const fn writable_by_others(_: &Metadata) -> Option<u32> {
    None
}

/// Returns an owner who is not this user, as far as it is looked at.
pub const fn foreign_owner(_: &Metadata) -> Option<u32> {
    None
}

/// The program that a word means to the user: a file with an ending of `PATHEXT`, such as `npm.cmd`, of which the system itself only
/// looks for `.exe`.
pub fn program(word: &str) -> OsString {
    which::which(word).map_or_else(|_| word.into(), PathBuf::into_os_string)
}

/// Has the command's process go on without this one and its console.
pub fn apart(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS)
}

/// Has the command's process hear [`interrupt`], and not the Ctrl-C of this process's console.
pub fn interruptible(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Tells a child to stop, as Ctrl-Break does.
pub fn interrupt(child: &Child) {
    // Without a console there is nobody to tell; it is killed when its time is over.
    let _ = console::send_break(child.id());
}

/// Returns how a process ended.
pub fn shell_status(status: ExitStatus) -> Option<i32> {
    status.code()
}
