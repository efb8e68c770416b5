//! Archives: their files one after the other, within limits, without anything that points outside.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::Failure;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use zip::ZipArchive;

use super::members::{MOST_BYTES, MOST_FILES, Member, below, refused, shown, unreadable};

/// The memory that unpacking may take, for the window of a compressed stream.
const MOST_MEMORY_KB: u32 = 128 * 1024;

/// A form of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archive {
    Tar,
    TarGz,
    TarXz,
    Zip,
}

/// The other forms that people give, by their first bytes.
const UNKNOWN: [(&[u8], &str); 4] = [
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"!<arch>\n", "ar"),
];

/// Looks at a file.
type Visit<'a> = &'a mut dyn FnMut(&mut Member<'_>) -> Result<(), Failure>;

impl Archive {
    /// The form of an archive that begins with `head`, or the name of one that is not read.
    pub fn of(head: &[u8]) -> Result<Option<Self>, &'static str> {
        if let Some((_, name)) = UNKNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Err(name);
        }
        Ok(if head.starts_with(b"\x1f\x8b") {
            Some(Self::TarGz)
        } else if head.starts_with(b"\xfd7zXZ\0") {
            Some(Self::TarXz)
        } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
            Some(Self::Zip)
        } else if head.get(257..262) == Some(b"ustar") {
            Some(Self::Tar)
        } else {
            None
        })
    }

    /// Shows `visit` each file of the archive in `file`; `given` is what somebody called it.
    pub fn walk(self, file: &Path, given: &Path, visit: Visit<'_>) -> Result<(), Failure> {
        let mut opened = File::open(file).map_err(|error| unreadable(given, error))?;
        opened.rewind().map_err(|error| unreadable(given, error))?;
        let file = BufReader::new(opened);
        match self {
            Self::Tar => tar(file, given, visit),
            Self::TarGz => tar(MultiGzDecoder::new(file), given, visit),
            Self::TarXz => tar(
                XzReader::new_mem_limit(file, true, MOST_MEMORY_KB),
                given,
                visit,
            ),
            Self::Zip => zip(file, given, visit),
        }
    }
}

fn tar(stream: impl Read, given: &Path, visit: Visit<'_>) -> Result<(), Failure> {
    let wrong = |error: io::Error| of_tar(given, error);
    let mut archive = tar::Archive::new(Limited::new(stream));
    let mut members = 0;
    for entry in archive.entries().map_err(wrong)? {
        let mut entry = entry.map_err(wrong)?;
        members += 1;
        if members > MOST_FILES {
            return Err(too_many(given));
        }
        let path = entry.path().map_err(wrong)?.into_owned();
        let path = checked(&path, given)?;
        let kind = entry.header().entry_type();
        if kind.is_file() || kind.is_contiguous() {
            check_size(entry.size(), given)?;
            let mut content = Limited::new(&mut entry);
            let mut member = Member {
                path,
                content: &mut content,
            };
            visit(&mut member)?;
        } else if kind.is_symlink() || kind.is_hard_link() {
            return Err(special(&path, "a link", given));
        } else if !kind.is_dir() && !kind.is_pax_global_extensions() {
            return Err(special(&path, "a device or the like", given));
        }
    }
    // The sum of a compressed stream stands at its end.
    let rest = io::copy(&mut archive.into_inner(), &mut io::sink());
    rest.map_err(wrong)?;
    Ok(())
}

fn zip(file: impl Read + Seek, given: &Path, visit: Visit<'_>) -> Result<(), Failure> {
    let wrong = |error: zip::result::ZipError| unreadable(given, error.into());
    let mut archive = ZipArchive::new(file).map_err(wrong)?;
    if archive.len() > MOST_FILES {
        return Err(too_many(given));
    }
    if archive.has_duplicate_names() {
        return Err(refused(given, "it has two files of one name"));
    }
    let mut left = MOST_BYTES;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(wrong)?;
        // Programs of Windows write either.
        let path = PathBuf::from(entry.name().map_err(wrong)?.replace('\\', "/"));
        let path = checked(&path, given)?;
        if entry.is_symlink() {
            return Err(special(&path, "a link", given));
        }
        let type_bits = entry.unix_mode().unwrap_or_default() & 0o170_000;
        if ![0, 0o100_000, 0o040_000].contains(&type_bits) {
            return Err(special(&path, "a device or the like", given));
        }
        if entry.is_dir() {
            continue;
        }
        check_size(entry.size(), given)?;
        let mut content = Limited {
            stream: &mut entry,
            left,
        };
        let mut member = Member {
            path,
            content: &mut content,
        };
        visit(&mut member)?;
        left = content.left;
    }
    Ok(())
}

/// A stream that is an error beyond what an archive may hold.
struct Limited<R> {
    stream: R,
    left: u64,
}

impl<R> Limited<R> {
    fn new(stream: R) -> Self {
        Self {
            stream,
            left: MOST_BYTES,
        }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.stream.read(bytes)?;
        self.left = self.left.checked_sub(length as u64).ok_or_else(too_large)?;
        Ok(length)
    }
}

/// The error of a stream that holds more than [`MOST_BYTES`].
pub fn too_large() -> io::Error {
    let most = MOST_BYTES / (1024 * 1024);
    io::Error::other(format!("it holds more than {most} MiB"))
}

/// Refuses what is said to be too large, before all of it is unpacked.
fn check_size(size: u64, given: &Path) -> Result<(), Failure> {
    if size > MOST_BYTES {
        return Err(unreadable(given, too_large()));
    }
    Ok(())
}

fn of_tar(given: &Path, error: io::Error) -> Failure {
    // The crate puts the path of a member around what went wrong.
    let mut innermost: &dyn std::error::Error = &error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let words = innermost.to_string();
    unreadable(given, io::Error::new(error.kind(), words)).caused_by(error)
}

fn checked(path: &Path, given: &Path) -> Result<PathBuf, Failure> {
    below(path).ok_or_else(|| refused(given, &format!("`{}` in it leads out of it", shown(path))))
}

fn special(path: &Path, what: &str, given: &Path) -> Failure {
    let name = shown(path);
    refused(
        given,
        &format!("`{name}` in it is {what}; only files and folders are unpacked"),
    )
    .hint("unpack it yourself, look at it, and add the file or folder")
}

fn too_many(given: &Path) -> Failure {
    refused(given, &format!("it has more than {MOST_FILES} files"))
}
