//! File identity and permissions.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// The identity of a file or folder on this system: the number of the volume, and the number of the file within that volume.
pub(crate) type FileId = (u64, u64);

#[cfg(unix)]
pub(crate) fn id_of(_: &Path, facts: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;

    (facts.dev(), facts.ino())
}

/// Returns the identity of the file at `path`. If the file can't be opened, the identity is derived from the file's timestamps.
#[cfg(windows)]
pub(crate) fn id_of(path: &Path, facts: &Metadata) -> FileId {
    use std::os::windows::fs::MetadataExt;
    use winapi_util::{Handle, file};

    match Handle::from_path_any(path).and_then(file::information) {
        Ok(found) => (found.volume_serial_number(), found.file_index()),
        Err(_) => (facts.creation_time(), facts.last_write_time()),
    }
}

/// Opens a file for reading. Does not block if the file is a named pipe.
pub fn open_at_once(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    options.read(true).open(path)
}

/// Reports whether `facts` include any execute permission.
#[cfg(unix)]
pub fn is_executable(_: &Path, facts: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    facts.mode() & 0o111 != 0
}

/// Reports whether a file is executable, based on its extension.
#[cfg(windows)]
pub fn is_executable(path: &Path, _: &Metadata) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    super::folders::program_name(&name).is_some()
}
