//! What belongs to the executables: completions, manual pages, licences and notices.

use std::process::Command;

use anyhow::{Context as _, bail};
use bot_cli_protocol::Manifest;
use clap_mangen::Man;

use crate::entry::Entry;
use crate::executables::{Executables, suffix};
use crate::notices;
use crate::notices::Graph;
use crate::project::{Project, TOGETHER};

/// The members with a manifest, and so with pages of the manual.
const MANIFESTS: [&str; 3] = [
    "plugins/plugin/manifest.json",
    "plugins/init/manifest.json",
    "plugins/cloud/manifest.json",
];

/// Everything that is installed.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) target: String,
    /// The executables, which find one another in one folder.
    pub(crate) executables: Vec<Entry>,
    /// Below `share`: completions and manual pages, where shells and `man` look.
    pub(crate) share: Vec<Entry>,
    /// Licence and notices.
    pub(crate) licences: Vec<Entry>,
}

impl Contents {
    pub(crate) fn of(project: &Project, executables: &Executables) -> anyhow::Result<Self> {
        let target = &executables.target;
        let graph = Graph::read(project, target, &TOGETHER)?;
        let mut licences = vec![Entry::data("LICENSE", project.file("LICENSE")?)];
        licences.extend(notices::of(&graph, target)?);
        let mut share = completions(executables)?;
        share.extend(manual(project)?);
        Ok(Self {
            target: target.clone(),
            executables: executables.together.clone(),
            share,
            licences,
        })
    }
}

/// The scripts, as the host itself prints them.
fn completions(executables: &Executables) -> anyhow::Result<Vec<Entry>> {
    let host = executables
        .folder
        .join(format!("{}{}", TOGETHER[0], suffix(&executables.target)));
    let places = [
        ("bash", "share/bash-completion/completions/bot-cli"),
        ("zsh", "share/zsh/site-functions/_bot-cli"),
        ("fish", "share/fish/vendor_completions.d/bot-cli.fish"),
        // PowerShell looks nowhere: a profile names the file.
        ("powershell", "share/powershell/completions/bot-cli.ps1"),
    ];
    let script = |(shell, place): (&str, &str)| {
        let output = Command::new(&host)
            .args(["completions", shell])
            .output()
            .with_context(|| format!("could not run `{}`", host.display()))?;
        if !output.status.success() || output.stdout.is_empty() {
            bail!("`{} completions {shell}` printed no script", host.display());
        }
        Ok(Entry::data(place, output.stdout))
    };
    places.into_iter().map(script).collect()
}

/// A page for each command: `man bot-cli-init`.
fn manual(project: &Project) -> anyhow::Result<Vec<Entry>> {
    let manifest = |path: &&str| -> anyhow::Result<Manifest> {
        serde_json::from_slice(&project.file(path)?).with_context(|| format!("`{path}`"))
    };
    let manifests = MANIFESTS
        .iter()
        .map(manifest)
        .collect::<Result<Vec<_>, _>>()?;
    let source = format!("{} {}", TOGETHER[0], project.version()?);
    let page = |command: clap::Command| {
        let man = Man::new(command).source(source.as_str()).manual("bot-cli");
        let mut bytes = Vec::new();
        man.render(&mut bytes)?;
        Ok(Entry::data(
            format!("share/man/man1/{}", man.get_filename()),
            bytes,
        ))
    };
    bot_cli::manual::pages(&manifests)
        .into_iter()
        .map(page)
        .collect()
}
