//! The Python environments that our work is held against: the real framework, formatter, linter and type checker for
//! generated projects; the service's own client and python-dotenv for `cloud`.
//!
//! A `requirements.txt` pins each. `cargo e2e --install` puts it under cargo's target folder, in a folder named after the pins.

use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The packages that are installed together.
#[derive(Debug)]
pub struct Pins {
    /// As messages name it.
    pub name: &'static str,
    /// The file that pins them.
    file: &'static str,
    requirements: &'static str,
    /// The size of the download and of the installation.
    pub size: &'static str,
}

/// The framework, formatter, linter and type checker.
pub const FRAMEWORK: Pins = Pins {
    name: "the framework",
    file: "tests/framework/requirements.txt",
    requirements: include_str!("../framework/requirements.txt"),
    size: "about 2 GB",
};

/// The service's own client and python-dotenv.
pub const CLIENT: Pins = Pins {
    name: "the service's own client",
    file: "tests/cloud/requirements.txt",
    requirements: include_str!("../cloud/requirements.txt"),
    size: "about 65 MB",
};

/// Tells a complete environment.
const COMPLETE: &str = "complete";

/// In order of preference: two services of the catalogue install from 3.12 on only.
const VERSIONS: [&str; 4] = ["3.12", "3.13", "3.14", "3.11"];

/// An installed environment.
#[derive(Debug)]
pub struct Python {
    environment: PathBuf,
    cache: PathBuf,
}

impl Python {
    /// The framework's environment. An error says that it is missing and what to do.
    pub fn with_framework() -> Result<&'static Self, String> {
        static INSTALLED: OnceLock<Result<Python, String>> = OnceLock::new();
        installed(&INSTALLED, &FRAMEWORK)
    }

    /// The environment of the service's own client and of python-dotenv.
    pub fn with_client() -> Result<&'static Self, String> {
        static INSTALLED: OnceLock<Result<Python, String>> = OnceLock::new();
        installed(&INSTALLED, &CLIENT)
    }

    /// An executable of the environment, such as `python` or `ruff`.
    pub fn executable(&self, name: &str) -> PathBuf {
        self.environment.join("bin").join(name)
    }

    /// Runs an executable of the environment, with the environment's `bin` first on `PATH` and none of the caller's Python
    /// settings.
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

fn installed(
    cell: &'static OnceLock<Result<Python, String>>,
    pins: &Pins,
) -> Result<&'static Python, String> {
    let found = cell.get_or_init(|| pins.find()?.ok_or_else(|| pins.missing()));
    found.as_ref().map_err(Clone::clone)
}

impl Pins {
    /// The environment, if it is complete.
    pub fn find(&self) -> Result<Option<Python>, String> {
        let python = self.environment()?;
        let complete = python.environment.join(COMPLETE);
        Ok(complete.exists().then_some(python))
    }

    /// That it is missing, and what to do.
    pub fn missing(&self) -> String {
        let Self { name, size, .. } = self;
        format!(
            "{name} is not installed; `cargo e2e --install` installs it under `target/` ({size})"
        )
    }

    /// Installs the environment if it is not complete. An error says what could not be installed and what to do.
    pub fn install(&self) -> Result<(), String> {
        let python = self.environment()?;
        let environment = &python.environment;
        let failed = |error| format!("could not set up `{}`: {error}", environment.display());
        fs::create_dir_all(environment.parent().unwrap_or(environment)).map_err(failed)?;
        // Held until the environment is complete, and let go by the system even when this process is killed.
        let lock = File::create(environment.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        // Written last: a set-up that was killed is started afresh.
        let complete = environment.join(COMPLETE);
        if complete.exists() {
            return Ok(());
        }
        if environment.exists() {
            fs::remove_dir_all(environment).map_err(failed)?;
        }
        set_up(&python, self, &lock)?;
        File::create(&complete).map(drop).map_err(failed)
    }

    /// Returns where the environment is or will be.
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

fn set_up(python: &Python, pins: &Pins, lock: &File) -> Result<(), String> {
    let interpreter = newest_interpreter()?;
    let uv = pins
        .requirements
        .lines()
        .find(|line| line.starts_with("uv=="))
        .ok_or_else(|| format!("`{}` does not pin uv", pins.file))?;
    run(
        lock,
        Command::new(&interpreter)
            .args(["-m", "venv"])
            .arg(&python.environment),
        "a virtual environment could not be made",
        "install the interpreter's own pip: `apt-get install python3-venv` on Debian",
    )?;
    run(
        lock,
        python.command("pip").args(["install", "--quiet", uv]),
        &format!("`{uv}` could not be installed"),
        "it needs a Python package index once: check the network and the proxy settings",
    )?;
    let list = python.environment.join("requirements.txt");
    fs::write(&list, pins.requirements)
        .map_err(|error| format!("could not write `{}`: {error}", list.display()))?;
    run(
        lock,
        python
            .command("uv")
            .args(["pip", "install", "--quiet", "--python"])
            .arg(python.executable("python"))
            .arg("--requirement")
            .arg(&list),
        &format!("the packages of `{}` could not be installed", pins.file),
        "it needs a Python package index once: check the network and the proxy settings",
    )
}

/// The interpreter that stands first in `VERSIONS`.
pub fn newest_interpreter() -> Result<PathBuf, String> {
    let mut candidates: Vec<PathBuf> = VERSIONS
        .iter()
        .map(|version| PathBuf::from(format!("python{version}")))
        .collect();
    candidates.push(PathBuf::from("python3"));
    candidates
        .iter()
        .filter_map(|candidate| {
            let ask = "import sys; print('%d.%d' % sys.version_info[:2])";
            // A shim of a version manager answers with an error where the version is not selected.
            let answer = Command::new(candidate).args(["-c", ask]).output().ok()?;
            let version = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
            let rank = VERSIONS.iter().position(|known| *known == version)?;
            Some((rank, candidate.clone()))
        })
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, interpreter)| interpreter)
        .ok_or_else(|| "no Python 3.11 to 3.14 was found".to_owned())
}

/// The lock goes along as standard input: were this process killed, the child that still installs would keep it.
fn run(lock: &File, command: &mut Command, problem: &str, hint: &str) -> Result<(), String> {
    let lock = lock
        .try_clone()
        .map_err(|error| format!("could not share the lock: {error}"))?;
    let output = command.stdin(lock).output().map_err(|error| {
        format!(
            "{problem}: `{}`: {error}\nhint: {hint}",
            command.get_program().display()
        )
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{problem}\n{}{}hint: {hint}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Cargo marks its target folder, wherever it was told to put it.
pub(crate) fn target_folder() -> Result<PathBuf, String> {
    let test = env::current_exe()
        .map_err(|error| format!("could not find the test executable: {error}"))?;
    test.ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| {
            format!(
                "`{}` is not inside a target folder of cargo",
                test.display()
            )
        })
}
