//! A cache for the manifests of native executables, so that each version of a large file is searched only once.
//!
//! An entry counts as missing if it can't be read or belongs to another version. If an entry can't be written, a later run tries again.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::platform::files::{self, FileId};
use crate::platform::{folders, trust};

/// The revision of the fields of [`Manifest`](bot_cli_protocol::Manifest) within a version of this library. Cache entries from an earlier
/// revision lack the fields that were added later.
const FIELDS: u32 = 6;

/// The maximum size of an entry in bytes, far above the size of the largest manifest.
const LONGEST: u64 = 32 << 20;

/// The identity of one version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    path: Vec<u8>,
    id: FileId,
    size: u64,
    modified: Option<SystemTime>,
    /// The version of this library, with the revision of the manifest fields. Another version may read more from a manifest.
    library: String,
}

impl Identity {
    /// Creates the identity of the file `real` from its metadata `facts`.
    pub fn new(real: &Path, facts: &Metadata) -> Self {
        Self {
            path: real.as_os_str().as_encoded_bytes().to_vec(),
            id: files::id_of(real, facts),
            size: facts.len(),
            modified: facts.modified().ok(),
            library: format!("{} manifest {FIELDS}", env!("CARGO_PKG_VERSION")),
        }
    }

    fn entry(&self, folder: &Path) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        // Different versions of this library keep separate entries.
        self.library.hash(&mut hasher);
        self.path.hash(&mut hasher);
        folder.join(format!("{:016x}.json", hasher.finish()))
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct CachedEntry<T> {
    file: Identity,
    kept: T,
}

/// Returns the cached value for this version of the file, if any.
pub fn get<T: DeserializeOwned>(folder: &Path, file: &Identity) -> Option<T> {
    let entry = files::open_at_once(&file.entry(folder)).ok()?;
    let facts = entry.metadata().ok()?;
    // An entry from another user is not trusted.
    if !facts.is_file() || trust::owner(&facts) != trust::user() || facts.len() > LONGEST {
        return None;
    }
    let mut text = Vec::with_capacity(usize::try_from(facts.len()).ok()?);
    entry.take(facts.len()).read_to_end(&mut text).ok()?;
    let entry: CachedEntry<T> = serde_json::from_slice(&text).ok()?;
    (entry.file == *file).then_some(entry.kept)
}

/// Stores a value for this version of the file. Errors are ignored, because a missing entry costs only time.
pub fn put<T: Serialize>(folder: &Path, file: &Identity, known: &T) {
    let entry = CachedEntry {
        file: file.clone(),
        kept: known,
    };
    let _ = write(folder, &file.entry(folder), &entry);
}

fn write(folder: &Path, path: &Path, entry: &impl Serialize) -> io::Result<()> {
    if trust::owner_besides_root(folder).is_some() {
        return Ok(());
    }
    folders::create_private(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(entry)?)?;
    file.persist(path)?;
    Ok(())
}
