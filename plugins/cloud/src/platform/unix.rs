use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

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

/// Creates a folder and its parents, accessible only to their owner.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Gives a file or folder created by root to the owner of its parent folder, so that `sudo` doesn't lock the user out.
pub fn give_to_owner(new: &Path) -> io::Result<()> {
    let folder = fs::metadata(new.parent().unwrap_or(Path::new("/")))?;
    if rustix::process::geteuid().is_root() && folder.uid() != 0 {
        lchown(new, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// Returns options that create a file accessible only to its owner.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

pub fn put_in_place(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    let renamed = temporary.persist(path);
    renamed.map(drop).map_err(|error| error.error)
}

pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns the file's mode if other users can access the file, otherwise `None`.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    Ok(mode_with(&fs::metadata(path)?, 0o077))
}

/// Returns the mode of a file or folder if other users can write to it, otherwise `None`.
pub fn writable_by_others(found: &Metadata) -> Option<u32> {
    mode_with(found, 0o022)
}

/// Returns the owner's user ID if the owner is neither this user nor root. Always returns `None` for root.
pub fn foreign_owner(found: &Metadata) -> Option<u32> {
    let user = rustix::process::geteuid().as_raw();
    let owner = found.uid();
    (user != 0 && owner != user && owner != 0).then_some(owner)
}

fn mode_with(found: &Metadata, bits: u32) -> Option<u32> {
    let mode = found.permissions().mode() & 0o777;
    (mode & bits != 0).then_some(mode)
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
