use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Stdio};

use bot_cli_tests::patience::{Events, PATIENCE, process, readable, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{command, done, tree, web};

/// The most runs that are interrupted.
const MOST: usize = 30;

/// Interrupts one run after another, each after so many changes of its folder, from none to all.
struct Interruptions {
    /// The numbers of changes that are still to come.
    after: VecDeque<usize>,
    early: u32,
    late: u32,
}

impl Interruptions {
    /// Counts the changes that a whole run makes in `folder`. With `target`, a folder of the project is there before.
    fn new(folder: &Path, target: bool) -> Self {
        if target {
            fs::create_dir(folder.join("my-bot")).unwrap();
        }
        let mut child = start(folder);
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

    /// Returns how many changes the next run is to make; nothing once there were all.
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

fn start(folder: &Path) -> Child {
    let mut command = command(folder, &web(&["my-bot"]));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Waits until there were so many changes in the folder, or `end` is readable: a process that has ended, or what it says at
/// its end. Returns how many changes there were.
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

/// Starts a run and ends it after so many changes.
fn interrupt(folder: &Path, signal: Signal, after: usize) {
    let mut child = start(folder);
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

#[test]
fn a_new_target_is_there_completely_or_not_at_all_whenever_the_run_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let complete = finished(folder.path());
    let mut runs = Interruptions::new(folder.path(), false);
    while let Some(after) = runs.next() {
        interrupt(folder.path(), Signal::KILL, after);
        runs.learn(target.exists());
        if target.exists() {
            assert_eq!(tree(&target), complete, "after {after}");
        }
        done(folder.path(), &web(&["my-bot"]));
        assert_eq!(tree(&target), complete);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_dir_all(&target).unwrap();
    }
}

#[test]
fn the_next_run_completes_what_a_killed_one_began_in_a_directory_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let mut complete = finished(folder.path());
    complete.insert("mine".to_owned(), b"mine".to_vec());
    let mut runs = Interruptions::new(folder.path(), true);
    while let Some(after) = runs.next() {
        fs::create_dir(&target).unwrap();
        fs::write(target.join("mine"), "mine").unwrap();
        interrupt(folder.path(), Signal::KILL, after);
        let found = tree(&target);
        runs.learn(found.len() > 1);
        // What is there so far is mine or exactly as it will be.
        for (name, bytes) in found {
            assert_eq!(Some(&bytes), complete.get(&name), "{name}, after {after}");
        }
        let next = super::run(folder.path(), &web(&["my-bot"]));
        assert_eq!(next.status, Some(0), "{next:?}");
        assert_eq!(tree(&target), complete);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_dir_all(&target).unwrap();
    }
}

#[test]
fn signals_leave_all_or_nothing_and_no_leftovers_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let complete = finished(folder.path());
    let mut runs = Interruptions::new(folder.path(), true);
    while let Some(after) = runs.next() {
        let signals = [Signal::INT, Signal::TERM, Signal::HUP];
        let signal = signals[(runs.early + runs.late) as usize % 3];
        fs::create_dir(&target).unwrap();
        interrupt(folder.path(), signal, after);
        let found = tree(&target);
        runs.learn(!found.is_empty());
        assert!(
            found.is_empty() || found == complete,
            "{signal:?}: {:?}",
            found.keys()
        );
        done(folder.path(), &web(&["my-bot"]));
        assert_eq!(tree(&target), complete);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_dir_all(&target).unwrap();
    }
}

/// Has the plugin scaffold over the protocol, signals it after so many changes, and returns its reply and its status.
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
    stdin.write_all(format!("{request}\n").as_bytes()).unwrap();
    changes(folder, child.stdout.as_ref().unwrap(), after);
    let _ = kill_process(Pid::from_child(&child), signal);
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
