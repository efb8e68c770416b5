//! SHA-256 checksums of files and folders.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::archive::{MOST_FILES, too_many};

/// Returns the checksum of a file. For a folder, hashes the lines that `sha256sum` would print for the folder's files, sorted by name.
pub fn of(path: &Path) -> io::Result<String> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return of_file(path);
    }
    let mut lines = String::new();
    for file in files(path)? {
        let name = file.to_string_lossy();
        let name = name.replace(std::path::MAIN_SEPARATOR, "/");
        // A link or a pipe was never part of an added plugin.
        let sum = if fs::symlink_metadata(path.join(&file))?.is_file() {
            of_file(&path.join(&file))?
        } else {
            "no file".to_owned()
        };
        lines.extend([&sum, "  ", &name, "\n"]);
    }
    Ok(hex::encode(Sha256::digest(lines)))
}

/// Returns the relative paths of all files in a folder and its subfolders, including links and pipes. Skips hidden files and folders, which
/// are not part of a plugin.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
            if found.len() > MOST_FILES {
                return Err(too_many());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn of_file(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut sum = Sha256::new();
    let mut file = BufReader::with_capacity(64 * 1024, File::open(path)?);
    loop {
        let piece = file.fill_buf()?;
        let length = piece.len();
        if length == 0 {
            return Ok(hex::encode(sum.finalize()));
        }
        sum.update(piece);
        file.consume(length);
    }
}
