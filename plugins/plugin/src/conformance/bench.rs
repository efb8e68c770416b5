//! What the checks share: the plugin, its manifest, and what was seen on the way.

use std::cell::{Cell, OnceCell, RefCell};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::{Kit, LEAST_PATIENCE};
use bot_cli_engine::discovery::PREFIX;
use bot_cli_engine::platform::folders::Endings;
use bot_cli_protocol::failure::{Failure, reason};
use bot_cli_protocol::{Manifest, ManifestError, Role};
use bot_cli_templates::pack::{self, Contents, Problem};
use bot_cli_terminal::cancel::Cancel;

/// The largest part of a file that is searched for its manifest.
const SEARCHED: u64 = 256 * 1024 * 1024;

/// Why a check did not pass.
#[derive(Debug)]
pub enum Stop {
    /// A fault was seen.
    Failed(String),
    /// It could not be made.
    NotRun(String),
    /// No check can be made any more.
    Ended(Box<Failure>),
}

/// A check's result.
pub type Held = Result<(), Stop>;

/// The form of what a plugin brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// From the plugin: it is spoken to.
    Spoken,
    /// From its manifest: it is never started.
    Declared,
    /// From the files of a folder without an executable.
    Folder,
}

/// A fault that is seen in passing. A check of its own judges it.
pub struct Fault {
    pub kind: &'static str,
    pub what: String,
    pub messages: Vec<String>,
}

/// The plugin, and what was seen of it.
pub struct Bench<'a> {
    pub kit: &'a Kit,
    cancel: &'a Cancel,
    manifest: Result<Manifest, String>,
    pub role: Role,
    pub form: Form,
    /// The services that a pack first replied with.
    pub services: OnceCell<Value>,
    /// The contents of a pack, as far as they were read.
    pub contents: OnceCell<Result<Contents, Problem>>,
    /// The time that a plugin has where the protocol names none.
    pub patience: Cell<Duration>,
    /// Why no run, or no work in a place, is tried again.
    pub shut: RefCell<Option<String>>,
    /// The messages since the last finding.
    pub messages: RefCell<Vec<String>>,
    pub faults: RefCell<Vec<Fault>>,
}

impl<'a> Bench<'a> {
    /// For the plugin of `kit`, until `cancel` ends it.
    pub fn new(kit: &'a Kit, cancel: &'a Cancel) -> Self {
        let manifest = manifest(&kit.program);
        let declared = manifest.as_ref().ok();
        let (role, form) = match declared.map(|it| (&it.role, &it.providers)) {
            _ if kit.program.is_dir() => (Role::ProviderPack, Form::Folder),
            Some((Role::ProviderPack, providers)) if *providers != Some("dynamic".into()) => {
                (Role::ProviderPack, Form::Declared)
            }
            Some((role, _)) => (role.clone(), Form::Spoken),
            None => (Role::default(), Form::Spoken),
        };
        Self {
            kit,
            cancel,
            manifest,
            role,
            form,
            services: OnceCell::new(),
            contents: OnceCell::new(),
            patience: Cell::new(kit.patience),
            shut: RefCell::default(),
            messages: RefCell::default(),
            faults: RefCell::default(),
        }
    }

    /// The name in the name of its file.
    pub fn file_name(&self) -> Option<&str> {
        let name = self.kit.program.file_name()?.to_str()?;
        let name = Endings::default().program(name).unwrap_or(name);
        name.strip_prefix(PREFIX)
    }

    /// The plugin's name.
    pub fn name(&self) -> String {
        let path = || self.kit.program.display().to_string();
        match &self.manifest {
            Ok(manifest) => manifest.name.clone(),
            Err(_) => self.file_name().map_or_else(path, str::to_owned),
        }
    }

    /// Returns what it declares, or why there is nothing.
    pub fn manifest(&self) -> Result<&Manifest, Stop> {
        self.manifest.as_ref().or_else(failed)
    }

    /// Gives half of the time from now on, as far as that is enough for a plugin that replies at all.
    pub fn lose_patience(&self) {
        let patience = self.patience.get();
        let least = self.least_patience().min(patience);
        self.patience.set(least.max(patience / 2));
    }

    /// The least time for what a plugin in order does at once. A caller that gives more than the usual time is on a slow machine.
    pub fn least_patience(&self) -> Duration {
        LEAST_PATIENCE.max(self.kit.patience / 5)
    }

    /// Whether the checks are still wanted.
    pub fn check_wanted(&self) -> Held {
        if self.cancel.requested() {
            let failure = self.cancel.explain(Failure::cancelled());
            return Err(Stop::Ended(Box::new(failure)));
        }
        Ok(())
    }

    /// Fails with the first fault of this kind, if one was seen.
    pub fn check_unseen(&self, kind: &str) -> Held {
        let faults = self.faults.borrow();
        let Some(fault) = faults.iter().find(|fault| fault.kind == kind) else {
            return Ok(());
        };
        self.messages.borrow_mut().extend(fault.messages.clone());
        failed(&fault.what)
    }
}

/// Fails a check.
pub fn failed<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed(reason.into()))
}

/// The manifest in the file, or why there is none.
fn manifest(program: &Path) -> Result<Manifest, String> {
    if program.is_dir() {
        let name = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        return pack::Folder::declared(program, &name, &|_: &Path| Ok(()))
            .map_err(|problem| problem.reason());
    }
    let mut bytes = Vec::new();
    File::open(program)
        .and_then(|file| file.take(SEARCHED).read_to_end(&mut bytes))
        .map_err(|error| format!("its file can't be read: {}", reason(&error)))?;
    Manifest::find(&bytes).map_err(|error| match error {
        ManifestError::Malformed(reason) => format!("its manifest is malformed: {reason}"),
        ManifestError::Undeclared if bytes.starts_with(b"#!") => {
            "there is no manifest in the first 8 KiB of the script".to_owned()
        }
        ManifestError::Undeclared => "there is no manifest in the file".to_owned(),
    })
}
