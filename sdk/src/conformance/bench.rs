//! What the checks share: the plugin, its manifest, and what was seen on the way.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::{Kit, LEAST_PATIENCE};
use crate::cancel::Cancel;
use crate::discovery::PREFIX;
use crate::failure::{Failure, reason};
use crate::pack::{self, Contents, Problem};
use crate::platform::folders::Endings;
use crate::protocol::{Manifest, ManifestError, Role};

/// The largest part of a file that is searched for its manifest.
const SEARCHED: u64 = 256 * 1024 * 1024;

/// The placeholder of a pack that is asked for its providers.
const DYNAMIC: &str = "dynamic";

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

/// A fault that is seen in passing, and judged by a check of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A line of standard output is no message.
    NoMessage,
    /// A reply that no request waits for.
    Reply,
    /// A request or output that the host did not offer.
    NotOffered,
    /// A message lacks what belongs into it.
    Shape,
    /// The made-up password where it does not belong.
    Password,
    /// A process is left behind.
    LeftBehind,
}

/// The form of what a plugin brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// From the plugin: it is spoken to.
    Spoken,
    /// From its manifest: it is never started.
    Declared,
    /// From the files of a folder without an executable.
    Folder,
}

/// The plugin, and what was seen of it.
pub struct Bench<'a> {
    kit: &'a Kit,
    cancel: &'a Cancel,
    file: Result<Manifest, String>,
    services: RefCell<Option<Value>>,
    contents: OnceCell<Result<Contents, Problem>>,
    patience: Cell<Duration>,
    asks: Cell<Option<bool>>,
    /// Whether a secrets backend could not open the place of `--argv`.
    is_closed: Cell<bool>,
    messages: RefCell<Vec<String>>,
    faults: RefCell<Vec<(Fault, String, Vec<String>)>>,
}

impl<'a> Bench<'a> {
    /// For the plugin of `kit`, until `cancel` ends it.
    pub fn new(kit: &'a Kit, cancel: &'a Cancel) -> Self {
        Self {
            kit,
            cancel,
            file: manifest(&kit.program),
            services: RefCell::default(),
            contents: OnceCell::new(),
            patience: Cell::new(kit.patience),
            asks: Cell::new(None),
            is_closed: Cell::new(false),
            messages: RefCell::default(),
            faults: RefCell::default(),
        }
    }

    /// The plugin's file.
    pub fn program(&self) -> &Path {
        &self.kit.program
    }

    /// The variables of its environment.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.kit.variables
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
        match &self.file {
            Ok(manifest) => manifest.name.clone(),
            Err(_) => self.file_name().map_or_else(path, str::to_owned),
        }
    }

    /// Returns what it declares in its file, or why there is nothing.
    pub fn declared(&self) -> Result<&Manifest, Stop> {
        self.file.as_ref().map_err(|no| Stop::Failed(no.clone()))
    }

    /// The role.
    pub fn role(&self) -> Role {
        if self.form() == Form::Folder {
            return Role::ProviderPack;
        }
        let declared = self.file.as_ref().map(|manifest| manifest.role.clone());
        declared.unwrap_or_default()
    }

    /// Returns how what it brings is known.
    pub fn form(&self) -> Form {
        if self.kit.program.is_dir() {
            return Form::Folder;
        }
        match &self.file {
            Ok(manifest) if manifest.role == Role::ProviderPack => match &manifest.providers {
                Some(Value::String(text)) if text == DYNAMIC => Form::Spoken,
                Some(_) | None => Form::Declared,
            },
            Ok(_) | Err(_) => Form::Spoken,
        }
    }

    /// Keeps the services that a pack replied with.
    pub fn set_services(&self, services: Value) {
        *self.services.borrow_mut() = Some(services);
    }

    /// The services that a pack replied with, as far as it was asked.
    pub fn services(&self) -> Option<Value> {
        self.services.borrow().clone()
    }

    /// Returns what a pack brings, read as who uses it reads it.
    pub fn contents(&self) -> Result<Result<&Contents, &Problem>, Stop> {
        let manifest = self.declared()?;
        let read = || {
            let name = manifest.name.strip_prefix(pack::PREFIX);
            let name = name.unwrap_or(&manifest.name);
            let mut taken = self.kit.taken.clone();
            let mut reader = pack::Reader::new(name, None, &mut taken);
            match (self.form(), &manifest.providers) {
                (Form::Folder, _) => {
                    let trusted = |_: &Path| Ok(());
                    for (file, value) in pack::Folder::providers(&self.kit.program, &trusted)? {
                        match value {
                            Ok(value) => reader.provider(&file, value),
                            Err(problem) => reader.leave_out(file, vec![problem]),
                        }
                    }
                }
                (Form::Spoken, _) => reader.list(self.services().unwrap_or_default())?,
                (Form::Declared, providers) => {
                    reader.list(providers.clone().unwrap_or_default())?;
                }
            }
            Ok(reader.finish())
        };
        Ok(self.contents.get_or_init(read).as_ref())
    }

    /// The words of a run that does no harm.
    pub fn argv(&self) -> Result<&[String], Stop> {
        let missing =
            || Stop::NotRun("it needs a run that does no harm: `--argv \"WORDS\"`".to_owned());
        self.kit.argv.as_deref().ok_or_else(missing)
    }

    /// Returns how long a plugin has where the protocol names no time.
    pub fn patience(&self) -> Duration {
        self.patience.get()
    }

    /// Gives half of the time from now on, as far as that is enough for a plugin that replies at all.
    pub fn lose_patience(&self) {
        let patience = self.patience.get();
        self.patience
            .set((patience / 2).max(self.least_patience().min(patience)));
    }

    /// The least time for what a plugin in order does at once. A caller that gives more than the usual time is on a slow machine.
    pub fn least_patience(&self) -> Duration {
        LEAST_PATIENCE.max(self.kit.patience / 5)
    }

    /// The length of the longest line that is sent.
    pub fn longest_line(&self) -> usize {
        self.kit.longest_line
    }

    /// Whether the run of `--argv` asks something, where that was seen.
    pub fn asks(&self) -> Option<bool> {
        self.asks.get()
    }

    /// Keeps whether the run of `--argv` asks something.
    pub fn set_asks(&self, asks: bool) {
        self.asks.set(Some(asks));
    }

    /// Whether a secrets backend could not open its place, which is tried once.
    pub fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// Keeps that it could not.
    pub fn set_closed(&self) {
        self.is_closed.set(true);
    }

    /// Whether the checks are still wanted.
    pub fn check_wanted(&self) -> Result<(), Stop> {
        if self.cancel.requested() {
            let failure = self.cancel.explain(Failure::cancelled());
            return Err(Stop::Ended(Box::new(failure)));
        }
        Ok(())
    }

    /// Keeps the messages of a conversation for the finding.
    pub fn add_messages(&self, lines: Vec<String>) {
        self.messages.borrow_mut().extend(lines);
    }

    /// The messages since the last finding.
    pub fn take_messages(&self) -> Vec<String> {
        self.messages.take()
    }

    /// Keeps a fault for the check that judges it.
    pub fn add_fault(&self, fault: Fault, what: String, messages: Vec<String>) {
        self.faults.borrow_mut().push((fault, what, messages));
    }

    /// Whether a fault of this kind was seen.
    pub fn has_seen(&self, fault: Fault) -> bool {
        self.faults.borrow().iter().any(|(seen, ..)| *seen == fault)
    }

    /// Fails with the first fault of this kind, if one was seen.
    pub fn check_unseen(&self, fault: Fault) -> Result<(), Stop> {
        let faults = self.faults.borrow();
        let Some((_, what, messages)) = faults.iter().find(|(seen, ..)| *seen == fault) else {
            return Ok(());
        };
        self.add_messages(messages.clone());
        Err(Stop::Failed(what.clone()))
    }
}

/// The manifest in the file, or why there is none.
fn manifest(program: &Path) -> Result<Manifest, String> {
    if program.is_dir() {
        let name = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        let trusted = |_: &Path| Ok(());
        return pack::Folder::declared(program, &name, &trusted)
            .map_err(|problem| problem.reason());
    }
    let mut bytes = Vec::new();
    File::open(program)
        .and_then(|file| file.take(SEARCHED).read_to_end(&mut bytes))
        .map_err(|error| format!("its file can't be read: {}", reason(&error)))?;
    match Manifest::find(&bytes) {
        Ok(manifest) => Ok(manifest),
        Err(ManifestError::Malformed(reason)) => {
            Err(format!("its manifest is malformed: {reason}"))
        }
        Err(ManifestError::Undeclared) if bytes.starts_with(b"#!") => {
            Err("there is no manifest in the first 8 KiB of the script".to_owned())
        }
        Err(ManifestError::Undeclared) => Err("there is no manifest in the file".to_owned()),
    }
}
