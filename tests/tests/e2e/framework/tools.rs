//! The tools that projects are fed to.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bot_cli_tests::python::Python;
use tempfile::TempDir;

use super::tree::{Tree, init};
use crate::conversation::running::Running;

/// The environment; a test that needs it fails with the reason where it cannot be had.
pub(crate) fn python() -> &'static Python {
    Python::with_framework().unwrap_or_else(|problem| panic!("{problem}"))
}

/// A file of `tests/framework`.
pub(crate) fn script(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/framework")).join(name)
}

/// The interpreter with such a file.
pub(crate) fn python_script(name: &str) -> Command {
    let mut command = python().command("python");
    command.arg(script(name));
    command
}

/// The stand-in for the AI services with these options, and its address.
pub(crate) fn models(options: &[&str]) -> (Running, String) {
    let mut models = Running::start(python_script("stand_in_openai.py").args(options));
    let address = models.line_with("http://");
    (models, address)
}

/// What the models say to the starter scenario.
pub(crate) const ANSWERS: [&str; 4] = [
    "--say",
    "capital of France=It is Paris.",
    "--say",
    "which city=You like Lisbon best.",
];

/// The framework's eval harness has the conversation of a scenario with the bot at an address.
pub(crate) fn evaluate(scenario: &Path, address: &str, logs: &Path) -> Output {
    let mut harness = python().command("pipecat");
    harness.args(["eval", "run"]).arg(scenario);
    harness.args(["--bot-url", address, "--logs-dir"]).arg(logs);
    harness.output().unwrap()
}

/// A project that `init` makes: its folder, and that of its code.
pub(crate) fn made(options: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let arguments: Vec<String> = ["bot"]
        .iter()
        .chain(options)
        .map(|it| (*it).to_owned())
        .collect();
    let output = init(&arguments, folder.path());
    assert!(output.status.success(), "{}", Finding(&output));
    let server = folder.path().join("bot/server");
    (folder, server)
}

/// The services of one provider.
pub(crate) const OPENAI: [&str; 8] = [
    "--mode",
    "cascade",
    "--stt",
    "openai_stt",
    "--llm",
    "openai_llm",
    "--tts",
    "openai_tts",
];

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
