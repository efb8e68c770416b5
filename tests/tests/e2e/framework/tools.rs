//! The tools that projects are fed to.

use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Output};

use bot_cli_tests::python::Python;

use super::tree::Tree;

/// The environment; a test that needs it fails with the reason where it cannot be had.
pub(crate) fn python() -> &'static Python {
    Python::with_framework().unwrap_or_else(|problem| panic!("{problem}"))
}

/// A file of `tests/framework`.
pub(crate) fn script(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/framework")).join(name)
}

/// Runs an executable of the environment over all projects at once; a failure names the commands that make the projects
/// it speaks of.
pub(crate) fn run_over(tree: &Tree, executable: &str, arguments: impl FnOnce(&mut Command)) {
    let mut command = python().command(executable);
    arguments(&mut command);
    command.current_dir(tree.root());
    let output = command.output().unwrap();
    if output.status.success() {
        return;
    }
    let finding = Finding(&output).to_string();
    let reproduce: Vec<&str> = tree
        .cases()
        .iter()
        .filter(|case| finding.contains(&format!("{}/", case.name)))
        .map(|case| case.command.as_str())
        .collect();
    panic!("{command:?}\n{finding}\nmade by:\n{}", reproduce.join("\n"));
}

/// The output of an executable.
pub(crate) struct Finding<'a>(pub &'a Output);

impl fmt::Display for Finding<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Output {
            status,
            stdout,
            stderr,
        } = self.0;
        write!(
            formatter,
            "{status}\n{}{}",
            String::from_utf8_lossy(stdout),
            String::from_utf8_lossy(stderr)
        )
    }
}
