//! A stand-in for uv and for the bot that `bot-cli dev` runs with it. The bot listens on a port and prints the names of its environment
//! variables that end in `_KEY`. Tests trigger failures with the files `refuses`, `stubborn`, `stuck` and
//! `eval-status` in the working directory; `outcomes` has what a program that talks to the bot prints, `log` what the bot logs.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, exit};
use std::{env, fs, io, thread};

fn main() -> io::Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["sync"] => fs::create_dir(".venv"),
        ["run", "python", "-", address, said @ ..] => {
            let program = io::read_to_string(io::stdin())?;
            println!(
                "{} at {address}: {} lines",
                said.join(" "),
                program.lines().count()
            );
            if Path::new("stuck").exists() {
                println!("processes {} {0}", std::process::id());
                Command::new("/bin/sleep").arg("1000").status()?;
            }
            print!("{}", fs::read_to_string("outcomes").unwrap_or_default());
            let status = fs::read_to_string("eval-status")?;
            exit(status.trim().parse().unwrap_or(9))
        }
        ["run", "bot.py", options @ ..] => bot(options),
        _ => Err(io::Error::other(format!("{words:?}"))),
    }
}

fn bot(options: &[&str]) -> io::Result<()> {
    if Path::new("stubborn").exists() && env::var_os("STUBBORN").is_none() {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "trap '' TERM INT; exec \"$0\" \"$@\""]);
        shell.arg(env::current_exe()?).args(env::args().skip(1));
        return Err(shell.env("STUBBORN", "1").exec());
    }
    let mut keys: Vec<String> = env::vars().map(|(name, _)| name).collect();
    keys.retain(|name| name.ends_with("_KEY"));
    keys.sort();
    println!("options {}", options.join(" "));
    println!("keys {}", keys.join(" "));
    print!("{}", fs::read_to_string("log").unwrap_or_default());
    if Path::new("refuses").exists() {
        eprintln!("no");
        exit(3);
    }
    // What the bot starts ends with it.
    let child = Command::new("/bin/sleep").arg("1000").spawn()?;
    println!("processes {} {}", std::process::id(), child.id());
    let port = options.iter().position(|word| *word == "--port");
    let port = port.and_then(|at| options.get(at + 1)).unwrap_or(&"7860");
    let listener = TcpListener::bind(format!("127.0.0.1:{port}"))?;
    for stream in listener.incoming() {
        thread::spawn(move || drop(stream));
    }
    Ok(())
}
