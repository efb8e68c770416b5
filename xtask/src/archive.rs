//! Packs an artefact's files as `.tar.gz`, because small container images don't include `xz`.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

/// An in-memory file. All files have the same owner and modification time.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The path below the artefact's root, with `/` as the separator.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
}

impl Entry {
    pub(crate) fn data(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            mode: 0o644,
        }
    }

    pub(crate) fn executable(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            mode: 0o755,
            ..Self::data(path, bytes)
        }
    }

    /// Returns a copy of the file with `folder` prepended to its path.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self {
            path: format!("{folder}/{}", self.path),
            ..self.clone()
        }
    }

    /// Returns the SHA-256 checksum in hexadecimal.
    pub(crate) fn sum(&self) -> String {
        format!("{:x}", Sha256::digest(&self.bytes))
    }
}

/// Packs the files into an archive, below the folder `root`. Sorts the files, and sets their owner to root and their modification time to
/// `time`.
pub(crate) fn packed(root: &str, entries: &[Entry], time: u64) -> anyhow::Result<Vec<u8>> {
    let mut entries: Vec<Entry> = entries.iter().map(|entry| entry.below(root)).collect();
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for entry in &entries {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_size(u64::try_from(entry.bytes.len())?);
        header.set_mode(entry.mode);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        builder.append_data(&mut header, &entry.path, entry.bytes.as_slice())?;
    }
    let mut gzip = builder.into_inner()?;
    gzip.flush()?;
    Ok(gzip.finish()?)
}
