//! The record of how a project was made. It is part of the project, so that a later version can tell the user's changes from its own.
//!
//! `project.json` contains the configuration, the versions and the hash of each generated file. `base.tar.gz` contains the files
//! themselves, byte for byte. The guides are in neither file, since they contain stamps.

mod reading;

use std::io::{self, Write as _};

use bot_cli_templates::FRAMEWORK;
use flate2::{Compression, GzBuilder};
use semver::Version;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::digest::sha256;
use crate::plan::PlannedFile;

pub use reading::{Recorded, Unusable, read, unpack};

pub const FOLDER: &str = ".bot-cli";

/// The file with the configuration, the versions and the hashes.
pub const PROJECT: &str = ".bot-cli/project.json";

/// The archive of the generated files.
pub const BASE: &str = ".bot-cli/base.tar.gz";

/// The file that keeps version control from showing or merging the archive as text.
pub const ATTRIBUTES: &str = ".bot-cli/.gitattributes";

const ATTRIBUTES_TEXT: &str = "base.tar.gz binary linguist-generated\n";

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of the record's format.
const SCHEMA: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    /// The path relative to the target, with `/`.
    pub path: &'static str,
    pub bytes: Vec<u8>,
}

/// Creates the record of `config` and its generated files, in the order of their paths. The same input produces the same bytes.
///
/// # Errors
/// Fails if a file can't be packed, for example because its path is too long for an archive.
pub fn files(config: &Config, generated: &[PlannedFile]) -> io::Result<[RecordFile; 3]> {
    let all = [
        (ATTRIBUTES, ATTRIBUTES_TEXT.into()),
        (BASE, base(generated)?),
        (PROJECT, project(config, generated)?),
    ];
    Ok(all.map(|(path, bytes)| RecordFile { path, bytes }))
}

fn project(config: &Config, generated: &[PlannedFile]) -> io::Result<Vec<u8>> {
    let hash = |file: &PlannedFile| {
        let digest = sha256(file.text.as_bytes());
        (file.path.clone(), format!("sha256:{digest}").into())
    };
    let project = json!({
        "schema": SCHEMA,
        "tool": VERSION,
        "framework": format!(">={},<{}", FRAMEWORK.release, FRAMEWORK.below),
        "config": config.to_json(),
        "files": generated.iter().map(hash).collect::<Map<String, Value>>(),
    });
    let mut text = serde_json::to_vec_pretty(&project)?;
    text.push(b'\n');
    Ok(text)
}

/// Packs the files reproducibly: without times, owners, or modes of this machine.
fn base(generated: &[PlannedFile]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for file in generated {
        let mut header = tar::Header::new_ustar();
        header.set_size(file.text.len() as u64);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        archive.append_data(&mut header, &file.path, file.text.as_bytes())?;
    }
    // A single write, since the encoder clears a buffer for every write.
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::fast());
    packed.write_all(&archive.into_inner()?)?;
    packed.finish()
}

/// Reports whether version control left conflicts in a `project.json`.
#[must_use]
pub fn has_markers(project: &[u8]) -> bool {
    let mut lines = project.split(|byte| *byte == b'\n');
    lines.any(|line| line.starts_with(b"<<<<<<< "))
}

/// The members that every version writes.
#[derive(Deserialize)]
struct Head {
    schema: u32,
    tool: String,
}

impl Head {
    /// Reports whether a later version wrote the record, since this version would undo that version's changes.
    fn is_later(&self) -> bool {
        let own = Version::parse(VERSION);
        let is_younger =
            || Version::parse(&self.tool).is_ok_and(|tool| own.is_ok_and(|own| tool > own));
        self.schema > SCHEMA || is_younger()
    }
}

/// Describes the later version that wrote a record, as the rest of a sentence.
#[must_use]
pub fn later(tool: &str) -> String {
    let tool: String = tool.chars().flat_map(char::escape_debug).collect();
    format!("was written by bot-cli-init {tool}, and this is {VERSION}")
}

#[cfg(test)]
mod tests;
