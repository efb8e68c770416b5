//! Archives: `.tar.gz`, which needs no program that a minimal system lacks. `xz` is missing from small images.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use crate::entry::Entry;

/// Packs the files below one folder, sorted, with their folders, owned by root, all of one time.
pub(crate) fn packed(root: &str, entries: &[Entry], time: u64) -> anyhow::Result<Vec<u8>> {
    let mut entries: Vec<Entry> = entries.iter().map(|entry| entry.below(root)).collect();
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    let mut builder = Builder::new(Vec::new());
    let mut folders: Vec<String> = Vec::new();
    for entry in &entries {
        for folder in folders_of(&entry.path) {
            if !folders.contains(&folder) {
                let mut header = header(0, 0o755, time);
                header.set_entry_type(EntryType::Directory);
                builder.append_data(&mut header, &folder, &[][..])?;
                folders.push(folder);
            }
        }
        let size = u64::try_from(entry.bytes.len())?;
        let mut header = header(size, entry.mode.bits(), time);
        builder.append_data(&mut header, &entry.path, entry.bytes.as_slice())?;
    }
    let tar = builder.into_inner()?;
    // The default header has neither a name nor a time.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&tar)?;
    Ok(gzip.finish()?)
}

fn header(size: u64, mode: u32, time: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    header.set_size(size);
    header.set_mode(mode);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// `a/b/c` is in `a/` and `a/b/`.
fn folders_of(path: &str) -> Vec<String> {
    path.match_indices('/')
        .map(|(at, _)| path[..=at].to_owned())
        .collect()
}

/// Writes a file whole: an artefact that is there is complete.
pub(crate) fn write(folder: &Path, entry: &Entry) -> anyhow::Result<()> {
    let path = folder.join(&entry.path);
    let part = folder.join(format!("{}.part", entry.path));
    fs::write(&part, &entry.bytes)
        .and_then(|()| fs::rename(&part, &path))
        .with_context(|| format!("could not write `{}`", path.display()))
}
