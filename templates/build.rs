//! Embeds the folders of this crate as one module of Rust: the catalogue as JSON, which loads several times faster than TOML, and what it
//! is searched for; the templates of projects, prepared; other files of projects, packed.

#[path = "src/prepared.rs"]
mod prepared;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use anyhow::Context as _;
use flate2::{Compression, GzBuilder};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// The ending of a template. All other files of a project are copied unchanged.
const ENDING: &str = ".liquid";

/// Files by their path, with `/` separators.
type Files = BTreeMap<String, String>;

/// The parts of a provider that the catalogue is searched for.
#[derive(Deserialize)]
struct Provider {
    #[serde(default)]
    env: toml::Table,
    service: Vec<Listed>,
}

/// A service or a transport as a literal of `embedded::Listed`.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "the literal has them")]
struct Listed {
    id: String,
    alias: Option<String>,
    #[serde(alias = "bot_type")]
    kind: String,
    label: String,
    #[serde(alias = "order")]
    recommended: Option<u8>,
    family: Option<String>,
    family_alias: Option<String>,
}

fn main() -> anyhow::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets no OUT_DIR")?);
    let mut code = String::new();
    let project = read("project")?.into_iter();
    let (written, copied) = project.partition(|(name, _)| name.ends_with(ENDING));
    code += &copies(&copied)?;
    code += &templates(&written);
    code += &embedded("guides", &read("guides")?);
    for folder in ["providers", "transports", "migrations", "presets", "files"] {
        let tables = tables(folder)?;
        match folder {
            "providers" => code += &index(&tables)?,
            "transports" => code += &list(&tables)?,
            _ => {}
        }
        code += &embedded(folder, &as_json(tables)?);
    }
    fs::write(out.join("embedded.rs"), code)?;
    Ok(())
}

/// Returns the files in `folder`. Tells cargo to watch the folder, because it detects a changed file but not a new one by itself.
fn read(folder: &str) -> anyhow::Result<Files> {
    cargo_directive(&format!("rerun-if-changed={folder}"));
    let mut files = Files::new();
    let mut folders = vec![(PathBuf::from(folder), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = format!("{prefix}{}", name.context("a name is not UTF-8")?);
            if path.is_dir() {
                folders.push((path, name + "/"));
            } else {
                let text = fs::read_to_string(&path);
                files.insert(name, text.with_context(|| path.display().to_string())?);
            }
        }
    }
    Ok(files)
}

/// Returns each `NAME.toml` in `folder`, under `NAME`. Leaves out all other files.
fn tables(folder: &str) -> anyhow::Result<Files> {
    let files = read(folder)?.into_iter();
    let tables =
        files.filter_map(|(name, text)| Some((name.strip_suffix(".toml")?.to_owned(), text)));
    Ok(tables.collect())
}

fn as_json(tables: Files) -> anyhow::Result<Files> {
    let json = tables.into_iter().map(|(name, text)| {
        let table: toml::Table = toml::from_str(&text).with_context(|| name.clone())?;
        Ok((name, serde_json::to_string(&table)?))
    });
    json.collect()
}

/// Returns the files that are no templates, with what the record of a project has of each.
fn copies(files: &Files) -> anyhow::Result<String> {
    let copies = files.iter().map(|(path, text)| {
        let sha256 = hex::encode(Sha256::digest(text));
        let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
        packed.write_all(text.as_bytes())?;
        packed.write_all(b"\0")?;
        let packed = packed.finish()?;
        let members = format!("path: {path:?}, text: {text:?}, sha256: {sha256:?}");
        Ok(format!("Copied {{ {members}, packed: &{packed:?} }}, "))
    });
    let copies = copies.collect::<anyhow::Result<String>>()?;
    Ok(format!("static COPIES: &[Copied] = &[{copies}];\n"))
}

/// Returns the templates of project files as they are written, and prepared for their parser.
fn templates(files: &Files) -> String {
    let mut texts = Vec::new();
    let prepared = files.iter().map(|(path, text)| {
        let name = path.strip_suffix(ENDING).unwrap_or(path).to_owned();
        (name, prepared::prepared(text, &mut texts))
    });
    let prepared = embedded("prepared", &prepared.collect());
    let written = embedded("templates", files);
    format!("{written}{prepared}static TEXTS: &[&str] = &{texts:?};\n")
}

/// Returns the services of all providers, and the first provider that describes each variable. A provider is its position.
fn index(providers: &Files) -> anyhow::Result<String> {
    let (mut services, mut variables) = (Vec::new(), BTreeMap::new());
    for (number, (name, text)) in providers.iter().enumerate() {
        let provider: Provider = toml::from_str(text).with_context(|| name.clone())?;
        services.extend(provider.service.into_iter().map(|listed| (number, listed)));
        for (name, _) in provider.env {
            variables.entry(name).or_insert(number);
        }
    }
    let variables: Vec<(String, usize)> = variables.into_iter().collect();
    Ok(format!(
        "pub(crate) static SERVICES: &[(usize, Listed)] = &{services:?};
         pub(crate) static VARIABLES: &[(&str, usize)] = &{variables:?};\n"
    ))
}

/// Returns the transports in the order of lists.
fn list(transports: &Files) -> anyhow::Result<String> {
    let listed = transports.iter();
    let listed = listed.map(|(name, text)| toml::from_str(text).with_context(|| name.clone()));
    let mut listed = listed.collect::<anyhow::Result<Vec<Listed>>>()?;
    listed.sort_by_key(|it| (it.kind != "web", it.recommended));
    Ok(format!(
        "pub(crate) static LISTED: &[Listed] = &{listed:?};\n"
    ))
}

/// Returns the files as pairs of path and text, sorted by path.
fn embedded(folder: &str, files: &Files) -> String {
    let files: Vec<(&String, &String)> = files.iter().collect();
    let name = folder.to_uppercase();
    format!("pub(crate) static {name}: Files = &{files:?};\n")
}

#[allow(clippy::print_stdout, reason = "cargo reads the script's stdout")]
fn cargo_directive(directive: &str) {
    println!("cargo::{directive}");
}
