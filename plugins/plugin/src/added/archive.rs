//! Unpacks archives into a folder, with size limits. Rejects paths that point outside the folder.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek};
use std::path::{Component, Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_terminal::one_line;
use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

use crate::origin::origin;

/// The maximum size of a plugin, and of an archive's unpacked contents, in bytes.
pub const MOST_BYTES: u64 = 256 * 1024 * 1024;

pub const MOST_FILES: usize = 10_000;

/// Unpacks the archive `file` into `folder`. Returns `false` if the file is not an archive. Error messages show the path `given`.
pub fn unpack(file: &Path, given: &Path, folder: &Path) -> Result<bool, Failure> {
    let mut head = Vec::new();
    let mut opened = File::open(file)?;
    (&mut opened).take(4).read_to_end(&mut head)?;
    opened.rewind()?;
    fs::create_dir_all(folder)?;
    let into = Unpacking {
        given,
        folder,
        left: MOST_BYTES,
        files: 0,
    };
    let stream = BufReader::new(opened);
    match &*head {
        [0x1f, 0x8b, ..] => into.tar(MultiGzDecoder::new(stream))?,
        [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6] => into.zip(stream)?,
        _ => return Ok(false),
    }
    Ok(true)
}

struct Unpacking<'a> {
    given: &'a Path,
    folder: &'a Path,
    left: u64,
    files: usize,
}

impl Unpacking<'_> {
    fn tar(mut self, stream: impl Read) -> Result<(), Failure> {
        let given = self.given;
        let wrong = |error: io::Error| unreadable(given, error);
        let mut archive = tar::Archive::new(stream.take(MOST_BYTES));
        for entry in archive.entries().map_err(wrong)? {
            let mut entry = entry.map_err(wrong)?;
            let path = self.checked(&entry.path().map_err(wrong)?)?;
            let kind = entry.header().entry_type();
            if kind.is_file() || kind.is_contiguous() {
                self.write(&path, entry.size(), &mut entry)?;
            } else if !kind.is_dir() && !kind.is_pax_global_extensions() {
                return Err(self.special(&path));
            }
        }
        // The checksum of a compressed stream is at its end.
        let mut rest = archive.into_inner();
        io::copy(&mut rest, &mut io::sink()).map_err(wrong)?;
        if rest.limit() == 0 {
            return Err(unreadable(given, too_large()));
        }
        Ok(())
    }

    fn zip(mut self, file: impl Read + Seek) -> Result<(), Failure> {
        let given = self.given;
        let wrong = |error: zip::result::ZipError| unreadable(given, error.into());
        let mut archive = ZipArchive::new(file).map_err(wrong)?;
        if archive.has_duplicate_names() {
            return Err(refused(given, "it has two files of one name"));
        }
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(wrong)?;
            // Programs on Windows write either separator.
            let path = PathBuf::from(entry.name().map_err(wrong)?.replace('\\', "/"));
            let path = self.checked(&path)?;
            let type_bits = entry.unix_mode().unwrap_or_default() & 0o170_000;
            if ![0, 0o100_000, 0o040_000].contains(&type_bits) {
                return Err(self.special(&path));
            } else if !entry.is_dir() {
                self.write(&path, entry.size(), &mut entry)?;
            }
        }
        Ok(())
    }

    /// Returns the relative path of an archive member. Fails if the path points outside the folder, or if the archive has too many files.
    fn checked(&mut self, path: &Path) -> Result<PathBuf, Failure> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(refused(self.given, &too_many().to_string()));
        }
        let mut clean = PathBuf::new();
        for component in path.components() {
            match component {
                Component::Normal(part) => clean.push(part),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    let problem = format!("{} in it leads out of it", shown(path));
                    return Err(refused(self.given, &problem));
                }
            }
        }
        Ok(clean)
    }

    /// Writes an archive member. Applies the size limit to the actual contents, because the declared size may be wrong.
    fn write(&mut self, path: &Path, size: u64, content: &mut impl Read) -> Result<(), Failure> {
        if size > self.left {
            return Err(unreadable(self.given, too_large()));
        }
        let place = self.folder.join(path);
        let mut content = content.take(self.left + 1);
        let written = fs::create_dir_all(place.parent().unwrap_or(self.folder))
            .and_then(|()| io::copy(&mut content, &mut File::create_new(&place)?));
        match written {
            Ok(length) if length <= self.left => {
                self.left -= length;
                Ok(())
            }
            Ok(_) => Err(unreadable(self.given, too_large())),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let problem = format!("it has {} twice", shown(path));
                Err(refused(self.given, &problem))
            }
            Err(error) => Err(unreadable(self.given, error)),
        }
    }

    fn special(&self, path: &Path) -> Failure {
        let path = shown(path);
        let problem =
            format!("{path} in it is a link or a device; only files and folders are unpacked");
        refused(self.given, &problem)
    }
}

pub fn too_large() -> io::Error {
    let most = MOST_BYTES / (1024 * 1024);
    io::Error::other(format!("it has more than {most} MiB"))
}

pub fn too_many() -> io::Error {
    io::Error::other(format!("it has more than {MOST_FILES} files"))
}

pub fn refused(of: &Path, problem: &str) -> Failure {
    let of = origin(&of.to_string_lossy());
    let message = format!("`{of}` was not installed: {problem}");
    Failure::new(Exit::Failed, "not_added", message)
}

pub fn unreadable(of: &Path, error: io::Error) -> Failure {
    let reason = one_line(&reason(&error));
    refused(of, &format!("it can't be copied: {reason}")).caused_by(error)
}

/// Quotes a path and escapes its invisible characters.
pub fn shown(path: &Path) -> String {
    format!("`{}`", path.to_string_lossy().escape_debug())
}
