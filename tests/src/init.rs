//! Runs `bot-cli-init` and inspects the results.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by panicking, and uses what it asked for"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

pub use crate::bench::Ran as Run;
use crate::bench::second_name;
use crate::executable::executable;
use crate::patience::PATIENCE;
use crate::signals::default_in_children;

/// The executable in a folder of its own: what cargo builds next to it must not change what it prints.
pub static ALONE: LazyLock<PathBuf> = LazyLock::new(|| {
    let built = executable("it-bot-cli-init");
    let folder = built.parent().unwrap().join("alone");
    fs::create_dir_all(&folder).unwrap();
    let alone = folder.join("bot-cli-init");
    // Several processes may do so at once.
    let new = folder.join(format!("bot-cli-init.{}", std::process::id()));
    second_name(&built, &new).unwrap();
    fs::rename(&new, &alone).unwrap();
    // If both are names of one file already, the new one is left.
    drop(fs::remove_file(new));
    alone
});

/// Returns a command that runs `bot-cli-init` in `folder`, without a terminal or any of this process's environment variables.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    default_in_children();
    let mut command = Command::new(&*ALONE);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .stdin(Stdio::null());
    command
}

/// Runs `bot-cli-init` in `folder`.
pub fn run(folder: &Path, arguments: &[&str]) -> Run {
    ran(command(folder, arguments))
}

/// Runs a command from [`command`].
pub fn ran(command: Command) -> Run {
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.timeout(PATIENCE).output().unwrap();
    Run {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Returns the standard output of a run. The run must succeed and print only the next commands and their notes to standard error.
pub fn done(folder: &Path, arguments: &[&str]) -> String {
    let run = run(folder, arguments);
    assert_eq!(run.status, Some(0), "{arguments:?}: {run:?}");
    assert!(
        run.stderr
            .lines()
            .all(|line| line.starts_with("next: ") || line.starts_with("      # ")),
        "{arguments:?}: {run:?}"
    );
    run.stdout
}

/// Returns the complete output of a run, for a snapshot.
pub fn shown(folder: &Path, arguments: &[&str]) -> String {
    let run = run(folder, arguments);
    let path = folder.canonicalize().unwrap().display().to_string();
    format!(
        "{}--- stderr, exit {}\n{}",
        run.stdout,
        run.status.unwrap_or(-1),
        run.stderr
    )
    .replace(&path, "[FOLDER]")
}

/// Runs with `--json` and returns the exit status and the document.
pub fn json(folder: &Path, arguments: &[&str]) -> (Option<i32>, serde_json::Value) {
    let mut arguments = arguments.to_vec();
    arguments.push("--json");
    let run = run(folder, &arguments);
    let document = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {run:?}"));
    (run.status, document)
}

/// Returns the invalid fields in a failure document, as `field: problem`.
pub fn problems(document: &serde_json::Value) -> Vec<String> {
    let fields = document["error"]["fields"].as_array().unwrap();
    fields
        .iter()
        .map(|field| {
            format!(
                "{}: {}",
                field["field"].as_str().unwrap(),
                field["problem"].as_str().unwrap()
            )
        })
        .collect()
}

/// Returns a hash as guides and records have it.
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hash = String::new();
    (digest.iter()).fold(hash, |hash, byte| format!("{hash}{byte:02x}"))
}

/// Returns every entry below a folder: files with their contents, links with their targets, and folders.
pub fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_symlink() {
                let aim = fs::read_link(&path).unwrap();
                found.insert(
                    format!("{name}@"),
                    aim.into_os_string().into_encoded_bytes(),
                );
            } else if kind.is_dir() {
                found.insert(format!("{name}/"), Vec::new());
                folders.push(path);
            } else {
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Replaces the contents of `target` with a tree from [`tree`] that has no links.
pub fn plant(target: &Path, tree: &BTreeMap<String, Vec<u8>>) {
    fs::remove_dir_all(target).unwrap();
    fs::create_dir(target).unwrap();
    for (name, bytes) in tree {
        let path = target.join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

/// The options for a web bot.
pub const WEB: [&str; 10] = [
    "-t",
    "p2p_webrtc",
    "-m",
    "cascade",
    "--stt",
    "deepgram_stt",
    "--llm",
    "openai_llm",
    "--tts",
    "cartesia_tts",
];

/// Returns `first` followed by [`WEB`].
pub fn web<'a>(first: &[&'a str]) -> Vec<&'a str> {
    first.iter().copied().chain(WEB).collect()
}
