//! The state shared by all checks: the plugin, its manifest, and the problems found so far.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::{Kit, file_name, folder};
use crate::named;
use bot_cli_engine::discovery::PREFIX;
use bot_cli_engine::platform::folders::program_name;
use bot_cli_protocol::failure::{Failure, reason};
use bot_cli_protocol::{Manifest, ManifestError, Role};
use bot_cli_templates::pack::{self, Contents};
use bot_cli_terminal::cancel::Cancel;
use serde_json::Value;
use tempfile::TempDir;

/// The minimum time limit, which also applies to the exit of child processes. Slow machines need this much time.
const LEAST_PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub enum Stop {
    Failed(String),
    NotRun(String),
    /// A failure that prevents all further checks.
    Ended(Box<Failure>),
}

pub type Held = Result<(), Stop>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A program that exchanges messages with the host.
    Spoken,
    /// A file with a manifest. The file is never started.
    Declared,
    Folder,
}

pub struct Bench<'a> {
    pub kit: &'a Kit,
    cancel: &'a Cancel,
    pub manifest: Result<Manifest, String>,
    pub role: Role,
    pub form: Form,
    /// The contents of a pack, read on first use.
    pub contents: OnceCell<Result<Contents, String>>,
    /// The time limit if the protocol sets none.
    pub patience: Cell<Duration>,
    /// The reason for skipping further checks in a backend's scope, if opening the scope failed.
    pub shut: RefCell<Option<String>>,
    /// The copy of [`Kit::cwd`] that each run gets a copy of.
    pub original: Option<Rc<TempDir>>,
    /// The last reply to the run of [`Kit::argv`], once a check has recorded it.
    pub ran: RefCell<Option<Value>>,
    /// The kinds of things that were seen and judged, such as `program`.
    pub seen: RefCell<BTreeSet<&'static str>>,
    /// The messages exchanged since the last finding.
    pub messages: RefCell<Vec<String>>,
    /// Problems for other checks to report, each with its kind, description and messages.
    pub faults: RefCell<Vec<(&'static str, String, Vec<String>)>>,
}

impl<'a> Bench<'a> {
    pub fn new(kit: &'a Kit, cancel: &'a Cancel) -> Self {
        let manifest = manifest(&kit.program);
        let declared = manifest.as_ref().ok();
        let (role, form) = match declared.map(|it| &it.role) {
            _ if kit.program.is_dir() => (Role::ProviderPack, Form::Folder),
            Some(Role::ProviderPack) => (Role::ProviderPack, Form::Declared),
            Some(role) => (role.clone(), Form::Spoken),
            None => (Role::default(), Form::Spoken),
        };
        Self {
            kit,
            cancel,
            manifest,
            role,
            form,
            contents: OnceCell::new(),
            patience: Cell::new(kit.patience),
            shut: RefCell::default(),
            original: None,
            ran: RefCell::default(),
            seen: RefCell::default(),
            messages: RefCell::default(),
            faults: RefCell::default(),
        }
    }

    /// Copies the folder that the plugin is to run in, if one was given.
    pub fn copy_folder(&mut self) -> Result<(), Failure> {
        if let Some(folder) = &self.kit.cwd {
            self.original = Some(folder::original(folder)?);
        }
        Ok(())
    }

    pub fn name(&self) -> String {
        if let Ok(manifest) = &self.manifest {
            return manifest.name.clone();
        }
        let file = &*self.kit.file_name;
        let name = program_name(file).unwrap_or(file);
        name.strip_prefix(PREFIX).unwrap_or(name).to_owned()
    }

    pub fn manifest(&self) -> Result<&Manifest, Stop> {
        self.manifest.as_ref().or_else(failed)
    }

    /// Returns the time limit for actions that a correct plugin completes immediately. The limit is longer if `Kit::patience` is set to a
    /// longer time for a slow machine.
    pub fn least_patience(&self) -> Duration {
        LEAST_PATIENCE.max(self.kit.patience / 5)
    }

    /// Halves the time limit if a failed check used all of it. This way, checking a plugin that never replies takes only a minute or two.
    pub fn grow_impatient(&self, began: Instant) {
        let patience = self.patience.get();
        if began.elapsed() >= patience {
            let least = self.least_patience().min(patience);
            self.patience.set(least.max(patience / 2));
        }
    }

    pub fn check_wanted(&self) -> Held {
        if self.cancel.requested() {
            let failure = self.cancel.explain(Failure::cancelled());
            return Err(Stop::Ended(Box::new(failure)));
        }
        Ok(())
    }

    /// Fails with the first recorded problem of this kind, if any.
    pub fn check_unseen(&self, kind: &str) -> Held {
        let faults = self.faults.borrow();
        let Some((_, what, messages)) = faults.iter().find(|(it, ..)| *it == kind) else {
            return Ok(());
        };
        self.messages.borrow_mut().extend(messages.clone());
        failed(what)
    }
}

pub fn failed<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed(reason.into()))
}

pub fn not_run<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::NotRun(reason.into()))
}

fn manifest(program: &Path) -> Result<Manifest, String> {
    if program.is_dir() {
        let name = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
        let name = file_name(&name);
        return pack::Folder::declared(program, named::pack(&name), &|_: &Path| Ok(()));
    }
    let read = File::open(program).and_then(Manifest::read);
    let read = read.map_err(|error| format!("its file can't be read: {}", reason(&error)))?;
    read.map_err(|error| match error {
        ManifestError::Malformed(reason) => format!("its manifest is malformed: {reason}"),
        ManifestError::Undeclared => "there is no manifest in the file".to_owned(),
    })
}
