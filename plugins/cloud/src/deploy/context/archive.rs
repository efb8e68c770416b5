//! Writes a build context as a reproducible, gzip-compressed tar archive.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_vault::files::Reason;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use md5::{Digest, Md5};
use tar::{Builder, EntryType, Header};

use super::{Entry, EntryKind, not_packed};
use crate::platform::open_unfollowed;

/// Writes an archive of the entries, in the given order. Returns the archive, its size and its hash.
pub(super) fn write(
    folder: &Path,
    entries: &[Entry],
    cancelled: &dyn Fn() -> bool,
) -> Result<(File, u64, String), Failure> {
    let not_written = |error: io::Error| {
        let could_not = "could not write a temporary file";
        Failure::because(Exit::Failed, "not_written", could_not, Reason::from(error))
    };
    let file = tempfile::tempfile().map_err(not_written)?;
    // By default, the header has no name and no time. The next levels take twice the time for 2 % less to send, and their result depends on
    // the sizes of the pieces in which the files are read.
    let mut archive = Builder::new(GzBuilder::new().write(file, Compression::new(4)));
    for entry in entries {
        let at = folder.join(&entry.path);
        append(&mut archive, &at, entry, cancelled).map_err(|error| not_packed(&at, error))?;
    }
    let file = archive.into_inner().and_then(GzEncoder::finish);
    let mut file = file.map_err(not_written)?;
    let (bytes, hash) = digest(&mut file).map_err(not_written)?;
    Ok((file, bytes, hash))
}

fn append(
    archive: &mut Builder<GzEncoder<File>>,
    at: &Path,
    entry: &Entry,
    cancelled: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_uid(0);
    header.set_gid(0);
    header.set_mode(entry.mode);
    header.set_size(entry.size);
    match &entry.kind {
        EntryKind::File => {
            let (file, left) = (open_unfollowed(at)?, entry.size);
            let source = FileToPack {
                file,
                left,
                cancelled,
            };
            archive.append_data(&mut header, &entry.path, source)
        }
        EntryKind::Link(target) => {
            header.set_entry_type(EntryType::Symlink);
            archive.append_link(&mut header, &entry.path, target)
        }
        EntryKind::Folder => {
            header.set_entry_type(EntryType::Directory);
            archive.append_data(&mut header, &entry.path, io::empty())
        }
    }
}

/// Returns the size of a file and the first 16 hexadecimal digits of its MD5 hash.
fn digest(file: &mut File) -> io::Result<(u64, String)> {
    file.rewind()?;
    let (mut digest, mut bytes) = (Md5::new(), 0);
    let mut chunk = vec![0; 64 * 1024];
    while let read @ 1.. = file.read(&mut chunk)? {
        digest.update(&chunk[..read]);
        bytes += read as u64;
    }
    let digest = digest.finalize();
    let digits = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
    Ok((bytes, digits.collect()))
}

/// A file to pack. Reading fails if the user cancels or if the file's size differs from the size in its archive header.
struct FileToPack<'a> {
    file: File,
    left: u64,
    cancelled: &'a dyn Fn() -> bool,
}

impl Read for FileToPack<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.cancelled)() {
            return Err(io::Error::other("cancelled"));
        }
        let count = self.file.read(buffer)?;
        let left = self.left.checked_sub(count as u64);
        let left = left.filter(|left| count > 0 || *left == 0);
        self.left = left.ok_or_else(|| io::Error::other("its size changed while it was packed"))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::write;
    use crate::deploy::context::{Entry, EntryKind};

    fn never() -> bool {
        false
    }

    #[test]
    fn file_that_changes_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        // Larger than one read.
        let size = 100_000;
        fs::write(&path, vec![0; 100_000]).unwrap();
        let problem = |listed| {
            let entry = Entry {
                path: "file".into(),
                size: listed,
                mode: 0o644,
                kind: EntryKind::File,
            };
            let written = write(folder.path(), &[entry], &never);
            written.err().map(|failure| failure.message)
        };
        for listed in [0, size - 1, size, size + 1] {
            let message = "its size changed while it was packed";
            let changed = format!("could not pack `{}`: {message}", path.display());
            assert_eq!(
                problem(listed),
                (listed != size).then_some(changed),
                "{listed}"
            );
        }
    }

    #[test]
    fn link_in_the_place_of_a_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("target"), "secret").unwrap();
        std::os::unix::fs::symlink("target", folder.path().join("file")).unwrap();
        let entry = Entry {
            path: "file".into(),
            size: 6,
            mode: 0o644,
            kind: EntryKind::File,
        };
        assert!(write(folder.path(), &[entry], &never).is_err());
    }
}
