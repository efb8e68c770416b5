//! Checks that processes with secrets don't dump core.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bot_cli_tests::bench::Bench;
use rustix::process::{Pid, Signal, kill_process};

/// Returns a command whose core file limit is as high as this machine allows.
fn with_core_files(bench: &Bench, program: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "ulimit -c \"$(ulimit -H -c)\"; exec \"$0\" \"$@\""])
        .arg(program)
        .env_clear()
        .envs(bench.environment())
        .current_dir(bench.path("work"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// Aborts a process after its first line of output, and reports whether it dumped core.
fn dumps_core(mut child: Child) -> bool {
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    assert!(!line.is_empty());
    kill_process(Pid::from_child(&child), Signal::ABORT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(6), "{status}");
    status.core_dumped()
}

#[test]
fn neither_the_host_nor_a_plugin_leaves_a_core_dump() {
    let bench = Bench::new(&[
        ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
        ("bot-cli-rogue", env!("CARGO_BIN_EXE_it-bot-cli-rogue")),
    ])
    .unwrap();
    let mut control = with_core_files(&bench, Path::new("/bin/sh"));
    let control = control
        .args(["-c", "echo ready; read -r _"])
        .spawn()
        .unwrap();
    assert!(dumps_core(control), "this machine dumps no cores");
    for entry in fs::read_dir(bench.path("work")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let mut host = with_core_files(&bench, &bench.path("bin/bot-cli"));
    assert!(!dumps_core(host.args(["rogue", "silent"]).spawn().unwrap()));
    let greet = Path::new(env!("CARGO_BIN_EXE_it-greet"));
    let mut plugin = with_core_files(&bench, greet).spawn().unwrap();
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"describe\",\"params\":{}}\n";
    let mut stdin = plugin.stdin.take().unwrap();
    stdin.write_all(request).unwrap();
    assert!(!dumps_core(plugin));
    let left = fs::read_dir(bench.path("work")).unwrap().count();
    assert_eq!(left, 0, "files in the working folder");
}
