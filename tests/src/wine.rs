//! Builds the Windows executables once, and runs them in Wine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::nested_cargo::nested_cargo;
use crate::program::program;
use crate::python::target_folder;

/// The Rust target for Windows.
pub const TARGET: &str = "x86_64-pc-windows-gnu";

/// The executables, which have the same names as their packages.
const EXECUTABLES: [&str; 6] = [
    "bot-cli",
    "bot-cli-plugin",
    "bot-cli-init",
    "bot-cli-dev",
    "bot-cli-cloud",
    "bot-cli-secrets-kubernetes",
];

/// A Windows library that Wine lacks before version 9.
const PRNG: &str = include_str!("wine/prng.c");

/// A program that reports when it starts to sleep, and again a minute later.
const SLEEPER: &str = include_str!("wine/sleeper.c");

/// A plugin that answers each request with its version.
const GREETER: &str = include_str!("wine/greet.c");

/// Compiles the plugin `greet` with this version number to `file`.
pub fn compile_greeter(file: &Path, version: &str) -> Result<(), String> {
    compile(file, GREETER, &[&format!("-DVERSION=\"{version}\"")])
}

/// Wine with its own Windows environment under `target/`.
#[derive(Debug)]
pub struct Wine {
    program: PathBuf,
    folder: PathBuf,
}

impl Wine {
    /// Returns Wine. The first call builds the Windows executables.
    pub fn get() -> Result<&'static Self, String> {
        static WINE: OnceLock<Result<Wine, String>> = OnceLock::new();
        WINE.get_or_init(Self::prepare)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Returns the folder with the executables, as a Linux path.
    pub fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// Returns a command that runs an executable, with only the environment variables that Wine needs.
    pub fn command(&self, executable: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg(self.bin().join(format!("{executable}.exe")))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &self.folder)
            .env("WINEPREFIX", self.folder.join("windows"))
            .env("WINEDEBUG", "-all")
            .env("BOT_CLI_KEYRING", "off")
            .stdin(Stdio::null());
        command
    }

    fn prepare() -> Result<Self, String> {
        let folder = target_folder()?.join("wine");
        let wine = Self {
            program: wine()?,
            folder,
        };
        fs::create_dir_all(wine.bin())
            .map_err(|error| format!("could not write `{}`: {error}", wine.bin().display()))?;
        wine.build_executables()?;
        compile(&wine.bin().join("bcryptprimitives.dll"), PRNG, &["-shared"])?;
        compile(&wine.bin().join("sleeper.exe"), SLEEPER, &[])?;
        // The first start makes the files of Windows, which takes half a minute once.
        let mut first = wine.command("bot-cli");
        run(first.arg("--version"), "wine")?;
        Ok(wine)
    }

    fn build_executables(&self) -> Result<(), String> {
        let target = target_folder()?;
        let mut command = nested_cargo();
        command
            .args(["build", "--quiet", "--target", TARGET, "--target-dir"])
            .arg(&target)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        for package in EXECUTABLES {
            command.args(["--package", package]);
        }
        run(&mut command, "cargo")?;
        for name in EXECUTABLES {
            let file = format!("{name}.exe");
            let from = target.join(TARGET).join("debug").join(&file);
            fs::copy(&from, self.bin().join(&file))
                .map_err(|error| format!("could not copy `{}`: {error}", from.display()))?;
        }
        Ok(())
    }
}

/// Converts a Linux path to a path in Wine.
pub fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', "\\"))
}

/// Finds Wine. Debian's 64-bit program is not on `PATH`, and the one on `PATH` warns if 32-bit Wine is missing.
fn wine() -> Result<PathBuf, String> {
    let debian = Path::new("/usr/lib/wine/wine64");
    if debian.is_file() {
        return Ok(debian.to_owned());
    }
    program(&["wine64", "wine"]).map_err(|error| error.to_string())
}

fn compile(to: &Path, text: &str, options: &[&str]) -> Result<(), String> {
    let source = to.with_extension("c");
    fs::write(&source, text)
        .map_err(|error| format!("could not write `{}`: {error}", source.display()))?;
    let mut command = Command::new("x86_64-w64-mingw32-gcc");
    command
        .args(options)
        .arg("-o")
        .arg(to)
        .arg(&source)
        .arg("-ladvapi32");
    run(&mut command, "x86_64-w64-mingw32-gcc").map(drop)
}

fn run(command: &mut Command, what: &str) -> Result<Output, String> {
    let output = command
        .output()
        .map_err(|error| format!("`{what}` could not be run: {error}"))?;
    if output.status.success() {
        Ok(output)
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{what}` failed: {said}"))
    }
}
