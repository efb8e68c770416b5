//! The record of how a project was generated. Storing the record in the project allows a later version of this program to distinguish the
//! user's changes from generated code.
//!
//! `project.json` contains the configuration, the versions and the hash of each generated file. `base.gz` contains the texts of the
//! generated files in the gzip format, each followed by a zero byte, in any order: a text is known by its hash. Neither includes the guides,
//! because the guides have their own stamps.

mod reading;

use std::io::{self, Write as _};

use bot_cli_templates::{Copied, FRAMEWORK, copies};
use flate2::{Compression, GzBuilder};
use semver::Version;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::digest::sha256;
use crate::plan::PlannedFile;

pub use reading::{Recorded, Unusable, read, unpack};

pub const FOLDER: &str = ".bot-cli";

pub use bot_cli_templates::project::RECORD as PROJECT;

pub const BASE: &str = ".bot-cli/base.gz";

/// The file that prevents git from diffing or merging the archive as text.
pub const ATTRIBUTES: &str = ".bot-cli/.gitattributes";

const ATTRIBUTES_TEXT: &str = "base.gz binary linguist-generated\n";

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const SCHEMA: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    /// The path relative to the target, with `/` separators.
    pub path: &'static str,
    pub bytes: Vec<u8>,
}

/// Creates the record files for `config` and the `generated` files, sorted by path. The same input always produces the same bytes.
///
/// # Errors
/// Returns an error if the record can't be packed.
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
        let digest = match copied(file) {
            Some(copied) => copied.sha256.to_owned(),
            None => sha256(file.text.as_bytes()),
        };
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

/// Packs the files reproducibly. Those that every project has as they are have been packed before.
fn base(generated: &[PlannedFile]) -> io::Result<Vec<u8>> {
    let (mut packed, mut rest) = (Vec::new(), Vec::new());
    for file in generated {
        if let Some(copied) = copied(file) {
            packed.extend(copied.packed);
        } else {
            rest.extend(file.text.bytes().chain([0]));
        }
    }
    // A single write, since the encoder clears a buffer for every write.
    let mut encoder = GzBuilder::new().write(packed, Compression::fast());
    encoder.write_all(&rest)?;
    encoder.finish()
}

fn copied(file: &PlannedFile) -> Option<&'static Copied> {
    copies().iter().find(|copied| copied.text == file.text)
}

pub fn has_markers(project: &[u8]) -> bool {
    let mut lines = project.split(|byte| *byte == b'\n');
    lines.any(|line| line.starts_with(b"<<<<<<< "))
}

/// The members that every version of the record contains.
#[derive(Deserialize)]
struct Head {
    schema: u32,
    tool: String,
}

impl Head {
    /// Reports whether a later version of this program wrote the record. This version must not overwrite such a record, because that would
    /// undo the later version's changes.
    fn is_later(&self) -> bool {
        let own = Version::parse(VERSION);
        let is_younger =
            || Version::parse(&self.tool).is_ok_and(|tool| own.is_ok_and(|own| tool > own));
        self.schema > SCHEMA || is_younger()
    }
}

/// Returns the second half of an error message, such as `was written by bot-cli-init 2.0.0, and this is 1.0.0`.
pub fn later(tool: &str) -> String {
    let tool: String = tool.chars().flat_map(char::escape_debug).collect();
    format!("was written by bot-cli-init {tool}, and this is {VERSION}")
}

#[cfg(test)]
mod tests;
