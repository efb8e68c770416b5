//! Packs a build context: the folder that contains a Dockerfile and is sent to the service. Archives contain no times or owners, so
//! identical files always produce identical archives.

mod archive;
mod patterns;

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::Failure;
use md5::Digest;
use walkdir::WalkDir;

use self::archive::Sink;
use self::patterns::Patterns;
use crate::files::Reason;
use crate::platform::is_executable;
use crate::watch::Watch;
use crate::words::failed;

/// The service's limit for the total size of the files before compression.
const LIMIT: u64 = 500 * 1024 * 1024;

/// A packed build context.
#[derive(Debug)]
pub struct BuildContext {
    /// An unnamed temporary file with the gzip-compressed tar archive, positioned at the start.
    pub archive: File,
    /// The size of the archive, in bytes.
    pub bytes: u64,
    pub files: usize,
    /// The first 16 hexadecimal digits of the archive's MD5 hash.
    pub hash: String,
    /// The files and folders, such as `.env`, that no pattern excludes but that are omitted because they may contain secrets.
    pub left_out: Vec<String>,
}

impl BuildContext {
    /// Returns a handle to the archive, positioned at the start.
    pub fn reader(&self) -> io::Result<File> {
        let mut file = self.archive.try_clone()?;
        file.rewind()?;
        Ok(file)
    }
}

/// The settings for packing a build context.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The Dockerfile's path, relative to the folder.
    pub dockerfile: &'a str,
    /// The patterns that exclude files in addition to `.dockerignore`. A pattern without a slash matches at any depth.
    pub extra: &'a [String],
}

/// The reason why a build context was not packed. Paths start with the folder as passed to [`pack`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    #[error("there is no folder `{}`", .0.display())]
    NoFolder(PathBuf),
    #[error("there is no Dockerfile `{}`", .0.display())]
    NoDockerfile(PathBuf),
    /// The Dockerfile is outside the folder.
    #[error("the Dockerfile `{}` is not part of the build context", .0.display())]
    DockerfileOutside(PathBuf),
    /// A pattern is invalid. `line` is the line number in `.dockerignore` or, without a file, the number of the extra pattern. Both count
    /// from 1.
    #[error("the pattern `{pattern}` is invalid: {reason}")]
    BadPattern {
        file: Option<PathBuf>,
        line: usize,
        pattern: String,
        reason: String,
    },
    #[error("could not read `{path}`: {1}", path = .0.display())]
    Unreadable(PathBuf, #[source] Reason),
    /// A file is a FIFO, a socket or a device.
    #[error("`{}` is neither a file nor a folder nor a link", .0.display())]
    Special(PathBuf),
    #[error("the size of `{}` changed while it was packed", .0.display())]
    Changed(PathBuf),
    /// The files exceed the limit. All sizes are in bytes, and `largest` contains the three largest files.
    #[error("the files have {total} bytes, and the limit is {limit}")]
    TooLarge {
        total: u64,
        limit: u64,
        largest: Vec<(PathBuf, u64)>,
    },
    #[error("cancelled")]
    Cancelled,
    #[error("could not write a temporary file: {0}")]
    NotWritten(#[source] Reason),
}

/// Packs a folder. The memory usage depends on the number of files, not on their sizes.
pub fn pack(
    folder: &Path,
    rules: &Rules<'_>,
    watch: &dyn Watch,
) -> Result<BuildContext, ContextError> {
    pack_within(LIMIT, folder, rules, watch)
}

fn pack_within(
    limit: u64,
    folder: &Path,
    rules: &Rules<'_>,
    watch: &dyn Watch,
) -> Result<BuildContext, ContextError> {
    if !folder.is_dir() {
        return Err(ContextError::NoFolder(folder.to_owned()));
    }
    let dockerfile = Path::new(rules.dockerfile);
    let dockerfile = dockerfile.strip_prefix(".").unwrap_or(dockerfile);
    let at = folder.join(dockerfile);
    if !at.is_file() {
        return Err(ContextError::NoDockerfile(at));
    }
    let patterns = Patterns::read(folder, rules.extra)?;
    let Listing { entries, left_out } = Listing::of(folder, &patterns, dockerfile, watch)?;
    if !entries.iter().any(|entry| entry.path == dockerfile) {
        return Err(ContextError::DockerfileOutside(at));
    }
    refuse_too_large(limit, folder, &entries)?;
    let temporary = tempfile::tempfile().map_err(not_written)?;
    let Sink { mut file, digest } = archive::write(temporary, folder, &entries, watch)?;
    let bytes = file.stream_position().map_err(not_written)?;
    file.rewind().map_err(not_written)?;
    let digest = digest.finalize();
    let digits = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
    Ok(BuildContext {
        archive: file,
        bytes,
        files: entries.len(),
        hash: digits.collect(),
        left_out,
    })
}

fn refuse_too_large(limit: u64, folder: &Path, entries: &[Entry]) -> Result<(), ContextError> {
    let sizes = entries.iter().map(|entry| entry.size);
    let total = sizes.fold(0, u64::saturating_add);
    if total <= limit {
        return Ok(());
    }
    let entries = entries.iter();
    let files = entries.map(|entry| (folder.join(&entry.path), entry.size));
    let mut largest: Vec<_> = files.collect();
    largest.sort_by_key(|(_, size)| Reverse(*size));
    largest.truncate(3);
    Err(ContextError::TooLarge {
        total,
        limit,
        largest,
    })
}

struct Entry {
    /// The path relative to the folder.
    path: PathBuf,
    size: u64,
    mode: u32,
    /// The target of a symbolic link.
    link: Option<PathBuf>,
}

struct Listing {
    /// The files and links, sorted by the bytes of their paths.
    entries: Vec<Entry>,
    left_out: Vec<String>,
}

impl Listing {
    fn of(
        folder: &Path,
        patterns: &Patterns,
        dockerfile: &Path,
        watch: &dyn Watch,
    ) -> Result<Self, ContextError> {
        let (mut entries, mut left_out) = (Vec::new(), Vec::new());
        let mut walk = WalkDir::new(folder).min_depth(1).into_iter();
        while let Some(found) = walk.next() {
            if watch.cancelled() {
                return Err(ContextError::Cancelled);
            }
            let found = found.map_err(|error| {
                let path = error.path().unwrap_or(folder).to_owned();
                let error = error.into_io_error();
                unreadable(&path, error.unwrap_or(io::ErrorKind::Other.into()))
            })?;
            let (at, kind) = (found.path(), found.file_type());
            let path = at.strip_prefix(folder).unwrap_or(at);
            // As in Docker, a pattern such as `Dockerfile*` does not keep the Dockerfile from the builder.
            let is_excluded = patterns.exclude(path) && !dockerfile.starts_with(path);
            let is_secret = is_secret(found.file_name());
            if is_secret && !is_excluded {
                left_out.push(String::from_utf8_lossy(&with_slashes(path)).into_owned());
            }
            let is_never_packed = is_secret || is_own(found.file_name());
            if kind.is_dir() {
                if is_never_packed || (is_excluded && !patterns.may_include_below(path)) {
                    walk.skip_current_dir();
                }
            } else if !is_never_packed && !is_excluded {
                entries.push(Entry::of(at, path)?);
            }
        }
        entries.sort_by_cached_key(|entry| with_slashes(&entry.path));
        left_out.sort();
        Ok(Self { entries, left_out })
    }
}

impl Entry {
    fn of(at: &Path, path: &Path) -> Result<Self, ContextError> {
        let path = path.to_owned();
        let found = fs::symlink_metadata(at).map_err(|error| unreadable(at, error))?;
        let mode = if is_executable(&found) { 0o755 } else { 0o644 };
        let (size, mode, link) = if found.is_symlink() {
            let target = fs::read_link(at).map_err(|error| unreadable(at, error))?;
            (0, 0o755, Some(target))
        } else if found.is_file() {
            (found.len(), mode, None)
        } else {
            return Err(ContextError::Special(at.to_owned()));
        };
        Ok(Self {
            path,
            size,
            mode,
            link,
        })
    }
}

/// Returns the bytes of a path with `/` as the separator on all platforms.
fn with_slashes(path: &Path) -> Vec<u8> {
    let parts: Vec<&[u8]> = path.iter().map(OsStr::as_encoded_bytes).collect();
    parts.join(&b'/')
}

fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_lowercase();
    let is_env = [".env.", ".env-", ".env_"]
        .iter()
        .any(|begin| name.starts_with(begin));
    [".env", ".envrc"].contains(&&*name) || (is_env && name != ".env.example")
}

/// Reports whether Git or this program stores its own files under this name.
fn is_own(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case(".bot-cli")
}

fn unreadable(at: &Path, error: io::Error) -> ContextError {
    ContextError::Unreadable(at.to_owned(), error.into())
}

fn not_written(error: io::Error) -> ContextError {
    ContextError::NotWritten(error.into())
}

impl From<ContextError> for Failure {
    fn from(error: ContextError) -> Self {
        let failure = |code: &str| failed(code, error.to_string()).caused_by(error.clone());
        match &error {
            ContextError::NoFolder(_) | ContextError::NoDockerfile(_) => failure("no_dockerfile")
                .hint("`--context-dir` and `--dockerfile` name others; `--image` deploys an image of your own"),
            ContextError::DockerfileOutside(_) => failure("no_dockerfile")
                .hint("`--context-dir` names the folder that the service builds"),
            ContextError::BadPattern { file, line, .. } => failure("invalid_pattern").hint(
                match file {
                    Some(file) => format!("see line {line} of `{}`", file.display()),
                    None => format!("see pattern {line} of `build.exclude`"),
                },
            ),
            ContextError::Unreadable(..) | ContextError::Special(_) => {
                failure("not_packed").hint("leave it out with a line in `.dockerignore`")
            }
            ContextError::Changed(_) => failure("not_packed").hint("try again"),
            ContextError::TooLarge { largest, .. } => {
                let largest = largest.iter();
                let largest = largest.map(|(path, size)| format!("`{}` ({size} bytes)", path.display()));
                let largest: Vec<_> = largest.collect();
                failure("too_large").hint(format!("the largest: {}", largest.join(", ")))
                    .hint("leave files out with lines in `.dockerignore`")
            }
            ContextError::NotWritten(_) => failure("not_written"),
            ContextError::Cancelled => Self::cancelled(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::time::SystemTime;

    use flate2::read::GzDecoder;
    use md5::{Digest, Md5};
    use tempfile::TempDir;

    use super::{BuildContext, ContextError, LIMIT, Rules, pack, pack_within};
    use crate::watch::{Nobody, Watch};

    const RULES: Rules<'_> = Rules {
        dockerfile: "Dockerfile",
        extra: &[],
    };

    /// An observer that reports a cancellation from the given check onwards.
    struct CancelsAt(Cell<u32>);

    impl Watch for CancelsAt {
        fn cancelled(&self) -> bool {
            self.0.set(self.0.get().saturating_sub(1));
            self.0.get() == 0
        }
    }

    /// Creates a folder with a Dockerfile and the given files. Each file contains its own path.
    fn folder(files: &[&str]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in [&["Dockerfile"][..], files].concat() {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        folder
    }

    fn packed(folder: &Path) -> BuildContext {
        pack(folder, &RULES, &Nobody).unwrap()
    }

    fn names(context: BuildContext) -> Vec<String> {
        let mut archive = tar::Archive::new(GzDecoder::new(context.archive));
        let entries = archive.entries().unwrap();
        let names = entries.map(|entry| entry.unwrap().path().unwrap().display().to_string());
        names.collect()
    }

    #[test]
    fn archive_has_sorted_files_without_times_and_owners() {
        let long = format!("{}/{}", "d".repeat(120), "f".repeat(120));
        let long = long.as_str();
        let folder = folder(&["b", "a/b", "a.b", "a-b", "é", long, "run.sh"]);
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("empty")).unwrap();
        fs::set_permissions(at("run.sh"), fs::Permissions::from_mode(0o711)).unwrap();
        fs::set_permissions(at("b"), fs::Permissions::from_mode(0o600)).unwrap();
        fs::hard_link(at("b"), at("hard")).unwrap();
        let mut context = packed(folder.path());
        let mut bytes = Vec::new();
        context.archive.read_to_end(&mut bytes).unwrap();
        assert_eq!(context.bytes, bytes.len() as u64);
        let digest = Md5::digest(&bytes);
        let digits = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
        assert_eq!(context.hash, digits.collect::<String>());
        assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
        let mut archive = tar::Archive::new(GzDecoder::new(bytes.as_slice()));
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            let header = entry.header();
            assert!(header.entry_type().is_file());
            assert_eq!(header.mtime().unwrap(), 0);
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            assert_eq!(header.username_bytes(), Some(&b""[..]));
            assert_eq!(header.groupname_bytes(), Some(&b""[..]));
            let name = entry.path().unwrap().display().to_string();
            found.push((name, header.mode().unwrap(), text));
        }
        let expected = [
            ("Dockerfile", 0o644, "Dockerfile"),
            ("a-b", 0o644, "a-b"),
            ("a.b", 0o644, "a.b"),
            ("a/b", 0o644, "a/b"),
            ("b", 0o644, "b"),
            (long, 0o644, long),
            ("hard", 0o644, "b"),
            ("run.sh", 0o755, "run.sh"),
            ("é", 0o644, "é"),
        ];
        let found: Vec<_> = found
            .iter()
            .map(|(name, mode, text)| (name.as_str(), *mode, text.as_str()))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(context.files, found.len());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_not_utf8_are_packed_unchanged() {
        use std::os::unix::ffi::OsStringExt;

        let folder = folder(&[]);
        let short = vec![0xff];
        let long = [&b"a"[..], &[0xff; 200]].concat();
        for name in [&short, &long] {
            let name = std::ffi::OsString::from_vec(name.clone());
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut archive = tar::Archive::new(GzDecoder::new(packed(folder.path()).archive));
        let entries = archive.entries().unwrap();
        let names = entries.map(|entry| entry.unwrap().path_bytes().into_owned());
        let expected = [b"Dockerfile".to_vec(), long, short];
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn hash_depends_on_names_contents_and_modes_only() {
        let one = folder(&["a", "b/c"]);
        let other = folder(&["b/c", "a"]);
        let path = other.path().join("a");
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let hash = packed(one.path()).hash;
        assert_eq!(packed(other.path()).hash, hash);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        assert_ne!(packed(other.path()).hash, hash);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "b").unwrap();
        assert_ne!(packed(other.path()).hash, hash);
        fs::write(&path, "a").unwrap();
        assert_eq!(packed(other.path()).hash, hash);
        fs::rename(&path, path.with_file_name("c")).unwrap();
        assert_ne!(packed(other.path()).hash, hash);
    }

    #[test]
    fn secrets_are_never_packed() {
        let folder = folder(&[
            ".bot-cli/answers.toml",
            ".env",
            ".env.example",
            ".env.local",
            ".environment",
            ".git/config",
            "a/.env",
            "a/.env.production/token",
            "a/.git",
            "a/b",
            "c/.ENV",
        ]);
        let own = [".env.example", ".environment", "Dockerfile", "a/b"];
        let secrets = [
            ".env",
            ".env.local",
            "a/.env",
            "a/.env.production",
            "c/.ENV",
        ];
        let context = packed(folder.path());
        assert_eq!(context.left_out, secrets);
        assert_eq!(names(context), own);
        let with_ignore = [
            ".dockerignore",
            ".env.example",
            ".environment",
            "Dockerfile",
            "a/b",
        ];
        let nested = &secrets[2..];
        for (ignore, left_out) in [
            ("", &secrets[..]),
            ("!.env\n!**/.env.*\n!.git/**\n!.bot-cli", &secrets[..]),
            (".env*\n!.env.example\n!.environment", nested),
            (
                "**/.env*\n!.env.*\n!.environment",
                &[".env.local", "c/.ENV"][..],
            ),
        ] {
            fs::write(folder.path().join(".dockerignore"), ignore).unwrap();
            let context = packed(folder.path());
            assert_eq!(context.left_out, left_out, "{ignore}");
            assert_eq!(names(context), with_ignore, "{ignore}");
        }
    }

    #[test]
    fn excluded_folder_gives_back_only_what_is_included_again() {
        let folder = folder(&["a/b/c", "a/b/d", "a/e", "f/b/c"]);
        fs::write(folder.path().join(".dockerignore"), "a\n!a/b/c\nf").unwrap();
        let expected = [".dockerignore", "Dockerfile", "a/b/c"];
        assert_eq!(names(packed(folder.path())), expected);
    }

    #[test]
    fn links_are_packed_as_links() {
        let outside = folder(&["secret"]);
        let folder = folder(&["a/b"]);
        let far = "../".repeat(60);
        let links = [
            ("a/loop", "loop"),
            ("dangling", "nowhere"),
            ("far", &far),
            ("file", "a/b"),
            ("folder", outside.path().to_str().unwrap()),
        ];
        for (name, target) in links {
            symlink(target, folder.path().join(name)).unwrap();
        }
        let mut archive = tar::Archive::new(GzDecoder::new(packed(folder.path()).archive));
        let mut found = BTreeMap::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let target = entry.link_name().unwrap();
            assert_eq!(entry.header().entry_type().is_symlink(), target.is_some());
            assert_eq!(entry.header().size().unwrap() > 0, target.is_none());
            if let Some(target) = target {
                let name = entry.path().unwrap().into_owned();
                found.insert(name, target.into_owned());
            }
        }
        let links = links.map(|(name, target)| (PathBuf::from(name), PathBuf::from(target)));
        assert_eq!(found, BTreeMap::from(links));
    }

    #[test]
    fn folder_may_be_a_link() {
        let folder = folder(&["a"]);
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("link");
        symlink(folder.path(), &link).unwrap();
        assert_eq!(packed(&link).hash, packed(folder.path()).hash);
    }

    #[test]
    fn special_files_are_named_unless_they_are_excluded() {
        let folder = folder(&[]);
        let at = |name: &str| folder.path().join(name);
        let made = Command::new("mkfifo").arg(at("fifo")).status();
        assert!(made.unwrap().success());
        let error = pack(folder.path(), &RULES, &Nobody).unwrap_err();
        assert_eq!(error, ContextError::Special(at("fifo")));
        fs::remove_file(at("fifo")).unwrap();
        let _listener = UnixListener::bind(at("socket")).unwrap();
        let error = pack(folder.path(), &RULES, &Nobody).unwrap_err();
        assert_eq!(error, ContextError::Special(at("socket")));
        fs::write(at(".dockerignore"), "socket").unwrap();
        assert_eq!(packed(folder.path()).files, 2);
    }

    #[test]
    fn too_large_context_names_the_largest_files() {
        let folder = folder(&["aa", "bbbb", "c/ccc", "d"]);
        let at = |name: &str| folder.path().join(name);
        let (total, sizes) = (22, [("Dockerfile", 10), ("c/ccc", 5), ("bbbb", 4)]);
        let error = pack_within(total - 1, folder.path(), &RULES, &Nobody).unwrap_err();
        let expected = ContextError::TooLarge {
            total,
            limit: total - 1,
            largest: sizes.map(|(name, size)| (at(name), size)).into(),
        };
        assert_eq!(error, expected);
        let context = pack_within(total, folder.path(), &RULES, &Nobody).unwrap();
        assert_eq!(context.files, 5);
    }

    #[test]
    fn every_check_can_cancel() {
        let folder = folder(&["a", "b/c"]);
        fs::write(folder.path().join("large"), vec![0; 100_000]).unwrap();
        let mut checks = 1;
        loop {
            let watch = CancelsAt(Cell::new(checks));
            match pack(folder.path(), &RULES, &watch) {
                Ok(_) => break,
                Err(error) => assert_eq!(error, ContextError::Cancelled),
            }
            checks += 1;
        }
        // Five files and folders, and four files that are read to their ends.
        assert!(checks > 5 + 4, "{checks}");
    }

    #[test]
    fn problems_are_named() {
        let nothing = tempfile::tempdir().unwrap();
        let folder = folder(&["a/b"]);
        let at = |name: &str| folder.path().join(name);
        let packed = |ignore: &str, dockerfile: &str, extra: &[String]| {
            fs::write(at(".dockerignore"), ignore).unwrap();
            let rules = Rules { dockerfile, extra };
            pack_within(LIMIT, folder.path(), &rules, &Nobody).map(|context| context.files)
        };
        let excluded = |name| Err(ContextError::DockerfileOutside(at(name)));
        let missing = |name| Err(ContextError::NoDockerfile(at(name)));
        for (ignore, dockerfile, expected) in [
            ("", "./Dockerfile", Ok(3)),
            ("", "a//./b", Ok(3)),
            ("Dockerfile*", "Dockerfile", Ok(3)),
            ("*\n!a", "Dockerfile", Ok(2)),
            ("**", "Dockerfile", Ok(1)),
            ("", "a/../Dockerfile", excluded("a/../Dockerfile")),
            ("", "a", missing("a")),
            ("", "b/Dockerfile", missing("b/Dockerfile")),
            ("", "", missing("")),
        ] {
            assert_eq!(packed(ignore, dockerfile, &[]), expected, "{dockerfile}");
        }
        let bad = |file, line| ContextError::BadPattern {
            file,
            line,
            pattern: "[a".to_owned(),
            reason: "unclosed character class; missing ']'".to_owned(),
        };
        let expected = Err(bad(Some(at(".dockerignore")), 3));
        assert_eq!(packed("a\n#\n [a \n[b", "Dockerfile", &[]), expected);
        let extra = ["a".to_owned(), "[a".to_owned()];
        fs::remove_file(at(".dockerignore")).unwrap();
        let rules = Rules {
            dockerfile: "Dockerfile",
            extra: &extra,
        };
        let error = pack(folder.path(), &rules, &Nobody).unwrap_err();
        assert_eq!(error, bad(None, 2));
        fs::create_dir(at(".dockerignore")).unwrap();
        let error = pack(folder.path(), &RULES, &Nobody).unwrap_err();
        let reason = std::io::Error::from_raw_os_error(21).into();
        assert_eq!(error, ContextError::Unreadable(at(".dockerignore"), reason));
        for path in [nothing.path().join("a"), at("Dockerfile")] {
            let error = pack(&path, &RULES, &Nobody).unwrap_err();
            assert_eq!(error, ContextError::NoFolder(path));
        }
    }
}
