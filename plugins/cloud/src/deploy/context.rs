//! Packs a build context: the folder that contains a Dockerfile and is sent to the service. Archives contain no times or owners, so
//! identical files always produce identical archives.

mod archive;
mod patterns;

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_vault::files::Reason;
use walkdir::WalkDir;

use self::patterns::{Patterns, slashed};
use crate::files::short_text;
use crate::platform::is_executable;
use crate::words::failed;

/// The service's limit for the total size of the files before compression.
const LIMIT: u64 = 500 * 1024 * 1024;

#[derive(Debug)]
pub struct BuildContext {
    /// An unnamed temporary file with the gzip-compressed tar archive.
    archive: File,
    /// The size of the archive, in bytes.
    pub bytes: u64,
    /// The paths of the files and links, and of folders without either.
    pub files: Vec<String>,
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

/// Packs a folder. The memory usage depends on the number of files, not on their sizes.
///
/// `dockerfile` is relative to the folder. The patterns in `exclude` are added to those of `.dockerignore`; one without a slash matches at
/// any depth.
pub fn pack(
    folder: &Path,
    dockerfile: &str,
    exclude: &[String],
    cancelled: &dyn Fn() -> bool,
) -> Result<BuildContext, Failure> {
    let dockerfile = Path::new(dockerfile);
    let dockerfile = dockerfile.strip_prefix(".").unwrap_or(dockerfile);
    let patterns = Patterns::read(folder, dockerfile, exclude)?;
    let (entries, left_out) = listed(folder, &patterns, dockerfile, cancelled)?;
    let is_dockerfile = |it: &Entry| it.path == dockerfile && it.kind != EntryKind::Folder;
    if !entries.iter().any(is_dockerfile) {
        let at = folder.join(dockerfile);
        let at = at.display();
        let message = format!("there is no Dockerfile `{at}` in the build context");
        return Err(failed("no_dockerfile", message).hint(
            "`--context-dir` and `--dockerfile` name others; `--image` deploys an image of your own",
        ));
    }
    refuse_too_large(folder, &entries)?;
    let packed = archive::write(folder, &entries, cancelled);
    if cancelled() {
        return Err(Failure::cancelled());
    }
    let (archive, bytes, hash) = packed?;
    Ok(BuildContext {
        archive,
        bytes,
        files: entries.iter().map(Entry::name).collect(),
        hash,
        left_out,
    })
}

fn refuse_too_large(folder: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let total: u64 = entries.iter().map(|entry| entry.size).sum();
    if total <= LIMIT {
        return Ok(());
    }
    let mut largest: Vec<&Entry> = entries.iter().collect();
    largest.sort_by_key(|entry| Reverse(entry.size));
    let largest = largest.iter().take(3).map(|entry| {
        let path = folder.join(&entry.path);
        format!("`{}` ({} bytes)", path.display(), entry.size)
    });
    let largest = largest.collect::<Vec<_>>().join(", ");
    let message = format!("the files have {total} bytes, and the limit is {LIMIT}");
    Err(failed("too_large", message)
        .hint(format!("the largest: {largest}"))
        .hint("leave files out with lines in `.dockerignore`"))
}

struct Entry {
    /// The path relative to the folder.
    path: PathBuf,
    size: u64,
    mode: u32,
    kind: EntryKind,
}

#[derive(PartialEq, Eq)]
enum EntryKind {
    File,
    /// A folder in which nothing is packed.
    Folder,
    /// A symbolic link, with its target.
    Link(PathBuf),
}

/// Returns the files, links and empty folders to pack, sorted, and the files that are left out because they may contain secrets.
fn listed(
    folder: &Path,
    patterns: &Patterns,
    dockerfile: &Path,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Vec<Entry>, Vec<String>), Failure> {
    let (mut entries, mut left_out) = (Vec::new(), Vec::new());
    let mut walk = WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter();
    while let Some(found) = walk.next() {
        if cancelled() {
            return Err(Failure::cancelled());
        }
        // A folder that is skipped may be unreadable.
        let found = found.map_err(|error| {
            let at = error.path().unwrap_or(folder).to_owned();
            let error = error.into_io_error();
            not_packed(&at, error.unwrap_or(io::ErrorKind::Other.into()))
        })?;
        let (at, kind) = (found.path(), found.file_type());
        let path = at.strip_prefix(folder).unwrap_or(at);
        // As in Docker, a pattern such as `Dockerfile*` does not keep the Dockerfile from the builder.
        let is_excluded = patterns.exclude(path) && !dockerfile.starts_with(path);
        let is_secret = is_secret(found.file_name()) || (is_credential(at) && !patterns.name(path));
        if is_secret && !is_excluded {
            left_out.push(slashed(path));
        }
        let is_never_packed = is_secret || is_own(found.file_name());
        if kind.is_dir() && (is_never_packed || (is_excluded && !patterns.include_again(path))) {
            walk.skip_current_dir();
        } else if !is_never_packed && !is_excluded {
            let entry = Entry::of(at, path).map_err(|error| not_packed(at, error))?;
            // A folder exists by what is in it.
            entries.pop_if(|last: &mut Entry| {
                last.kind == EntryKind::Folder && entry.is_some() && path.starts_with(&last.path)
            });
            entries.extend(entry);
        }
    }
    Ok((entries, left_out))
}

impl Entry {
    /// Returns `None` for a FIFO, a socket or a device, which an image can't contain.
    fn of(at: &Path, path: &Path) -> io::Result<Option<Self>> {
        let found = fs::symlink_metadata(at)?;
        let kind = match found.file_type() {
            it if it.is_symlink() => EntryKind::Link(fs::read_link(at)?),
            it if it.is_dir() => EntryKind::Folder,
            it if it.is_file() => EntryKind::File,
            _ => return Ok(None),
        };
        let is_file = kind == EntryKind::File;
        let is_plain = is_file && !is_executable(&found);
        Ok(Some(Self {
            path: path.to_owned(),
            size: if is_file { found.len() } else { 0 },
            mode: if is_plain { 0o644 } else { 0o755 },
            kind,
        }))
    }

    fn name(&self) -> String {
        let end = if self.kind == EntryKind::Folder {
            "/"
        } else {
            ""
        };
        slashed(&self.path) + end
    }
}

/// Reports whether a file or folder has secrets by its name, also between an editor's marks.
fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let name = name.trim_matches(['#', '~']);
    let name = name.strip_prefix(".#").unwrap_or(name);
    let is_template = |rest| [".example", ".sample", ".template", ".dist"].contains(&rest);
    [".envrc", ".envs", "vault.age", "vault.key"].contains(&name)
        || name
            .strip_prefix(".env")
            .is_some_and(|rest| !rest.starts_with(char::is_alphabetic) && !is_template(rest))
}

/// Reports whether a file or folder may have credentials. A negated pattern that matches it brings it back.
fn is_credential(at: &Path) -> bool {
    let name = at.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    let mut keys = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].iter();
    let is_key = keys.any(|key| {
        let rest = name.strip_prefix(key);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    match name.as_str() {
        ".aws" | ".kube" | ".netrc" | ".ssh" => true,
        // An unreadable file may have one, too.
        ".npmrc" | ".pypirc" => short_text(at).map_or(true, |(text, _)| has_token(&text)),
        _ => is_key || matches!(name.rsplit_once('.'), Some((_, "p12"))),
    }
}

/// Reports whether the configuration of a package manager has a token or a password that is not taken from the environment.
fn has_token(text: &str) -> bool {
    let mut pairs = text
        .lines()
        .filter_map(|line| line.split_once('=').or_else(|| line.split_once(':')));
    pairs.any(|(key, value)| {
        let (key, value) = (key.trim().to_lowercase(), value.trim());
        let is_secret = ["_auth", "_authtoken", "password"];
        let is_secret = is_secret.iter().any(|end| key.ends_with(end));
        is_secret && !value.is_empty() && !value.starts_with('$')
    })
}

/// Reports whether Git or this program stores its own files under this name.
fn is_own(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case(".bot-cli")
}

fn not_packed(path: &Path, reason: impl Into<Reason>) -> Failure {
    let could_not = format!("could not pack `{}`", path.display());
    Failure::because(Exit::Failed, "not_packed", could_not, reason.into())
        .hint("files can be left out with lines in `.dockerignore`")
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

    use super::{BuildContext, LIMIT, pack};

    fn never() -> bool {
        false
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
        pack(folder, "Dockerfile", &[], &never).unwrap()
    }

    fn names(context: &BuildContext) -> Vec<String> {
        let mut archive = tar::Archive::new(GzDecoder::new(context.reader().unwrap()));
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
        let context = packed(folder.path());
        let mut bytes = Vec::new();
        let mut archive = context.reader().unwrap();
        archive.read_to_end(&mut bytes).unwrap();
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
            let is_folder = header.entry_type().is_dir();
            assert!(header.entry_type().is_file() || is_folder);
            assert_eq!(header.mtime().unwrap(), 0);
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            assert_eq!(header.username_bytes(), Some(&b""[..]));
            assert_eq!(header.groupname_bytes(), Some(&b""[..]));
            let name = entry.path().unwrap().display().to_string();
            found.push((name, header.mode().unwrap(), text));
        }
        let expected = [
            ("Dockerfile", 0o644, "Dockerfile"),
            ("a/b", 0o644, "a/b"),
            ("a-b", 0o644, "a-b"),
            ("a.b", 0o644, "a.b"),
            ("b", 0o644, "b"),
            (long, 0o644, long),
            ("empty", 0o755, ""),
            ("hard", 0o644, "b"),
            ("run.sh", 0o755, "run.sh"),
            ("é", 0o644, "é"),
        ];
        let found: Vec<_> = found
            .iter()
            .map(|(name, mode, text)| (name.as_str(), *mode, text.as_str()))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(context.files.len(), found.len());
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
        let mut archive =
            tar::Archive::new(GzDecoder::new(packed(folder.path()).reader().unwrap()));
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
        // A folder without anything else is sent, as by Docker.
        let own = [".env.example", ".environment", "Dockerfile", "a/b", "c"];
        let secrets = [
            ".env",
            ".env.local",
            "a/.env",
            "a/.env.production",
            "c/.ENV",
        ];
        let context = packed(folder.path());
        assert_eq!(context.left_out, secrets);
        assert_eq!(names(&context), own);
        let with_ignore = [
            ".dockerignore",
            ".env.example",
            ".environment",
            "Dockerfile",
            "a/b",
            "c",
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
            assert_eq!(names(&context), with_ignore, "{ignore}");
        }
    }

    #[test]
    fn files_are_secret_by_name_and_credentials_come_back_on_request() {
        let secrets = [
            "#.env#",
            ".#.env",
            ".env (copy)",
            ".env copy",
            ".env.bak",
            ".env.example.bak",
            ".env1",
            ".env~",
            ".envrc",
            ".envs/production",
            "a/.env.swp",
            "vault.age",
            "vault.key",
        ];
        let sent = [
            ".env.dist",
            ".env.example",
            ".env.sample",
            ".env.template",
            ".envoy.yaml",
            "environment.py",
            "id_mapping.py",
            "id_rsax",
            "keys.py",
        ];
        let credentials = [
            ".aws/config",
            ".kube/config",
            ".netrc",
            ".npmrc",
            ".pypirc",
            ".ssh/config",
            "a/id_ed25519_work",
            "a/key.P12",
            "id_rsa",
            "id_rsa.pub",
        ];
        let folder = folder(&[&secrets[..], &sent, &credentials].concat());
        let at = |name: &str| folder.path().join(name);
        fs::write(at(".npmrc"), "//host/:_authToken=c4n4ry\n").unwrap();
        fs::write(at(".pypirc"), "[pypi]\npassword: c4n4ry\n").unwrap();
        let with = |more: &[&str]| {
            let mut all: Vec<String> = [more, &["Dockerfile"], &sent]
                .concat()
                .into_iter()
                .map(str::to_owned)
                .collect();
            all.sort();
            all
        };
        // What the usual patterns exclude without a file is not sent, either.
        for ignore in ["", "!**\n!**/.env*\n!vault.*"] {
            fs::write(at(".dockerignore"), ignore).unwrap();
            let context = packed(folder.path());
            let brought = if ignore.is_empty() {
                vec![".dockerignore", "a"]
            } else {
                [&[".dockerignore"][..], &credentials].concat()
            };
            assert_eq!(names(&context), with(&brought), "{ignore}");
            for name in ["#.env#", ".envs", "a/.env.swp", "vault.age"] {
                assert!(context.left_out.iter().any(|it| it == name), "{name}");
            }
        }
        // A folder that comes back does not name what is in it.
        fs::write(at(".dockerignore"), "*\n!a").unwrap();
        let context = packed(folder.path());
        assert_eq!(names(&context), ["Dockerfile", "a"]);
        let left_out = ["a/.env.swp", "a/id_ed25519_work", "a/key.P12"];
        assert_eq!(context.left_out, left_out);
        fs::write(at(".npmrc"), "//host/:_authToken=${NPM_TOKEN}\n").unwrap();
        fs::write(at(".dockerignore"), "").unwrap();
        assert!(names(&packed(folder.path())).contains(&".npmrc".to_owned()));
    }

    #[test]
    fn an_ignore_file_is_an_ordinary_short_file() {
        let folder = folder(&[]);
        let at = folder.path().join(".dockerignore");
        let refused = || {
            pack(folder.path(), "Dockerfile", &[], &never)
                .unwrap_err()
                .message
        };
        fs::write(&at, "#".repeat(256 * 1024 + 1)).unwrap();
        assert!(
            refused().ends_with("it is longer than 256 KiB"),
            "{}",
            refused()
        );
        fs::remove_file(&at).unwrap();
        assert!(Command::new("mkfifo").arg(&at).status().unwrap().success());
        assert!(
            refused().ends_with("it is not a regular file"),
            "{}",
            refused()
        );
        fs::remove_file(&at).unwrap();
        symlink("/dev/zero", &at).unwrap();
        assert!(
            refused().ends_with("it is not a regular file"),
            "{}",
            refused()
        );
    }

    #[test]
    fn excluded_folder_gives_back_only_what_is_included_again() {
        let folder = folder(&["a/b/c", "a/b/d", "a/e", "f/b/c"]);
        fs::write(folder.path().join(".dockerignore"), "a\n!a/b/c\nf").unwrap();
        let expected = [".dockerignore", "Dockerfile", "a/b/c"];
        assert_eq!(names(&packed(folder.path())), expected);
    }

    #[test]
    fn what_is_excluded_may_be_unreadable() {
        let folder = folder(&["a/b", "secret/key"]);
        let secret = folder.path().join("secret");
        // Whoever may read everything finds nothing that is unreadable.
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
        let is_root = fs::read_dir(&secret).is_ok();
        let ignore = |text: &str| fs::write(folder.path().join(".dockerignore"), text).unwrap();
        let packed = || pack(folder.path(), "Dockerfile", &[], &never);
        for text in ["secret", "secret\n!a/b\n!.env.example"] {
            ignore(text);
            let context = packed().unwrap();
            assert_eq!(context.files, [".dockerignore", "Dockerfile", "a/b"]);
        }
        for text in ["", "secret\n!secret/key", "secret\n!**/key"] {
            ignore(text);
            assert_eq!(packed().is_err(), !is_root, "{text}");
        }
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn an_ignore_file_of_the_dockerfile_comes_first() {
        let folder = folder(&["a", "b", "sub/Dockerfile"]);
        let at = |name: &str| folder.path().join(name);
        fs::write(at(".dockerignore"), "a").unwrap();
        fs::write(at("sub/Dockerfile.dockerignore"), "b\n**/*.dockerignore").unwrap();
        let context = pack(folder.path(), "sub/Dockerfile", &[], &never).unwrap();
        assert_eq!(context.files, ["Dockerfile", "a", "sub/Dockerfile"]);
        let refused = |text: &[u8]| {
            fs::write(at(".dockerignore"), text).unwrap();
            let failure = pack(folder.path(), "Dockerfile", &[], &never).unwrap_err();
            failure.message
        };
        let utf16 = refused(b"\xff\xfea\0");
        assert!(
            utf16.ends_with(".dockerignore`: it is not UTF-8 text"),
            "{utf16}"
        );
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
        let mut archive =
            tar::Archive::new(GzDecoder::new(packed(folder.path()).reader().unwrap()));
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
    fn special_files_are_left_out() {
        let folder = folder(&[]);
        let at = |name: &str| folder.path().join(name);
        let made = Command::new("mkfifo").arg(at("fifo")).status();
        assert!(made.unwrap().success());
        let _listener = UnixListener::bind(at("socket")).unwrap();
        assert_eq!(names(&packed(folder.path())), ["Dockerfile"]);
    }

    #[test]
    fn too_large_context_names_the_largest_files() {
        let folder = folder(&["b", "c", "d"]);
        // Files without blocks on the disk.
        for (name, size) in [("b", 300), ("c", LIMIT), ("d", 200)] {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_len(size).unwrap();
        }
        let failure = pack(folder.path(), "Dockerfile", &[], &never).unwrap_err();
        assert_eq!(failure.code, "too_large");
        let places = ["/c`", "/b`", "/d`"].map(|name| failure.hints[0].find(name));
        assert!(places[0].is_some() && places.is_sorted(), "{failure:?}");
    }

    #[test]
    fn every_check_can_cancel() {
        let folder = folder(&["a", "b/c"]);
        fs::write(folder.path().join("large"), vec![0; 100_000]).unwrap();
        let mut checks = 1_u32;
        loop {
            let left = Cell::new(checks);
            let cancelled = || {
                left.set(left.get().saturating_sub(1));
                left.get() == 0
            };
            match pack(folder.path(), "Dockerfile", &[], &cancelled) {
                Ok(_) => break,
                Err(failure) => assert_eq!(failure.code, "cancelled"),
            }
            checks += 1;
        }
        // Five files and folders, and four files that are read to their ends.
        assert!(checks > 5 + 4, "{checks}");
    }

    #[test]
    fn problems_are_named() {
        let folder = folder(&["a/b"]);
        let at = |name: &str| folder.path().join(name);
        let packed = |ignore: &str, dockerfile: &str, exclude: &[String]| {
            fs::write(at(".dockerignore"), ignore).unwrap();
            let packed = pack(folder.path(), dockerfile, exclude, &never);
            packed
                .map(|context| context.files.len())
                .map_err(|it| it.message)
        };
        let missing = |name| {
            let at = at(name);
            Err(format!(
                "there is no Dockerfile `{}` in the build context",
                at.display()
            ))
        };
        for (ignore, dockerfile, expected) in [
            ("", "./Dockerfile", Ok(3)),
            ("", "a//./b", Ok(3)),
            ("Dockerfile*", "Dockerfile", Ok(3)),
            ("*\n!a", "Dockerfile", Ok(2)),
            ("**", "Dockerfile", Ok(1)),
            ("", "a/../Dockerfile", missing("a/../Dockerfile")),
            ("", "a", missing("a")),
            ("", "b/Dockerfile", missing("b/Dockerfile")),
            ("", "", missing("")),
        ] {
            assert_eq!(packed(ignore, dockerfile, &[]), expected, "{dockerfile}");
        }
        let bad = "the pattern `[a` is invalid: a class or an escape that can't be read";
        assert_eq!(
            packed("a\n#\n [a \n[b", "Dockerfile", &[]),
            Err(bad.to_owned())
        );
        let exclude = ["a".to_owned(), "[a".to_owned()];
        assert_eq!(
            packed("", "Dockerfile", &exclude),
            Err(bad.replace("[a", "**/[a"))
        );
        fs::remove_file(at(".dockerignore")).unwrap();
        fs::create_dir(at(".dockerignore")).unwrap();
        let failure = pack(folder.path(), "Dockerfile", &[], &never).unwrap_err();
        assert!(
            failure.message.ends_with(".dockerignore`: is a directory"),
            "{failure:?}"
        );
        let nowhere = at("nowhere");
        let failure = pack(&nowhere, "Dockerfile", &[], &never).unwrap_err();
        let message = format!(
            "could not pack `{}`: no such file or directory",
            nowhere.display()
        );
        assert_eq!(failure.message, message);
    }
}
