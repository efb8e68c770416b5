//! A plugin that is to be added: copied from a file, folder or archive into a private folder, and judged there by what its files say.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::{BACKEND_PREFIX, Discovery, PREFIX, PluginName, is_role_name};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{Manifest, Role};
use bot_cli_secrets::TAKEN_NAMES;
use bot_cli_templates::pack;
use bot_cli_terminal::one_line;
use bot_cli_terminal::shell::quoted;
use tempfile::TempDir;

use super::archive::{self, MOST_BYTES};
use super::home::{Entry, Form};
use super::refusal::{AGAIN, refused, shown, unreadable};
use super::{sum, word};
use crate::inventory::{self, Row};
use crate::platform;

/// A plugin that can be added.
pub struct Candidate {
    /// The copy, unless the plugin stays as it is in its place.
    pub staged: Option<PathBuf>,
    pub entry: Entry,
    pub judged: Row,
    /// Is removed with it.
    _staging: TempDir,
}

impl Candidate {
    /// Copies the file, folder or archive `from` into `staging`, and judges the plugin in it. The file must have the sum `sum`.
    pub fn stage(
        from: &Path,
        sum: Option<&str>,
        staging: TempDir,
        discovery: &Discovery,
    ) -> Result<Self, Failure> {
        let facts = fs::metadata(from).map_err(|error| unreadable(from, error))?;
        let (found, from_sha256) = if facts.is_dir() {
            if !from.join(pack::FILE).is_file() {
                let problem = "only the folder of a pack can be added, which has a `pack.toml`";
                return Err(refused(from, problem).hint("add a plugin by its file"));
            }
            (from.to_owned(), None)
        } else {
            let (found, sum_of_file) = unpacked(from, staging.path(), sum)?;
            (found, Some(sum_of_file))
        };
        let (name, form) = if found.is_dir() {
            (pack_name(&found, from)?, Form::Folder)
        } else {
            (program_name(&found, from)?, Form::File)
        };
        let place = staging.path().join("staged");
        let place = match form {
            Form::File => {
                let suffix = std::env::consts::EXE_SUFFIX;
                place.join(format!("{PREFIX}{name}{suffix}"))
            }
            Form::Folder => place.join(name.as_str().strip_prefix(pack::PREFIX).unwrap_or("")),
        };
        match form {
            Form::File => copy_file(&found, &place, true, from)?,
            Form::Folder => copy_pack(&found, &place, from)?,
        }
        let sha256 = sum::of(&place).map_err(|error| unreadable(from, error))?;
        if from_sha256.is_none() {
            check_sum(&sha256, sum, from)?;
        }
        let mut entry = Entry {
            name: name.to_string(),
            role: Role::default(),
            version: String::new(),
            form,
            from: from.to_string_lossy().into_owned(),
            from_sha256,
            sha256,
            replaces: None,
        };
        let judged = judge(&entry, &place, from, discovery)?;
        if let Some(manifest) = &judged.manifest {
            entry.role = manifest.role.clone();
            entry.version = one_line(&manifest.version);
        }
        Ok(Self {
            staged: Some(place),
            entry,
            judged,
            _staging: staging,
        })
    }

    /// Leaves a plugin as it is that was given in its own `place`, and can be used there.
    pub fn keep(&mut self, place: &Path, discovery: &Discovery) {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_given = real(place).is_some_and(|it| Some(it) == real(self.entry.from.as_ref()));
        if is_given
            && is_usable(&self.entry, place, discovery)
            && let Ok(sha256) = sum::of(place)
        {
            self.entry.sha256 = sha256;
            self.staged = None;
        }
    }
}

/// Refuses an address.
pub fn check_local(given: &Path) -> Result<(), Failure> {
    let text = given.to_string_lossy();
    if !text.starts_with("https://") && !text.starts_with("http://") {
        return Ok(());
    }
    let message = "that is an address, and bot-cli downloads nothing: download the file, add it, and give `--sha256` the sum that its author names";
    let download = format!("curl -fLO {}", quoted(&text));
    Err(Failure::new(Exit::Usage, "no_network", message).hint(download))
}

/// Whether the plugin in `place` can be used as it is.
pub fn is_usable(entry: &Entry, place: &Path, discovery: &Discovery) -> bool {
    judge(entry, place, place, discovery).is_ok()
}

/// Judges the plugin in `place` by what it declares, and refuses it if it can't be used. It was given as `given`.
pub fn judge(
    entry: &Entry,
    place: &Path,
    given: &Path,
    discovery: &Discovery,
) -> Result<Row, Failure> {
    // A search that knows nothing but the folder of the plugin.
    let folder = place.parent().unwrap_or(place).to_owned();
    let discovery = Discovery {
        folders: vec![folder.clone()],
        pack_folders: vec![folder],
        cache: None,
        ..discovery.clone()
    };
    let refused = |problem: &str| refused(given, problem);
    let rows = inventory::rows(&discovery).into_iter();
    let mut rows = rows.filter(|row| row.name() == entry.name);
    let row = rows.next().ok_or_else(|| refused("it is no plugin"))?;
    let text = |key: &str| row.entry[key].as_str();
    match text("status") {
        Some("undeclared") => {
            return Err(refused("it has no manifest").hint(
                "get a version that was made for bot-cli, or write one: bot-cli plugin new --help",
            ));
        }
        Some("refused" | "shadowed") => {
            let failure = refused(text("reason").unwrap_or_default());
            return Err(text("hint").into_iter().fold(failure, Failure::hint));
        }
        _ => {}
    }
    if let Some(short) = entry.name.strip_prefix(BACKEND_PREFIX)
        && TAKEN_NAMES.contains(&short)
    {
        let problem = format!("`{short}` is the name of a backend that needs no plugin");
        return Err(refused(&problem).hint("its author gives it another name"));
    }
    if row.services.as_ref().is_some_and(Vec::is_empty) {
        let reason = row.left_out.first();
        let reason = reason.map_or("it brings no service", String::as_str);
        let check = format!("bot-cli plugin check {}", word(given));
        return Err(refused(reason).hint(check));
    }
    Ok(row)
}

/// Copies a file, and unpacks it if it is an archive. Returns the plugin in it, and the sum of the file.
fn unpacked(from: &Path, staging: &Path, sum: Option<&str>) -> Result<(PathBuf, String), Failure> {
    // The name of a program is that of its file.
    let folder = staging.join("given");
    let copied = folder.join(from.file_name().unwrap_or_default());
    copy_file(from, &copied, false, from)?;
    let of_file = sum::of(&copied).map_err(|error| unreadable(from, error))?;
    check_sum(&of_file, sum, from)?;
    let unpacked = staging.join("unpacked");
    if archive::unpack(&copied, from, &unpacked)? {
        return Ok((plugin_in(&unpacked, from)?, of_file));
    }
    Ok((copied, of_file))
}

/// Finds the one plugin in an unpacked archive.
fn plugin_in(root: &Path, from: &Path) -> Result<PathBuf, Failure> {
    let mut plugins = visible_files(root, from)?;
    plugins.retain(|path| {
        path.ends_with(pack::FILE)
            || program(path).is_some() && declared(&root.join(path)).is_some()
    });
    match plugins.as_slice() {
        [only] if only.as_path() == Path::new(pack::FILE) => Err(refused(
            from,
            "its `pack.toml` is in no folder, whose name would be that of the pack",
        )),
        [only] if only.ends_with(pack::FILE) => Ok(root.join(only.parent().unwrap_or(only))),
        [only] => Ok(root.join(only)),
        [] => Err(refused(from, "there is no plugin in it").hint(format!(
            "a plugin is an executable file `{PREFIX}NAME` with a manifest, a provider pack may be a folder with a `{}`",
            pack::FILE
        ))),
        several => {
            let names: Vec<String> = several.iter().map(|path| shown(path)).collect();
            let problem = format!("it has {} plugins: {}", several.len(), names.join(", "));
            Err(refused(from, &problem).hint("unpack it and add each by its file or folder"))
        }
    }
}

/// The files in a folder. Those that begin with a dot, or are in such a folder, belong to the tools of their author.
fn visible_files(folder: &Path, from: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = sum::files(folder).map_err(|error| unreadable(from, error))?;
    let is_hidden = |part: &std::ffi::OsStr| part.to_string_lossy().starts_with('.');
    files.retain(|path| !path.iter().any(is_hidden));
    Ok(files)
}

/// The name of a program: that of its file, or else that in its manifest.
fn program_name(file: &Path, from: &Path) -> Result<PluginName, Failure> {
    // Executables of every system have a zero among their first bytes.
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(512).read_to_end(&mut head));
    let name = program(file).or_else(|| PluginName::parse(&declared(file)?.name));
    let name =
        name.ok_or_else(|| refused(from, "it has no manifest, and is not called `bot-cli-NAME`"))?;
    if read.is_ok() && !head.starts_with(b"#!") && !head.contains(&0) {
        let problem = "it is neither an executable nor a script that begins with `#!`";
        return Err(refused(from, problem));
    }
    Ok(name)
}

fn program(file: &Path) -> Option<PluginName> {
    let name = file.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let suffix = std::env::consts::EXE_SUFFIX;
    PluginName::parse(name.strip_suffix(suffix).unwrap_or(name))
}

fn declared(file: &Path) -> Option<Manifest> {
    Manifest::find(&fs::read(file).ok()?).ok()
}

/// The name of the pack in a folder, which may be called like a release of it: `acme` for `bot-cli-pack-acme-v1.0`.
fn pack_name(folder: &Path, from: &Path) -> Result<PluginName, Failure> {
    // `.` has a name, too.
    let real = fs::canonicalize(folder).map_err(|error| unreadable(from, error))?;
    let folder = real.file_name().unwrap_or_default().to_string_lossy();
    let begins_version = |rest: &str| {
        let number = rest.strip_prefix('v').unwrap_or(rest);
        number.starts_with(|first: char| first.is_ascii_digit()) && number.contains('.')
    };
    let mut hyphens = folder.match_indices('-').map(|(place, _)| place);
    let end = hyphens.find(|place| begins_version(&folder[place + 1..]));
    let name = &folder[..end.unwrap_or(folder.len())];
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let name = name.strip_prefix(pack::PREFIX).unwrap_or(name);
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
    for file in visible_files(folder, from)? {
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
        // Only who may write may sync, on Windows.
        File::options().write(true).open(target)?.sync_all()
    };
    copied().map_err(|error| unreadable(from, error))
}

/// Compares a sum with the one that was given, as tools print it.
fn check_sum(sum: &str, given: Option<&str>, from: &Path) -> Result<(), Failure> {
    let Some(given) = given else {
        return Ok(());
    };
    let wanted = given.trim().to_ascii_lowercase();
    if wanted.strip_prefix("sha256:").unwrap_or(&wanted) == sum {
        return Ok(());
    }
    let path = from.display();
    let message = format!("`{path}` has the sha256 {sum}, not {}", one_line(given));
    Err(Failure::new(Exit::Failed, "other_sum", message).hint(AGAIN))
}
