//! An isolated environment for the host: its own folder, a plugin folder on `PATH`, a home directory and a working directory.

mod transcript;

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::executable::executable;
use crate::patience::PATIENCE;
use crate::signals::default_in_children;

/// An isolated environment in which tests run the host.
#[derive(Debug)]
pub struct Bench {
    root: TempDir,
    variables: Vec<(&'static str, String)>,
}

/// The result of a run. Paths inside the bench begin with `[BENCH]`.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    /// The exit status, or `None` if a signal ended the process.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Bench {
    /// Creates a bench. Each item of `executables` is a name in the host's folder and the path of the executable to install there.
    /// Installing the host also installs `bot-cli-plugin`.
    pub fn new(executables: &[(&str, &str)]) -> io::Result<Self> {
        default_in_children();
        let bench = Self {
            root: TempDir::new()?,
            variables: Vec::new(),
        };
        for folder in ["bin", "plugins", "home", "work"] {
            fs::create_dir(bench.path(folder))?;
        }
        for (name, file) in executables {
            bench.install(Path::new(file), &format!("bin/{name}"))?;
            let is_given = executables
                .iter()
                .any(|(name, _)| *name == "bot-cli-plugin");
            if *name == "bot-cli" && !is_given {
                bench.install(&executable("it-bot-cli-plugin"), "bin/bot-cli-plugin")?;
            }
        }
        Ok(bench)
    }

    /// Creates a bench with the host and the plugins that are installed along with it.
    pub fn whole() -> io::Result<Self> {
        let names = ["bot-cli", "bot-cli-init", "bot-cli-dev", "bot-cli-cloud"];
        let files = names.map(|name| executable(&format!("it-{name}")).display().to_string());
        let given: Vec<(&str, &str)> = (names.into_iter())
            .zip(files.iter().map(String::as_str))
            .collect();
        Self::new(&given)
    }

    /// Sets an environment variable for later commands.
    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.variables.push((name, value.into()));
    }

    /// Returns the path of `below` inside the bench.
    pub fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    /// Installs an executable at the path `below` inside the bench.
    pub fn install(&self, file: &Path, below: &str) -> io::Result<()> {
        second_name(file, &self.path(below))
    }

    /// Writes an executable script and returns its path.
    pub fn script(&self, below: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path(below);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        write_script(&path, text)?;
        Ok(path)
    }

    /// Writes an executable script.
    ///
    /// # Panics
    ///
    /// Panics if the script can't be written.
    #[track_caller]
    pub fn put(&self, below: &str, text: &str) {
        let written = self.script(below, text);
        assert!(written.is_ok(), "{below}: {written:?}");
    }

    /// Sets the permissions of a file or folder.
    pub fn mode(&self, below: &str, mode: u32) -> io::Result<()> {
        fs::set_permissions(self.path(below), Permissions::from_mode(mode))
    }

    /// Returns a command that runs the host with `arguments` in the bench's environment, without any of this process's variables.
    pub fn host<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = self.command(&self.path("bin/bot-cli"));
        command.args(arguments);
        command
    }

    /// Returns a command that runs `program` in the same environment as [`host`](Self::host).
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.environment())
            .envs(self.variables.clone())
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
        command
    }

    /// Returns the environment variables that every command in the bench gets by default.
    pub fn environment(&self) -> [(&'static str, String); 3] {
        let (plugins, bin) = (self.path("plugins"), self.path("bin"));
        let path = format!("{}:{}:/usr/bin:/bin", plugins.display(), bin.display());
        [
            ("PATH", path),
            ("HOME", self.path("home").display().to_string()),
            ("TERM", "xterm".to_owned()),
        ]
    }

    /// Runs the host with `arguments`.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> io::Result<Ran> {
        let mut host = assert_cmd::Command::from_std(self.host(arguments));
        self.ran(&host.timeout(PATIENCE).output()?)
    }

    /// Runs a shell script in the bench.
    pub fn shell(&self, script: &str) -> io::Result<Ran> {
        let mut shell = self.command(Path::new("/bin/sh"));
        shell.args(["-c", script]);
        let mut shell = assert_cmd::Command::from_std(shell);
        self.ran(&shell.timeout(PATIENCE).output()?)
    }

    /// Converts the output of a process, replacing the bench's path with `[BENCH]`.
    pub fn ran(&self, output: &Output) -> io::Result<Ran> {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.replace(&self.root.path().display().to_string(), "[BENCH]")
        };
        Ok(Ran {
            status: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        })
    }
}

/// Writes an executable script from a separate shell process. If this process wrote the file, a child process of another test could inherit
/// the open descriptor. The script could then not be run until that child called `exec`.
pub fn write_script(path: &Path, text: &str) -> io::Result<()> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        io::Write::write_all(&mut stdin, text.as_bytes())?;
    }
    child.wait().map(drop)
}

/// Reports whether a process is still running. Zombies don't count.
pub fn is_alive(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| {
        let state = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        !matches!(state, Some('Z' | 'X') | None)
    })
}

/// Hard-links an executable to `place`. Copies the file if linking fails, for example across filesystems or for another user's file.
///
/// A separate process makes the copy. If this process wrote the file, a child process of another test could inherit the open descriptor.
/// The executable could then not be run until that child called `exec`.
pub fn second_name(file: &Path, place: &Path) -> io::Result<()> {
    if fs::hard_link(file, place).is_ok() {
        return Ok(());
    }
    let copied = Command::new("cp").arg(file).arg(place).status()?;
    if copied.success() {
        return Ok(());
    }
    let place = place.display();
    Err(io::Error::other(format!("could not copy to `{place}`")))
}
