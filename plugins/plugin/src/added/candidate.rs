//! The plugin to add: a private copy of a file, folder or archive, validated without being started.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::{BACKEND_PREFIX, Discovery, PREFIX, PluginName, is_role_name};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{Manifest, ManifestError, Role};
use bot_cli_secrets::TAKEN_NAMES;
use bot_cli_templates::added::{Entry, Form};
use bot_cli_templates::pack;
use bot_cli_terminal::one_line;
use regex_lite::Regex;
use serde_json::json;
use tempfile::TempDir;

use super::archive::{self, MOST_BYTES, refused, shown, unreadable};
use super::home::Home;
use super::sum;
use crate::inventory::{self, Row};
use crate::platform;

/// Matches the name of a pack folder in an archive. The name may include a version, as in `bot-cli-pack-acme-v1.0`.
const RELEASE: &str = "^(?:bot-cli-)?(?:pack-)?(.*?)(?:-v?[0-9][^-]*[.].*)?$";

const BUILD: &str =
    "if this is a source, build it first: `plugin.py --build`, or `npm run build` in its folder";

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
    pub judged: Row,
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
        let (found, of_file) = if is_folder {
            (from.to_owned(), None)
        } else {
            let (found, sum) = unpacked(&given, staging.path(), sum, from)?;
            (found, Some(sum))
        };
        let (name, form) = if found.is_dir() {
            (pack_name(&found, from)?, Form::Folder)
        } else {
            (program_name(&found, from)?, Form::File)
        };
        let mut entry = Entry {
            name: name.to_string(),
            role: Role::default(),
            version: String::new(),
            form,
            from: from.to_string_lossy().into_owned(),
            sha256: String::new(),
            archive_sha256: of_file.filter(|_| found != given),
        };
        let place = home.place(&entry);
        let staged = staging.path().join("staged");
        let staged = staged.join(place.file_name().unwrap_or_default());
        match form {
            Form::File => copy_file(&found, &staged, true, from)?,
            Form::Folder => copy_pack(&found, &staged, from)?,
        }
        entry.sha256 = sum::of(&staged).map_err(|error| unreadable(from, error))?;
        if is_folder {
            check_sum(&entry.sha256, sum, from)?;
        }
        let judged = judge(&entry.name, &staged, from, discovery)?;
        if let Some(manifest) = &judged.manifest {
            entry.role = manifest.role.clone();
            entry.version = one_line(&manifest.version);
        }
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_in_place =
            source == Source::Local && real(&place).is_some_and(|place| real(from) == Some(place));
        // A folder in its place may contain more files than its copy.
        let stays = is_in_place && is_usable(&entry.name, &place, discovery);
        Ok(Self {
            source,
            staged: (!stays).then_some(staged),
            entry,
            judged,
            _staging: staging,
        })
    }
}

pub fn is_usable(name: &str, place: &Path, discovery: &Discovery) -> bool {
    judge(name, place, place, discovery).is_ok()
}

/// Validates the manifest of the plugin at `place`. Fails if the plugin can't be used. Error messages show the path `given`.
fn judge(name: &str, place: &Path, given: &Path, discovery: &Discovery) -> Result<Row, Failure> {
    // Searches only the folder of the plugin.
    let folder = place.parent().unwrap_or(place).to_owned();
    let discovery = Discovery {
        folders: vec![folder.clone()],
        pack_folders: vec![folder],
        cache: None,
        ..discovery.clone()
    };
    let rows = inventory::rows(&discovery).into_iter();
    let mut rows = rows.filter(|row| row.name() == name);
    let row = rows
        .next()
        .ok_or_else(|| refused(given, "it is no plugin"))?;
    let text = |key: &str| row.entry[key].as_str();
    let brings_nothing = row.entry["services"] == json!([]);
    if brings_nothing || matches!(text("status"), Some("refused" | "shadowed")) {
        let failure = refused(given, text("reason").unwrap_or_default());
        return Err(text("hint").into_iter().fold(failure, Failure::hint));
    }
    if let Some(short) = name.strip_prefix(BACKEND_PREFIX)
        && TAKEN_NAMES.contains(&short)
    {
        let problem = format!("`{short}` is the name of a backend that needs no plugin");
        return Err(refused(given, &problem));
    }
    Ok(row)
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
    let mut plugins = sum::files(&root).map_err(|error| unreadable(from, error))?;
    plugins.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_declared = || fs::read(root.join(path)).is_ok_and(|it| Manifest::find(&it).is_ok());
        name == pack::FILE || name.starts_with(PREFIX) && is_declared()
    });
    let found = match plugins.as_slice() {
        [only] if only == Path::new(pack::FILE) => {
            let problem = "its `pack.toml` is in no folder, whose name would be that of the pack";
            return Err(refused(from, problem));
        }
        [only] if only.ends_with(pack::FILE) => root.join(only.parent().unwrap_or(only)),
        [only] => root.join(only),
        [] => {
            return Err(refused(from, "there is no plugin in it").hint(format!(
                "a plugin is an executable file `{PREFIX}NAME` with a manifest, a provider pack may be a folder with a `{}`",
                pack::FILE
            )));
        }
        several => {
            let names: Vec<String> = several.iter().map(|path| shown(path)).collect();
            let problem = format!("it has {} plugins: {}", several.len(), names.join(", "));
            let hint = "unpack it and add each by its file or folder";
            return Err(refused(from, &problem).hint(hint));
        }
    };
    Ok((found, of_file))
}

/// Returns the name from a program's manifest. Fails if the file is neither an executable nor a script.
fn program_name(file: &Path, from: &Path) -> Result<PluginName, Failure> {
    let manifest = Manifest::find(&fs::read(file)?).map_err(|error| match error {
        ManifestError::Malformed(reason) => {
            refused(from, &format!("its manifest is malformed: {reason}"))
        }
        ManifestError::Undeclared => refused(from, "it has no manifest").hint(BUILD).hint(
            "get a version that was made for bot-cli, or write one: bot-cli plugin new --help",
        ),
    })?;
    // On every system, the first bytes of an executable contain a zero.
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(512).read_to_end(&mut head));
    if read.is_ok() && !head.starts_with(b"#!") && !head.contains(&0) {
        let problem = "it is neither an executable nor a script that begins with `#!`";
        return Err(refused(from, problem));
    }
    let name = PluginName::parse(&manifest.name);
    name.ok_or_else(|| refused(from, "the `name` in its manifest can't be that of a plugin"))
}

fn pack_name(folder: &Path, from: &Path) -> Result<PluginName, Failure> {
    if !folder.join(pack::FILE).is_file() {
        let problem = "only the folder of a pack can be added, which has a `pack.toml`";
        return Err(refused(from, problem)
            .hint("add a plugin by its file")
            .hint(BUILD));
    }
    // A path such as `.` has no file name until it is resolved.
    let real = fs::canonicalize(folder).map_err(|error| unreadable(from, error))?;
    let folder = real.file_name().unwrap_or_default().to_string_lossy();
    let release = Regex::new(RELEASE).ok();
    let parts = release.and_then(|release| release.captures(&folder));
    let name = parts.map_or(&*folder, |parts| parts.get(1).map_or("", |it| it.as_str()));
    let full = PluginName::parse(&format!("{}{name}", pack::PREFIX));
    full.filter(|_| is_role_name(name)).ok_or_else(|| {
        let name = one_line(name);
        let problem =
            format!("the folder of a pack has the name of the pack, and `{name}` can't be one");
        refused(from, &problem)
    })
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
    let (path, given) = (from.display(), one_line(given.unwrap_or_default()));
    let message = format!("`{path}` has the sha256 {sum}, not {given}");
    let hint = "download it again, and compare the sum with that of its author";
    Err(Failure::new(Exit::Failed, "other_sum", message).hint(hint))
}
