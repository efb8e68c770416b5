use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{command, done, tree, web};

/// Looks for the moment in which a run changes its target: every run that came too early makes the next delay longer,
/// every one that came too late makes it shorter.
struct Hunt {
    delay: Duration,
    step: Duration,
    early: u32,
    late: u32,
}

impl Hunt {
    /// Begins in the middle of a run of usual length.
    fn new(folder: &Path) -> Self {
        let start = Instant::now();
        done(folder, &web(&["timed-bot"]));
        let whole = start.elapsed();
        fs::remove_dir_all(folder.join("timed-bot")).unwrap();
        Self {
            delay: whole / 2,
            step: whole / 8,
            early: 0,
            late: 0,
        }
    }

    fn learn(&mut self, was_changed: bool) {
        if was_changed {
            self.late += 1;
            self.delay = self.delay.saturating_sub(self.step);
        } else {
            self.early += 1;
            self.delay += self.step;
        }
        self.step = (self.step * 9 / 10).max(Duration::from_micros(300));
    }

    /// Some thirty attempts, and more until both sides of the moment were seen.
    fn goes_on(&self) -> bool {
        let seen = self.early + self.late;
        assert!(
            seen < 500,
            "{} too early, {} too late",
            self.early,
            self.late
        );
        seen < 30 || self.early == 0 || self.late == 0
    }
}

/// Waits more exactly than a sleep does.
fn wait(delay: Duration) {
    let start = Instant::now();
    while start.elapsed() < delay {
        std::hint::spin_loop();
    }
}

/// Starts a run and ends it after `delay`.
fn interrupt(folder: &Path, signal: Option<Signal>, delay: Duration) {
    let mut child = command(folder, &web(&["my-bot"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait(delay);
    // It may have ended by itself; then there is nothing to end.
    match signal {
        None => child.kill().unwrap_or_default(),
        Some(signal) => kill_process(Pid::from_child(&child), signal).unwrap_or_default(),
    }
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
    let mut hunt = Hunt::new(folder.path());
    while hunt.goes_on() {
        interrupt(folder.path(), None, hunt.delay);
        hunt.learn(target.exists());
        if target.exists() {
            assert_eq!(tree(&target), complete, "after {:?}", hunt.delay);
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
    let mut hunt = Hunt::new(folder.path());
    while hunt.goes_on() {
        fs::create_dir(&target).unwrap();
        fs::write(target.join("mine"), "mine").unwrap();
        interrupt(folder.path(), None, hunt.delay);
        let found = tree(&target);
        hunt.learn(found.len() > 1);
        // What is there so far is mine or exactly as it will be.
        for (name, bytes) in found {
            assert_eq!(
                Some(&bytes),
                complete.get(&name),
                "{name}, after {:?}",
                hunt.delay
            );
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
    let mut hunt = Hunt::new(folder.path());
    while hunt.goes_on() {
        let signals = [Signal::INT, Signal::TERM, Signal::HUP];
        let signal = signals[(hunt.early + hunt.late) as usize % 3];
        fs::create_dir(&target).unwrap();
        interrupt(folder.path(), Some(signal), hunt.delay);
        let found = tree(&target);
        hunt.learn(!found.is_empty());
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

/// Has the plugin scaffold over the protocol, signals it after `delay`, and returns its reply and its status.
fn interrupt_request(
    folder: &Path,
    signal: Signal,
    delay: Duration,
) -> (Option<Value>, Option<i32>) {
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
    wait(delay);
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
    let mut hunt = Hunt::new(folder.path());
    while hunt.goes_on() {
        let (signal, status) = [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)]
            [(hunt.early + hunt.late) as usize % 3];
        fs::create_dir(&target).unwrap();
        let (reply, ended) = interrupt_request(folder.path(), signal, hunt.delay);
        let found = tree(&target);
        hunt.learn(!found.is_empty());
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
