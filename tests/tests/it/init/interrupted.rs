use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{command, done, tree, web};

/// How long a run takes from start to end.
fn duration(folder: &Path) -> Duration {
    let start = Instant::now();
    done(folder, &web(&["timed-bot"]));
    let took = start.elapsed();
    fs::remove_dir_all(folder.join("timed-bot")).unwrap();
    took
}

/// Moments of a run from its start to a little behind its end, most of them while it writes.
fn moment(whole: Duration, attempt: u32, attempts: u32) -> Duration {
    match attempt {
        0..6 => whole * attempt / 12,
        _ => whole / 4 + whole * attempt / attempts,
    }
}

/// Starts a run and ends it with `signal` after `delay`.
fn interrupt(folder: &Path, signal: &str, delay: Duration) {
    let mut child = command(folder, &web(&["my-bot"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while start.elapsed() < delay {
        std::hint::spin_loop();
    }
    let killed = std::process::Command::new("kill")
        .args([signal, &child.id().to_string()])
        .stderr(Stdio::null())
        .status()
        .unwrap();
    // It may have ended already; then there is nothing to kill.
    let _ = killed;
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
    let complete = finished(folder.path());
    let whole = duration(folder.path());
    let (mut absent, mut present) = (0, 0);
    for attempt in 0..30 {
        interrupt(folder.path(), "-KILL", moment(whole, attempt, 30));
        let target = folder.path().join("my-bot");
        if target.exists() {
            assert_eq!(tree(&target), complete, "attempt {attempt}");
            present += 1;
        } else {
            absent += 1;
        }
        done(folder.path(), &web(&["my-bot"]));
        assert_eq!(tree(&target), complete, "attempt {attempt}");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "attempt {attempt}"
        );
        fs::remove_dir_all(target).unwrap();
    }
    assert!(
        absent > 0 && present > 0,
        "{absent} absent, {present} present"
    );
}

#[test]
fn the_next_run_completes_what_a_killed_one_began_in_a_directory_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let mut complete = finished(folder.path());
    complete.insert("mine".to_owned(), b"mine".to_vec());
    let whole = duration(folder.path());
    for attempt in 0..30 {
        fs::create_dir(&target).unwrap();
        fs::write(target.join("mine"), "mine").unwrap();
        interrupt(folder.path(), "-KILL", moment(whole, attempt, 30));
        // What is there so far is mine or exactly as it will be.
        for (name, bytes) in tree(&target) {
            assert_eq!(
                Some(&bytes),
                complete.get(&name),
                "{name}, attempt {attempt}"
            );
        }
        let next = super::run(folder.path(), &web(&["my-bot"]));
        assert_eq!(next.status, Some(0), "{next:?}");
        assert_eq!(tree(&target), complete, "attempt {attempt}");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "attempt {attempt}"
        );
        fs::remove_dir_all(&target).unwrap();
    }
}

#[test]
fn signals_leave_all_or_nothing_and_no_leftovers_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    let complete = finished(folder.path());
    let whole = duration(folder.path());
    for attempt in 0..30 {
        fs::create_dir(&target).unwrap();
        let signal = ["-INT", "-TERM", "-HUP"][attempt as usize % 3];
        interrupt(folder.path(), signal, moment(whole, attempt, 30));
        let found = tree(&target);
        assert!(
            found.is_empty() || found == complete,
            "{signal}, attempt {attempt}: {:?}",
            found.keys()
        );
        done(folder.path(), &web(&["my-bot"]));
        assert_eq!(tree(&target), complete);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_dir_all(&target).unwrap();
    }
}
