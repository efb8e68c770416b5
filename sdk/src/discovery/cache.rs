//! What native executables declare, kept so that megabytes are searched once per version of a file, and what packs have
//! answered, or failed to, kept so that they are started once per version.
//!
//! An entry that can't be read, or belongs to another version, is the same as none; one that can't be written is
//! written another time.

use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::platform::{files, folders, trust};

/// Counts the changes of [`Manifest`](crate::protocol::Manifest) within a version of this library: an entry of before has lost what it did not know.
const FIELDS: u32 = 5;

/// The longest entry: far more than the longest manifest makes.
const LONGEST: u64 = 32 << 20;

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    path: Vec<u8>,
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// Another version of this library may know more of a manifest.
    library: String,
}

impl Identity {
    /// The version of the file at `real` that `facts` belong to.
    pub fn new(real: &Path, facts: &Metadata) -> Self {
        let (device, inode) = files::id_of(real, facts);
        Self {
            path: files::bytes_of(real),
            device,
            inode,
            size: facts.len(),
            modified: files::modified(facts),
            library: format!("{} manifest {FIELDS}", env!("CARGO_PKG_VERSION")),
        }
    }

    fn entry(&self, folder: &Path, kept: Kept) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        // Versions of this library side by side keep entries of their own.
        self.library.hash(&mut hasher);
        self.path.hash(&mut hasher);
        folder.join(format!("{:016x}.{}", hasher.finish(), kept.ending()))
    }

    /// Opens the entry, and tells its length. An entry is never written again: it has the length that it has.
    fn open(&self, folder: &Path, kept: Kept) -> Option<(File, u64)> {
        let entry = files::open_at_once(&self.entry(folder, kept)).ok()?;
        let facts = entry.metadata().ok()?;
        // What somebody else has put there is not what this user found.
        let is_entry = facts.is_file() && trust::is_own(&facts) && facts.len() <= LONGEST;
        is_entry.then_some((entry, facts.len()))
    }

    /// Reads what is known, if it is known of this version of the file.
    fn known<T: DeserializeOwned>(&self, known: &str) -> Option<T> {
        let entry: Entry<T> = serde_json::from_str(known).ok()?;
        (entry.file == *self).then_some(entry.kept)
    }
}

/// The declaration or the answer of one version of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Entry<T> {
    file: Identity,
    kept: T,
}

/// The record of a file in the cache.
#[derive(Debug, Clone, Copy)]
pub enum Kept {
    /// The manifest, if it has one.
    Manifest,
    /// The providers that a pack has answered.
    Providers,
    /// Why a pack has answered none.
    Failure,
}

impl Kept {
    fn ending(self) -> &'static str {
        match self {
            Self::Manifest => "json",
            Self::Providers => "providers.json",
            Self::Failure => "failure.json",
        }
    }
}

/// Returns what is known of the file.
pub fn get<T: DeserializeOwned>(folder: &Path, file: &Identity, kept: Kept) -> Option<T> {
    get_with_text(folder, file, kept, |known, _| Some(known))
}

/// The same without the text that was kept with it, which is not even read.
pub fn get_without_text<T: DeserializeOwned>(
    folder: &Path,
    file: &Identity,
    kept: Kept,
) -> Option<T> {
    let (entry, length) = file.open(folder, kept)?;
    let mut known = String::new();
    let mut entry = BufReader::new(entry.take(length));
    entry.read_line(&mut known).ok()?;
    file.known(&known)
}

/// Returns what `join` makes of what is known of the file and of the text that was kept with it.
pub fn get_with_text<T: DeserializeOwned, J>(
    folder: &Path,
    file: &Identity,
    kept: Kept,
    join: impl FnOnce(T, &str) -> Option<J>,
) -> Option<J> {
    let (entry, length) = file.open(folder, kept)?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()?);
    entry.take(length).read_to_end(&mut bytes).ok()?;
    // There is no line end in compact JSON.
    let (known, text) = std::str::from_utf8(&bytes).ok()?.split_once('\n')?;
    join(file.known(known)?, text)
}

/// Keeps what is known of the file.
pub fn put<T: Serialize>(folder: &Path, file: &Identity, kept: Kept, known: &T) {
    put_with_text(folder, file, kept, known, "");
}

/// Keeps what is known of the file, and a text that is not read before it is wanted.
pub fn put_with_text<T: Serialize>(
    folder: &Path,
    file: &Identity,
    kept: Kept,
    known: &T,
    text: &str,
) {
    let entry = Entry {
        file: file.clone(),
        kept: known,
    };
    // A cache that can't be written costs time, not a command.
    let _ = write(folder, &file.entry(folder, kept), &entry, text);
}

/// Forgets what is known of the file.
pub fn remove(folder: &Path, file: &Identity, kept: Kept) {
    // Mostly there is nothing, and a cache that can't be written keeps what it has.
    let _ = fs::remove_file(file.entry(folder, kept));
}

fn write<T: Serialize>(
    folder: &Path,
    path: &Path,
    entry: &Entry<T>,
    text: &str,
) -> std::io::Result<()> {
    folders::create_private(folder)?;
    let mut bytes = serde_json::to_vec(entry)?;
    bytes.push(b'\n');
    bytes.extend_from_slice(text.as_bytes());
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&bytes)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::{Identity, Kept, get, put};

    #[test]
    fn a_pipe_in_place_of_an_entry_is_no_entry() {
        let folder = tempfile::tempdir().unwrap();
        let facts = folder.path().metadata().unwrap();
        let file = Identity::new(folder.path(), &facts);
        put(folder.path(), &file, Kept::Manifest, &"x");
        let kept = || get::<String>(folder.path(), &file, Kept::Manifest);
        assert!(kept().is_some());
        assert!(get::<String>(folder.path(), &file, Kept::Providers).is_none());
        let entry = file.entry(folder.path(), Kept::Manifest);
        std::fs::remove_file(&entry).unwrap();
        mknodat(CWD, &entry, FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(kept().is_none());
    }
}
