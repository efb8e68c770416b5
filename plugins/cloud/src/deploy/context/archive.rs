//! Writes a build context as a reproducible, gzip-compressed tar archive.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use md5::{Digest, Md5};
use tar::{Builder, EntryType, Header};

use super::{ContextError, Entry, not_written, unreadable};
use crate::platform::open_unfollowed;
use crate::watch::Watch;

/// Writes an archive of the entries, in the given order.
pub(super) fn write(
    file: File,
    folder: &Path,
    entries: &[Entry],
    watch: &dyn Watch,
) -> Result<Sink, ContextError> {
    let digest = Md5::new();
    // By default, the header has no name and no time.
    let gzip = GzBuilder::new().write(Sink { file, digest }, Compression::new(6));
    let mut archive = Builder::new(gzip);
    for entry in entries {
        let at = folder.join(&entry.path);
        let mut header = Header::new_gnu();
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_mode(entry.mode);
        header.set_size(entry.size);
        let appended = if let Some(target) = &entry.link {
            header.set_entry_type(EntryType::Symlink);
            archive.append_link(&mut header, &entry.path, target)
        } else {
            let source = Source {
                file: open_unfollowed(&at).map_err(|error| unreadable(&at, error))?,
                path: &at,
                left: entry.size,
                watch,
            };
            archive.append_data(&mut header, &entry.path, source)
        };
        appended.map_err(|error| cause(error, &at))?;
    }
    let finished = archive.into_inner().and_then(GzEncoder::finish);
    finished.map_err(|error| cause(error, folder))
}

/// Extracts the error that [`Source`] or [`Sink`] wrapped in an I/O error. Treats any other error as a failure to read `at`.
fn cause(error: io::Error, at: &Path) -> ContextError {
    let own = error.downcast();
    own.unwrap_or_else(|error| unreadable(at, error))
}

/// A file to pack. Reading fails if the user cancels or if the file's size differs from the size in its archive header.
struct Source<'a> {
    file: File,
    path: &'a Path,
    left: u64,
    watch: &'a dyn Watch,
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.watch.cancelled() {
            return Err(io::Error::other(ContextError::Cancelled));
        }
        let count = self.file.read(buffer)?;
        let left = self.left.checked_sub(count as u64);
        let Some(left) = left.filter(|left| count > 0 || *left == 0) else {
            let changed = ContextError::Changed(self.path.to_owned());
            return Err(io::Error::other(changed));
        };
        self.left = left;
        Ok(count)
    }
}

/// A writer that writes the archive to a file and computes its MD5 digest.
pub(super) struct Sink {
    pub(super) file: File,
    pub(super) digest: Md5,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| io::Error::other(not_written(error)))?;
        self.digest.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Error;
    use std::path::Path;

    use super::write;
    use crate::deploy::context::{ContextError, Entry};
    use crate::watch::Nobody;

    fn written(to: File, folder: &Path, size: u64) -> Result<u64, ContextError> {
        let entry = Entry {
            path: "file".into(),
            size,
            mode: 0o644,
            link: None,
        };
        let sink = write(to, folder, &[entry], &Nobody)?;
        Ok(sink.file.metadata().unwrap().len())
    }

    #[test]
    fn file_that_changes_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        // Larger than one read.
        let size = 100_000;
        fs::write(&path, vec![0; size]).unwrap();
        let size = size as u64;
        for listed in [0, size - 1, size, size + 1] {
            let result = written(tempfile::tempfile().unwrap(), folder.path(), listed);
            let changed = (listed != size).then(|| ContextError::Changed(path.clone()));
            assert_eq!(result.err(), changed, "{listed}");
        }
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        let result = written(tempfile::tempfile().unwrap(), folder.path(), 0);
        assert!(matches!(result, Err(ContextError::Unreadable(at, _)) if at == path));
    }

    #[test]
    fn failed_write_is_not_blamed_on_the_file_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "text").unwrap();
        // A file that is open for reading only.
        let result = written(File::open(&path).unwrap(), folder.path(), 4);
        let reason = Error::from_raw_os_error(9).into();
        assert_eq!(result, Err(ContextError::NotWritten(reason)));
    }
}
