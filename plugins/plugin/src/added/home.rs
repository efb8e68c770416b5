//! The folders for plugins of the user's own, and the changes in them: a plugin is made ready in a private folder beside them, and then
//! put in place by a rename.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bot_cli_engine::discovery::{Discovery, PREFIX, PluginName};
use bot_cli_protocol::failure::{ChangeState, Exit, Failure, reason};
use bot_cli_sdk::session::{Level, Session};
use bot_cli_templates::pack;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::platform;

/// The interval at which a command that waits for its turn tries again.
const TICK: Duration = Duration::from_millis(50);

/// The names of private folders begin with it.
const STAGING: &str = ".adding-";

/// The name of an old pack begins with it while a new one is put in place.
const OLD: &str = ".old-";

/// The folders for plugins of the user's own.
#[derive(Debug)]
pub struct Home {
    /// The folder of all the rest: `~/.local/share/bot-cli`.
    pub folder: PathBuf,
    plugins: PathBuf,
    packs: PathBuf,
}

/// The turn of this process: no other command changes what was added until it is dropped.
pub struct Turn(#[expect(dead_code, reason = "the lock ends with the file")] File);

/// The form of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// An executable.
    File,
    /// A folder of TOML files.
    Folder,
}

impl Form {
    /// The form in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "folder",
        }
    }
}

impl Home {
    /// The folders of this user.
    pub fn find(discovery: &Discovery) -> Result<Self, Failure> {
        let plugins = discovery.own_plugins.clone();
        let packs = discovery.pack_folders.first().cloned();
        if let (Some(plugins), Some(packs)) = (plugins, packs)
            && let Some(folder) = plugins.parent()
        {
            return Ok(Self {
                folder: folder.to_owned(),
                plugins,
                packs,
            });
        }
        let message =
            "there is no folder for plugins: neither HOME nor XDG_DATA_HOME is an absolute path";
        Err(Failure::new(Exit::Usage, "no_folder", message).hint("set HOME or XDG_DATA_HOME"))
    }

    /// The place of the plugin `name`.
    pub fn place(&self, name: &str, form: Form) -> PathBuf {
        match form {
            Form::File => self
                .plugins
                .join(format!("{PREFIX}{name}{}", std::env::consts::EXE_SUFFIX)),
            Form::Folder => self
                .packs
                .join(name.strip_prefix(pack::PREFIX).unwrap_or(name)),
        }
    }

    /// What is in a place of the plugin `name`.
    pub fn find_place(&self, name: &PluginName) -> Option<(Form, PathBuf)> {
        let is_pack = name.as_str().starts_with(pack::PREFIX);
        let forms = [Some(Form::File), is_pack.then_some(Form::Folder)];
        let mut places = forms
            .into_iter()
            .flatten()
            .map(|form| (form, self.place(name.as_str(), form)));
        places.find(|(_, place)| is_there(place))
    }

    /// The record of what was added.
    pub fn record(&self) -> PathBuf {
        self.folder.join("plugins.lock")
    }

    /// Waits until no other command changes what was added. What a command left behind that was killed is removed.
    pub fn take_turn(&self, session: &mut Session) -> Result<Turn, Failure> {
        for folder in [&self.folder, &self.plugins, &self.packs] {
            platform::create_folders(folder).map_err(|error| not_written(folder, error))?;
        }
        let path = self.folder.join(".plugins.busy");
        let file = platform::lock_file(&path).map_err(|error| not_written(&path, error))?;
        let _guard = session.guard();
        let mut is_told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    if !is_told {
                        let message = "waiting for another `bot-cli plugin` command to end";
                        session.log(Level::Note, message);
                        is_told = true;
                    }
                    if session.cancelled() {
                        return Err(cancelled(session));
                    }
                    thread::sleep(TICK);
                }
                Err(TryLockError::Error(error)) => return Err(not_written(&path, error)),
            }
        }
        let turn = Turn(file);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(STAGING) {
                // What can't be removed is in nobody's way.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        self.sweep(&turn);
        Ok(turn)
    }

    /// The place of an old pack while a new one is put in `place`.
    pub fn old(&self, place: &Path) -> PathBuf {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        self.packs.join(format!("{OLD}{name}"))
    }

    /// Removes old packs for which there is a new one, and puts the others back.
    pub fn sweep(&self, _turn: &Turn) {
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

    /// A private folder: beside the plugins, if something may be put in place from it.
    pub fn staging(&self, turn: Option<&Turn>) -> Result<TempDir, Failure> {
        let folder = turn.map_or_else(std::env::temp_dir, |_| self.folder.clone());
        let made = platform::private_folders()
            .prefix(STAGING)
            .tempdir_in(&folder);
        made.map_err(|error| not_written(&folder, error))
    }
}

/// The failure of a command that was cancelled before it changed anything.
pub fn cancelled(session: &Session) -> Failure {
    let failure = Failure::cancelled().outcome(ChangeState::NotDone);
    session.cancel().explain(failure)
}

/// Whether there is something in `place`.
pub fn is_there(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok()
}

/// The failure of a change that is not made.
pub fn not_written(path: &Path, error: io::Error) -> Failure {
    let message = format!(
        "could not write `{}`: {}; nothing was changed",
        path.display(),
        reason(&error)
    );
    Failure::new(Exit::Failed, "not_written", message).caused_by(error)
}
