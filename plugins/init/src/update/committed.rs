//! Reads project files from git. The repository may be malicious, so nothing from the repository is executed.

use std::env::{self, consts::EXE_SUFFIX};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bot_cli_engine::discovery::{Folders, Trust, user};

use super::settle::same_lines;
use crate::transaction::Change;

/// The maximum time to wait for git.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the files in `changes` that differ from the latest commit. Returns `None` if the target is not in a repository, or if git fails.
pub(crate) fn uncommitted(target: &Path, changes: &[&Change]) -> Option<Vec<String>> {
    let requests = changes.iter().fold(String::new(), |requests, change| {
        requests + "HEAD:./" + &change.path + "\n"
    });
    let answer = ask(target, requests)?;
    let mut rest = answer.as_slice();
    let mut uncommitted = Vec::new();
    for change in changes {
        let (committed, after) = object(rest)?;
        rest = after;
        let is_same = committed.is_some_and(|committed| {
            (change.replaces.as_deref()).is_some_and(|there| same_lines(there, committed))
        });
        if !is_same {
            uncommitted.push(change.path.clone());
        }
    }
    Some(uncommitted)
}

/// Finds the git executable. Ignores executables that are inside the repository at `root` or that other users can replace.
fn git(root: &Path) -> Option<PathBuf> {
    let trust = Trust {
        user: user(),
        host: None,
    };
    let folders = Folders::default();
    env::split_paths(&env::var_os("PATH")?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(format!("git{EXE_SUFFIX}")))
        .filter_map(|file| trust.check(&file, &folders).ok())
        .find(|file| !file.starts_with(root))
}

/// Reads objects from git without writing anything or fetching missing objects.
fn ask(target: &Path, requests: String) -> Option<Vec<u8>> {
    let root = target.ancestors().find(|it| it.join(".git").exists())?;
    let known = ["HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SystemRoot"];
    let known = known
        .iter()
        .filter_map(|name| Some((name, env::var_os(name)?)));
    let mut child = Command::new(git(root)?)
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(["cat-file", "--batch"])
        .current_dir(target)
        .env_clear()
        .envs(known)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
    thread::spawn(move || stdin.write_all(requests.as_bytes()));
    let (send, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut read = Vec::new();
        let _ = send.send(stdout.read_to_end(&mut read).map(|_| read));
    });
    let answer = answer.recv_timeout(PATIENCE);
    let _ = child.kill();
    let _ = child.wait();
    answer.ok()?.ok()
}

/// Parses the next object in git's output, and returns the object, if it exists, with the remaining output. Returns `None` if the output is
/// invalid.
fn object(answer: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let head = str::from_utf8(&answer[..end]).ok()?;
    let rest = &answer[end + 1..];
    if head.ends_with(" missing") {
        return Some((None, rest));
    }
    let size: usize = head.rsplit_once(' ')?.1.parse().ok()?;
    let (contents, after) = rest.split_at_checked(size)?;
    Some((Some(contents), after.strip_prefix(b"\n")?))
}
