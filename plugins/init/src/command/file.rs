//! Reads the `--config` file.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;
use bot_cli_templates::Preset;
use bot_cli_terminal::standard_input;

use crate::config::{FromFile, parse_file};
use crate::wording::quoted;

/// The maximum file size in bytes. A configuration has about twenty short values, so a larger file must be a mistake.
const LONGEST: u64 = 1024 * 1024;

pub(super) fn read(path: Option<&Path>, session: &Session) -> Result<FromFile, Failure> {
    let Some(path) = path else {
        return Ok(FromFile::default());
    };
    let (place, bytes) = if standard_input::is_named_by(path) {
        ("the standard input".to_owned(), session.stdin()?)
    } else {
        let place = quoted(&path.to_string_lossy());
        let bytes = read_file(&session.cwd().join(path));
        let bytes = bytes.map_err(|error| unusable(&place, error))?;
        (place, bytes)
    };
    if bytes.len() as u64 > LONGEST {
        return Err(unusable(&place, "it is longer than 1 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| unusable(&place, "it is not UTF-8"))?;
    parsed(&text, place)
}

pub(super) fn preset(preset: &Preset) -> Result<FromFile, Failure> {
    let place = format!("the preset `{}`", preset.name);
    parsed(&preset.config.to_string(), place)
}

fn parsed(text: &str, place: String) -> Result<FromFile, Failure> {
    let read = parse_file(text).map_err(|problem| unusable(&place, problem))?;
    Ok(FromFile { place, ..read })
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unusable(place: &str, why: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    let could_not = format!("can't use {place} as the configuration");
    Failure::because(Exit::Usage, "invalid_config", could_not, why)
        .hint("`bot-cli init … --dry-run` prints such a file")
}
