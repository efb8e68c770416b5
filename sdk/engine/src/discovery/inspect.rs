//! Reads a plugin's manifest from its file, without running the plugin.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Discovery;
use super::cache::{self, Identity};
use super::name::PluginName;
use super::trust::Folders;
use crate::refused::Refused;
use bot_cli_protocol::{
    self as protocol, MARKER, Manifest, ManifestError, SCRIPT_HEAD, SCRIPT_MANIFEST,
};

/// The maximum number of bytes that are searched for a manifest.
const LARGEST: u64 = 512 << 20;

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

/// Checks the file of the plugin `name` and reads the file's manifest.
pub(super) fn inspect(
    name: &PluginName,
    file: &Path,
    discovery: &Discovery,
    folders: &Folders,
) -> Result<Plugin, Refused> {
    let real = discovery.trust.check(file, folders)?;
    let manifest = declared(&real, discovery.cache.as_deref())?;
    if let Some(manifest) = &manifest {
        if !protocol::serves(&manifest.protocol) {
            let (theirs, ours) = (&manifest.protocol, protocol::VERSION);
            return Err(Refused::with_remedy(
                format!("it speaks protocol {theirs}, this host {ours}"),
                "install versions of bot-cli and the plugin that fit each other",
            ));
        }
        if manifest.name != name.as_str() {
            let mend = PluginName::parse(&manifest.name)
                .map(|name| format!("name the file `{}`, or change its manifest", name.file()));
            let reason = format!("its manifest is that of a plugin `{}`", manifest.name);
            return Err(Refused::new(reason, mend));
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
fn declared(real: &Path, cache: Option<&Path>) -> Result<Option<Manifest>, Refused> {
    let mut file = match File::open(real) {
        // A file that can be executed but not read can still run.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        opened => opened?,
    };
    let longest = SCRIPT_HEAD + MARKER.len();
    let mut head = Vec::with_capacity(longest);
    append(&mut file, longest, &mut head)?;
    if head.starts_with(b"#!") {
        if head.len() == longest && memchr::memmem::find(&head, MARKER.as_bytes()).is_some() {
            // One more byte shows that the manifest is too long.
            append(&mut file, SCRIPT_MANIFEST + 1, &mut head)?;
        }
        return found(Manifest::find(&head));
    }
    let identity = Identity::new(real, &file.metadata()?);
    if let Some(known) = cache.and_then(|folder| cache::get(folder, &identity)) {
        return Ok(known);
    }
    let whole = head.as_slice().chain(file).take(LARGEST);
    let manifest = found(Manifest::read(whole)?)?;
    if let Some(folder) = cache {
        cache::put(folder, &identity, &manifest);
    }
    Ok(manifest)
}

fn found(manifest: Result<Manifest, ManifestError>) -> Result<Option<Manifest>, Refused> {
    match manifest {
        Ok(manifest) => Ok(Some(manifest)),
        Err(ManifestError::Undeclared) => Ok(None),
        Err(ManifestError::Malformed(reason)) => Err(Refused::with_remedy(
            format!("its manifest is malformed: {reason}"),
            "section `The manifest` of the protocol says what it holds",
        )),
    }
}

fn append(file: &mut File, limit: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    file.take(limit as u64).read_to_end(bytes).map(drop)
}
