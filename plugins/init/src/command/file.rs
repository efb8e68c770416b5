//! Reads the file of `--config`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bot_cli_sdk::failure::{Exit, Failure, reason};
use bot_cli_sdk::session::Session;
use bot_cli_sdk::standard_input;

use crate::config::{FromFile, parse_file};
use crate::wording::quoted;

/// A configuration is some twenty short values; more is a mistake.
const LONGEST: u64 = 1024 * 1024;

pub(super) fn read(path: &Path, session: &mut Session) -> Result<FromFile, Failure> {
    let shown = quoted(&path.to_string_lossy());
    let unusable = |problem: &str| {
        Failure::new(
            Exit::Usage,
            "invalid_config",
            format!("can't use {shown} as the configuration: {problem}"),
        )
        .hint("`bot-cli init … --dry-run` prints such a file")
    };
    let bytes = if standard_input::is_named_by(path) {
        session.stdin()?
    } else {
        read_file(&session.cwd().join(path)).map_err(|problem| unusable(&problem))?
    };
    if bytes.len() as u64 > LONGEST {
        return Err(unusable("it is longer than 1 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| unusable("it is not UTF-8"))?;
    parse_file(&text).map_err(|problem| unusable(&problem))
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let words = |error: std::io::Error| reason(&error);
    let file = File::open(path).map_err(words)?;
    if file.metadata().map_err(words)?.is_dir() {
        return Err("it is a directory".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(words)?;
    Ok(bytes)
}
