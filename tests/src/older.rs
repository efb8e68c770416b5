//! The executables of an older commit of this project, built once: beside those of today, they show whether each side can move on
//! alone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::nested_cargo::nested_cargo;
use crate::python::target_folder;

/// The older commit: the last one before packs and backends. It stays in the history.
pub const COMMIT: &str = "dd0d8a456f06b890c644d5a11dd64c16df776367";

/// The executables, which are named like their packages.
const EXECUTABLES: [&str; 3] = ["bot-cli", "bot-cli-init", "bot-cli-cloud"];

/// The packages of the commit that they are built of.
const PACKAGES: [&str; 5] = [
    "bot-cli",
    "bot-cli-sdk",
    "bot-cli-init",
    "bot-cli-cloud",
    "bot-cli-templates",
];

/// Tells that all of them are there.
const COMPLETE: &str = "complete";

/// The folder with the older executables, built if they are not there yet.
pub fn executables() -> Result<&'static Path, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(build);
    built.as_deref().map_err(Clone::clone)
}

/// An error says why the older commit can't be read here.
pub fn is_in_this_clone() -> Result<(), String> {
    let mut git = git();
    git.args(["cat-file", "-e", &format!("{COMMIT}^{{commit}}")]);
    run(&mut git, "").map_err(|said| {
        let commit = &COMMIT[..7];
        if said.contains("Not a valid object name") {
            return format!(
                "commit {commit} is not in this clone; `git fetch --unshallow` completes a shallow one"
            );
        }
        if said.contains("not a git repository") {
            return format!("commit {commit} is not in this clone: it has no history at all");
        }
        format!("commit {commit} can't be read: {said}")
    })
}

fn build() -> Result<PathBuf, String> {
    let folder = target_folder()?.join("skew").join(&COMMIT[..12]);
    let problem = |path: &Path, error| format!("could not write `{}`: {error}", path.display());
    fs::create_dir_all(&folder).map_err(|error| problem(&folder, error))?;
    // Held until they are complete, and let go by the system even when this process is killed.
    let lock = folder.join("lock");
    File::create(&lock)
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| problem(&lock, error))
        .and_then(|_held| build_alone(&folder))?;
    Ok(folder.join("bin"))
}

/// What was left half done is done again; cargo goes on where it was.
fn build_alone(folder: &Path) -> Result<(), String> {
    let [source, target, bin] = ["source", "target", "bin"].map(|name| folder.join(name));
    let complete = folder.join(COMPLETE);
    if complete.exists() {
        return Ok(());
    }
    let problem = |path: &Path, error| format!("could not write `{}`: {error}", path.display());
    for made in [&source, &bin] {
        fs::create_dir_all(made).map_err(|error| problem(made, error))?;
    }
    let archive = folder.join("source.tar");
    let what = format!("commit {COMMIT} could not be read");
    run(
        git()
            .args(["archive", "--format=tar", "--output"])
            .arg(&archive)
            .arg(COMMIT),
        &what,
    )?;
    run(
        Command::new("tar")
            .arg("-xf")
            .arg(&archive)
            .arg("-C")
            .arg(&source),
        &what,
    )?;

    let mut cargo = nested_cargo();
    cargo.args(["build", "--locked", "--quiet"]);
    for name in EXECUTABLES {
        cargo
            .arg(format!("--package={name}"))
            .arg(format!("--bin={name}"));
    }
    // With the package of the tests, the crates of others have the features that they were built with for these tests. They are shared;
    // without debug information, the packages of the commit are not those of today.
    cargo.arg("--package=bot-cli-tests");
    for name in PACKAGES {
        cargo.arg(format!("--config=profile.dev.package.{name}.debug=0"));
    }
    cargo
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_BUILD_BUILD_DIR", target_folder()?)
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&source);
    run(&mut cargo, &format!("commit {COMMIT} could not be built"))?;
    for name in EXECUTABLES {
        let (built, kept) = (target.join("debug").join(name), bin.join(name));
        fs::rename(&built, &kept).map_err(|error| problem(&kept, error))?;
    }
    File::create(&complete).map_err(|error| problem(&complete, error))?;
    // What nobody needs any more.
    let _ = fs::remove_dir_all(&target);
    let _ = fs::remove_dir_all(&source);
    let _ = fs::remove_file(&archive);
    Ok(())
}

fn git() -> Command {
    let mut git = Command::new("git");
    git.env("LC_ALL", "C");
    git.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    git
}

/// The error begins with `problem` and has what the program said.
fn run(command: &mut Command, problem: &str) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("`{}`: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err([problem, said.trim()].join("\n").trim_start().to_owned())
}
