use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io::Write;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use bot_cli_tests::patience::{Events, PATIENCE, process, readable, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::update::contents;
use super::{command, done, plant, tree, web};

/// The maximum number of interrupted runs.
const MOST: usize = 30;

pub(super) const STAGING: &str = ".bot-cli-init-staging";

/// A series of interrupted runs. The number of changes before each interruption increases from none to all.
struct Interruptions {
    /// The numbers of changes for the remaining runs.
    after: VecDeque<usize>,
    early: u32,
    late: u32,
}

impl Interruptions {
    /// Counts the changes that a complete run makes in `folder`. If `target` is true, creates the project's folder before the run.
    fn new(folder: &Path, target: bool) -> Self {
        if target {
            fs::create_dir(folder.join("my-bot")).unwrap();
        }
        let mut child = start(folder, &web(&["my-bot"]));
        let all = changes(folder, &process(child.id()).unwrap(), usize::MAX);
        assert!(child.wait().unwrap().success());
        fs::remove_dir_all(folder.join("my-bot")).unwrap();
        let step = all.div_ceil(MOST - 1).max(1);
        // After the last one the run is let go on to its end.
        let after = (0..=all).step_by(step).chain([usize::MAX]);
        Self {
            after: after.collect(),
            early: 0,
            late: 0,
        }
    }

    /// Returns the number of changes before the next interruption, or `None` after the last.
    fn next(&mut self) -> Option<usize> {
        let next = self.after.pop_front();
        assert!(
            next.is_some() || (self.early > 0 && self.late > 0),
            "{} too early, {} too late",
            self.early,
            self.late
        );
        next
    }

    fn learn(&mut self, was_changed: bool) {
        if was_changed {
            self.late += 1;
        } else {
            self.early += 1;
        }
    }
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = command(folder, arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Counts the changes in `folder`. Stops after `most` changes, or when `end` shows that the process has ended. Returns the count.
fn changes(folder: &Path, end: &impl AsFd, most: usize) -> usize {
    let events = Events::new().unwrap();
    events.watch_all(folder);
    let mut seen = 0;
    while seen < most {
        let mut sources = [events.readable(), readable(end)];
        assert!(wait(&mut sources, PATIENCE));
        let has_ended = !sources[1].revents().is_empty();
        seen += events.take();
        if has_ended {
            break;
        }
        // What has come since, below the folder, is watched as well.
        events.watch_all(folder);
    }
    seen
}

/// Starts a run and sends it a signal after this many changes.
fn interrupt(folder: &Path, arguments: &[&str], signal: Signal, after: usize) {
    let mut child = start(folder, arguments);
    changes(folder, &process(child.id()).unwrap(), after);
    // It may have ended by itself; then there is nothing to end.
    let _ = kill_process(Pid::from_child(&child), signal);
    child.wait().unwrap();
}

fn finished(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let other = tempfile::tempdir_in(folder.parent().unwrap()).unwrap();
    done(other.path(), &web(&["my-bot"]));
    tree(&other.path().join("my-bot"))
}

/// Without a folder, nothing has to be tidied up, so that even a run that is killed leaves all or nothing.
#[test]
fn a_project_is_there_completely_or_not_at_all_whenever_the_run_is_ended() {
    for (signals, is_there) in [
        (&[Signal::KILL][..], false),
        (&[Signal::INT, Signal::TERM, Signal::HUP], true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("my-bot");
        let complete = finished(folder.path());
        let mut runs = Interruptions::new(folder.path(), is_there);
        while let Some(after) = runs.next() {
            let signal = signals[(runs.early + runs.late) as usize % signals.len()];
            if is_there {
                fs::create_dir(&target).unwrap();
            }
            interrupt(folder.path(), &web(&["my-bot"]), signal, after);
            let is_made = target.exists() && !tree(&target).is_empty();
            runs.learn(is_made);
            assert!(!is_made || tree(&target) == complete, "{signal:?} {after}");
            done(folder.path(), &web(&["my-bot"]));
            assert_eq!(tree(&target), complete);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
            fs::remove_dir_all(&target).unwrap();
        }
    }
}

#[test]
fn an_update_that_was_begun_is_finished_without_its_options_whatever_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    done(folder.path(), &web(&["my-bot", "--recording"]));
    let from = contents(&target);
    done(
        folder.path(),
        &["my-bot", "--update", "--no-recording", "--transcription"],
    );
    let to = contents(&target);
    let changed = from
        .keys()
        .chain(to.keys())
        .filter(|name| from.get(*name) != to.get(*name));
    let changed: BTreeSet<&String> = changed.collect();
    let (record, files): (Vec<_>, Vec<_>) = changed
        .into_iter()
        .partition(|name| name.starts_with(".bot-cli/"));
    assert!(
        files.len() > 4 && record.len() == 2,
        "{files:?}, {record:?}"
    );
    // The archive is the last.
    let order: Vec<&String> = files.into_iter().chain(record.into_iter().rev()).collect();
    for done in 0..order.len() {
        let mut found = from.clone();
        for name in &order[..done] {
            found.remove(*name);
            found.extend(to.get(*name).map(|bytes| ((*name).clone(), bytes.clone())));
        }
        plant(&target, &found);
        let staging = leave(&target, &to[".bot-cli/project.json"]);
        let is_recorded = done + 1 == order.len();
        if !is_recorded {
            let check = super::run(folder.path(), &["my-bot", "--update", "--check"]);
            assert_eq!(check.status, Some(1), "{check:?}");
            let create = super::run(folder.path(), &web(&["my-bot", "--eval"]));
            let hint = "`bot-cli init my-bot --update` finishes it";
            assert!(create.stderr.contains(hint), "{create:?}");
        }
        let next = super::run(folder.path(), &["my-bot", "--update"]);
        let goes_on = next.stderr.contains("`--update` goes on with it");
        assert_eq!((next.status, goes_on), (Some(0), !is_recorded), "{next:?}");
        assert_eq!(contents(&target), to, "{done}");
        assert!(!staging.exists());
    }
}

/// Has the plugin generate a project over the protocol, and sends it a signal after this many changes. Returns the reply and the exit
/// status.
fn interrupt_request(folder: &Path, signal: Signal, after: usize) -> (Option<Value>, Option<i32>) {
    let mut child = command(folder, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"argv": web(&["my-bot"])}});
    // The input stays open: only the signal brings it to an end before the reply.
    let mut stdin = child.stdin.take().unwrap();
    let mut send = || stdin.write_all(format!("{request}\n").as_bytes());
    if after > 0 {
        send().unwrap();
        changes(folder, child.stdout.as_ref().unwrap(), after);
    }
    let _ = kill_process(Pid::from_child(&child), signal);
    if after == 0 {
        // It has nothing to change before the signal, and may have ended by now.
        let _ = send();
    }
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let reply = output.stdout.split(|byte| *byte == b'\n').next();
    (
        reply.and_then(|line| serde_json::from_slice(line).ok()),
        output.status.code(),
    )
}

#[test]
fn a_signal_to_a_plugin_that_serves_leaves_all_or_nothing_and_a_reply_that_is_true() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let complete = finished(folder.path());
    let mut runs = Interruptions::new(folder.path(), true);
    while let Some(after) = runs.next() {
        let (signal, status) = [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)]
            [(runs.early + runs.late) as usize % 3];
        fs::create_dir(&target).unwrap();
        let (reply, ended) = interrupt_request(folder.path(), signal, after);
        let found = tree(&target);
        runs.learn(!found.is_empty());
        // Before it has taken over signals it ends as any process does.
        assert!(ended.is_none() || ended == Some(status), "{ended:?}");
        match reply {
            Some(reply) if reply.get("result").is_some() => assert_eq!(found, complete),
            reply => assert!(found.is_empty(), "{reply:?}: {:?}", found.keys()),
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_dir_all(&target).unwrap();
    }
}

/// Writes to `target` what a run leaves if it is killed between its changes, before it writes this record. Returns the staging folder.
fn leave(target: &Path, record: &[u8]) -> PathBuf {
    let staging = target.join(STAGING);
    fs::create_dir_all(staging.join("new")).unwrap();
    fs::write(staging.join("new/README.md"), "new").unwrap();
    let mark = "# bot-cli init makes its changes ready in this folder.\n*\n";
    fs::write(staging.join(".gitignore"), mark).unwrap();
    fs::write(staging.join("begun.json"), record).unwrap();
    staging
}

#[test]
fn a_creation_that_was_killed_is_completed_by_its_own_command_alone() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let options = web(&["my-bot", "--recording"]);
    done(folder.path(), &options);
    let complete = tree(&target);
    let is_file = |path: &&String| !path.ends_with('/') && !path.starts_with(".bot-cli/");
    let files: Vec<&String> = complete.keys().filter(is_file).collect();
    for made in [0, 1, files.len() / 2, files.len()] {
        let mut found = complete.clone();
        found.retain(|path, _| !path.starts_with(".bot-cli/") && !files[made..].contains(&path));
        plant(&target, &found);
        leave(&target, &complete[".bot-cli/project.json"]);
        let before = tree(&target);
        for further in [
            &["--eval"][..],
            &["--update"],
            &["--update", "--check"],
            &["--adopt"],
            &["--adopt", "--dry-run"],
        ] {
            let other = match further {
                ["--eval"] => web(&["my-bot", "--eval"]),
                further => [&["my-bot"], further].concat(),
            };
            let run = super::run(folder.path(), &other);
            assert!(matches!(run.status, Some(1 | 2)), "{run:?}");
            assert_eq!(
                run.stderr.lines().next(),
                Some("error: an earlier run has not finished creating this project"),
            );
            let hint = "hint: nothing was changed; `bot-cli init my-bot --name my-bot --transport ";
            assert!(run.stderr.contains(hint), "{run:?}");
            assert!(
                run.stderr.contains(" --recording` completes it\n"),
                "{run:?}"
            );
            assert_eq!(tree(&target), before);
        }
        done(folder.path(), &options);
        assert_eq!(tree(&target), complete);
    }
}

#[test]
fn what_was_made_ready_and_not_begun_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    fs::create_dir(&target).unwrap();
    let staging = leave(&target, b"");
    fs::remove_file(staging.join("begun.json")).unwrap();
    // What can't be done as it is written changes nothing.
    let run = super::run(
        folder.path(),
        &["my-bot", "--update", "--config", "none.json"],
    );
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(staging.exists());
    let run = super::run(folder.path(), &web(&["my-bot"]));
    assert!(!run.stderr.contains("interrupted"), "{run:?}");
    assert!(!staging.exists());
}
