//! A plugin that breaks the protocol. The first argument selects the violation.
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio, abort};
use std::{fs, thread};

use bot_cli_tests::faulty;
use serde_json::{Value, json};
use signal_hook::consts::SIGCONT;
use signal_hook::iterator::Signals;

/// The manifest, which the host reads from the executable's bytes.
const MANIFEST: &str = concat!(
    "bot-cli-plugin: ",
    r#"{"protocol":"1.0","name":"rogue","version":"0.0.1","about":"Break the protocol"}"#,
    "\n"
);

const LINES: &str = include_str!("rogue.toml");

fn main() -> io::Result<ExitCode> {
    std::hint::black_box(MANIFEST);
    let mut request = String::new();
    io::stdin().lock().read_line(&mut request)?;
    let request: Value = serde_json::from_str(&request)?;
    let words: Vec<&str> = request["params"]["argv"]
        .as_array()
        .map(|words| words.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mode = words.first().copied().unwrap_or_default();
    let modes: BTreeMap<String, String> = toml::from_str(LINES).unwrap_or_default();
    if let Some(lines) = modes.get(mode) {
        if lines.starts_with("#!") {
            return Err(Command::new("/bin/sh").args(["-c", lines]).exec());
        }
        return print(lines);
    }
    match mode {
        "silent" => {
            tell_of_going_on()?;
            say(&note(&std::process::id().to_string()))?;
            // Nothing but the end of its input, or a signal, brings this to an end.
            io::copy(&mut io::stdin().lock(), &mut io::sink())?;
        }
        // The other words are lines to be printed; it stays afterwards.
        "say" => {
            for line in &words[1..] {
                say(line)?;
            }
            io::copy(&mut io::stdin().lock(), &mut io::sink())?;
        }
        // The same, and it ends.
        "said" => {
            for line in &words[1..] {
                say(line)?;
            }
        }
        // It is stopped, as a program is that asks for a password there.
        "terminal" => {
            let mut terminal = fs::File::open("/dev/tty")?;
            io::copy(&mut terminal, &mut io::sink())?;
        }
        "nest" | "nest-deaf" => return Err(nest(mode == "nest-deaf", &words[1..])),
        "gone-asking" | "stubborn-asking" => return ask(mode, words.get(1).unwrap_or(&"text")),
        "long-line" => say(&"x".repeat(9 * 1024 * 1024))?,
        "not-utf8" => io::stdout().write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}\n")?,
        // It has no time to look after what it started, which listens to nothing.
        "killed-parent" => {
            let mut child = Command::new("/bin/sh");
            let deaf = "trap '' TERM INT HUP; echo $$; while :; do sleep 1; done";
            let child = child.args(["-c", deaf]).process_group(0);
            let mut child = child.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
            let mut process = String::new();
            if let Some(stdout) = child.stdout.take() {
                BufReader::new(stdout).read_line(&mut process)?;
            }
            say(&note(process.trim()))?;
            let own = std::process::id().to_string();
            Command::new("/bin/sh")
                .args(["-c", "kill -KILL $0", &own])
                .status()?;
        }
        "exit" => {
            let exit: u8 = words[1].parse().unwrap_or_default();
            say(&json!({"jsonrpc":"2.0","id":1,"result":{"text":"over\n","data":"over","exit":exit}}).to_string())?;
        }
        "unknown-method" => {
            say(r#"{"jsonrpc":"2.0","id":"w","method":"weather/tomorrow","params":{}}"#)?;
            let mut answer = String::new();
            io::stdin().lock().read_line(&mut answer)?;
            let answer: Value = serde_json::from_str(&answer)?;
            let text = format!("{}\n", answer["error"]["code"]);
            say(&json!({"jsonrpc":"2.0","id":1,"result":{"text":text}}).to_string())?;
        }
        "echo" => {
            say(&json!({"jsonrpc":"2.0","id":1,"result":{"data":request["params"]}}).to_string())?;
        }
        // "no-reply": nothing at all.
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Replaces this process with a shell that runs `words` through the host. The shell first appends its own process ID and its parent's to
/// the file in `IT_PIDS`. If `deaf` is true, the shell ignores TERM, INT and HUP.
fn nest(deaf: bool, words: &[&str]) -> io::Error {
    let pids = std::env::var("IT_PIDS").unwrap_or_default();
    let mut host = std::env::current_exe().unwrap_or_default();
    host.set_file_name("bot-cli");
    let trap = if deaf { "trap '' TERM INT HUP; " } else { "" };
    let script = format!("{trap}echo $$ $PPID >>\"$0\"; \"$@\"; wait");
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &script, &pids]).arg(host).arg("rogue");
    shell.args(words).exec()
}

/// Asks a question. In `gone-asking` mode, exits once a test opens the pipe `go`; otherwise keeps running until the input ends.
fn ask(mode: &str, kind: &str) -> io::Result<ExitCode> {
    let params = json!({"key":"name","kind":kind,"message":"Your name"});
    say(&json!({"jsonrpc":"2.0","id":"q","method":"ask","params":params}).to_string())?;
    if mode == "gone-asking" {
        std::fs::read("go")?;
        return Ok(ExitCode::from(3));
    }
    let mut heard = std::fs::File::create("heard")?;
    io::copy(&mut io::stdin().lock(), &mut heard)?;
    Ok(ExitCode::SUCCESS)
}

fn print(lines: &str) -> io::Result<ExitCode> {
    for line in lines.lines().filter(|line| !line.is_empty()) {
        match line {
            "-- abort" => abort(),
            "-- answer" => drop(io::stdin().lock().read_line(&mut String::new())?),
            _ => faulty::do_one(line, &Value::Null, ""),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

fn note(text: &str) -> String {
    json!({"jsonrpc":"2.0","method":"output","params":{"id":1,"text":format!("{text}\n")}})
        .to_string()
}

/// Creates the file `continued` when the process resumes after being stopped.
fn tell_of_going_on() -> io::Result<()> {
    let mut signals = Signals::new([SIGCONT])?;
    thread::spawn(move || {
        for _ in signals.forever() {
            let _ = fs::write("continued", "");
        }
    });
    Ok(())
}
