//! No core dump of a process that knows secrets, and an unchanged limit for what it starts.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bot_cli_tests::bench::Bench;
use rustix::process::{Pid, Signal, kill_process};

use super::{bench, bench_with_rogue, expect};

/// A command with as large core files as this machine allows.
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

/// Aborts a process once it has said something, and tells whether a core was dumped.
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
    let bench = bench_with_rogue();
    let mut control = with_core_files(&bench, Path::new("/bin/sh"));
    let control = control
        .args(["-c", "echo ready; read -r _"])
        .spawn()
        .unwrap();
    if !dumps_core(control) {
        // This machine dumps no cores: there is nothing to prevent.
        return;
    }
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

#[test]
fn what_the_host_starts_has_the_users_limit_and_is_its_own_master() {
    let bench = bench();
    let limit = "ulimit -c; test -r /proc/self/environ && echo readable";
    bench
        .script("plugins/bot-cli-old", &format!("#!/bin/sh\n{limit}\n"))
        .unwrap();
    let script = format!(
        "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"new\",\"about\":\"New\"}}\nread -r _\n\
         printf '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"text\":\"%s\"}}}}\\n' \"$({limit})\" | tr '\\n' ' '\necho\n"
    );
    bench.script("plugins/bot-cli-new", &script).unwrap();
    let own = Command::new("/bin/sh")
        .args(["-c", limit])
        .output()
        .unwrap();
    let own = String::from_utf8(own.stdout).unwrap();
    expect(&bench, &["old"], 0, &own, "");
    expect(
        &bench,
        &["new"],
        0,
        &format!("{}\n", own.trim().replace('\n', " ")),
        "",
    );
}
