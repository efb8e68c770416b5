//! Reads a plugin's manifest from its file, without running the plugin.

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

/// The maximum number of bytes that are searched for a manifest.
const LARGEST: usize = 512 << 20;

/// A plugin that can be run.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// The plugin's name.
    pub name: PluginName,
    /// The path at which the file was found.
    pub file: PathBuf,
    /// The manifest. A plugin without a manifest is an ordinary executable.
    pub manifest: Option<Manifest>,
}

/// The reason why a plugin's file is not run.
#[derive(Debug, Clone)]
pub enum Unusable {
    /// The file is not trusted or not executable.
    Refused(Refusal),
    /// The manifest is malformed. The string contains the reason.
    Malformed(String),
    /// The plugin uses this unsupported version of the protocol.
    Protocol(String),
    /// The manifest specifies this name instead of the plugin's.
    OtherName(String),
    /// The plugin has this version, but must have the host's version.
    NotOfHost(String),
}

impl From<io::Error> for Unusable {
    fn from(error: io::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl Unusable {
    /// Returns the reason as text.
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

    /// Returns the failure for an attempt to run `file`.
    pub fn failure(&self, file: &Path) -> Failure {
        let message = format!("`{}` is not run: {}", file.display(), self.reason());
        let failure = Failure::new(Exit::NotRunnable, "not_runnable", message);
        match self.remedy(file) {
            Some(remedy) => failure.hint(remedy),
            None => failure,
        }
    }

    /// Returns the remedy, if one exists.
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

/// Checks the file of the plugin `name` and reads the file's manifest.
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

/// Reads the manifest from a file. Uses the cache only for native executables, because reading the start of a script is as fast as reading
/// a cache entry.
fn declared(real: &Path, cache: Option<&Path>) -> Result<Option<Manifest>, Unusable> {
    let mut file = match File::open(real) {
        // A file that can be executed but not read can still run.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        opened => opened?,
    };
    let mut head = Vec::new();
    append(&mut file, SCRIPT_HEAD + MARKER.len(), &mut head)?;
    if head.starts_with(b"#!") {
        if memchr::memmem::find(&head, MARKER.as_bytes()).is_some() {
            // One more byte shows that the manifest is too long.
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
