//! The Python environments for tests. One has the real framework, formatter, linter and type checker for generated projects. The other has
//! the service's own client and python-dotenv, for testing `cloud`.
//!
//! A `requirements.txt` pins each environment. `cargo e2e --install` installs them under cargo's target folder, each in a folder named
//! after a hash of its pins.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The pinned packages of an environment.
#[derive(Debug)]
pub struct Pins {
    /// The environment's name in messages.
    pub name: &'static str,
    requirements: &'static str,
    /// The approximate size of the download and the installation.
    pub size: &'static str,
}

/// The framework, formatter, linter and type checker.
pub const FRAMEWORK: Pins = Pins {
    name: "the framework",
    requirements: include_str!("../framework/requirements.txt"),
    size: "about 2 GB",
};

/// The service's own client and python-dotenv.
pub const CLIENT: Pins = Pins {
    name: "the service's own client",
    requirements: include_str!("../cloud/requirements.txt"),
    size: "about 65 MB",
};

/// The file that marks an environment as complete.
const COMPLETE: &str = "complete";

/// The supported Python versions, in order of preference. Two services in the catalogue require 3.12 or later.
const VERSIONS: [&str; 4] = ["3.12", "3.13", "3.14", "3.11"];

/// An installed Python environment.
#[derive(Debug)]
pub struct Python {
    environment: PathBuf,
    cache: PathBuf,
}

impl Python {
    /// Returns the framework's environment. If it is missing, the error says how to install it.
    pub fn with_framework() -> Result<&'static Self, String> {
        static INSTALLED: LazyLock<Result<Python, String>> = LazyLock::new(|| FRAMEWORK.find());
        INSTALLED.as_ref().map_err(Clone::clone)
    }

    /// Returns the environment with the service's own client and python-dotenv. If it is missing, the error says how to install it.
    pub fn with_client() -> Result<&'static Self, String> {
        static INSTALLED: LazyLock<Result<Python, String>> = LazyLock::new(|| CLIENT.find());
        INSTALLED.as_ref().map_err(Clone::clone)
    }

    /// Returns the path of an executable in the environment, such as `python` or `ruff`.
    pub fn executable(&self, name: &str) -> PathBuf {
        self.environment.join("bin").join(name)
    }

    /// Returns a command for an executable in the environment. The environment's `bin` comes first on `PATH`, and the caller's Python
    /// settings are removed.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.executable(name));
        let mut path = self.environment.join("bin").into_os_string();
        if let Some(rest) = env::var_os("PATH") {
            path.push(":");
            path.push(rest);
        }
        command
            .env("PATH", path)
            .env("UV_CACHE_DIR", &self.cache)
            .env("UV_PYTHON_DOWNLOADS", "never")
            .env("PYRIGHT_PYTHON_IGNORE_WARNINGS", "1")
            .env_remove("PYTHONPATH")
            .env_remove("PYTHONHOME")
            .env_remove("VIRTUAL_ENV")
            .env_remove("UV_PYTHON");
        command
    }
}

impl Pins {
    /// Returns the environment. If it is missing, the error says how to install it.
    pub fn find(&self) -> Result<Python, String> {
        let python = self.environment()?;
        if python.environment.join(COMPLETE).exists() {
            return Ok(python);
        }
        let Self { name, size, .. } = self;
        Err(format!(
            "{name} is not installed; `cargo e2e --install` installs it under `target/` ({size})"
        ))
    }

    /// Installs the environment. An error says what failed and what to do.
    pub(crate) fn install(&self) -> Result<(), String> {
        let python = self.environment()?;
        let environment = &python.environment;
        let failed = |error| format!("could not set up `{}`: {error}", environment.display());
        // What a set-up that was killed has left.
        if environment.exists() {
            fs::remove_dir_all(environment).map_err(failed)?;
        }
        fs::create_dir_all(environment).map_err(failed)?;
        let list = environment.join("requirements.txt");
        fs::write(&list, self.requirements).map_err(failed)?;
        let mut pins = self.requirements.lines();
        let uv = pins.find(|line| line.starts_with("uv=="));
        let uv = uv.ok_or_else(|| format!("the pins of {} lack uv", self.name))?;
        let mut make = Command::new(newest_interpreter()?);
        run(make.args(["-m", "venv"]).arg(environment))?;
        run(python.command("pip").args(["install", "--quiet", uv]))?;
        let mut install = python.command("uv");
        // The pins are all that is needed.
        install.args(["pip", "install", "--quiet", "--no-deps", "--python"]);
        install.arg(python.executable("python"));
        run(install.arg("--requirement").arg(&list))?;
        // Written last: a set-up that was killed is started afresh.
        fs::write(environment.join(COMPLETE), "").map_err(failed)
    }

    /// Returns the environment's location, whether or not it is installed.
    fn environment(&self) -> Result<Python, String> {
        let root = target_folder()?.join("framework");
        let mut hash = DefaultHasher::new();
        self.requirements.hash(&mut hash);
        Ok(Python {
            environment: root.join(format!("{:016x}", hash.finish())),
            cache: root.join("cache"),
        })
    }
}

/// Returns the preferred Python interpreter on `PATH`, among the versions that generated projects support.
pub fn newest_interpreter() -> Result<String, String> {
    let is_there = |program: &String| {
        // A shim of a version manager answers with an error where the version is not selected.
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    let mut programs = VERSIONS.iter().map(|version| format!("python{version}"));
    programs
        .find(is_there)
        .ok_or_else(|| format!("no Python was found: {}", VERSIONS.join(", ")))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!(
            "{command:?}: {status}; a Python package index must be reachable"
        )),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// Returns cargo's target folder, which may be in a custom location. The folder is recognized by the compiler information that cargo stores
/// there.
pub(crate) fn target_folder() -> Result<PathBuf, String> {
    let test = env::current_exe()
        .map_err(|error| format!("could not find the test executable: {error}"))?;
    test.ancestors()
        .find(|folder| folder.join(".rustc_info.json").is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| {
            format!(
                "`{}` is not inside a target folder of cargo",
                test.display()
            )
        })
}
