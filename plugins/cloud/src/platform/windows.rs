//! The Windows implementation.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use bot_cli_system::console;
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};

/// The variables that most programs need.
pub const NEEDED: &[&str] = &[
    "PATH",
    "PATHEXT",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
];

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
