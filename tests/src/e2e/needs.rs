//! What a group needs, looked for on this machine.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use semver::Version;

use crate::disk::Mounted;
use crate::kubernetes::api_server;
use crate::program::program;
use crate::python::{CLIENT, FRAMEWORK, Pins};
use crate::shipped;
use crate::wine;

/// The oldest Node.js that the clients build on.
const NODE: u64 = 20;

/// Something that not every machine has.
#[derive(Debug, Clone, Copy)]
pub(super) enum Need {
    /// A program on the path, by its names, and where Debian has it.
    Program(&'static [&'static str], &'static str),
    /// Node.js, in a version that is new enough.
    Node,
    /// The Python environment of the framework.
    Framework,
    /// The Python environment of the service's own client.
    Client,
    /// Packages of Python can be downloaded.
    PythonIndex,
    /// Packages of Node.js can be downloaded.
    NpmRegistry,
    /// Release builds of the product, as new as their source, or packages that a variable names.
    Executables,
    /// The right to mount a filesystem.
    Mount,
    /// The right to work as other users.
    Users,
    /// The right to watch the system calls of a process.
    Trace,
    /// A Kubernetes API server, built from source.
    ApiServer,
    /// The standard library for Windows.
    Windows,
    /// A system that writes core dumps into the folder of the process.
    CoreDumps,
}

/// A missing need, and how to come by it.
#[derive(Debug)]
pub(super) struct Lack {
    pub reason: String,
    /// The installation that `--install` would make.
    pub remedy: Remedy,
}

/// The way something that is missing can be had.
#[derive(Debug, Clone, Copy)]
pub(super) enum Remedy {
    /// As root, with Debian's package manager.
    Package(&'static str),
    /// Under `target/`.
    Environment(&'static Pins),
    /// With `rustup`.
    Target(&'static str),
    /// Not by an installation.
    None,
}

impl Need {
    /// Returns what is missing, if anything is.
    pub(super) fn lack(self) -> Option<Lack> {
        let (found, remedy) = match self {
            Self::Program(names, package) => (
                program(names).map(drop).map_err(|error| error.to_string()),
                Remedy::Package(package),
            ),
            Self::Node => (node(), Remedy::Package("nodejs")),
            Self::Framework => (environment(&FRAMEWORK), Remedy::Environment(&FRAMEWORK)),
            Self::Client => (environment(&CLIENT), Remedy::Environment(&CLIENT)),
            Self::PythonIndex => (python_index(), Remedy::None),
            Self::NpmRegistry => (npm_registry(), Remedy::None),
            Self::Executables => (shipped::find().map(drop), Remedy::None),
            Self::Mount => (mount(), Remedy::None),
            Self::Users => (users(), Remedy::None),
            Self::Trace => (trace(), Remedy::None),
            Self::ApiServer => (api_server::find().map(drop), Remedy::None),
            Self::Windows => (wine::has_target(), Remedy::Target(wine::TARGET)),
            Self::CoreDumps => (core_dumps(), Remedy::None),
        };
        found.err().map(|reason| Lack { reason, remedy })
    }
}

impl Remedy {
    /// Returns what `--install` does, if it can do something.
    pub(super) fn told(self) -> Option<String> {
        match self {
            Self::Package(name) => Some(format!("the Debian package `{name}`")),
            Self::Target(name) => Some(format!(
                "the standard library for `{name}`, with rustup, about 150 MB"
            )),
            Self::Environment(pins) => Some(format!("under target/, {}", pins.size)),
            Self::None => None,
        }
    }
}

fn environment(pins: &Pins) -> Result<(), String> {
    match pins.find()? {
        Some(_) => Ok(()),
        None => Err(format!("{} is not installed", pins.name)),
    }
}

fn node() -> Result<(), String> {
    let output = Command::new("node").arg("--version").output();
    let Ok(output) = output else {
        return Err("`node` is not on PATH".to_owned());
    };
    let version = String::from_utf8_lossy(&output.stdout);
    let parsed = Version::parse(version.trim().trim_start_matches('v'));
    match parsed {
        Ok(version) if version.major >= NODE => Ok(()),
        _ => Err(format!(
            "`node` is {}, and {NODE} or newer is needed",
            version.trim()
        )),
    }
}

/// Asks the index that is configured here for what every index has.
fn python_index() -> Result<(), String> {
    // Without the framework its group is not run anyway, and lacks no more than that as far as is known.
    let Some(python) = FRAMEWORK.find()? else {
        return Ok(());
    };
    let unreachable = || "packages of Python can't be downloaded".to_owned();
    let asked = python
        .command("uv")
        .args(["pip", "compile", "--quiet", "--no-cache", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut asked) = asked else {
        return Err(unreachable());
    };
    if let Some(mut stdin) = asked.stdin.take() {
        let _ = stdin.write_all(b"pip\n");
    }
    match asked.wait() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(unreachable()),
    }
}

fn npm_registry() -> Result<(), String> {
    // Then that is what is named.
    if program(&["npm"]).is_err() {
        return Ok(());
    }
    let asked = Command::new("npm")
        .args(["ping", "--fetch-retries=0", "--fetch-timeout=20000"])
        .output();
    match asked {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err("packages of Node.js can't be downloaded".to_owned()),
    }
}

fn mount() -> Result<(), String> {
    let try_it = || {
        let folder = tempfile::tempdir()?;
        Mounted::tmpfs(folder.path(), "size=64k").map(drop)
    };
    try_it().map_err(|error| {
        if rustix::process::geteuid().is_root() {
            format!("filesystems can't be mounted: {error}")
        } else {
            "filesystems can't be mounted; root can".to_owned()
        }
    })
}

fn users() -> Result<(), String> {
    if rustix::process::geteuid().is_root() {
        Ok(())
    } else {
        Err("nobody but root can work as other users".to_owned())
    }
}

fn trace() -> Result<(), String> {
    if program(&["strace"]).is_err() {
        return Ok(());
    }
    let traced = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .output();
    match traced {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err("system calls can't be watched".to_owned()),
    }
}

fn core_dumps() -> Result<(), String> {
    let lack = || "this system writes no core dumps into the folder of a process".to_owned();
    let folder = tempfile::tempdir().map_err(|_| lack())?;
    let status = Command::new("/bin/sh")
        .args(["-c", "ulimit -c \"$(ulimit -H -c)\"; kill -ABRT $$"])
        .current_dir(folder.path())
        .status();
    match status {
        Ok(status) if status.core_dumped() => Ok(()),
        _ => Err(lack()),
    }
}
