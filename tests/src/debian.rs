//! Programs that a test needs and a fresh machine lacks.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

/// The first of `programs` that is on the path; Debian's `package` is installed where that is possible.
pub fn program(programs: &[&str], package: &str) -> io::Result<PathBuf> {
    /// One installation after the other: the package manager refuses a second.
    static ONE: Mutex<()> = Mutex::new(());
    let find = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = std::env::split_paths(&path).collect();
        programs
            .iter()
            .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
            .find(|file| file.is_file())
    };
    let _one = ONE.lock();
    if let Some(found) = find() {
        return Ok(found);
    }
    let apt =
        format!("apt-get update -qq && apt-get install -y -qq --no-install-recommends {package}");
    let installed = Command::new("sh").args(["-c", &apt]).output();
    find().ok_or_else(|| {
        io::Error::other(format!(
            "none of {programs:?} is on PATH; install it, on Debian with `apt-get install {package}`: {installed:?}"
        ))
    })
}
