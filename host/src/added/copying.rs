//! Copies a plugin out of a file, a folder or an archive into a private folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::discovery::{PREFIX, PluginName, is_role_name};
use bot_cli_sdk::failure::{Failure, reason};
use bot_cli_sdk::pack;
use bot_cli_sdk::protocol::Manifest;
use bot_cli_sdk::terminal::one_line;

use super::archive::{Archive, too_large};
use super::built_for;
use super::disk;
use super::given::word;
use super::home::{Form, cancelled};
use super::members::{
    self, Chosen, MOST_BYTES, MOST_FILES, Member, Survey, is_hidden, refused, unreadable,
};
use super::sum::Sum;

/// The amount of a file that is in memory at a time.
const PIECE: usize = 64 * 1024;

/// Everybody may read it.
const DATA: u32 = 0o644;

/// Everybody may run it.
const EXECUTABLE: u32 = 0o755;

/// A file or folder in the private folder.
pub struct Staged {
    /// The name.
    pub name: PluginName,
    /// The form.
    pub form: Form,
    /// The file or folder.
    pub place: PathBuf,
    /// The executable that was copied, if it was not in an archive.
    pub source: Option<PathBuf>,
}

/// The copying of what was given into a private folder.
pub struct Copying<'a> {
    /// What was given.
    pub given: &'a Path,
    /// The private folder.
    pub staging: &'a Path,
    /// The user's request to stop.
    pub cancel: &'a Cancel,
}

impl Copying<'_> {
    fn copied(&self) -> PathBuf {
        self.staging.join("given")
    }

    /// Copies a file as it was given, and returns its sum.
    pub fn file(&self) -> Result<String, Failure> {
        let mut sum = Sum::default();
        let mut source = File::open(self.given).map_err(|error| unreadable(self.given, error))?;
        self.write(&self.copied(), DATA, &mut |piece: &mut Vec<u8>| {
            let read = fill(&mut source, piece)?;
            sum.add(piece);
            Ok(read)
        })?;
        Ok(sum.finish())
    }

    /// Writes what `read` brings. Its errors are those of the source.
    fn write(
        &self,
        path: &Path,
        mode: u32,
        read: &mut dyn FnMut(&mut Vec<u8>) -> io::Result<usize>,
    ) -> Result<(), Failure> {
        let mut problem = None;
        let mut total = 0;
        let written = disk::write(path, mode, |file| {
            let mut piece = Vec::with_capacity(PIECE);
            loop {
                if self.cancel.requested() {
                    problem = Some(cancelled(self.cancel));
                    return Err(io::Error::other("cancelled"));
                }
                piece.clear();
                let read = read(&mut piece).and_then(|length| {
                    total += length as u64;
                    if total > MOST_BYTES {
                        return Err(too_large());
                    }
                    Ok(length)
                });
                match read {
                    Ok(0) => return Ok(()),
                    Ok(_) => io::Write::write_all(file, &piece)?,
                    Err(error) => {
                        let kind = error.kind();
                        problem = Some(unreadable(self.given, error));
                        return Err(kind.into());
                    }
                }
            }
        });
        written.map_err(|error| {
            problem.unwrap_or_else(|| {
                let message = format!("could not write `{}`: {}", path.display(), reason(&error));
                refused(self.given, &message).caused_by(error)
            })
        })
    }

    /// Finds the plugin in the copied file: it is one, or an archive that has one.
    pub fn choose(&self) -> Result<Staged, Failure> {
        let head = self.head(&self.copied())?;
        let archive = Archive::of(&head).map_err(|name| {
            refused(
                self.given,
                &format!(
                    "archives of the form {name} are not read, only .tar.gz, .tar.xz, .tar and .zip"
                ),
            )
            .hint("unpack it and add the file or folder")
        })?;
        let Some(archive) = archive else {
            return self.executable(self.given, &head, |place| {
                fs::copy(self.copied(), place).map(drop)
            });
        };
        let mut survey = Survey::default();
        self.walk(archive, &mut |member| survey.look(member, self.given))?;
        match survey.choose(self.given)? {
            Chosen::Executable(file) => {
                let place = self.copied().with_file_name("unpacked");
                self.walk(archive, &mut |member| {
                    if member.path == file {
                        self.unpack(member, &place)?;
                    }
                    Ok(())
                })?;
                let head = self.head(&place)?;
                let unpacked = place;
                self.executable(&file, &head, |place| fs::copy(unpacked, place).map(drop))
            }
            Chosen::Pack(folder) => {
                let staged = self.pack(folder.file_name().and_then(|it| it.to_str()))?;
                self.walk(
                    archive,
                    &mut |member| match member.path.strip_prefix(&folder) {
                        Ok(path) if !is_hidden(path) => {
                            let place = staged.place.join(path);
                            self.unpack(member, &place)
                        }
                        Ok(_) | Err(_) => Ok(()),
                    },
                )?;
                Ok(staged)
            }
        }
    }

    fn walk(
        &self,
        archive: Archive,
        visit: &mut dyn FnMut(&mut Member<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        archive.walk(&self.copied(), self.given, &mut |member| {
            if self.cancel.requested() {
                return Err(cancelled(self.cancel));
            }
            visit(member)
        })
    }

    fn unpack(&self, member: &mut Member<'_>, place: &Path) -> Result<(), Failure> {
        self.write(place, DATA, &mut |piece| fill(member.content, piece))
    }

    /// Finds the plugin in a folder: the folder is a pack, or has one executable.
    pub fn folder(&self) -> Result<Staged, Failure> {
        let unreadable = |error: io::Error| unreadable(self.given, error);
        if !self.given.join(pack::FILE).is_file() {
            let mut survey = Survey::default();
            for entry in fs::read_dir(self.given).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                if fs::metadata(entry.path()).is_ok_and(|facts| facts.is_file()) {
                    let mut content = File::open(entry.path()).map_err(unreadable)?;
                    let mut member = Member {
                        path: entry.file_name().into(),
                        content: &mut content,
                    };
                    survey.look(&mut member, self.given)?;
                }
            }
            let Chosen::Executable(file) = survey.choose(self.given)? else {
                return Err(refused(self.given, "it changed while it was read"));
            };
            let file = self.given.join(file);
            Copying {
                given: &file,
                ..*self
            }
            .file()?;
            let head = self.head(&self.copied())?;
            return self.executable(&file, &head, |place| {
                fs::copy(self.copied(), place).map(drop)
            });
        }
        // `.` has a name, too.
        let root = fs::canonicalize(self.given).map_err(unreadable)?;
        let staged = self.pack(root.file_name().and_then(|name| name.to_str()))?;
        let mut files = Vec::new();
        self.collect(&root, Path::new(""), &mut files)?;
        let mut left = MOST_BYTES;
        for path in files {
            let mut source = File::open(root.join(&path)).map_err(unreadable)?;
            self.write(&staged.place.join(&path), DATA, &mut |piece| {
                let read = fill(&mut source, piece)?;
                left = left.checked_sub(read as u64).ok_or_else(too_large)?;
                Ok(read)
            })?;
        }
        Ok(staged)
    }

    /// The files of a pack's folder; what begins with a dot is of its author's tools.
    fn collect(&self, root: &Path, below: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
        let unreadable = |error: io::Error| unreadable(self.given, error);
        for entry in fs::read_dir(root.join(below)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = below.join(entry.file_name());
            let kind = entry.file_type().map_err(unreadable)?;
            if is_hidden(&path) {
                continue;
            }
            if kind.is_dir() {
                self.collect(root, &path, files)?;
            } else if kind.is_file() {
                files.push(path);
            } else {
                let problem = format!("`{}` in it is a link or a device", members::shown(&path));
                return Err(refused(self.given, &problem).hint("replace it by what it stands for"));
            }
            if files.len() > MOST_FILES {
                let problem = format!("it has more than {MOST_FILES} files");
                return Err(refused(self.given, &problem));
            }
        }
        Ok(())
    }

    /// The place of a pack whose folder is called `name`.
    fn pack(&self, name: Option<&str>) -> Result<Staged, Failure> {
        let name = name.map(members::pack_name);
        let full = name
            .filter(|name| is_role_name(name))
            .and_then(|name| PluginName::parse(&format!("{}{name}", pack::PREFIX)));
        let (Some(name), Some(full)) = (name, full) else {
            let problem = match name {
                Some(name) => format!(
                    "the folder of a pack has the name of the pack, and `{}` can't be one",
                    one_line(name)
                ),
                None => format!(
                    "its `{}` is in no folder, whose name would be that of the pack",
                    pack::FILE
                ),
            };
            return Err(refused(self.given, &problem).hint(
                "put the files into a folder whose name is lower-case words with single hyphens between them, such as `acme`",
            ));
        };
        Ok(Staged {
            place: self.staging.join("packs").join(name),
            name: full,
            form: Form::Folder,
            source: None,
        })
    }

    /// The place of an executable that begins with `head`, which `copy` puts there.
    fn executable(
        &self,
        file: &Path,
        head: &[u8],
        copy: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<Staged, Failure> {
        built_for::check(head).map_err(|problem| {
            let failure = refused(self.given, &problem);
            if built_for::is_executable(head) {
                let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
                failure.hint(format!("get the file for {os} on {arch}"))
            } else {
                failure
            }
        })?;
        let name = members::name(file);
        // The manifest of a file whose name is none tells the right one.
        let staged_name = name.clone().or_else(|| PluginName::parse("x"));
        let Some(staged_name) = staged_name else {
            return Err(refused(self.given, "it has no name"));
        };
        let suffix = std::env::consts::EXE_SUFFIX;
        let place = self.staging.join("plugins");
        let place = place.join(format!("{PREFIX}{staged_name}{suffix}"));
        let written = disk::write(&place, EXECUTABLE, |_| Ok(())).and_then(|()| copy(&place));
        let written = written
            .and_then(|()| disk::make_executable(&place))
            // Only who may write may sync, on Windows.
            .and_then(|()| File::options().write(true).open(&place)?.sync_all());
        written.map_err(|error| {
            let message = format!("could not write `{}`: {}", place.display(), reason(&error));
            refused(self.given, &message).caused_by(error)
        })?;
        let staged = Staged {
            place,
            name: staged_name,
            form: Form::File,
            source: file.is_absolute().then(|| file.to_owned()),
        };
        if name.is_none() {
            return Err(misnamed(&staged, file, self.given));
        }
        Ok(staged)
    }

    fn head(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let mut head = Vec::new();
        File::open(path)
            .and_then(|file| file.take(built_for::HEAD as u64).read_to_end(&mut head))
            .map_err(|error| unreadable(self.given, error))?;
        Ok(head)
    }
}

fn fill(source: &mut dyn Read, piece: &mut Vec<u8>) -> io::Result<usize> {
    source.take(PIECE as u64).read_to_end(piece)
}

/// The failure of a file that is not called like its plugin.
fn misnamed(staged: &Staged, file: &Path, given: &Path) -> Failure {
    let declared = fs::read(&staged.place)
        .ok()
        .and_then(|bytes| Manifest::find(&bytes).ok())
        .and_then(|manifest| PluginName::parse(&manifest.name));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let problem = format!(
        "the file of a plugin is called `{PREFIX}NAME`, not `{}`",
        one_line(&name)
    );
    let failure = refused(given, &problem);
    let renamed = |declared: &PluginName| file.with_file_name(declared.file());
    match declared {
        // Nothing is replaced by it.
        Some(declared)
            if file == given && fs::symlink_metadata(renamed(&declared)).is_err() =>
        {
            failure.hint(format!("mv {} {}", word(file), word(&renamed(&declared))))
        }
        Some(declared) => failure.hint(format!("its manifest says that it is `{}`", declared.file())),
        None => failure.hint(
            "NAME is lower-case letters, digits and hyphens, begins with a letter, and has at most 32 characters",
        ),
    }
}
