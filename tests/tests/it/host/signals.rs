//! Tests that no process is left behind, whatever ends the run.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Stdio};

use bot_cli_tests::bench::{Bench, is_alive};
use bot_cli_tests::patience::{PATIENCE, readable, wait};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use super::bench_with_rogue;

/// A host whose plugin is running.
struct Running {
    host: Child,
    stdout: BufReader<ChildStdout>,
    plugin: u32,
}

/// Starts the host and waits until the plugin prints its own process ID.
fn start(bench: &Bench, mode: &str) -> Running {
    let mut host = bench
        .host(&["rogue", mode])
        .env("IT_PATIENCE", "100")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(host.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    Running {
        host,
        stdout,
        plugin: line.trim().parse().unwrap(),
    }
}

impl Running {
    /// Waits until the host ends. Returns its exit status and standard error.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        let mut stderr = String::new();
        let mut pipe = self.host.stderr.take().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        let status = self.host.wait().unwrap().code();
        assert!(!is_alive(self.plugin), "the plugin goes on");
        (status, stderr)
    }
}

#[test]
fn signals_end_a_plugin_that_does_not_listen_or_ignores_them() {
    for (mode, signals, status) in [
        ("silent", &[Signal::INT][..], 130),
        ("silent", &[Signal::TERM], 143),
        ("silent", &[Signal::HUP], 143),
        ("stubborn", &[Signal::INT, Signal::INT], 130),
    ] {
        let running = start(&bench_with_rogue(), mode);
        assert!(is_alive(running.plugin));
        for signal in signals {
            kill_process(Pid::from_child(&running.host), *signal).unwrap();
        }
        assert_eq!(running.end(), (Some(status), "cancelled\n".to_owned()));
    }
}

#[test]
fn a_signal_that_the_parent_ignores_stays_ignored() {
    let bench = bench_with_rogue();
    for (name, signal) in [("INT", Signal::INT), ("TERM", Signal::TERM)] {
        let host = bench.host(&["rogue", "silent"]);
        let mut command = std::process::Command::new("/bin/sh");
        command
            .args(["-c", &format!("trap '' {name}; exec \"$0\" rogue silent")])
            .arg(host.get_program())
            .env_clear()
            .envs(bench.environment())
            .env("IT_PATIENCE", "100")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut host = command.spawn().unwrap();
        let mut stdout = BufReader::new(host.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let process = format!("/proc/{}/status", host.id());
        let caught = std::fs::read_to_string(process).unwrap();
        let caught = caught.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        assert_eq!(caught & (1 << (signal.as_raw() - 1)), 0, "{name}");
        host.kill().unwrap();
        host.wait().unwrap();
    }
}

#[test]
fn what_a_plugin_started_ends_with_it() {
    let bench = bench_with_rogue();
    let ran = bench.run(&["rogue", "grandchild"]).unwrap();
    let (process, rest) = ran.stdout.split_once('\n').unwrap();
    assert_eq!(
        (ran.status, rest, ran.stderr.as_str()),
        (Some(0), "done\n", "")
    );
    assert!(!is_alive(process.parse().unwrap()));
}

#[test]
fn what_a_killed_plugin_leaves_is_ended_and_its_work_is_in_doubt() {
    let bench = bench_with_rogue();
    let output = bench
        .host(&["rogue", "killed-parent"])
        .env("IT_PATIENCE", "100")
        .output()
        .unwrap();
    let ran = bench.ran(&output).unwrap();
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (
            Some(125),
            "error: plugin `rogue` ended without a reply (signal: 9 (SIGKILL))\n\
             hint: if it was changing something, look at what became of that\n"
        )
    );
    let child: u32 = ran.stdout.trim().parse().unwrap();
    assert!(!is_alive(child), "{child} goes on");
    let ran = bench.run(&["rogue", "killed-parent", "--json"]).unwrap();
    let document: serde_json::Value = ran.stdout.parse().unwrap();
    assert_eq!(document["error"]["outcome"], "unknown");
}

#[test]
fn a_plugin_ends_when_its_host_is_killed() {
    let mut running = start(&bench_with_rogue(), "silent");
    let plugin = Pid::from_raw(running.plugin.try_into().unwrap()).unwrap();
    let plugin = pidfd_open(plugin, PidfdFlags::empty()).unwrap();
    running.host.kill().unwrap();
    running.host.wait().unwrap();
    assert!(wait(&mut [readable(&plugin)], PATIENCE), "it goes on");
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let bench = bench_with_rogue();
    let mut command = bench.host(&["rogue", "banner"]);
    let mut host = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(host.stdout.take());
    let mut stderr = String::new();
    host.stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (host.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}

#[test]
fn a_full_disk_is_a_failure() {
    let bench = bench_with_rogue();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = bench
        .host(&["rogue", "banner"])
        .stdout(full)
        .output()
        .unwrap();
    let ran = bench.ran(&output).unwrap();
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (
            Some(74),
            "error: the command ran to its end, but its result could not be written: no space left on device\n"
        )
    );
}
