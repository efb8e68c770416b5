//! A desktop session as far as secrets have to do with one: a message bus of its own, and GNOME Keyring on it.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::debian::program;

/// Far more than a keyring takes to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A session; it ends with the value.
#[derive(Debug)]
pub struct Desktop {
    folder: TempDir,
    bus: Child,
    keyring: Child,
}

impl Desktop {
    /// A session whose keyring is open, as after a login.
    pub fn start() -> io::Result<Self> {
        let folder = TempDir::new()?;
        let address = format!("unix:path={}", folder.path().join("bus").display());
        let mut bus = inside(
            folder.path(),
            Command::new(program(&["dbus-daemon"], "dbus-daemon")?)
                .args(["--session", "--nofork", "--nopidfile", "--print-address"])
                .args(["--address", &address]),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
        // It says its address as soon as it listens.
        let mut line = String::new();
        if let Some(stdout) = bus.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let mut keyring = inside(
            folder.path(),
            Command::new(program(&["gnome-keyring-daemon"], "gnome-keyring")?).args([
                "--foreground",
                "--unlock",
                "--components=secrets",
            ]),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
        if let Some(mut stdin) = keyring.stdin.take() {
            stdin.write_all(b"a password")?;
        }
        let desktop = Self {
            folder,
            bus,
            keyring,
        };
        let begun = Instant::now();
        while !desktop.is_open()? {
            if begun.elapsed() > PATIENCE {
                return Err(io::Error::other("the keyring does not start"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(desktop)
    }

    /// What tells a program of this session.
    #[must_use]
    pub fn variables(&self) -> [(&'static str, String); 2] {
        session(self.folder.path())
    }

    /// The texts of our entries by their names, as another program sees them.
    pub fn entries(&self) -> io::Result<BTreeMap<String, String>> {
        let output = self
            .secret_tool(&["search", "--all", "service", "bot-cli"])?
            .output()?;
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

    /// Removes an entry behind the back of its owner.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let status = self
            .secret_tool(&["clear", "service", "bot-cli", "username", name])?
            .status()?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other("the entry was not removed"))
        }
    }

    /// The keyring ends; whoever asks next finds one that is locked, and nobody to unlock it.
    pub fn lock(&mut self) -> io::Result<()> {
        self.keyring.kill()?;
        self.keyring.wait().map(drop)
    }

    /// The keyring says nothing any more.
    pub fn silence(&self) {
        self.signal(Signal::STOP);
    }

    /// The keyring goes on.
    pub fn wake(&self) {
        self.signal(Signal::CONT);
    }

    /// The session ends.
    pub fn end(&mut self) -> io::Result<()> {
        self.bus.kill()?;
        self.bus.wait().map(drop)
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.keyring), signal);
    }

    /// Whether it takes an entry.
    fn is_open(&self) -> io::Result<bool> {
        let attributes = ["service", "bot-cli-tests", "username", "first"];
        let mut child = self
            .secret_tool(&["store", "--label=first"])?
            .args(attributes)
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(b"text")?;
        }
        Ok(child.wait()?.success())
    }

    fn secret_tool(&self, arguments: &[&str]) -> io::Result<Command> {
        let mut command = Command::new(program(&["secret-tool"], "libsecret-tools")?);
        inside(self.folder.path(), command.args(arguments));
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
