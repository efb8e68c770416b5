//! `--check`: the same commit gives the same bytes, in another folder, too.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::dist::DistArguments;
use crate::entry::{Entry, sum};
use crate::progress::say;
use crate::project::{Project, cargo};

/// Builds from a clone in another folder, with nothing that was built before, and compares.
pub(crate) fn again(
    project: &Project,
    arguments: &DistArguments,
    first: &[Entry],
) -> anyhow::Result<()> {
    if !git(project, &["status", "--porcelain"])?.is_empty() {
        bail!(
            "the second build is of the last commit, and files have changed since: commit them first"
        );
    }
    let parent = project.target_folder.join("again");
    fs::create_dir_all(&parent)?;
    let folder = tempfile::tempdir_in(&parent)?;
    let copy = folder.path().join("another folder");
    let source = project.root.to_string_lossy();
    git(
        project,
        &["clone", "--quiet", &source, &copy.to_string_lossy()],
    )?;
    let out = folder.path().join("dist");
    say(&format!("building again in {}", copy.display()));
    let mut path = vec![project.target_folder.join("tools/bin")];
    path.extend(env::var_os("PATH").iter().flat_map(env::split_paths));
    let status = cargo(&copy)
        .args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "xtask",
            "--",
            "dist",
        ])
        .args(["--target", &arguments.target, "--out"])
        .arg(&out)
        .env_remove("CARGO_TARGET_DIR")
        .env("PATH", env::join_paths(path)?)
        .env("SOURCE_DATE_EPOCH", project.time.to_string())
        .status()
        .context("could not run cargo")?;
    if !status.success() {
        bail!("the second build failed");
    }
    let mut second = BTreeMap::new();
    for entry in fs::read_dir(&out)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        second.insert(name, sum(&fs::read(entry.path())?));
    }
    let differ: Vec<&str> = first
        .iter()
        .filter(|entry| second.get(&entry.path) != Some(&sum(&entry.bytes)))
        .map(|entry| entry.path.as_str())
        .collect();
    if !differ.is_empty() || second.len() != first.len() {
        bail!("the second build differs: {}", differ.join(", "));
    }
    say(&format!(
        "built twice: {} files, the same bytes",
        first.len()
    ));
    Ok(())
}

fn git(project: &Project, words: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git")
        .args(words)
        .current_dir(&project.root)
        .output()
        .context("could not run git")?;
    if !output.status.success() {
        bail!(
            "`git {}`: {}",
            words.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}
