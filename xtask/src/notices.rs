//! The licences of everything that is linked into the executables, with their texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::entry::Entry;
use crate::project::{Project, cargo};
use crate::tools;

/// A crate that is linked, or a member.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// The crates of an executable, and which depends on which.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The packages that it was asked for.
    packages: Vec<String>,
    pub(crate) crates: BTreeMap<Crate, Facts>,
    pub(crate) edges: BTreeSet<(Crate, Crate)>,
}

/// What the package of a crate says about it.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) licence: String,
    pub(crate) is_member: bool,
    folder: PathBuf,
    authors: Vec<String>,
}

impl Graph {
    /// Asks cargo, with the features that a build of exactly these packages has.
    pub(crate) fn read(project: &Project, target: &str, packages: &[&str]) -> anyhow::Result<Self> {
        let mut command = cargo(&project.root);
        command
            .args([
                "tree",
                "--locked",
                // A procedural macro is no part of what is linked, and what it is made of may be for this machine only.
                "--edges=normal,no-proc-macro",
                "--prefix=depth",
                "--format= {p}",
            ])
            .args(["--target", target]);
        for package in packages {
            command.args(["--package", package]);
        }
        let output = command.output().context("could not run cargo")?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let described = described(project, target)?;
        let mut graph = Self {
            packages: packages.iter().map(|&package| package.to_owned()).collect(),
            crates: BTreeMap::new(),
            edges: BTreeSet::new(),
        };
        let mut above: Vec<Crate> = Vec::new();
        for line in String::from_utf8(output.stdout)?
            .lines()
            .filter(|line| !line.is_empty())
        {
            let mut words = line.split_whitespace();
            let (Some(depth), Some(name), Some(version)) =
                (words.next(), words.next(), words.next())
            else {
                bail!("cargo tree printed `{line}`");
            };
            let one = Crate {
                name: name.to_owned(),
                version: version.trim_start_matches('v').to_owned(),
            };
            above.truncate(
                depth
                    .parse()
                    .with_context(|| format!("cargo tree printed `{line}`"))?,
            );
            if let Some(user) = above.last() {
                graph.edges.insert((user.clone(), one.clone()));
            }
            let facts = described
                .get(&one)
                .with_context(|| format!("`{name}` is not in the metadata"))?;
            graph.crates.insert(one.clone(), facts.read(&project.root)?);
            above.push(one);
        }
        Ok(graph)
    }
}

/// A package of `cargo metadata`.
struct Described(Value);

impl Described {
    fn read(&self, root: &Path) -> anyhow::Result<Facts> {
        let text = |key: &str| self.0[key].as_str().unwrap_or_default();
        let folder = Path::new(text("manifest_path")).parent();
        let folder = folder.context("a package has no folder")?.to_path_buf();
        let authors = self.0["authors"].as_array().into_iter().flatten();
        Ok(Facts {
            // An older way to write it.
            licence: text("license").replace(" / ", "/").replace('/', " OR "),
            is_member: folder.starts_with(root) && self.0["source"].is_null(),
            folder,
            authors: authors
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
        })
    }
}

fn described(project: &Project, target: &str) -> anyhow::Result<BTreeMap<Crate, Described>> {
    let output = cargo(&project.root)
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
            target,
        ])
        .output()
        .context("could not run cargo")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let named = packages.into_iter().map(|package| {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let (name, version) = (text("name"), text("version"));
        (Crate { name, version }, Described(package))
    });
    Ok(named.collect())
}

/// The notices of a graph: every licence text once, below the crates that it is of.
pub(crate) fn of(graph: &Graph, target: &str) -> anyhow::Result<Vec<Entry>> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut rows = String::new();
    for (one, facts) in graph.crates.iter().filter(|(_, facts)| !facts.is_member) {
        let name = format!("{} {}", one.name, one.version);
        let _ = writeln!(rows, "  {name}: {}", facts.licence);
        for text in texts_of(one, facts)? {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    let mut page = format!(
        "{} contains code of these packages, under these licences:\n\n{rows}",
        graph.packages.join(", ")
    );
    page.push_str("\nIt also contains the standard library of Rust (RUST-STANDARD-LIBRARY.html)");
    if target.ends_with("-linux-musl") {
        page.push_str("\nand the C library musl, whose notice is the last one below");
        texts.insert(MUSL.trim().to_owned(), BTreeSet::from([LAST.to_owned()]));
    }
    page.push_str(".\n");
    let mut notices: Vec<(Vec<String>, String)> = texts
        .into_iter()
        .map(|(text, names)| (names.into_iter().collect(), text))
        .collect();
    notices.sort_by_key(|(names, text)| {
        (
            names.contains(&LAST.to_owned()),
            names.clone(),
            text.clone(),
        )
    });
    for (names, text) in notices {
        let _ = write!(
            page,
            "\n{}\n{}\n\n{text}\n",
            "-".repeat(80),
            names.join(", ")
        );
    }
    let library = tools::sysroot()?.join("share/doc/rust/COPYRIGHT-library.html");
    let library = fs::read(&library).with_context(|| {
        format!(
            "could not read `{}`, the licences of the standard library",
            library.display()
        )
    })?;
    Ok(vec![
        Entry::data("THIRD-PARTY-NOTICES.txt", page),
        Entry::data("RUST-STANDARD-LIBRARY.html", library),
    ])
}

const LAST: &str = "musl";
const MUSL: &str = include_str!("../assets/musl.txt");
const APACHE: &str = include_str!("../assets/Apache-2.0.txt");
const MIT: &str = include_str!("../assets/MIT.txt");

/// The texts in the folder of a crate.
fn texts_of(one: &Crate, facts: &Facts) -> anyhow::Result<Vec<String>> {
    let mut files: Vec<PathBuf> = fs::read_dir(&facts.folder)
        .with_context(|| format!("could not read the source of {}", one.name))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && is_notice(path))
        .collect();
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let text =
            fs::read(&file).with_context(|| format!("could not read `{}`", file.display()))?;
        let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        texts.push(lines.join("\n").trim().to_owned());
    }
    if !texts.is_empty() {
        return Ok(texts);
    }
    // Its package has no text, but names the licence, which is one text for all, or one with a place for the names of the authors.
    let is_under = |wanted: &str| facts.licence.split(" OR ").any(|licence| licence == wanted);
    if is_under("Apache-2.0") {
        return Ok(vec![APACHE.trim().to_owned()]);
    }
    if is_under("MIT") && !facts.authors.is_empty() {
        let authors: Vec<&str> = facts
            .authors
            .iter()
            .map(|author| without_address(author))
            .collect();
        return Ok(vec![format!(
            "Copyright (c) {}\n\n{}",
            authors.join(", "),
            MIT.trim()
        )]);
    }
    bail!(
        "{} {} ({}) has no text of its licence",
        one.name,
        one.version,
        facts.licence
    )
}

fn is_notice(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_uppercase();
    let begins = [
        "LICENSE",
        "LICENCE",
        "COPYING",
        "COPYRIGHT",
        "NOTICE",
        "UNLICENSE",
    ];
    begins.iter().any(|begin| name.starts_with(begin))
}

fn without_address(author: &str) -> &str {
    author.split('<').next().unwrap_or(author).trim()
}
