//! Reads a record. It may have come with a project of anybody's, and a merge of two branches may have damaged it.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{FOLDER, Head, has_markers};
use crate::config::{FromFile, parse_file};
use crate::digest::sha256;

/// The contents of `project.json`.
#[derive(Debug)]
pub struct Recorded {
    /// The version of this program that wrote it.
    pub tool: String,
    /// The version of the framework, as a requirement: `>=1.14.0,<2`.
    pub framework: String,
    /// The configuration, with what is wrong with it.
    pub config: FromFile,
    /// The same as it is written.
    pub members: Map<String, Value>,
    /// The SHA-256 of each generated file, by its path.
    pub hashes: BTreeMap<String, String>,
}

/// The reason why a record can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// This later version wrote it.
    Later(String),
    /// It is something else, or damaged.
    Damaged(String),
}

#[derive(Deserialize)]
struct Written<'a> {
    framework: String,
    #[serde(borrow)]
    config: &'a RawValue,
    files: BTreeMap<String, String>,
}

/// Reads the bytes of `project.json`.
///
/// # Errors
/// A later version wrote it, or it is no record, or one that leads out of the project.
pub fn read(project: &[u8]) -> Result<Recorded, Unusable> {
    let damaged = |reason: &str| Unusable::Damaged(reason.to_owned());
    let text = str::from_utf8(project).map_err(|_| damaged("it is not UTF-8"))?;
    if has_markers(project) {
        return Err(damaged("it has the conflict markers of a merge"));
    }
    let words = |error: serde_json::Error| Unusable::Damaged(format!("it is no record: {error}"));
    let head: Head = serde_json::from_str(text).map_err(words)?;
    if head.is_later() {
        return Err(Unusable::Later(head.tool));
    }
    let written: Written = serde_json::from_str(text).map_err(words)?;
    let mut hashes = BTreeMap::new();
    for (path, hash) in written.files {
        if !is_generated(&path) {
            let path = crate::wording::quoted(&path);
            return Err(Unusable::Damaged(format!(
                "it lists {path}, which no project of bot-cli has"
            )));
        }
        let Some(hash) = hash.strip_prefix("sha256:") else {
            return Err(damaged("it has a hash that is not SHA-256"));
        };
        hashes.insert(path, hash.to_owned());
    }
    Ok(Recorded {
        tool: head.tool,
        framework: written.framework,
        config: parse_file(written.config.get()).map_err(Unusable::Damaged)?,
        members: serde_json::from_str(written.config.get()).map_err(words)?,
        hashes,
    })
}

/// Tells whether a file can be one that was generated: in the project, and in no folder of git's or of the record.
fn is_generated(path: &str) -> bool {
    let plain = !path.contains(['\\', ':']) && !path.contains(char::is_control);
    let first = path.split('/').next().unwrap_or_default();
    let is_name =
        |part: &str| !["", ".", ".."].contains(&part) && !part.eq_ignore_ascii_case(".git");
    plain && path.split('/').all(is_name) && !first.eq_ignore_ascii_case(FOLDER)
}

/// The most bytes that an archive may unpack to, some hundred times those of a project.
const MAX_UNPACKED: u64 = 32 << 20;

/// Unpacks the generated files from `base.tar.gz`, in memory: those whose hash is the recorded one. What is damaged or missing is
/// left out.
pub fn unpack(base: &[u8], hashes: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let unpacked = GzDecoder::new(base).take(MAX_UNPACKED);
    let mut archive = tar::Archive::new(unpacked);
    let Ok(entries) = archive.entries() else {
        return found;
    };
    for entry in entries {
        // Behind damage nothing can be read any more.
        let Ok(mut entry) = entry else { break };
        let path = match entry.path() {
            Ok(path) => path.to_str().map(str::to_owned),
            Err(_) => None,
        };
        let mut bytes = Vec::new();
        if entry.read_to_end(&mut bytes).is_err() {
            break;
        }
        let Some(path) = path.filter(|path| hashes.get(path) == Some(&sha256(&bytes))) else {
            continue;
        };
        if let Ok(text) = String::from_utf8(bytes) {
            found.insert(path, text);
        }
    }
    found
}
