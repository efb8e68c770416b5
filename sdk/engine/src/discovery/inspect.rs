//! What a plugin's file says about itself, without running it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Discovery;
use super::cache::{self, Identity};
use super::name::PluginName;
use super::trust::Refusal;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{
    self as protocol, MARKER, Manifest, ManifestError, SCRIPT_HEAD, SCRIPT_MANIFEST,
};

/// The part of an executable in which a manifest is looked for.
const LARGEST: usize = 512 << 20;

/// A plugin that can be run.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// The name.
    pub name: PluginName,
    /// The file, as it was found.
    pub file: PathBuf,
    /// The declaration; without one, it is an ordinary executable.
    pub manifest: Option<Manifest>,
}

/// Why a plugin's file is not run.
#[derive(Debug, Clone)]
pub enum Unusable {
    /// It is not to be trusted or can't be executed.
    Refused(Refusal),
    /// The declaration is not a manifest; the reason.
    Malformed(String),
    /// It speaks another version of the protocol.
    Protocol(String),
    /// The declaration is the manifest of another plugin; the name of that.
    OtherName(String),
    /// It must have the version of the host; the version that it has.
    NotOfHost(String),
}

impl From<io::Error> for Unusable {
    fn from(error: io::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl Unusable {
    /// The reason in words.
    pub fn reason(&self) -> String {
        match self {
            Self::Refused(refusal) => refusal.reason(),
            Self::Malformed(reason) => format!("its manifest is malformed: {reason}"),
            Self::Protocol(version) => format!(
                "it speaks protocol {version}, this host {}",
                protocol::VERSION
            ),
            Self::OtherName(name) => format!("its manifest is that of a plugin `{name}`"),
            Self::NotOfHost(version) => format!(
                "it has version {version}, and bot-cli {}",
                env!("CARGO_PKG_VERSION")
            ),
        }
    }

    /// The failure of a use of `file`.
    pub fn failure(&self, file: &Path) -> Failure {
        let message = format!("`{}` is not run: {}", file.display(), self.reason());
        let failure = Failure::new(Exit::NotRunnable, "not_runnable", message);
        match self.remedy(file) {
            Some(remedy) => failure.hint(remedy),
            None => failure,
        }
    }

    /// Returns what mends it.
    pub fn remedy(&self, file: &Path) -> Option<String> {
        match self {
            Self::Refused(refusal) => refusal.remedy(file),
            Self::Malformed(_) => {
                Some("section `The manifest` of the protocol says what it holds".to_owned())
            }
            Self::Protocol(_) => {
                Some("install versions of bot-cli and the plugin that fit each other".to_owned())
            }
            Self::OtherName(name) => {
                let file = PluginName::parse(name)?.file();
                Some(format!("name the file `{file}`, or change its manifest"))
            }
            Self::NotOfHost(_) => Some("install both from one release".to_owned()),
        }
    }
}

/// Looks at the file of the plugin `name`.
pub fn inspect(name: &PluginName, file: &Path, discovery: &Discovery) -> Result<Plugin, Unusable> {
    let real = discovery.trust.check(file).map_err(Unusable::Refused)?;
    let manifest = declared(&real, discovery.cache.as_deref())?;
    if let Some(manifest) = &manifest {
        if !protocol::serves(&manifest.protocol) {
            return Err(Unusable::Protocol(manifest.protocol.clone()));
        }
        if manifest.name != name.as_str() {
            return Err(Unusable::OtherName(manifest.name.clone()));
        }
    }
    Ok(Plugin {
        name: name.clone(),
        file: file.to_owned(),
        manifest,
    })
}

/// Only native executables are worth the cache: the head of a script is read as quickly as an entry.
fn declared(real: &Path, cache: Option<&Path>) -> Result<Option<Manifest>, Unusable> {
    let mut file = match File::open(real) {
        // Who may execute but not read a file can run it all the same.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        opened => opened?,
    };
    let mut head = Vec::new();
    append(&mut file, SCRIPT_HEAD + MARKER.len(), &mut head)?;
    if head.starts_with(b"#!") {
        if memchr::memmem::find(&head, MARKER.as_bytes()).is_some() {
            // One byte more shows that it is too long.
            append(&mut file, SCRIPT_MANIFEST + 1, &mut head)?;
        }
        return found(&head);
    }
    let identity = Identity::new(real, &file.metadata()?);
    if let Some(known) = cache.and_then(|folder| cache::get(folder, &identity)) {
        return Ok(known);
    }
    append(&mut file, LARGEST, &mut head)?;
    let manifest = found(&head)?;
    if let Some(folder) = cache {
        cache::put(folder, &identity, &manifest);
    }
    Ok(manifest)
}

fn found(file: &[u8]) -> Result<Option<Manifest>, Unusable> {
    match Manifest::find(file) {
        Ok(manifest) => Ok(Some(manifest)),
        Err(ManifestError::Undeclared) => Ok(None),
        Err(ManifestError::Malformed(reason)) => Err(Unusable::Malformed(reason)),
    }
}

fn append(file: &mut File, limit: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    file.take(limit as u64).read_to_end(bytes).map(drop)
}
