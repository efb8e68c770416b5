//! Tests creations and updates of projects in which one system call fails or the process is ended at the call.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bot_cli_tests::init::{command, done, plant, run, tree, web};

/// The system calls that change a project or affect the outcome.
const CHANGING: [&str; 8] = [
    "write",
    "fsync",
    "rename,renameat,renameat2",
    "link,linkat",
    "mkdir,mkdirat",
    "unlink,unlinkat,rmdir",
    "chmod,fchmod,fchmodat",
    "flock",
];

/// An update that adds one file, removes two and changes others.
const UPDATE: [&str; 5] = [
    "my-bot",
    "--update",
    "--no-recording",
    "--transcription",
    "--no-deploy-to-cloud",
];
/// The folder with the prepared changes.
const STAGING: &str = ".bot-cli-init-staging/";
/// The folder with the files that the last update replaced.
const KEPT: &str = ".bot-cli/before/";

type Tree = BTreeMap<String, Vec<u8>>;

/// A project with user edits, before and after an update.
struct Project {
    folder: tempfile::TempDir,
    trace: tempfile::TempDir,
    before: Tree,
    after: Tree,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("my-bot");
        done(
            folder.path(),
            &web(&["my-bot", "--recording", "--deploy-to-cloud"]),
        );
        let tools = target.join("server/tools.py");
        let text = fs::read_to_string(&tools).unwrap();
        fs::write(tools, text + "\n\nMINE = 1\n").unwrap();
        let before = files(&target);
        done(folder.path(), &UPDATE);
        let after = files(&target);
        assert!(after.keys().any(|name| !before.contains_key(name)));
        assert!(before.keys().any(|name| !after.contains_key(name)));
        Self {
            folder,
            trace: tempfile::tempdir().unwrap(),
            before,
            after,
        }
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("my-bot")
    }

    /// Runs the update with a fault. Returns `None` if the update ends before the faulty system call.
    fn with_fault(&self, fault: &str) -> Option<Output> {
        plant(&self.target(), &self.before);
        let trace = self.trace.path().join("trace");
        with_fault(self.folder.path(), &UPDATE, fault, &trace)
    }

    /// Asserts that the next run completes an interrupted update.
    fn completes(&self, fault: &str) {
        let next = run(self.folder.path(), &UPDATE);
        assert_eq!(next.status, Some(0), "{fault}, then {next:?}");
        assert_eq!(
            differences(&files(&self.target()), &self.after),
            Vec::<&String>::new(),
            "{fault}"
        );
        let left = fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(left, 1, "{fault}");
    }
}

/// Runs `init` with a fault. Returns `None` if the run ends before the faulty system call.
fn with_fault(folder: &Path, words: &[&str], fault: &str, trace: &Path) -> Option<Output> {
    let plain = command(folder, words);
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-o"])
        .arg(trace)
        .arg("-e")
        .arg(format!("inject={fault}"))
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(folder)
        .env_clear();
    let output = strace.output().unwrap();
    let trace = fs::read_to_string(trace).unwrap();
    let is_there = ["+++ killed by SIGKILL +++", "(INJECTED)", "--- SIG"];
    is_there
        .iter()
        .any(|mark| trace.contains(mark))
        .then_some(output)
}

/// Returns the files in a project, except prepared changes and replaced files.
fn files(target: &Path) -> Tree {
    let mut files = tree(target);
    files.retain(|name, _| !name.starts_with(STAGING) && !name.starts_with(KEPT));
    files
}

fn differences<'a>(one: &'a Tree, other: &'a Tree) -> Vec<&'a String> {
    one.keys()
        .chain(other.keys())
        .filter(|name| one.get(*name) != other.get(*name))
        .collect()
}

/// Asserts that each file is in its old or its new state, and that no file common to both states is missing. Returns whether all files are
/// in the old state.
fn assert_between(target: &Path, from: &Tree, to: &Tree, fault: &str) -> bool {
    let found = files(target);
    for (name, bytes) in &found {
        let sides = [from.get(name), to.get(name)];
        assert!(sides.contains(&Some(bytes)), "{fault}: {name}");
    }
    for name in from.keys().filter(|name| to.contains_key(*name)) {
        assert!(found.contains_key(name), "{fault}: {name}");
    }
    found == *from
}

/// Without a folder, nothing has to be tidied up, so that even a run that is killed leaves all or nothing.
#[test]
fn a_creation_that_is_ended_anywhere_is_whole_or_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let trace = tempfile::tempdir().unwrap();
    let trace = trace.path().join("trace");
    let target = folder.path().join("my-bot");
    let words = web(&["my-bot"]);
    done(folder.path(), &words);
    let complete = tree(&target);
    for (signal, is_there) in [("KILL", false), ("INT", true), ("TERM", true)] {
        let (mut none, mut whole) = (0, 0);
        for calls in CHANGING {
            for when in (1..).step_by(5) {
                fs::remove_dir_all(&target).unwrap();
                if is_there {
                    fs::create_dir(&target).unwrap();
                }
                let fault = format!("{calls}:signal={signal}:when={when}");
                if with_fault(folder.path(), &words, &fault, &trace).is_none() {
                    break;
                }
                let found = if target.exists() {
                    tree(&target)
                } else {
                    Tree::new()
                };
                let is_none = found.is_empty();
                // Each thread that makes the call is signalled, and who asks twice does not wait.
                let trace = fs::read_to_string(&trace).unwrap();
                let is_asked_twice = trace.matches("--- SIG").count() > 1;
                let is_whole = is_none || found == complete;
                assert!(is_whole || is_asked_twice, "{fault}: {:?}", found.keys());
                none += usize::from(is_none);
                whole += usize::from(!is_none);
                done(folder.path(), &words);
                assert_eq!(tree(&target), complete, "{fault}");
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
            }
        }
        assert!(none > 5 && whole > 0, "{signal}: {none}, {whole}");
    }
}

#[test]
fn an_update_that_is_killed_anywhere_is_as_before_or_finished_by_the_next() {
    let project = Project::new();
    let (from, to) = (&project.before, &project.after);
    let (mut early, mut late) = (0, 0);
    for calls in CHANGING {
        for when in 1.. {
            let fault = format!("{calls}:signal=KILL:when={when}");
            if project.with_fault(&fault).is_none() {
                break;
            }
            let is_early = assert_between(&project.target(), from, to, &fault);
            early += usize::from(is_early);
            late += usize::from(!is_early);
            project.completes(&fault);
        }
    }
    assert!(early > 5 && late > 5, "{early} early, {late} late");
}

#[test]
fn an_update_with_a_system_call_that_fails_is_as_before_or_done_or_finished_by_the_next() {
    let project = Project::new();
    let (from, to) = (&project.before, &project.after);
    let (mut failed, mut made) = (0, 0);
    for (number, calls) in CHANGING.iter().enumerate() {
        let error = ["ENOSPC", "EIO", "EACCES"][number % 3];
        for when in (1..).step_by(2) {
            let fault = format!("{calls}:error={error}:when={when}");
            let Some(output) = project.with_fault(&fault) else {
                break;
            };
            let found = files(&project.target());
            let said = String::from_utf8_lossy(&output.stderr);
            if output.status.success() {
                assert_eq!(differences(&found, to), Vec::<&String>::new(), "{fault}");
                made += 1;
            } else {
                // Standard output may be what failed.
                let is_stuck = said.contains("it completes what was begun");
                let is_one = found == *from || found == *to;
                assert!(is_one || is_stuck, "{fault}: {said}");
                let says = said.contains("nothing was changed");
                assert!(!says || found == *from, "{fault}: {said}");
                failed += 1;
            }
            project.completes(&fault);
        }
    }
    assert!(failed > 2 && made > 2, "{failed} failed, {made} made");
}

#[test]
fn work_after_an_update_that_was_killed_is_merged_by_the_next_run() {
    let project = Project::new();
    let bot = project.target().join("server/bot.py");
    let mut spared = 0;
    for when in 1.. {
        let fault = format!("rename,renameat,renameat2:signal=KILL:when={when}");
        if project.with_fault(&fault).is_none() {
            break;
        }
        let code = fs::read_to_string(&bot).unwrap();
        fs::write(&bot, code.replace("Greet the user", "Greet the guest")).unwrap();
        let next = run(project.folder.path(), &UPDATE);
        assert_eq!(next.status, Some(0), "{fault}, then {next:?}");
        spared += usize::from(next.stderr.contains("`--update` goes on with it"));
        let code = fs::read_to_string(&bot).unwrap();
        assert!(code.contains("Greet the guest"), "{fault}: {code}");
        assert!(code.contains("log_transcript("), "{fault}: {code}");
        assert!(!code.contains("Recorder("), "{fault}: {code}");
        let mut found = files(&project.target());
        found.retain(|name, _| name != "server/bot.py");
        let mut expected = project.after.clone();
        expected.retain(|name, _| name != "server/bot.py");
        assert_eq!(
            differences(&found, &expected),
            Vec::<&String>::new(),
            "{fault}"
        );
    }
    assert!(spared > 0);
}
