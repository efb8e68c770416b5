//! Reads short files.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use bot_cli_vault::files::{Reason, refuse_special};

/// Reads a text of the user's that a command goes by, of at most 256 KiB. Returns it with the metadata of the file.
pub fn short_text(path: &Path) -> Result<(String, Metadata), Reason> {
    const LONGEST: u64 = 256 * 1024;
    // Opening a FIFO would block.
    refuse_special(&fs::metadata(path)?)?;
    let mut text = String::new();
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if let Err(error) = file.take(LONGEST + 1).read_to_string(&mut text) {
        if error.kind() == io::ErrorKind::InvalidData {
            return Err("it is not UTF-8 text".to_owned().into());
        }
        return Err(error.into());
    }
    if text.len() as u64 > LONGEST {
        return Err(format!("it is longer than {} KiB", LONGEST / 1024).into());
    }
    Ok((text, metadata))
}
