//! Unix.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use tempfile::NamedTempFile;

/// The user's home folder.
pub fn home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "HOME")
}

/// The folder of settings, as the XDG base directory specification wants it.
pub fn settings(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "XDG_CONFIG_HOME").or_else(|| Some(home(variable)?.join(".config")))
}

/// The folder of data.
pub fn data(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "XDG_DATA_HOME").or_else(|| Some(home(variable)?.join(".local/share")))
}

/// The specification of these folders has relative ones ignored.
fn absolute(variable: &impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Creates a folder that only its owner can enter, and its parents.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Gives a new file or folder to the owner of its folder, if root made it: `sudo` must lock nobody out.
pub fn give_to_owner(new: &Path) -> io::Result<()> {
    let folder = fs::metadata(new.parent().unwrap_or(Path::new("/")))?;
    if rustix::process::geteuid().is_root() && folder.uid() != 0 {
        lchown(new, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// How files are opened that only their owner can read, if they are new.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Puts a file in the place of an earlier one.
pub fn put_in_place(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    let renamed = temporary.persist(path);
    renamed.map(drop).map_err(|error| error.error)
}

/// Makes the names in a folder durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns the mode of a file that others than its owner can read or write.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    Ok(mode_with(&fs::metadata(path)?, 0o077))
}

/// Returns the mode of a file or folder that others than its owner can write.
pub fn writable_by_others(found: &Metadata) -> Option<u32> {
    mode_with(found, 0o022)
}

/// Returns the user id of an owner who is neither this user nor root. Root itself may use everybody's files.
pub fn foreign_owner(found: &Metadata) -> Option<u32> {
    let user = rustix::process::geteuid().as_raw();
    let owner = found.uid();
    (user != 0 && owner != user && owner != 0).then_some(owner)
}

fn mode_with(found: &Metadata, bits: u32) -> Option<u32> {
    let mode = found.permissions().mode() & 0o777;
    (mode & bits != 0).then_some(mode)
}

/// The program that a word means to the system, which looks for it itself.
pub fn program(word: &str) -> OsString {
    word.into()
}

/// Has the command's process go on without this one.
pub fn apart(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Has the command's process hear [`interrupt`], as every process does.
pub const fn interruptible(_: &mut Command) {}

/// Tells a child to stop, as Ctrl-C does.
pub fn interrupt(child: &Child) {
    let process = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(process) = process {
        // It may have ended this moment.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::INT);
    }
}

/// Returns how a process ended, as a shell has it.
pub fn shell_status(status: ExitStatus) -> Option<i32> {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
}
