//! Files on Unix.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// The identity of a file or a folder among all that are there.
pub type FileId = (u64, u64);

/// The identity of what has these `facts`.
pub fn id_of(_: &Path, facts: &Metadata) -> FileId {
    (facts.dev(), facts.ino())
}

/// Returns when a file was written last: seconds and nanoseconds since 1970.
pub fn modified(facts: &Metadata) -> (i64, i64) {
    (facts.mtime(), facts.mtime_nsec())
}

/// A path as bytes.
pub fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// Opens a file to read it. A pipe in its place is not waited for.
pub fn open_at_once(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
}

/// Reads from `place` on; where the next ordinary read begins stays as it is.
pub fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<usize> {
    file.read_at(bytes, place)
}

/// Whether the file with these `facts` can be executed by somebody.
pub fn is_executable(_: &Path, facts: &Metadata) -> bool {
    facts.mode() & 0o111 != 0
}
