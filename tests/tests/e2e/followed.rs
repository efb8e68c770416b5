//! Follows the instructions that `init` prints. Types each command in order, at a terminal with the executables on `PATH`, until a bot
//! answers in a browser. Uses nothing else except the API keys.

use std::env;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::thread;
use std::time::Duration;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::program::program;
use bot_cli_tests::pty::{CTRL_C, ENTER, Terminal};
use bot_cli_tests::user::assert_in_no_file;
use pty_process::blocking;

use crate::bot::{ANSWERS, OPENAI, models, python, succeeds};
use crate::clients::{chromium, tools};

/// The time limit for an installation on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// The shell's prompt, which contains the exit status of the last command.
const PROMPT: &str = "[$?]> ";
const DONE: &str = "[0]> ";

/// The API key, with a value that is easy to search for.
const CANARY: &str = "sk-canary-5f1d";

#[test]
fn the_printed_lines_lead_to_a_bot_with_a_web_client_that_answers() {
    let (_models, address) = models(&ANSWERS);
    let bench = Bench::whole().unwrap();
    let mut terminal = shell(&bench, &format!("{address}/v1"));
    let web = "--transport=p2p_webrtc --client-framework=vanilla --eval";
    let init = format!("bot-cli init my-bot {} {web}", OPENAI.join(" "));
    let said = type_in(&mut terminal, &init);
    let lines = said.lines().filter_map(|line| line.strip_prefix("next: "));
    let lines: Vec<&str> = lines.map(str::trim_end).collect();
    let (last, before) = lines.split_last().unwrap();
    assert_eq!(*last, "bot-cli dev", "{said}");
    for line in before {
        type_in(&mut terminal, line);
    }

    terminal.press(&format!("{last}{ENTER}")).unwrap();
    let question = "Value of OPENAI_API_KEY";
    wait_for(&mut terminal, question);
    terminal.press(&format!("{CANARY}{ENTER}")).unwrap();
    // A new set is saved by Enter.
    wait_for(&mut terminal, "(Y/n)");
    terminal.press(ENTER).unwrap();
    wait_for(&mut terminal, "ready: open ");
    let answer = terminal.answer();
    let (_, page) = answer.split_once("ready: open ").unwrap();
    let page = page.split_whitespace().next().unwrap_or_default();
    // What the bot says meanwhile is read, so that it need not wait.
    thread::scope(|scope| {
        let look = scope.spawn(|| look(page));
        let seen = terminal.wait_for_answer("the bot to greet", |_| look.is_finished());
        look.join().unwrap();
        seen.unwrap();
    });

    terminal.press(CTRL_C).unwrap();
    let end = |said: &str| said.ends_with("]> ");
    terminal.wait_for_answer("the end", end).unwrap();
    type_in(&mut terminal, "rm -rf server/.venv client/node_modules");
    for folder in ["home", "work"] {
        assert_in_no_file(&bench.path(folder), &[CANARY.to_owned()], folder);
    }
}

/// Opens a client's page, connects, and waits for the bot's greeting.
fn look(page: &str) {
    let mut look = Command::new("node");
    look.args(["connect.mjs", "--page", page])
        .args(["--greeting", "Hello, how can I help you?", "--chromium"])
        .arg(chromium());
    succeeds(look.current_dir(tools()));
}

/// Starts a shell on a machine where nothing has been set up.
fn shell(bench: &Bench, models: &str) -> Terminal {
    symlink(python().executable("uv"), bench.path("bin/uv")).unwrap();
    // The Python of `.python-version` would be downloaded where it is missing; uv takes none of another environment.
    let mut base = python().command("python");
    base.args(["-c", "import sys; print(sys._base_executable)"]);
    let base = String::from_utf8(succeeds(&mut base).stdout).unwrap();
    let node = program(&["node"]).unwrap();
    let [(_, path), ..] = bench.environment();
    let path = format!("{path}:{}", node.parent().unwrap().display());
    let mut shell = blocking::Command::new("/bin/sh");
    // How this machine reaches the registries stays, and what was downloaded once; whatever else would help does not.
    for (name, _) in env::vars() {
        let own = ["BOT_CLI_", "XDG_", "DBUS_", "OPENAI_", "NODE_ENV"];
        if own.iter().any(|begin| name.starts_with(begin)) {
            shell = shell.env_remove(name);
        }
    }
    for (name, value) in python().command("uv").get_envs() {
        shell = match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let home = env::var("HOME").unwrap();
    let shell = shell
        .envs(bench.environment())
        .env("PATH", path)
        .env("UV_PYTHON", base.trim())
        .env("NO_COLOR", "1")
        .env("LANG", "C.UTF-8")
        .env("PS1", PROMPT)
        .env("OPENAI_BASE_URL", models)
        .env("npm_config_cache", format!("{home}/.npm"))
        .env("npm_config_userconfig", format!("{home}/.npmrc"))
        .current_dir(bench.path("work"));
    let mut terminal = Terminal::start(shell, 50, 200).unwrap();
    terminal.be_patient(PATIENCE);
    wait_for(&mut terminal, DONE);
    terminal
}

fn wait_for(terminal: &mut Terminal, text: &str) {
    let seen = terminal.wait_for_answer(text, |said| {
        assert!(!said.ends_with("]> ") || text == DONE, "{text}:\n{said}");
        said.contains(text)
    });
    seen.unwrap();
}

/// Types a command that must succeed, and returns its output.
fn type_in(terminal: &mut Terminal, command: &str) -> String {
    terminal.press(&format!("{command}{ENTER}")).unwrap();
    let end = |said: &str| said.ends_with("]> ");
    terminal.wait_for_answer(command, end).unwrap();
    let said = terminal.answer();
    assert!(said.ends_with(DONE), "`{command}`:\n{said}");
    said
}
