//! The contents of an installation: executables, completions, manual pages, licences and notices.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use bot_cli_protocol::Manifest;
use clap_mangen::Man;

use crate::archive::Entry;
use crate::notices;
use crate::project::{HOST, Project, TOGETHER, output};

/// The default completion paths for each shell. PowerShell has no default path, so the user's profile must load the file.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "share/bash-completion/completions/bot-cli"),
    ("zsh", "share/zsh/site-functions/_bot-cli"),
    ("fish", "share/fish/vendor_completions.d/bot-cli.fish"),
    ("powershell", "share/powershell/completions/bot-cli.ps1"),
];

#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) target: String,
    /// The executables, with the host first. The executables must be in the same folder to find one another.
    pub(crate) executables: Vec<Entry>,
    pub(crate) share: Vec<Entry>,
    pub(crate) licences: Vec<Entry>,
}

impl Contents {
    pub(crate) fn of(project: &Project, folder: &Path, target: &str) -> anyhow::Result<Self> {
        let executables = TOGETHER.iter().map(|name| read(folder, name, target));
        let host = folder.join(executable(HOST, target));
        let mut share = manual(project)?;
        for (shell, place) in COMPLETIONS {
            let script = output(Command::new(&host).args(["completions", shell]))?;
            share.push(Entry::data(place, script));
        }
        Ok(Self {
            target: target.to_owned(),
            executables: executables.collect::<Result<_, _>>()?,
            share,
            licences: licences(project, target, &TOGETHER)?,
        })
    }

    /// Returns all files with their install paths, relative to `~/.local`.
    pub(crate) fn installed(&self) -> Vec<Entry> {
        let executables = self.executables.iter().map(|entry| entry.below("bin"));
        let licences = self.licences.iter();
        let licences = licences.map(|entry| entry.below("share/doc/bot-cli"));
        let share = self.share.iter().cloned();
        executables.chain(share).chain(licences).collect()
    }
}

/// Returns the project's licence, and the notices for the dependencies of the given packages.
pub(crate) fn licences(
    project: &Project,
    target: &str,
    packages: &[&str],
) -> anyhow::Result<Vec<Entry>> {
    let mut licences = notices::of(project, target, packages)?;
    licences.push(Entry::data("LICENSE", project.file("LICENSE")?));
    Ok(licences)
}

pub(crate) fn executable(package: &str, target: &str) -> String {
    let suffix = if target.contains("-windows-") {
        ".exe"
    } else {
        ""
    };
    format!("{package}{suffix}")
}

pub(crate) fn read(folder: &Path, package: &str, target: &str) -> anyhow::Result<Entry> {
    let name = executable(package, target);
    let path = folder.join(&name);
    let bytes = fs::read(&path).with_context(|| format!("could not read `{}`", path.display()))?;
    Ok(Entry::executable(name, bytes))
}

/// Returns a manual page for every command, such as `bot-cli-init`.
fn manual(project: &Project) -> anyhow::Result<Vec<Entry>> {
    let manifest = |package: &&str| -> anyhow::Result<Manifest> {
        let plugin = package.trim_start_matches("bot-cli-");
        let path = format!("plugins/{plugin}/manifest.json");
        serde_json::from_slice(&project.file(&path)?).with_context(|| format!("`{path}`"))
    };
    let manifests = TOGETHER.iter().filter(|it| **it != HOST).map(manifest);
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    let source = format!("{HOST} {}", project.fact(HOST, "version")?);
    let page = |command: clap::Command| {
        let man = Man::new(command).source(source.as_str()).manual("bot-cli");
        let mut bytes = Vec::new();
        man.render(&mut bytes)?;
        let path = format!("share/man/man1/{}", man.get_filename());
        Ok(Entry::data(path, bytes))
    };
    let pages = bot_cli::manual::pages(&manifests).into_iter();
    pages.map(page).collect()
}
