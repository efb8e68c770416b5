//! The Unix implementation.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use tempfile::NamedTempFile;

pub fn home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "HOME")
}

/// Returns the settings folder, according to the XDG base directory specification.
pub fn settings(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "XDG_CONFIG_HOME").or_else(|| Some(home(variable)?.join(".config")))
}

/// Returns the data folder, according to the XDG base directory specification.
pub fn data(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(&variable, "XDG_DATA_HOME").or_else(|| Some(home(variable)?.join(".local/share")))
}

/// Returns the path in a variable, or `None` if it is relative. The XDG specification requires relative paths to be ignored.
fn absolute(variable: &impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Creates a folder and its parents, accessible only to their owner.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Changes the owner of a new file or folder to its folder's owner if root created it, so that `sudo` doesn't lock the user out.
pub fn give_to_owner(new: &Path) -> io::Result<()> {
    let folder = fs::metadata(new.parent().unwrap_or(Path::new("/")))?;
    if rustix::process::geteuid().is_root() && folder.uid() != 0 {
        lchown(new, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// Returns options that create a file readable only by its owner.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Replaces `path` with the temporary file.
pub fn put_in_place(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    let renamed = temporary.persist(path);
    renamed.map(drop).map_err(|error| error.error)
}

/// Makes renames in a folder durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns the mode of a file that other users can read or write, otherwise `None`.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    Ok(mode_with(&fs::metadata(path)?, 0o077))
}

/// Returns the mode of a file or folder that other users can write, otherwise `None`.
pub fn writable_by_others(found: &Metadata) -> Option<u32> {
    mode_with(found, 0o022)
}

/// Returns the owner's user id if the owner is neither this user nor root. Root accepts every owner.
pub fn foreign_owner(found: &Metadata) -> Option<u32> {
    let user = rustix::process::geteuid().as_raw();
    let owner = found.uid();
    (user != 0 && owner != user && owner != 0).then_some(owner)
}

fn mode_with(found: &Metadata, bits: u32) -> Option<u32> {
    let mode = found.permissions().mode() & 0o777;
    (mode & bits != 0).then_some(mode)
}

/// Returns the program unchanged, because the system searches `PATH` itself.
pub fn program(word: &str) -> OsString {
    word.into()
}

/// Lets the command's process continue after this one ends.
pub fn apart(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Does nothing: every process receives [`interrupt`].
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

/// Returns the exit status as a shell reports it: 128 plus the signal for a killed process.
pub fn shell_status(status: ExitStatus) -> Option<i32> {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
}
