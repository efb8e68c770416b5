//! The quickstart's own README, done as it says, with nothing but what its `pyproject.toml` asks for.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::tools::{Finding, python};
use super::tree::init;
use crate::conversation::free_port;
use crate::conversation::running::Running;

#[test]
fn the_steps_of_the_readme_work() {
    let folder = tempfile::tempdir().unwrap();
    let output = init(&["quickstart".to_owned()], folder.path());
    assert!(output.status.success(), "{}", Finding(&output));
    let project = folder.path().join("quickstart-project");
    let server = project.join("server");

    let readme = fs::read_to_string(project.join("README.md")).unwrap();
    for step in [
        "cd server",
        "uv sync",
        "cp .env.example .env",
        "uv run bot.py -t webrtc",
    ] {
        assert!(
            readme.lines().any(|line| line.trim() == step),
            "the README has no step `{step}`"
        );
    }

    succeeds(uv(&server).arg("sync"));
    assert!(server.join("uv.lock").is_file());
    assert!(server.join(".venv").is_dir());
    let example = fs::read_to_string(server.join(".env.example")).unwrap();
    fs::write(server.join(".env"), filled_in(&example)).unwrap();

    let port = free_port();
    let bot = [
        "run",
        "bot.py",
        "-t",
        "webrtc",
        "--host",
        "127.0.0.1",
        "--port",
        &port.to_string(),
    ];
    let mut running = Running::start(uv(&server).args(bot));
    running.line_with("Uvicorn running on");
    drop(running);

    // What the project's own settings ask of its code, in its own environment.
    succeeds(uv(&server).args(["run", "ruff", "check"]));
    succeeds(uv(&server).args(["run", "ruff", "format", "--check"]));
}

/// Every line that stands open gets a value, as a user would give it one.
fn filled_in(example: &str) -> String {
    let fill = |line: &str| {
        if line.ends_with('=') && !line.starts_with('#') {
            format!("{line}any\n")
        } else {
            format!("{line}\n")
        }
    };
    example.lines().map(fill).collect()
}

fn uv(server: &Path) -> Command {
    let mut command = python().command("uv");
    command
        .current_dir(server)
        .args(["--quiet", "--no-progress"]);
    command
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", Finding(&output));
}
