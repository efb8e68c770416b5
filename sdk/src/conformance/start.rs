//! Starts the plugin that is checked, in folders of its own.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::process::Command;
use std::rc::Rc;

use tempfile::TempDir;

use super::bench::{Bench, Stop};
use super::dialogue::Dialogue;
use super::process::{Process, Reader};
use crate::failure::{Exit, Failure, reason};
use crate::platform::folders;
use crate::platform::process::INDISPENSABLE;
use crate::protocol::DEPTH;

impl Bench<'_> {
    /// Starts the plugin as a host does.
    pub fn start(&self) -> Result<Dialogue<'_>, Stop> {
        self.start_with(&[], Reader::Stays)
    }

    /// Starts the plugin as a host that goes away at once.
    pub fn start_unheard(&self) -> Result<Dialogue<'_>, Stop> {
        self.start_with(&[], Reader::Gone)
    }

    /// Starts the plugin as a shell does, but not at a terminal.
    pub fn start_with(&self, arguments: &[&str], reader: Reader) -> Result<Dialogue<'_>, Stop> {
        let folder = folder().map_err(|error| {
            let could_not = "could not make an empty folder";
            let failure = Failure::because(Exit::Failed, "no_folder", could_not, error);
            Stop::Ended(Box::new(failure))
        })?;
        self.spawn(Rc::new(folder), arguments, reader)
    }

    /// Starts the plugin as a host does, where it was started before.
    pub fn start_in(&self, folder: Rc<TempDir>) -> Result<Dialogue<'_>, Stop> {
        self.spawn(folder, &[], Reader::Stays)
    }

    fn spawn(
        &self,
        folder: Rc<TempDir>,
        arguments: &[&str],
        reader: Reader,
    ) -> Result<Dialogue<'_>, Stop> {
        self.check_wanted()?;
        let program = fs::canonicalize(self.program());
        let mut command = Command::new(program.as_deref().unwrap_or(self.program()));
        command
            .args(arguments)
            .current_dir(folder.path().join("work"))
            .env_clear()
            .envs(indispensable())
            .envs(self.variables().iter().map(|(name, value)| (name, value)))
            .env(DEPTH, "1")
            .env("NO_COLOR", "1");
        for (name, place) in [
            ("HOME", "home"),
            ("TMPDIR", "tmp"),
            ("XDG_CACHE_HOME", "home/.cache"),
            ("XDG_CONFIG_HOME", "home/.config"),
            ("XDG_DATA_HOME", "home/.local/share"),
            ("XDG_STATE_HOME", "home/.local/state"),
        ] {
            command.env(name, folder.path().join(place));
        }
        match Process::start(command, reader) {
            Ok(process) => Ok(Dialogue::new(self, process, folder)),
            Err(error) => Err(Stop::Failed(format!(
                "it can't be started: {}",
                reason(&error)
            ))),
        }
    }
}

/// The variables without which the system runs no program.
fn indispensable() -> impl Iterator<Item = (&'static str, OsString)> {
    let names = INDISPENSABLE.iter();
    names.filter_map(|name| Some((*name, std::env::var_os(name)?)))
}

fn folder() -> io::Result<TempDir> {
    let folder = folders::temporary("bot-cli-check-")?;
    for place in ["work", "home", "tmp"] {
        fs::create_dir(folder.path().join(place))?;
    }
    Ok(folder)
}
