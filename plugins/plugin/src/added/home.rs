//! The user's own plugin and pack folders. The record `plugins.lock`, next to these folders, lists the origin and checksum of each added
//! plugin.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::Discovery;
use bot_cli_engine::discovery::added::{self, Entry, RECORD};
use bot_cli_engine::platform::trust::owner_besides_root;
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_sdk::session::Session;
use tempfile::{NamedTempFile, TempDir};

use super::sum;
use crate::platform;

/// The name prefix of temporary files and folders.
const STAGING: &str = ".adding-";

const HEAD: &str = "# What `bot-cli plugin add` put into `plugins` and `packs` beside this file. Change it with\n# `bot-cli plugin add`, `upgrade` and `remove`.\n";

#[derive(Debug)]
pub struct Home {
    folder: PathBuf,
    /// The recorded plugins. Each name is unique.
    pub entries: Vec<Entry>,
    /// The lock that excludes concurrent `plugin` commands. Any change requires the lock. In a dry run, this field is `None`.
    lock: Option<File>,
}

impl Home {
    pub fn read(discovery: &Discovery) -> Result<Self, Failure> {
        let mut home = Self::find(discovery)?;
        home.entries = added::read(&home.record())?;
        Ok(home)
    }

    /// Creates the folders, locks them against other commands, and reads the record. A dry run only reads the record.
    pub fn open(
        discovery: &Discovery,
        session: &Session,
        is_dry_run: bool,
    ) -> Result<Self, Failure> {
        if is_dry_run {
            return Self::read(discovery);
        }
        let mut home = Self::find(discovery)?;
        // In containers, root's home often belongs to another user, who never uses it.
        let by_sudo = std::env::var_os("SUDO_UID").is_some_and(|id| !id.is_empty());
        if let Some(owner) = owner_besides_root(&home.folder).filter(|_| by_sudo) {
            let folder = home.folder.display();
            let message = format!(
                "`{folder}` belongs to user {owner}, who could not change what root puts there"
            );
            let failure = Failure::new(Exit::Usage, "not_yours", message);
            return Err(failure.hint("leave out `sudo`, or use `sudo -H` for root's own plugins"));
        }
        for folder in ["", "plugins", "packs"].map(|name| home.folder.join(name)) {
            platform::create_folders(&folder).map_err(|error| not_written(&folder, error))?;
        }
        let path = home.folder.join(".plugins.busy");
        let busy = platform::lock_file(&path).map_err(|error| not_written(&path, error))?;
        if busy.try_lock().is_err() {
            let message = "waiting for another `bot-cli plugin` command to end";
            session.note(message);
            busy.lock().map_err(|error| not_written(&path, error))?;
        }
        home.lock = Some(busy);
        home.entries = added::read(&home.record())?;
        for entry in fs::read_dir(&home.folder).into_iter().flatten().flatten() {
            // A killed command left this file or folder behind.
            if entry.file_name().to_string_lossy().starts_with(STAGING) {
                let path = entry.path();
                home.put_back(&path);
                let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
            }
        }
        Ok(home)
    }

    /// Restores plugins that a killed command had moved to `from`.
    fn put_back(&self, from: &Path) {
        let places = self.entries.iter().map(|entry| self.place(entry));
        for place in places.filter(|place| !is_there(place)) {
            let _ = fs::rename(from.join(moved(&place)), place);
        }
    }

    fn find(discovery: &Discovery) -> Result<Self, Failure> {
        let folder = discovery.own_plugins.as_deref().and_then(Path::parent);
        let folder = folder.ok_or_else(|| {
            let message = "there is no folder for plugins: neither HOME nor XDG_DATA_HOME is an absolute path";
            Failure::new(Exit::Usage, "no_folder", message).hint("set HOME or XDG_DATA_HOME")
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            entries: Vec::new(),
            lock: None,
        })
    }

    pub fn place(&self, entry: &Entry) -> PathBuf {
        entry.place(&self.folder)
    }

    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the entry for the plugin at `place`, and whether the plugin has been modified since it was added.
    pub fn origin(&self, place: &Path) -> Option<(&Entry, bool)> {
        let entry = self.entries.iter().find(|it| self.place(it) == place)?;
        let is_changed = sum::of(place).map_or(true, |now| now != entry.sha256);
        Some((entry, is_changed))
    }

    /// Creates a private temporary folder. While the lock is held, the folder is next to the plugins, so that files can be renamed into
    /// place.
    pub fn staging(&self) -> Result<TempDir, Failure> {
        let beside = self.lock.as_ref().map(|_| self.folder.clone());
        let folder = beside.unwrap_or_else(std::env::temp_dir);
        let mut builder = platform::private_folders();
        let made = builder.prefix(STAGING).tempdir_in(&folder);
        made.map_err(|error| not_written(&folder, error))
    }

    /// Moves the plugin at `staged`, if given, into place and records `entry`.
    pub fn put(&mut self, staged: Option<&Path>, entry: &Entry) -> Result<(), Failure> {
        let place = self.place(entry);
        let mut entries = self.without(entry);
        entries.push(entry.clone());
        self.change(entries, &place, |old| match staged {
            None => Ok(()),
            Some(staged) if staged.is_dir() && is_there(&place) => {
                fs::rename(&place, old)?;
                fs::rename(staged, &place).inspect_err(|_| drop(fs::rename(old, &place)))
            }
            Some(staged) => fs::rename(staged, &place),
        })
    }

    pub fn remove(&mut self, entry: &Entry) -> Result<(), Failure> {
        let place = self.place(entry);
        self.change(self.without(entry), &place, |old| {
            if is_there(&place) {
                fs::rename(&place, old)?;
            }
            Ok(())
        })
    }

    fn without(&self, entry: &Entry) -> Vec<Entry> {
        let others = self.entries.iter().filter(|it| it.name != entry.name);
        others.cloned().collect()
    }

    /// Writes the record of `entries` to a temporary file, changes the plugin at `place`, then renames the record into place. `change`
    /// receives a path to which it may move old files. That path is deleted afterwards.
    fn change(
        &mut self,
        mut entries: Vec<Entry>,
        place: &Path,
        change: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let path = self.record();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let record = self.written(&entries);
        let record = record.map_err(|error| not_written(&path, error))?;
        let old = self.staging()?;
        change(&old.path().join(moved(place))).map_err(|error| not_written(place, error))?;
        record.persist(&path).map(drop).map_err(|error| {
            let (place, path) = (place.display(), path.display());
            let could_not = format!("`{place}` was changed, but not recorded in `{path}`");
            Failure::because(Exit::Failed, "not_written", could_not, error.error)
                .outcome(ChangeState::PartlyDone)
        })?;
        self.entries = entries;
        Ok(())
    }

    fn record(&self) -> PathBuf {
        self.folder.join(RECORD)
    }

    fn written(&self, entries: &[Entry]) -> io::Result<NamedTempFile> {
        let text = added::written(entries).map_err(io::Error::other)?;
        let mut file = NamedTempFile::with_prefix_in(STAGING, &self.folder)?;
        file.write_all(HEAD.as_bytes())?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    }
}

/// Reports whether anything exists at `place`, including a dangling link.
pub fn is_there(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok()
}

fn not_written(path: &Path, error: io::Error) -> Failure {
    let could_not = format!("could not write `{}`", path.display());
    Failure::because(Exit::Failed, "not_written", could_not, error).outcome(ChangeState::NotDone)
}

/// Returns the temporary file name for the old version of the plugin at `place`.
fn moved(place: &Path) -> OsString {
    let mut name = OsString::from("old-");
    name.push(place.file_name().unwrap_or_default());
    name
}
