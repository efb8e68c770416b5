//! A user of `bot-cli-cloud`, with a home directory, a working directory and a secrets backend.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by panicking, and uses what it asked for"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

pub use crate::bench::Ran as Run;
use crate::bench::{second_name, write_script};
use crate::executable::executable;
use crate::patience::PATIENCE;
use crate::pty::Terminal;
use crate::service::{ORGANIZATION, PERSONAL_TOKEN, PRIVATE_KEY, Service};
use crate::signals::default_in_children;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// The backend that stores a user's sets.
#[derive(Debug)]
enum BackendKind {
    Vault,
    Backend,
    Hosted(Service),
}

/// A user and the environment for their commands.
#[derive(Debug)]
pub struct User {
    /// The user's name in the messages of failed tests.
    pub name: &'static str,
    root: TempDir,
    place: BackendKind,
    variables: BTreeMap<&'static str, String>,
    bin: OnceLock<PathBuf>,
}

impl User {
    /// Creates a user without an account, whose sets are in the vault.
    pub fn of_the_vault() -> Self {
        let mut user = Self::new("vault", BackendKind::Vault);
        user.set("BOT_CLI_BACKEND", "local");
        user
    }

    /// Creates a user whose backend is a separate executable in the user's plugin folder.
    pub fn of_a_backend() -> Self {
        let mut user = Self::new("backend", BackendKind::Backend);
        user.install_sample();
        user.set("BOT_CLI_BACKEND", "sample");
        user
    }

    /// Installs the backend `sample`, which keeps its sets in `sample.json` in the user's data folder.
    pub fn install_sample(&mut self) {
        let file = self.plugins().join("bot-cli-secrets-sample");
        second_name(&executable("it-secrets-sample"), &file).unwrap();
        let data = self.home().join(".local/share").display().to_string();
        self.set("XDG_DATA_HOME", &data);
    }

    /// Returns the user's plugin folder.
    pub fn plugins(&self) -> PathBuf {
        let folder = self.home().join(".local/share/bot-cli/plugins");
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Creates a user with a private API key, who uses the published paths.
    pub fn with_key() -> Self {
        Self::hosted("published paths", PRIVATE_KEY)
    }

    /// Creates a user with a personal access token, who uses the organization paths.
    pub fn with_token() -> Self {
        let mut user = Self::hosted("organization paths", PERSONAL_TOKEN);
        user.set("BOT_CLI_ORGANIZATION", ORGANIZATION);
        user
    }

    /// Returns one user of each kind.
    pub fn all() -> [Self; 4] {
        [
            Self::of_the_vault(),
            Self::with_key(),
            Self::with_token(),
            Self::of_a_backend(),
        ]
    }

    fn hosted(name: &'static str, token: &str) -> Self {
        let service = Service::start().unwrap();
        let url = service.url().to_owned();
        let mut user = Self::new(name, BackendKind::Hosted(service));
        user.set("BOT_CLI_API_URL", &url);
        user.set("BOT_CLI_TOKEN", token);
        user
    }

    fn new(name: &'static str, place: BackendKind) -> Self {
        default_in_children();
        let root = TempDir::new().unwrap();
        for folder in ["home", "work"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        let home = root.path().join("home").display().to_string();
        let bin = root.path().join("bin");
        Self {
            name,
            root,
            place,
            variables: BTreeMap::from([
                ("HOME", home),
                ("PATH", format!("{}:/usr/bin:/bin", bin.display())),
                // Not that of whoever runs the tests.
                ("BOT_CLI_KEYRING", "off".to_owned()),
            ]),
            bin: OnceLock::new(),
        }
    }

    /// Sets an environment variable for later commands.
    pub fn set(&mut self, name: &'static str, value: &str) {
        self.variables.insert(name, value.to_owned());
    }

    /// Removes an environment variable for later commands.
    pub fn unset(&mut self, name: &'static str) {
        self.variables.remove(name);
    }

    /// Returns the environment variables for commands.
    pub fn variables(&self) -> &BTreeMap<&'static str, String> {
        &self.variables
    }

    /// Returns the stand-in service of a hosted user.
    pub fn service(&self) -> &Service {
        match &self.place {
            BackendKind::Hosted(service) => service,
            BackendKind::Vault | BackendKind::Backend => panic!("there is no service"),
        }
    }

    /// Returns the user's home directory.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Returns the user's working directory.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// Returns the folder that contains all of the user's folders.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns a folder with the host and the plugin under their real names.
    pub fn bin(&self) -> &Path {
        self.bin.get_or_init(|| {
            let bin = self.root.path().join("bin");
            fs::create_dir(&bin).unwrap();
            for name in ["bot-cli", "bot-cli-cloud"] {
                second_name(&executable(&format!("it-{name}")), &bin.join(name)).unwrap();
            }
            bin
        })
    }

    /// Writes an executable script.
    pub fn script(&self, path: &Path, text: &str) {
        write_script(path, text).unwrap();
    }

    /// Writes a file to the working directory.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Returns a command that runs the plugin, without a terminal or any of this process's environment variables.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.program("bot-cli-cloud", arguments)
    }

    /// Returns a command that runs the host in the same way.
    pub fn host(&self, arguments: &[&str]) -> Command {
        self.program("bot-cli", arguments)
    }

    fn program(&self, name: &str, arguments: &[&str]) -> Command {
        // Not where cargo puts it, among executables that it would find beside itself.
        let mut command = Command::new(self.bin().join(name));
        command
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .envs(&self.variables)
            .stdin(Stdio::null());
        command
    }

    /// Runs the plugin.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        self.ran(&command.timeout(PATIENCE).output().unwrap())
    }

    /// Runs the plugin with `stdin` as standard input.
    pub fn run_with(&self, arguments: &[&str], stdin: &str) -> Run {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        self.ran(
            &command
                .write_stdin(stdin)
                .timeout(PATIENCE)
                .output()
                .unwrap(),
        )
    }

    /// Starts the plugin, and collects its output.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Waits until the plugin ends.
    pub fn ended(&self, child: Child) -> Run {
        self.ran(&child.wait_with_output().unwrap())
    }

    /// Interrupts the plugin as Ctrl-C does, and waits until it ends.
    pub fn interrupt(&self, child: Child) -> Run {
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        self.ended(child)
    }

    /// Runs a program of the user's `bin` folder at a terminal. The first word is the program's name.
    pub fn terminal(&self, words: &[&str]) -> Terminal {
        let command = pty_process::blocking::Command::new(self.bin().join(words[0]))
            .args(&words[1..])
            .env_clear()
            .envs(&self.variables)
            .env("TERM", "xterm-256color")
            .current_dir(self.work());
        Terminal::start(command, 40, 120).unwrap()
    }

    /// Returns the completions for the last of `words`, which follow `bot-cli cloud`, one a line.
    pub fn completions(&self, words: &[&str]) -> String {
        let words = [&["__complete", "zsh", "--", "cloud"], words].concat();
        let run = self.feed(&mut self.host(&words), "");
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        // The first line says what the shell is to do with the others.
        let lines = run.stdout.split_once('\n');
        lines.map(|(_, lines)| lines.to_owned()).unwrap()
    }

    /// Runs any command with `stdin` as standard input.
    pub fn feed(&self, command: &mut Command, stdin: &str) -> Run {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Who refuses the arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        self.ran(&child.wait_with_output().unwrap())
    }

    fn ran(&self, output: &Output) -> Run {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let text = text.replace(&self.root.path().display().to_string(), "[ROOT]");
            match &self.place {
                BackendKind::Hosted(service) => text.replace(service.url(), "[SERVICE]"),
                BackendKind::Vault | BackendKind::Backend => text,
            }
        };
        Run {
            status: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Runs a command that must succeed, and returns the document.
    #[track_caller]
    pub fn done(&self, arguments: &[&str]) -> Value {
        let (status, document) = self.json(arguments);
        assert_eq!(status, Some(0), "{}: {arguments:?}: {document}", self.name);
        document
    }

    /// Runs a command that must fail with this exit status and error code, and returns the error.
    #[track_caller]
    pub fn fails(&self, arguments: &[&str], status: i32, code: &str) -> Value {
        let (found, mut document) = self.json(arguments);
        let case = format!("{}: {arguments:?}: {document}", self.name);
        assert_eq!(found, Some(status), "{case}");
        assert_eq!(document["error"]["code"], code, "{case}");
        document["error"].take()
    }

    /// Runs a command with `--json`, and returns the exit status and the document.
    pub fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let arguments = [&["--json"], arguments].concat();
        let run = self.run(&arguments);
        (run.status, run.document())
    }

    /// Returns the values in a set, from the service's state or from the environment of a program that runs with them.
    pub fn values(&self, set: &str) -> BTreeMap<String, String> {
        match &self.place {
            BackendKind::Hosted(service) => {
                let stored = &service.stored()[ORGANIZATION][set]["secrets"];
                serde_json::from_value(stored.clone()).unwrap_or_default()
            }
            BackendKind::Vault | BackendKind::Backend => self.run_values(set),
        }
    }

    fn run_values(&self, set: &str) -> BTreeMap<String, String> {
        let run = self.run(&["secrets", "run", set, "--", "/usr/bin/env", "-0"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        run.stdout
            .split_terminator('\0')
            .filter_map(|variable| variable.split_once('='))
            .filter(|(name, _)| !self.variables.contains_key(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }
}

impl Run {
    /// Parses standard output, which must be one document.
    pub fn document(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Converts pairs to a map.
pub fn pairs(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

/// Asserts that no file below `folder` contains any of `traces`.
pub fn assert_in_no_file(folder: &Path, traces: &[String], case: &str) {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap_or_default();
            for trace in traces {
                let needle = trace.as_bytes();
                let found = bytes.windows(needle.len()).any(|window| window == needle);
                assert!(!found, "`{trace}` in {}: {case}", path.display());
            }
        }
    }
}
