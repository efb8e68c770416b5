//! SHA-256 sums of files and folders.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A sum that grows with what is read.
#[derive(Default)]
pub struct Sum(Sha256);

impl Sum {
    /// Adds `bytes`.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The sum in hexadecimal digits.
    pub fn finish(self) -> String {
        let mut text = String::new();
        for byte in self.0.finalize() {
            // Writing into a text can't fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The sum of a file, or that of a folder: of the lines that `sha256sum` prints for its files, in the order of their names' bytes.
pub fn of(path: &Path) -> io::Result<String> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return of_file(path);
    }
    let mut files = Vec::new();
    collect(path, &mut files)?;
    let mut lines: Vec<(String, String)> = Vec::new();
    for file in files {
        let name = file.strip_prefix(path).unwrap_or(&file);
        let name = name
            .to_string_lossy()
            .replace(std::path::MAIN_SEPARATOR, "/");
        // A link or a pipe was never part of what was added.
        let sum = if fs::symlink_metadata(&file)?.is_file() {
            of_file(&file)?
        } else {
            "no file".to_owned()
        };
        lines.push((name, sum));
    }
    lines.sort();
    let mut sum = Sum::default();
    for (name, of_file) in lines {
        sum.add(format!("{of_file}  {name}\n").as_bytes());
    }
    Ok(sum.finish())
}

fn of_file(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut file = File::open(path)?;
    let mut sum = Sum::default();
    let mut piece = vec![0; 64 * 1024];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(sum.finish()),
            length => sum.add(piece.get(..length).unwrap_or_default()),
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
