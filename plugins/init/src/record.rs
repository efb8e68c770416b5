//! The record of how a project was made. It is part of the project, so that a later version can tell the user's changes from its own.
//!
//! `project.json` has the configuration, the versions and the hash of each generated file; `base.tar.gz` has the files themselves,
//! byte for byte. The guides are in neither: they carry stamps of their own.

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

/// The folder of the record, in the project.
pub const FOLDER: &str = ".bot-cli";

/// The file that says how the project was made.
pub const PROJECT: &str = ".bot-cli/project.json";

/// The generated files.
pub const BASE: &str = ".bot-cli/base.tar.gz";

/// Keeps version control from showing or merging the archive as text.
pub const ATTRIBUTES: &str = ".bot-cli/.gitattributes";

const ATTRIBUTES_TEXT: &str = "base.tar.gz binary linguist-generated\n";

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of the record's form.
const SCHEMA: u32 = 1;

/// A file of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    /// Relative to the target, with `/`.
    pub path: &'static str,
    pub bytes: Vec<u8>,
}

/// Makes the record of `config` and of the files that were generated from it, in the order of their paths. The same input gives
/// the same bytes.
///
/// # Errors
/// A file can't be packed, such as one whose path is too long for an archive.
pub fn files(config: &Config, generated: &[PlannedFile]) -> io::Result<[RecordFile; 3]> {
    let all = [
        (ATTRIBUTES, ATTRIBUTES_TEXT.into()),
        (BASE, base(generated)?),
        (PROJECT, project(config, generated)?),
    ];
    Ok(all.map(|(path, bytes)| RecordFile { path, bytes }))
}

/// Returns the contents of `project.json`.
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

/// Packs the files without anything that differs from one run to the next: no times, no owners, no modes of this machine.
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
    // All at once: each piece would cost the encoder a cleared buffer.
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::fast());
    packed.write_all(&archive.into_inner()?)?;
    packed.finish()
}

/// Tells whether version control has left conflicts in a `project.json`.
#[must_use]
pub fn has_markers(project: &[u8]) -> bool {
    let mut lines = project.split(|byte| *byte == b'\n');
    lines.any(|line| line.starts_with(b"<<<<<<< "))
}

/// What every version writes.
#[derive(Deserialize)]
struct Head {
    schema: u32,
    tool: String,
}

impl Head {
    /// Whether a later version wrote it: this one would take back what that has made.
    fn is_later(&self) -> bool {
        let own = Version::parse(VERSION);
        let is_younger =
            || Version::parse(&self.tool).is_ok_and(|tool| own.is_ok_and(|own| tool > own));
        self.schema > SCHEMA || is_younger()
    }
}

/// Says that a later version of this program wrote a record, as the rest of a sentence.
#[must_use]
pub fn later(tool: &str) -> String {
    let tool: String = tool.chars().flat_map(char::escape_debug).collect();
    format!("was written by bot-cli-init {tool}, and this is {VERSION}")
}

#[cfg(test)]
mod tests;
