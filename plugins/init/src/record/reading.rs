//! Reads a record, which may be malicious, or damaged by a merge of two branches.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{FOLDER, Head, has_markers};
use crate::config::{FromFile, parse_file};
use crate::digest::sha256;

#[derive(Debug)]
pub struct Recorded {
    /// The framework's version requirement, such as `>=1.14.0,<2`.
    pub framework: String,
    pub config: FromFile,
    /// The configuration as written in the record.
    pub members: Map<String, Value>,
    /// The SHA-256 hash of each generated file, by path.
    pub hashes: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// The later version that wrote the record.
    Later(String),
    Damaged(String),
}

#[derive(Deserialize)]
struct Written<'a> {
    framework: String,
    #[serde(borrow)]
    config: &'a RawValue,
    files: BTreeMap<String, String>,
}

/// Parses the contents of `project.json`.
///
/// # Errors
/// Returns an error if a later version wrote the record, if the record is damaged, or if a path leads outside the project.
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
        framework: written.framework,
        config: parse_file(written.config.get()).map_err(Unusable::Damaged)?,
        members: serde_json::from_str(written.config.get()).map_err(words)?,
        hashes,
    })
}

/// Reports whether a path is valid for a generated file: inside the project, but outside any `.git` folder and the record's folder.
fn is_generated(path: &str) -> bool {
    let plain = !path.contains(['\\', ':']) && !path.contains(char::is_control);
    let first = path.split('/').next().unwrap_or_default();
    let is_name =
        |part: &str| !["", ".", ".."].contains(&part) && !part.eq_ignore_ascii_case(".git");
    plain && path.split('/').all(is_name) && !first.eq_ignore_ascii_case(FOLDER)
}

/// The maximum unpacked size of an archive in bytes, about a hundred times the size of a project.
const MAX_UNPACKED: u64 = 32 << 20;

/// The number of texts after which no further ones are read, about a hundred times those of a project.
const MOST_TEXTS: usize = 10_000;

/// Unpacks the texts in `base.gz` in memory. Omits texts that are damaged or have none of the recorded hashes.
pub fn unpack(base: &[u8], hashes: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut unpacked = Vec::new();
    // Nothing after damage is readable.
    let _ = (MultiGzDecoder::new(base).take(MAX_UNPACKED)).read_to_end(&mut unpacked);
    let texts = unpacked.split(|byte| *byte == 0).take(MOST_TEXTS);
    let texts: BTreeMap<String, &[u8]> = texts.map(|text| (sha256(text), text)).collect();
    let found = hashes.iter().filter_map(|(path, hash)| {
        let text = str::from_utf8(texts.get(hash)?).ok()?;
        Some((path.clone(), text.to_owned()))
    });
    found.collect()
}
