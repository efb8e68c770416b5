//! The user's own folders of plugins and packs, and `plugins.lock` beside them: the origin and the sum of what was added.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bot_cli_engine::discovery::{Discovery, PREFIX, PluginName};
use bot_cli_protocol::Role;
use bot_cli_protocol::failure::{ChangeState, Exit, Failure, reason};
use bot_cli_sdk::session::{Level, Session};
use bot_cli_templates::pack;
use bot_cli_terminal::one_line;
use serde::{Deserialize, Serialize};
use tempfile::{NamedTempFile, TempDir};

use super::{sum, word};
use crate::platform;

/// The interval at which a command that waits for the lock tries again.
const TICK: Duration = Duration::from_millis(50);

/// The prefix of private files and folders.
const STAGING: &str = ".adding-";

/// The prefix of an old pack while a new one is put in place.
const OLD: &str = ".old-";

/// The version of the record.
const VERSION: u32 = 1;

const HEAD: &str = "# What `bot-cli plugin add` put into `plugins` and `packs` beside this file. Change it with\n# `bot-cli plugin add`, `upgrade` and `remove`.\n";

/// The folders of this user, and what was added to them.
#[derive(Debug)]
pub struct Home {
    folder: PathBuf,
    plugins: PathBuf,
    packs: PathBuf,
    /// The entries of the record, each name once.
    pub entries: Vec<Entry>,
    /// No other command changes anything until it is closed. Nothing is changed without it.
    lock: Option<File>,
}

/// A plugin that was added.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    /// The name, with the prefix of its role: `pack-acme`.
    pub name: String,
    pub role: Role,
    #[serde(default)]
    pub version: String,
    pub form: Form,
    /// The absolute path of the file, folder or archive.
    pub from: String,
    /// The sum of that file or archive. A folder has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_sha256: Option<String>,
    /// The sum of the plugin.
    pub sha256: String,
    /// The sum of what it replaced, which is still in place if the command was killed in between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// An executable.
    File,
    /// A folder of TOML files.
    Folder,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    #[serde(default, rename = "plugin")]
    plugins: Vec<Entry>,
}

impl Home {
    /// Finds the folders and reads the record.
    pub fn read(discovery: &Discovery) -> Result<Self, Failure> {
        let mut home = Self::find(discovery)?;
        home.entries = read(&home.record())?;
        Ok(home)
    }

    /// The same, once no other command changes anything. What a command left behind that was killed is cleared.
    pub fn lock(discovery: &Discovery, session: &mut Session) -> Result<Self, Failure> {
        let mut home = Self::find(discovery)?;
        for folder in [&home.folder, &home.plugins, &home.packs] {
            platform::create_folders(folder).map_err(|error| not_written(folder, error))?;
        }
        home.lock = Some(wait_for(&home.folder.join(".plugins.busy"), session)?);
        for entry in fs::read_dir(&home.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(STAGING) {
                // Such leftovers do no harm.
                let path = entry.path();
                let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
            }
        }
        home.sweep();
        home.entries = read(&home.record())?;
        Ok(home)
    }

    fn find(discovery: &Discovery) -> Result<Self, Failure> {
        let plugins = discovery.own_plugins.clone();
        let packs = discovery.pack_folders.first().cloned();
        if let (Some(plugins), Some(packs)) = (plugins, packs)
            && let Some(folder) = plugins.parent()
        {
            return Ok(Self {
                folder: folder.to_owned(),
                plugins,
                packs,
                entries: Vec::new(),
                lock: None,
            });
        }
        let message =
            "there is no folder for plugins: neither HOME nor XDG_DATA_HOME is an absolute path";
        Err(Failure::new(Exit::Usage, "no_folder", message).hint("set HOME or XDG_DATA_HOME"))
    }

    /// Returns the place of the plugin `name`.
    pub fn place(&self, name: &str, form: Form) -> PathBuf {
        match form {
            Form::File => {
                let suffix = std::env::consts::EXE_SUFFIX;
                self.plugins.join(format!("{PREFIX}{name}{suffix}"))
            }
            Form::Folder => {
                let short = name.strip_prefix(pack::PREFIX);
                self.packs.join(short.unwrap_or(name))
            }
        }
    }

    /// Whether `place` is one of plugins of the user's own.
    pub fn contains(&self, place: &Path) -> bool {
        place.starts_with(&self.folder)
    }

    /// Returns the entry of the plugin `name`.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the entry of the plugin in `place`, and its sum as it is now if that is another.
    pub fn origin(&self, place: &Path) -> Option<(&Entry, Option<String>)> {
        let mut entries = self.entries.iter();
        let entry = entries.find(|entry| self.place(&entry.name, entry.form) == place)?;
        let now = sum::of(place).unwrap_or_else(|_| "unreadable".to_owned());
        Some((entry, Some(now).filter(|now| !entry.has_sum(now))))
    }

    /// Makes a private folder, beside the plugins if something may be put in place from it.
    pub fn staging(&self) -> Result<TempDir, Failure> {
        let beside = self.lock.as_ref().map(|_| self.folder.clone());
        let folder = beside.unwrap_or_else(std::env::temp_dir);
        let mut builder = platform::private_folders();
        let made = builder.prefix(STAGING).tempdir_in(&folder);
        made.map_err(|error| not_written(&folder, error))
    }

    /// Puts `entry` into the record, and then the plugin at `staged`, if it is not there yet, in its place.
    pub fn put(&mut self, staged: Option<&Path>, entry: Entry) -> Result<(), Failure> {
        let place = self.place(&entry.name, entry.form);
        let before = self.prepare()?;
        self.entries.retain(|it| it.name != entry.name);
        self.entries.push(entry);
        let after = self.prepare()?;
        self.write(after)?;
        let moved = staged.map_or(Ok(()), |staged| self.replace(&place, staged));
        self.sweep();
        moved.map_err(|error| {
            let is_as_before = self.write(before).is_ok();
            let failure = not_written(&place, error);
            if is_as_before {
                failure
            } else {
                failure.outcome(ChangeState::PartlyDone)
            }
        })
    }

    /// Takes a plugin away, and then its entry out of the record.
    pub fn remove(&mut self, entry: &Entry) -> Result<(), Failure> {
        let place = self.place(&entry.name, entry.form);
        self.entries.retain(|it| it.name != entry.name);
        let after = self.prepare()?;
        let staging = self.staging()?;
        if is_there(&place) {
            fs::rename(&place, staging.path().join("removed")).map_err(|error| {
                let could_not = format!("could not remove `{}`", place.display());
                Failure::because(Exit::Failed, "not_removed", could_not, error)
            })?;
        }
        self.write(after).map_err(|failure| {
            let message = format!("{failure}; `{}` was removed", place.display());
            failure.message(message).outcome(ChangeState::Done)
        })
    }

    /// Replaces a file in one step, and a folder in two: if killed between them, `sweep` of the next command puts the old one back.
    fn replace(&self, place: &Path, staged: &Path) -> io::Result<()> {
        if staged.is_dir() && is_there(place) {
            let name = place.file_name().unwrap_or_default().to_string_lossy();
            fs::rename(place, self.packs.join(format!("{OLD}{name}")))?;
        }
        fs::rename(staged, place)
    }

    /// Removes old packs for which there is a new one, and puts the others back.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.packs).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_string_lossy().strip_prefix(OLD) {
                let place = self.packs.join(name);
                let _ = if is_there(&place) {
                    fs::remove_dir_all(entry.path())
                } else {
                    fs::rename(entry.path(), place)
                };
            }
        }
    }

    fn record(&self) -> PathBuf {
        self.folder.join("plugins.lock")
    }

    /// Writes the record into a private file, so that only a rename is left.
    fn prepare(&self) -> Result<NamedTempFile, Failure> {
        let mut plugins = self.entries.clone();
        plugins.sort_by(|one, other| one.name.cmp(&other.name));
        let document = Document {
            version: VERSION,
            plugins,
        };
        let written = || -> io::Result<NamedTempFile> {
            let text = toml::to_string(&document).map_err(io::Error::other)?;
            let mut file = NamedTempFile::with_prefix_in(STAGING, &self.folder)?;
            file.write_all(HEAD.as_bytes())?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        written().map_err(|error| not_written(&self.record(), error))
    }

    fn write(&self, record: NamedTempFile) -> Result<(), Failure> {
        let path = self.record();
        match record.persist(&path) {
            Ok(_) => Ok(()),
            Err(error) => Err(not_written(&path, error.error)),
        }
    }
}

impl Entry {
    /// Whether a command left the plugin with the sum `now`.
    pub fn has_sum(&self, now: &str) -> bool {
        now == self.sha256 || self.replaces.as_deref() == Some(now)
    }

    /// Whether the record says the same of both.
    pub fn is_like(&self, other: &Self) -> bool {
        let of = |it: &Self| (it.from.clone(), it.sha256.clone(), it.from_sha256.clone());
        of(self) == of(other)
    }

    /// Returns the role in words, where a command is a plugin.
    pub fn kind(&self) -> String {
        match &self.role {
            Role::Command => "plugin".to_owned(),
            other @ (Role::ProviderPack | Role::SecretsBackend | Role::Other(_)) => {
                one_line(&other.words())
            }
        }
    }

    /// Returns the plugin in words: "the plugin `hello` 1.2.0".
    pub fn title(&self) -> String {
        let (kind, version) = (self.kind(), one_line(&self.version));
        format!("the {kind} `{}` {version}", self.name)
            .trim_end()
            .to_owned()
    }
}

/// The failure of a command that was cancelled before it changed anything.
pub fn cancelled(session: &Session) -> Failure {
    let failure = Failure::cancelled().outcome(ChangeState::NotDone);
    session.cancel().explain(failure)
}

/// Whether there is something in `place`, be it a dangling link.
pub fn is_there(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok()
}

fn not_written(path: &Path, error: io::Error) -> Failure {
    let could_not = format!("could not write `{}`", path.display());
    Failure::because(Exit::Failed, "not_written", could_not, error).outcome(ChangeState::NotDone)
}

fn wait_for(path: &Path, session: &mut Session) -> Result<File, Failure> {
    let file = platform::lock_file(path).map_err(|error| not_written(path, error))?;
    let _guard = session.guard();
    let mut is_told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(not_written(path, error)),
            Err(TryLockError::WouldBlock) if session.cancelled() => return Err(cancelled(session)),
            Err(TryLockError::WouldBlock) => {}
        }
        if !is_told {
            let message = "waiting for another `bot-cli plugin` command to end";
            session.log(Level::Note, message);
            is_told = true;
        }
        thread::sleep(TICK);
    }
}

fn read(path: &Path) -> Result<Vec<Entry>, Failure> {
    let unreadable = |reason: &str| {
        let message = format!("could not read `{}`: {reason}", path.display());
        let aside = path.with_extension("lock.old");
        Failure::new(Exit::Failed, "not_read", message)
            .hint(format!("mv {} {}", word(path), word(&aside)))
            .hint("plugins stay where they are; `bot-cli plugin add FILE` records one that is in place already")
    };
    let text = match fs::read_to_string(path) {
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Ok(Vec::new());
        }
        read => read.map_err(|error| unreadable(&reason(&error)).caused_by(error))?,
    };
    let document: Document = toml::from_str(&text).map_err(|error| unreadable(error.message()))?;
    if document.version != VERSION {
        let (path, version) = (path.display(), document.version);
        let message = format!("`{path}` has version {version}, this bot-cli knows {VERSION}");
        let failure = Failure::new(Exit::Failed, "not_read", message);
        return Err(failure.hint("install a newer bot-cli"));
    }
    let mut entries = document.plugins;
    // Places are made of names.
    entries.retain(|entry| PluginName::parse(&entry.name).is_some());
    Ok(entries)
}
