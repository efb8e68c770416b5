//! The plugin to add: a private copy of a file, folder or archive, validated without being started.

use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::added::{Entry, Form};
use bot_cli_engine::discovery::{Discovery, PREFIX};
use bot_cli_protocol::Manifest;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_templates::pack;
use bot_cli_terminal::one_line;
use tempfile::TempDir;

use super::archive::{self, MOST_BYTES, refused, shown, unreadable};
use super::home::Home;
use super::{download, sum};
use crate::conformance::{Judged, Kit, file_name};
use crate::named::is_for;
use crate::origin::origin;
use crate::{inventory, platform};

/// The name of the copied or downloaded file in the temporary folder.
pub const GIVEN: &str = "given";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Local,
    /// The file is already in the temporary folder, and `from` is its URL.
    Downloaded,
}

pub struct Candidate {
    pub source: Source,
    /// The copy, or `None` if the source is the installed plugin itself, which stays unchanged.
    pub staged: Option<PathBuf>,
    pub entry: Entry,
    pub judged: Judged,
    /// Whether the name of the given file says nothing about the plugin.
    pub is_named_by_manifest: bool,
    /// The file or folder that is used today under this name, if the plugin will precede it.
    pub in_place_of: Option<PathBuf>,
    /// The temporary folder, deleted when the candidate is dropped.
    _staging: TempDir,
}

impl Candidate {
    /// Copies a file, folder or archive and validates the plugin in it. Fails if the checksum isn't `sum`.
    pub fn stage(
        from: &Path,
        source: Source,
        sum: Option<&str>,
        staging: TempDir,
        home: &Home,
        discovery: &Discovery,
    ) -> Result<Self, Failure> {
        let given = staging.path().join(GIVEN);
        // An address could also be the path of something local.
        let is_folder = source == Source::Local && from.is_dir();
        if source == Source::Local && !is_folder {
            copy_file(from, &given, false, from)?;
        }
        let (found, of_file) = if is_folder && from.join(pack::FILE).is_file() {
            (from.to_owned(), None)
        } else if is_folder {
            (only_plugin(from, from)?, None)
        } else {
            let (found, sum) = unpacked(&given, staging.path(), sum, from)?;
            (found, Some(sum))
        };
        let form = if found.is_dir() {
            Form::Folder
        } else {
            Form::File
        };
        let file_name = match (found == given, source) {
            (true, Source::Downloaded) => download::file_name(&from.to_string_lossy()).to_owned(),
            (true, Source::Local) => file_name(from),
            (false, _) => file_name(&found),
        };
        let staged = staging.path().join("staged");
        let staged = match form {
            Form::File => staged.join(format!("{GIVEN}{EXE_SUFFIX}")),
            // The folder has the name of the pack. A path such as `.` has no file name until it is resolved.
            Form::Folder => {
                let real = fs::canonicalize(&found).map_err(|error| unreadable(from, error))?;
                staged.join(real.file_name().unwrap_or_default())
            }
        };
        match form {
            Form::File => copy_file(&found, &staged, true, from)?,
            Form::Folder => copy_pack(&found, &staged, from)?,
        }
        let sha256 = sum::of(&staged).map_err(|error| unreadable(from, error))?;
        if is_folder {
            check_sum(&sha256, sum, from)?;
        }
        let judged = judge(&staged, file_name.clone(), from)?;
        let name = &judged.manifest.name;
        let is_named_by_manifest = form == Form::File && is_for(&file_name, name).is_none();
        let entry = Entry {
            name: name.clone(),
            role: judged.manifest.role.clone(),
            version: one_line(&judged.manifest.version),
            form,
            from: from.to_string_lossy().into_owned(),
            sha256,
            archive_sha256: of_file.filter(|_| found != given),
            forced: false,
        };
        let place = home.place(&entry);
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_in_place =
            source == Source::Local && real(&place).is_some_and(|place| real(from) == Some(place));
        // A folder in its place may contain more files than its copy.
        let stays = is_in_place && inventory::is_usable(&place, discovery);
        Ok(Self {
            source,
            staged: (!stays).then_some(staged),
            is_named_by_manifest,
            in_place_of: inventory::used(&entry.name, discovery).filter(|used| {
                let is_folder = form == Form::Folder;
                *used != place && (is_folder || discovery.precedes(&place, used))
            }),
            entry,
            judged,
            _staging: staging,
        })
    }
}

/// Validates the plugin at `staged`, which was given under the name `file_name`. Error messages show the path `from`.
fn judge(staged: &Path, file_name: String, from: &Path) -> Result<Judged, Failure> {
    let kit = Kit {
        file_name,
        ..Kit::new(staged)
    };
    kit.judge().map_err(|failure| {
        let refused = refused(from, &one_line(&failure.message));
        failure.hints.into_iter().fold(refused, Failure::hint)
    })
}

/// Unpacks the copy `given` if it is an archive. Returns the plugin's path and the file's checksum. Fails if the file's checksum isn't `sum`.
fn unpacked(
    given: &Path,
    staging: &Path,
    sum: Option<&str>,
    from: &Path,
) -> Result<(PathBuf, String), Failure> {
    let of_file = sum::of(given).map_err(|error| unreadable(from, error))?;
    check_sum(&of_file, sum, from)?;
    let root = staging.join("unpacked");
    if !archive::unpack(given, from, &root)? {
        return Ok((given.to_owned(), of_file));
    }
    Ok((only_plugin(&root, from)?, of_file))
}

/// Returns the only plugin in a folder: its file, or the folder of a pack.
fn only_plugin(folder: &Path, from: &Path) -> Result<PathBuf, Failure> {
    let mut plugins = sum::files(folder).map_err(|error| unreadable(from, error))?;
    plugins.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = folder.join(path);
        let read = || File::open(&path).and_then(Manifest::read);
        let is_declared = || path.is_file() && read().is_ok_and(|it| it.is_ok());
        name == pack::FILE || name.starts_with(PREFIX) && is_declared()
    });
    match plugins.as_slice() {
        [only] if only == Path::new(pack::FILE) => {
            let problem = "its `pack.toml` is in no folder, whose name would be that of the pack";
            Err(refused(from, problem))
        }
        [only] if only.ends_with(pack::FILE) => Ok(folder.join(only.parent().unwrap_or(only))),
        [only] => Ok(folder.join(only)),
        [] => Err(refused(from, "there is no plugin in it").hint(format!(
            "a plugin is an executable file `{PREFIX}NAME` with a manifest, a provider pack may be a folder with a `{}`",
            pack::FILE
        ))),
        several => {
            let names: Vec<String> = several.iter().map(|path| shown(path)).collect();
            let problem = format!("it has {} plugins: {}", several.len(), names.join(", "));
            let hint = "add each by its file or folder";
            Err(refused(from, &problem).hint(hint))
        }
    }
}

fn copy_pack(folder: &Path, place: &Path, from: &Path) -> Result<(), Failure> {
    let mut left = MOST_BYTES;
    for file in sum::files(folder).map_err(|error| unreadable(from, error))? {
        let source = folder.join(&file);
        let facts = fs::symlink_metadata(&source).map_err(|error| unreadable(from, error))?;
        if !facts.is_file() {
            let problem = format!("{} in it is a link or a device", shown(&file));
            return Err(refused(from, &problem));
        }
        left = left
            .checked_sub(facts.len())
            .ok_or_else(|| unreadable(from, archive::too_large()))?;
        copy_file(&source, &place.join(file), false, from)?;
    }
    Ok(())
}

fn copy_file(source: &Path, target: &Path, is_program: bool, from: &Path) -> Result<(), Failure> {
    let copied = || -> io::Result<()> {
        let facts = fs::metadata(source)?;
        if !facts.is_file() {
            return Err(io::Error::other("neither a file nor a folder"));
        }
        if facts.len() > MOST_BYTES {
            return Err(archive::too_large());
        }
        platform::create_folders(target.parent().unwrap_or(target))?;
        fs::copy(source, target)?;
        platform::share(target, is_program)?;
        // On Windows, syncing a file requires write access.
        File::options().write(true).open(target)?.sync_all()
    };
    copied().map_err(|error| unreadable(from, error))
}

/// Checks that the checksum equals `given`, which may have upper-case digits and the prefix `sha256:`.
fn check_sum(sum: &str, given: Option<&str>, from: &Path) -> Result<(), Failure> {
    let wanted = given.map(|given| given.trim().to_ascii_lowercase());
    if wanted.is_none_or(|wanted| wanted.strip_prefix("sha256:").unwrap_or(&wanted) == sum) {
        return Ok(());
    }
    let (path, given) = (
        origin(&from.to_string_lossy()),
        one_line(given.unwrap_or_default()),
    );
    let message = format!("`{path}` has the sha256 {sum}, not {given}");
    let hint = "download it again, and compare the sum with that of its author";
    Err(Failure::new(Exit::Failed, "other_sum", message).hint(hint))
}
