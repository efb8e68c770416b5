//! The folders for plugins of the user's own, and the turn to change something in them.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::discovery::{PREFIX, PluginName};
use bot_cli_sdk::failure::{ChangeState, Exit, Failure};
use bot_cli_sdk::pack;
use bot_cli_sdk::terminal::Terminal;
use bot_cli_sdk::ui::{Level, Ui};

use serde::{Deserialize, Serialize};

use super::disk::{self, not_written};
use crate::environment::Environment;

/// The interval at which a command that waits for its turn looks whether it is cancelled.
const TICK: Duration = Duration::from_millis(50);

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

impl Home {
    /// The folders of this user.
    pub fn find(environment: &Environment) -> Result<Self, Failure> {
        let discovery = &environment.discovery;
        let plugins = discovery.own_plugins.clone();
        let packs = discovery.pack_folders.first().cloned();
        let folder = plugins
            .as_deref()
            .and_then(Path::parent)
            .map(Path::to_owned);
        if let (Some(folder), Some(plugins), Some(packs)) = (folder, plugins, packs) {
            return Ok(Self {
                folder,
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
        places.find(|(_, place)| fs::symlink_metadata(place).is_ok())
    }

    /// The record of what was added.
    pub fn record(&self) -> PathBuf {
        self.folder.join("plugins.lock")
    }

    /// Makes the folders.
    pub fn make(&self) -> Result<(), Failure> {
        for folder in [&self.folder, &self.plugins, &self.packs] {
            disk::create_folders(folder).map_err(|error| not_written(folder, error))?;
        }
        Ok(())
    }

    /// Waits until no other command changes what was added. What a command left behind that was killed is removed.
    pub fn take_turn(&self, terminal: &Terminal, cancel: &Cancel) -> Result<Turn, Failure> {
        self.make()?;
        let path = self.folder.join(".plugins.busy");
        let file = disk::lock_file(&path).map_err(|error| not_written(&path, error))?;
        let mut is_told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    if !is_told {
                        let message = "waiting for another `bot-cli plugin` command to end";
                        terminal.clone().log(Level::Note, message);
                        is_told = true;
                    }
                    if cancel.requested() {
                        return Err(cancelled(cancel));
                    }
                    thread::sleep(TICK);
                }
                Err(TryLockError::Error(error)) => return Err(not_written(&path, error)),
            }
        }
        disk::sweep(&self.folder, &self.packs);
        Ok(Turn(file))
    }
}

/// The form of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// An executable.
    File,
    /// A folder of TOML files.
    Folder,
}

/// The failure of a command that was cancelled before it changed anything.
pub fn cancelled(cancel: &Cancel) -> Failure {
    cancel.explain(Failure::cancelled().outcome(ChangeState::NotDone))
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
