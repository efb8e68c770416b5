//! Tests with hosts that run each other. No process may remain, however the outermost host ends.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use bot_cli_tests::bench::{Bench, is_alive};
use bot_cli_tests::patience::{PATIENCE, wait_for_end};
use rustix::process::{Pid, Signal, kill_process};

use super::bench_with_rogue;

/// Receives the first `count` lines that are written to the pipe.
fn lines(pipe: &std::path::Path, count: usize) -> mpsc::Receiver<Vec<String>> {
    // Being a writer as well, it sees no end when one of the others has written.
    let pipe = File::options().read(true).write(true).open(pipe).unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let lines = BufReader::new(pipe).lines().map_while(Result::ok);
        sender.send(lines.take(count).collect())
    });
    receiver
}

/// Starts `hosts` nested hosts, the innermost with a plugin that only SIGKILL can end. Returns the outermost host and the process IDs of
/// all hosts and plugins.
fn chain(bench: &Bench, mode: &str, hosts: usize) -> (std::process::Child, Vec<u32>) {
    let pipe = bench.path("pids");
    let status = Command::new("mkfifo").arg(&pipe).status();
    assert!(status.unwrap().success());
    let told = lines(&pipe, hosts);
    let mut words = vec!["rogue"];
    words.extend(vec![mode; hosts - 1]);
    words.push("stubborn");
    let host = bench
        .host(&words)
        .env("IT_PATIENCE", "200")
        .env("IT_PIDS", &pipe)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let told = told.recv_timeout(PATIENCE).unwrap();
    std::fs::remove_file(pipe).unwrap();
    let pids = told.iter().flat_map(|line| line.split_whitespace());
    (host, pids.map(|pid| pid.parse().unwrap()).collect())
}

#[test]
fn nothing_is_left_at_any_depth() {
    let bench = bench_with_rogue();
    for hosts in [2, 3, 8] {
        for mode in ["nest", "nest-deaf"] {
            for signals in [
                &[Signal::TERM][..],
                &[Signal::INT],
                &[Signal::INT, Signal::INT],
            ] {
                let (mut host, pids) = chain(&bench, mode, hosts);
                assert_eq!(pids.len(), 2 * hosts);
                assert!(pids.iter().all(|pid| is_alive(*pid)));
                for signal in signals {
                    kill_process(Pid::from_child(&host), *signal).unwrap();
                }
                host.wait().unwrap();
                let left: Vec<_> = pids.into_iter().filter(|pid| is_alive(*pid)).collect();
                assert_eq!(left, [0; 0], "{hosts} {mode} {signals:?}");
            }
        }
    }
}

#[test]
fn a_daemon_that_a_plugin_starts_on_purpose_stays() {
    let bench = bench_with_rogue();
    let script = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"daemon"}
read -r _
setsid sh -c 'echo $$ >daemon; exec sleep 1000' </dev/null >/dev/null 2>&1 &
until [ -s daemon ]; do :; done
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"started\n"}}'
"#;
    bench.script("plugins/bot-cli-daemon", script).unwrap();
    let ran = bench.run(&["daemon"]).unwrap();
    assert_eq!(ran.stdout, "started\n", "{ran:?}");
    let pid = std::fs::read_to_string(bench.path("work/daemon")).unwrap();
    let pid: u32 = pid.trim().parse().unwrap();
    assert!(is_alive(pid));
    let process = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(process, Signal::KILL).unwrap();
    wait_for_end(pid);
}
