//! Files on Windows.

use std::fs::{File, Metadata};
use std::io::{self, Seek, SeekFrom};
use std::os::windows::fs::{FileExt, MetadataExt};
use std::path::Path;

use winapi_util::Handle;

/// The identity of a file or a folder among all that are there: the serial number of its volume and its index in that.
pub type FileId = (u64, u64);

/// The identity of what is at `path`. Where it can't be opened, its facts stand in for it.
pub fn id_of(path: &Path, facts: &Metadata) -> FileId {
    let information = Handle::from_path_any(path).and_then(winapi_util::file::information);
    match information {
        Ok(found) => (found.volume_serial_number(), found.file_index()),
        Err(_) => (facts.creation_time(), facts.last_write_time()),
    }
}

/// Returns when a file was written last: seconds and nanoseconds since 1601.
pub fn modified(facts: &Metadata) -> (i64, i64) {
    const TICKS: u64 = 10_000_000;
    let at = facts.last_write_time();
    ((at / TICKS).cast_signed(), (at % TICKS * 100).cast_signed())
}

/// A path as bytes.
pub fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

/// Opens a file to read it. A pipe has no place among the files here, so there is none to be waited for.
pub fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads from `place` on; where the next ordinary read begins stays as it is.
pub fn read_at(mut file: &File, bytes: &mut [u8], place: u64) -> io::Result<usize> {
    let next = file.stream_position()?;
    let length = file.seek_read(bytes, place);
    file.seek(SeekFrom::Start(next))?;
    length
}

/// Whether a file can be executed. Its name says so, and the name is looked at where files are searched for.
pub fn is_executable(path: &Path, _: &Metadata) -> bool {
    let ending = path.extension().unwrap_or_default();
    super::folders::is_started(&ending.to_string_lossy())
}
