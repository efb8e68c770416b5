//! The licence texts of all code that is linked into the executables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::archive::Entry;
use crate::project::{Project, cargo, output, sysroot};

const MUSL: &str = include_str!("../assets/musl.txt");
const APACHE: &str = include_str!("../assets/Apache-2.0.txt");
const MIT: &str = include_str!("../assets/MIT.txt");

/// The file name prefixes of licence texts.
const NOTICES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// Returns the notices for the given packages. Includes every licence text once, below the names of the crates that use it.
pub(crate) fn of(project: &Project, target: &str, packages: &[&str]) -> anyhow::Result<Vec<Entry>> {
    let mut page = format!(
        "{} contains code of these packages, under these licences:\n\n",
        packages.join(", ")
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, package) in linked(project, target, packages)? {
        let licence = package["license"].as_str().unwrap_or_default();
        let _ = writeln!(page, "  {name}: {licence}");
        for text in texts_of(&package).with_context(|| format!("the licence of {name}"))? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    if target.ends_with("-linux-musl") {
        page.push_str("  musl: MIT\n");
        texts.insert(MUSL.trim().to_owned(), vec!["musl".to_owned()]);
    }
    page.push_str(
        "\nIt also contains the standard library of Rust (RUST-STANDARD-LIBRARY.html).\n",
    );
    for (text, names) in texts {
        let line = "-".repeat(80);
        let _ = write!(page, "\n{line}\n{}\n\n{text}\n", names.join(", "));
    }
    let library = sysroot()?.join("share/doc/rust/COPYRIGHT-library.html");
    let library =
        fs::read(&library).with_context(|| format!("could not read `{}`", library.display()))?;
    Ok(vec![
        Entry::data("THIRD-PARTY-NOTICES.txt", page),
        Entry::data("RUST-STANDARD-LIBRARY.html", library),
    ])
}

/// Returns the linked third-party crates by name and version, with their `cargo metadata`.
fn linked(
    project: &Project,
    target: &str,
    packages: &[&str],
) -> anyhow::Result<BTreeMap<String, Value>> {
    let mut tree = cargo(&project.root);
    // Procedural macros are not linked, and their dependencies may be for the build machine only.
    tree.args(["tree", "--locked", "--edges=normal,no-proc-macro"])
        .args(["--prefix=none", "--format={p}", "--target", target])
        .args(packages.iter().flat_map(|package| ["--package", package]));
    let tree = output(&mut tree)?;
    let names = tree.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some(format!(
            "{} {}",
            words.next()?,
            words.next()?.strip_prefix('v')?
        ))
    });
    let names: BTreeSet<String> = names.collect();
    let metadata = output(cargo(&project.root).args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        target,
    ]))?;
    let mut metadata: Value = serde_json::from_str(&metadata)?;
    let described = metadata["packages"].take();
    let described = described.as_array().into_iter().flatten();
    let of_others = described.filter(|package| !package["source"].is_null());
    let by_name = of_others.map(|package| {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        (
            format!("{} {}", text("name"), text("version")),
            package.clone(),
        )
    });
    Ok(by_name.filter(|(name, _)| names.contains(name)).collect())
}

fn texts_of(package: &Value) -> anyhow::Result<Vec<String>> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let entries = fs::read_dir(manifest.parent().unwrap_or(manifest))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && is_notice(path))
        .collect();
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let text = fs::read(&file)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        texts.push(lines.join("\n").trim().to_owned());
    }
    if !texts.is_empty() {
        return Ok(texts);
    }
    // The package has no licence text. Use the standard one, for MIT with the authors' names.
    let licence = package["license"].as_str().unwrap_or_default();
    let authors = package["authors"].as_array().into_iter().flatten();
    let authors: Vec<&str> = authors
        .filter_map(|author| author.as_str()?.split('<').next())
        .map(str::trim)
        .collect();
    if licence.contains("Apache-2.0") {
        Ok(vec![APACHE.trim().to_owned()])
    } else if licence == "MIT" && !authors.is_empty() {
        let authors = authors.join(", ");
        Ok(vec![format!("Copyright (c) {authors}\n\n{}", MIT.trim())])
    } else {
        bail!("there is no text of {licence}")
    }
}

fn is_notice(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let name = name.to_string_lossy().to_uppercase();
    NOTICES.iter().any(|begin| name.starts_with(begin))
}
