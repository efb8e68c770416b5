//! A desktop session for secrets tests: a private message bus with GNOME Keyring.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::patience::wait_until;
use crate::program::program;

/// A desktop session that ends when dropped.
#[derive(Debug)]
pub struct Desktop {
    folder: TempDir,
    bus: Child,
    keyring: Child,
}

impl Desktop {
    /// Starts a session with an unlocked keyring, as after a login.
    pub fn start() -> io::Result<Self> {
        let folder = TempDir::new()?;
        let config = folder.path().join("bus.conf");
        fs::write(&config, configuration(folder.path()))?;
        let mut bus = inside(
            folder.path(),
            Command::new(program(&["dbus-daemon"])?)
                .args(["--nofork", "--nopidfile", "--print-address"])
                .arg("--config-file")
                .arg(config),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
        // It says its address as soon as it listens.
        let mut line = String::new();
        if let Some(stdout) = bus.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let mut keyring = keyring(folder.path(), &["--unlock"])?;
        if let Some(mut stdin) = keyring.stdin.take() {
            stdin.write_all(b"a password")?;
        }
        let desktop = Self {
            folder,
            bus,
            keyring,
        };
        let store = "store --label=first service bot-cli-tests number 1";
        wait_until("the keyring to start", || desktop.succeeds(store));
        Ok(desktop)
    }

    /// Returns the environment variables that connect a program to this session.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        session(self.folder.path())
    }

    /// Returns the value of each `bot-cli` entry by name, as read by another program.
    pub fn entries(&self) -> io::Result<BTreeMap<String, String>> {
        let output = self.secret_tool("search --all service bot-cli")?.output()?;
        let texts = String::from_utf8_lossy(&output.stdout).into_owned();
        let attributes = String::from_utf8_lossy(&output.stderr).into_owned();
        let names = attributes
            .lines()
            .filter_map(|line| line.strip_prefix("attribute.username = "));
        // A text may have several lines; only what begins an entry begins so.
        let texts = texts
            .split("secret = ")
            .skip(1)
            .map(|text| text.split("\ncreated = ").next().unwrap_or_default());
        Ok(names
            .zip(texts)
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect())
    }

    /// Removes an entry, as another program might.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let is_removed = self.succeeds(&format!("clear service bot-cli username {name}"));
        let problem = || io::Error::other("the entry was not removed");
        is_removed.then_some(()).ok_or_else(problem)
    }

    /// Replaces the keyring with a locked one that can't be unlocked.
    pub fn lock(&mut self) -> io::Result<()> {
        self.keyring.kill()?;
        self.keyring.wait()?;
        self.keyring = keyring(self.folder.path(), &[])?;
        let search = "search service bot-cli-tests";
        wait_until("the keyring to start", || self.succeeds(search));
        Ok(())
    }

    /// Suspends the keyring, so that it stops responding.
    pub fn silence(&self) {
        self.signal(Signal::STOP);
    }

    /// Resumes the keyring.
    pub fn wake(&self) {
        self.signal(Signal::CONT);
    }

    /// Ends the session by stopping the message bus.
    pub fn end(&mut self) -> io::Result<()> {
        self.bus.kill()?;
        self.bus.wait().map(drop)
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.keyring), signal);
    }

    /// Reports whether `secret-tool` succeeds with these arguments and empty standard input.
    fn succeeds(&self, words: &str) -> bool {
        let output = |mut tool: Command| tool.stdin(Stdio::null()).output();
        let output = self.secret_tool(words).and_then(output);
        output.is_ok_and(|output| output.status.success())
    }

    fn secret_tool(&self, words: &str) -> io::Result<Command> {
        let mut command = Command::new(program(&["secret-tool"])?);
        inside(self.folder.path(), command.args(words.split(' ')));
        Ok(command)
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in [&mut self.keyring, &mut self.bus] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns the configuration for a message bus that accepts any client and starts no services itself.
fn configuration(folder: &Path) -> String {
    let listen = format!("unix:path={}", folder.join("bus").display());
    format!(
        "<busconfig><type>session</type><listen>{listen}</listen><policy context=\"default\">\
         <allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>"
    )
}

fn keyring(folder: &Path, arguments: &[&str]) -> io::Result<Child> {
    inside(
        folder,
        Command::new(program(&["gnome-keyring-daemon"])?)
            .args(["--foreground", "--components=secrets"])
            .args(arguments),
    )
    .stdin(Stdio::piped())
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .spawn()
}

fn session(folder: &Path) -> [(&'static str, String); 2] {
    let bus = folder.join("bus");
    [
        (
            "DBUS_SESSION_BUS_ADDRESS",
            format!("unix:path={}", bus.display()),
        ),
        ("XDG_RUNTIME_DIR", folder.display().to_string()),
    ]
}

fn inside<'a>(folder: &Path, command: &'a mut Command) -> &'a mut Command {
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", folder)
        .envs(session(folder))
}
