//! Converts the catalogue from TOML to JSON, which loads several times faster.
//!
//! Also tells cargo which folders are embedded. Without these directives, cargo detects a changed file but not a new one.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context as _;

fn main() -> anyhow::Result<()> {
    for folder in [
        "providers",
        "transports",
        "migrations",
        "presets",
        "files",
        "project",
        "guides",
    ] {
        cargo_directive(&format!("rerun-if-changed={folder}"));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets no OUT_DIR")?);
    for folder in ["providers", "transports", "migrations", "presets", "files"] {
        to_json(Path::new(folder), &out.join(folder))?;
    }
    Ok(())
}

/// Converts each `NAME.toml` in `folder` to `NAME.json` in `out`. Removes all other files from `out`.
fn to_json(folder: &Path, out: &Path) -> anyhow::Result<()> {
    drop(fs::remove_dir_all(out));
    fs::create_dir_all(out)?;
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        let Some(name) = file
            .file_stem()
            .filter(|_| file.extension() == Some("toml".as_ref()))
        else {
            continue;
        };
        fs::write(out.join(name).with_extension("json"), json_of(&file)?)?;
    }
    Ok(())
}

fn json_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    let text = fs::read_to_string(file)?;
    let table: toml::Table = toml::from_str(&text).with_context(|| file.display().to_string())?;
    Ok(serde_json::to_vec(&table)?)
}

#[allow(clippy::print_stdout, reason = "cargo reads the script's stdout")]
fn cargo_directive(directive: &str) {
    println!("cargo::{directive}");
}
