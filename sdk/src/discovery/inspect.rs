//! What a plugin's file says about itself, without running it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Discovery;
use super::cache::{self, Identity};
use super::name::PluginName;
use super::trust::{self, Refusal};
use crate::failure::reason;
use crate::protocol::{self, Manifest, ManifestError};

/// The part of a script that may hold its manifest.
const HEAD: u64 = 8 * 1024;

/// The part of a native executable that is searched.
const BODY: u64 = 256 * 1024 * 1024;

/// A plugin that can be run.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// Its name.
    pub name: PluginName,
    /// Its file, as it was found.
    pub file: PathBuf,
    /// What it declares; without it, it is somebody's ordinary executable.
    pub manifest: Option<Manifest>,
}

/// Why a plugin's file is not run.
#[derive(Debug, Clone)]
pub enum Unusable {
    /// It is not to be trusted or can't be executed.
    Refused(Refusal),
    /// What it declares is not a manifest; the reason.
    Malformed(String),
    /// It speaks another version of the protocol.
    Protocol(String),
}

impl Unusable {
    /// The reason in words.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Refused(refusal) => refusal.reason(),
            Self::Malformed(reason) => format!("its manifest is malformed: {reason}"),
            Self::Protocol(version) => format!(
                "it speaks protocol {version}, this host {}",
                protocol::VERSION
            ),
        }
    }

    /// What mends it.
    #[must_use]
    pub fn remedy(&self, file: &Path) -> Option<String> {
        match self {
            Self::Refused(refusal) => refusal.remedy(file),
            Self::Malformed(_) => Some(
                "line and column are those of its JSON; section `The manifest` of the protocol says what it holds"
                    .to_owned(),
            ),
            Self::Protocol(_) => Some("install a version of the plugin for this host".to_owned()),
        }
    }
}

/// Looks at the file of the plugin `name`.
pub fn inspect(name: &PluginName, file: &Path, discovery: &Discovery) -> Result<Plugin, Unusable> {
    let real = trust::check(file, discovery.user).map_err(Unusable::Refused)?;
    let manifest = match declared(&real, discovery.cache.as_deref()) {
        Ok(manifest) => manifest,
        // Who may execute but not read a file can run it all the same.
        Err(Undeclared::Unreadable(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            None
        }
        Err(Undeclared::Unreadable(error)) => {
            return Err(Unusable::Refused(Refusal::Unreadable(reason(&error))));
        }
        Err(Undeclared::Malformed(reason)) => return Err(Unusable::Malformed(reason)),
    };
    if let Some(manifest) = &manifest
        && !protocol::serves(&manifest.protocol)
    {
        return Err(Unusable::Protocol(manifest.protocol.clone()));
    }
    Ok(Plugin {
        name: name.clone(),
        file: file.to_owned(),
        manifest,
    })
}

enum Undeclared {
    Unreadable(io::Error),
    Malformed(String),
}

/// Only native executables are worth the cache: the head of a script is read as quickly as an entry.
fn declared(real: &Path, cache: Option<&Path>) -> Result<Option<Manifest>, Undeclared> {
    let mut file = File::open(real).map_err(Undeclared::Unreadable)?;
    let facts = file.metadata().map_err(Undeclared::Unreadable)?;
    let mut bytes = Vec::new();
    let mut append = |limit: u64, bytes: &mut Vec<u8>| {
        file.by_ref()
            .take(limit)
            .read_to_end(bytes)
            .map_err(Undeclared::Unreadable)
    };
    append(HEAD, &mut bytes)?;
    if bytes.starts_with(b"#!") {
        return find(&bytes);
    }
    let identity = Identity::new(real, &facts);
    if let Some(known) = cache.and_then(|folder| cache::get(folder, &identity)) {
        return Ok(known.manifest);
    }
    append(BODY, &mut bytes)?;
    let manifest = find(&bytes)?;
    if let Some(folder) = cache {
        cache::put(folder, &identity, manifest.as_ref());
    }
    Ok(manifest)
}

fn find(bytes: &[u8]) -> Result<Option<Manifest>, Undeclared> {
    match Manifest::find(bytes) {
        Ok(manifest) => Ok(Some(manifest)),
        Err(ManifestError::Undeclared) => Ok(None),
        Err(ManifestError::Malformed(reason)) => Err(Undeclared::Malformed(reason)),
    }
}
