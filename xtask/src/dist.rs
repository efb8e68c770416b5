//! `cargo xtask dist`: every artefact of one target.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;

use crate::contents::Contents;
use crate::entry::{Entry, sum};
use crate::executables::Executables;
use crate::notices::Graph;
use crate::progress::say;
use crate::project::{ALONE, Project, TOGETHER};
use crate::{archive, notices, tools, traces, wheel};

#[derive(Debug, Args)]
pub(crate) struct DistArguments {
    /// Target of the executables [default: static executables for Linux on x86-64]
    #[arg(
        long,
        value_name = "TRIPLE",
        default_value = "x86_64-unknown-linux-musl",
        hide_default_value = true
    )]
    pub(crate) target: String,
    /// Folder for the artefacts
    #[arg(long, value_name = "FOLDER", default_value = "dist")]
    pub(crate) out: PathBuf,
    /// Pack the executables of this folder instead of building any
    #[arg(long, value_name = "FOLDER")]
    pub(crate) executables: Option<PathBuf>,
    /// Install what is missing: the target with rustup, a C compiler as root with apt-get, cargo-auditable under target/
    #[arg(long)]
    pub(crate) install: bool,
    /// Build once more from a copy of the source in another folder, and compare the bytes
    #[arg(long, conflicts_with = "executables")]
    pub(crate) check: bool,
}

/// The folder of licences and notices in an archive.
const DOCUMENTS: &str = "share/doc/bot-cli";

/// Makes all of them and writes them, with their sums. Returns what was written.
pub(crate) fn make(project: &Project, arguments: &DistArguments) -> anyhow::Result<Vec<Entry>> {
    let target = &arguments.target;
    let executables = if let Some(folder) = &arguments.executables {
        Executables::read(project, folder, target)?
    } else {
        tools::prepare(project, target, arguments.install)?;
        let executables = Executables::build(project, target)?;
        traces::refuse(
            project,
            executables.together.iter().chain(&executables.alone),
        )?;
        executables
    };
    say("packing");
    let contents = Contents::of(project, &executables)?;
    let mut artefacts = vec![
        archived(project, &contents)?,
        wheel::packed(project, &contents, &wheel::tag(target)?)?,
    ];
    for name in ALONE {
        let executable = executables
            .alone
            .iter()
            .find(|entry| entry.path.starts_with(name));
        if let Some(executable) = executable {
            artefacts.push(alone(project, name, executable, target)?);
        }
    }
    artefacts.sort_by(|one, other| one.path.cmp(&other.path));
    let mut sums = String::new();
    for entry in &artefacts {
        let _ = writeln!(sums, "{}  {}", sum(&entry.bytes), entry.path);
    }
    artefacts.push(Entry::data("SHA256SUMS", sums));
    // Not among the sums: it is what checks them.
    artefacts.push(Entry::data("install.sh", installer(project)?));
    let folder = project.root.join(&arguments.out);
    fs::create_dir_all(&folder)
        .with_context(|| format!("could not create `{}`", folder.display()))?;
    for artefact in &artefacts {
        archive::write(&folder, artefact)?;
        say(&format!(
            "{:>10}  {}",
            artefact.bytes.len(),
            arguments.out.join(&artefact.path).display()
        ));
    }
    Ok(artefacts)
}

/// The installer, which takes the archive from where the project publishes it, if it does.
fn installer(project: &Project) -> anyhow::Result<String> {
    let address = project.homepage()?;
    if address.contains('\'') {
        bail!("`{address}` can't be an address");
    }
    Ok(INSTALLER.replace("@SOURCE@", address))
}

const INSTALLER: &str = include_str!("../assets/install.sh");

/// What belongs together, as it lies below `~/.local`.
fn archived(project: &Project, contents: &Contents) -> anyhow::Result<Entry> {
    let mut entries: Vec<Entry> = contents
        .executables
        .iter()
        .map(|entry| entry.below("bin"))
        .collect();
    entries.extend(contents.share.clone());
    let licences = contents.licences.iter();
    entries.extend(licences.map(|entry| entry.below(DOCUMENTS)));
    let stem = format!("{}-{}-{}", TOGETHER[0], project.version()?, contents.target);
    let bytes = archive::packed(&stem, &entries, project.time)?;
    Ok(Entry::data(format!("{stem}.tar.gz"), bytes))
}

/// A plugin of its own version.
fn alone(project: &Project, name: &str, executable: &Entry, target: &str) -> anyhow::Result<Entry> {
    let graph = Graph::read(project, target, &[name])?;
    let version = project.version_of(name)?;
    let mut entries = vec![
        executable.clone(),
        Entry::data("LICENSE", project.file("LICENSE")?),
    ];
    entries.extend(notices::of(&graph, target)?);
    let stem = format!("{name}-{version}-{target}");
    let bytes = archive::packed(&stem, &entries, project.time)?;
    Ok(Entry::data(format!("{stem}.tar.gz"), bytes))
}
