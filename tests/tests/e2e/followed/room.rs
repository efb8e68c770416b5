//! An empty folder, terminals, and the executables on `PATH`.

use std::env;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bot_cli_tests::patience::wait_until;
use bot_cli_tests::program::program;
use bot_cli_tests::pty::{CTRL_C, ENTER, Terminal};
use pty_process::blocking::Command;
use tempfile::TempDir;

use super::lines::{Line, lines};
use crate::conversation::running::Running;
use crate::framework::tools::{ANSWERS, models, python};

/// The longest that an installation takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the shell of these terminals prints, with the status of the last command, when it waits for the next.
const PROMPT: &str = "[$?]> ";
const DONE: &str = "[0]> ";

/// The ports that the lines name: one such bot at a time on a machine.
const PORTS: [u16; 4] = [7860, 8000, 5173, 3000];

/// Somebody's machine, on which nothing has been set up.
pub(super) struct Room {
    folder: TempDir,
    /// Answers for the AI services.
    _services: Running,
    address: String,
    /// The folder of a Python.
    python: PathBuf,
    _alone: File,
}

/// The terminals that were opened, with what runs in them.
pub(super) struct Terminals {
    busy: Vec<(Line, Busy)>,
}

impl Room {
    /// A room with our executables on `PATH`.
    pub(super) fn new() -> Self {
        let alone = File::create(env::temp_dir().join("bot-cli-followed.lock")).unwrap();
        alone.lock().unwrap();
        for port in PORTS {
            wait_until(&format!("port {port} to be free"), || is_free(port));
        }
        let (services, address) = models(&ANSWERS);
        let folder = tempfile::tempdir().unwrap();
        let room = Self {
            folder,
            _services: services,
            address,
            python: base_python(),
            _alone: alone,
        };
        for below in ["bin", "home", "work"] {
            fs::create_dir(room.path(below)).unwrap();
        }
        for (name, file) in [
            ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
            ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
            ("bot-cli-cloud", env!("CARGO_BIN_EXE_it-bot-cli-cloud")),
        ] {
            // A host finds plugins beside itself, wherever a link to it leads.
            fs::copy(file, room.path("bin").join(name)).unwrap();
        }
        symlink(python().executable("uv"), room.path("bin/uv")).unwrap();
        room
    }

    /// Where the project is made.
    pub(super) fn folder(&self) -> PathBuf {
        self.path("work")
    }

    /// What `bot-cli init my-bot` with these options says comes next.
    pub(super) fn init(&self, options: &[&str]) -> Vec<Line> {
        let mut terminal = self.open();
        let printed = type_in(
            &mut terminal,
            &format!("bot-cli init my-bot {}", options.join(" ")),
        );
        terminal.press("exit\r").unwrap();
        terminal.end().unwrap();
        lines(&printed.replace('\r', ""))
    }

    /// Types the lines, and `key` as each key.
    pub(super) fn follow(&self, lines: &[Line], key: &str) -> Terminals {
        let mut terminals = Terminals { busy: Vec::new() };
        let last = lines.last().unwrap().terminal;
        for number in 1..=last {
            let here: Vec<&Line> = lines
                .iter()
                .filter(|line| line.terminal == number)
                .collect();
            let (final_line, before) = here.split_last().unwrap();
            let mut terminal = self.open();
            for line in before {
                take(&mut terminal, line, key);
            }
            let command = &final_line.command;
            if command.starts_with("uv run pipecat eval") {
                wait_for_port(7860);
                type_in(&mut terminal, command);
                continue;
            }
            terminal.press(&format!("{command}{ENTER}")).unwrap();
            let address = final_line.address().map(str::to_owned);
            terminal
                .wait_for_answer(&format!("`{command}` to run"), |said| {
                    assert!(!said.ends_with("]> "), "`{command}` ended:\n{said}");
                    match &address {
                        Some(address) => serves(address),
                        None => said.contains("Uvicorn running on"),
                    }
                })
                .unwrap();
            terminals
                .busy
                .push(((*final_line).clone(), Busy::attend(terminal)));
        }
        terminals
    }

    fn open(&self) -> Terminal {
        let path = [
            self.path("bin"),
            program(&["node"]).unwrap().parent().unwrap().to_owned(),
            "/usr/bin".into(),
            "/bin".into(),
            // uv would fetch a Python.
            self.python.clone(),
        ];
        // How this machine reaches the registries stays; whatever else would help does not.
        let mut shell = Command::new("/bin/sh");
        for (name, _) in env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let own = ["BOT_CLI_", "XDG_", "DBUS_", "OPENAI_", "TWILIO_", "DAILY_"];
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
        shell = shell
            .env_remove("NODE_ENV")
            .env("PATH", env::join_paths(path).unwrap())
            .env("HOME", self.path("home"))
            .env("TERM", "xterm-256color")
            .env("NO_COLOR", "1")
            .env("LANG", "C.UTF-8")
            .env("PS1", PROMPT)
            .env("OPENAI_BASE_URL", format!("{}/v1", self.address))
            .current_dir(self.folder());
        // What has been downloaded once is not downloaded again.
        if let Some(home) = env::var_os("HOME") {
            let home = Path::new(&home);
            shell = shell
                .env("npm_config_cache", home.join(".npm"))
                .env("npm_config_userconfig", home.join(".npmrc"));
        }
        let mut terminal = Terminal::start(shell, 50, 200).unwrap();
        terminal.be_patient(PATIENCE);
        terminal
            .wait_for_answer("a prompt", |said| said.ends_with(DONE))
            .unwrap();
        terminal
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }
}

impl Terminals {
    /// Where the command that was typed said to look.
    pub(super) fn address(&self, command: &str) -> String {
        let (line, _) = self
            .busy
            .iter()
            .find(|(line, _)| line.command == command)
            .unwrap();
        line.address().unwrap().to_owned()
    }
}

/// Waits until something listens.
pub(super) fn wait_for_port(port: u16) {
    wait_until(&format!("somebody at port {port}"), || {
        TcpStream::connect(("localhost", port)).is_ok()
    });
}

/// A terminal in which something runs, which is read so that nothing there waits to be.
struct Busy {
    over: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Busy {
    fn attend(mut terminal: Terminal) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let reader = thread::spawn(move || {
            terminal.be_patient(Duration::from_secs(3600));
            let ended = terminal.wait_for_answer("the end", |_| seen.load(Ordering::Relaxed));
            let answer = terminal.answer();
            if thread::panicking() || ended.is_err() {
                eprintln!("---- {answer}");
            }
            // Twice, as the README says of a bot that somebody is connected to.
            for _ in 0..2 {
                let _ = terminal.press(CTRL_C);
            }
            let _ = terminal.hang_up();
        });
        Self {
            over,
            reader: Some(reader),
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// A line that ends by itself; the keys that it asks for are those that its remarks name.
fn take(terminal: &mut Terminal, line: &Line, key: &str) {
    if !line.command.contains("--from-template") {
        type_in(terminal, &line.command);
        return;
    }
    terminal.press(&format!("{}{ENTER}", line.command)).unwrap();
    let names = line.keys();
    assert!(!names.is_empty(), "{line:?}");
    for name in names {
        let question = format!("Value of {name}");
        terminal
            .wait_for_answer(&question, |said| said.contains(&question))
            .unwrap();
        terminal.press(&format!("{key}{ENTER}")).unwrap();
    }
    // A new set is saved by Enter.
    let consent = "(Y/n)";
    terminal
        .wait_for_answer(consent, |said| said.contains(consent))
        .unwrap();
    type_in(terminal, "");
}

/// Types a command that ends well; what it said.
fn type_in(terminal: &mut Terminal, command: &str) -> String {
    terminal.press(&format!("{command}{ENTER}")).unwrap();
    terminal
        .wait_for_answer(&format!("`{command}` to end"), |said| said.ends_with("]> "))
        .unwrap();
    let said = terminal.answer();
    assert!(said.ends_with(DONE), "`{command}`:\n{said}");
    said
}

/// The folder of the Python that the framework's environment was made with: uv takes none of another environment.
fn base_python() -> PathBuf {
    let mut program = python().command("python");
    program.args(["-c", "import sys; print(sys._base_executable)"]);
    let output = program.output().unwrap();
    let file = String::from_utf8(output.stdout).unwrap();
    Path::new(file.trim()).parent().unwrap().to_owned()
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

/// Whether a page is there.
fn serves(address: &str) -> bool {
    let rest = address.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    TcpStream::connect(host).is_ok()
        && answer(host, &format!("GET /{path}")).starts_with("HTTP/1.1 200")
}

/// What is answered to a request without a body.
fn answer(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "{request} HTTP/1.0\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}
