//! Tests for the wheel.

use std::path::Path;
use std::process::Command;

use bot_cli_tests::init::tree;
use bot_cli_tests::python::newest_interpreter;

use super::{INSTALLER, ROOT, USER, artefact, hand_over, public_folder, ran, use_it};
use crate::bot::python;

/// The name of both the distribution and its executable.
const NAME: &str = "voicebot-cli";

#[test]
fn pip_installs_the_wheel_for_everybody() {
    let folder = public_folder();
    let environment = folder.path().join("environment");
    ran(Command::new(newest_interpreter().unwrap())
        .args(["-m", "venv"])
        .arg(&environment));
    let before = tree(&environment);
    let pip = environment.join("bin/pip");
    ran(Command::new(&pip)
        .args(["install", "--no-index"])
        .arg(artefact("", ".whl")));
    let installed = tree(&environment);
    for file in [
        "share/bash-completion/completions/bot-cli",
        "share/fish/vendor_completions.d/bot-cli.fish",
        "share/man/man1/bot-cli.1",
        "share/man/man1/bot-cli-cloud-secrets-set.1",
        "share/powershell/completions/bot-cli.ps1",
        "share/zsh/site-functions/_bot-cli",
    ] {
        assert!(installed.contains_key(file), "{file}");
    }
    for file in ["licenses/LICENSE", "licenses/THIRD-PARTY-NOTICES.txt"] {
        assert!(installed.keys().any(|one| one.ends_with(file)), "{file}");
    }
    hand_over(&environment);
    for (user, name) in [(INSTALLER, "bot-cli"), (USER, NAME), (ROOT, "bot-cli")] {
        use_it(&environment.join("bin").join(name), user);
    }
    ran(Command::new(&pip).args(["uninstall", "--yes", NAME]));
    let mut left: Vec<String> = tree(&environment).into_keys().collect();
    left.retain(|file| !before.contains_key(file) && !file.contains("__pycache__"));
    left.retain(|file| !file.ends_with('/'));
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn uv_installs_a_tool() {
    let home = public_folder();
    ran(uv(home.path())
        .args(["tool", "install"])
        .arg(artefact("", ".whl")));
    for (name, user) in [("bot-cli", ROOT), (NAME, USER)] {
        let link = home.path().join(".local/bin").join(name);
        assert!(link.is_symlink());
        use_it(&link, user);
        hand_over(home.path());
    }
}

#[test]
fn uvx_makes_a_bot_and_names_no_command_that_is_gone_afterwards() {
    let home = public_folder();
    let mut uvx = uv(home.path());
    uvx.args(["tool", "run", "--from"])
        .arg(artefact("", ".whl"))
        .args([NAME, "init", "quickstart"])
        .current_dir(home.path());
    let output = uvx.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let bot = home.path().join("quickstart-project/server/bot.py");
    assert!(bot.is_file());
    let next: Vec<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("next: "))
        .collect();
    assert!(next.contains(&"uv sync"), "{said}");
    let gone = next.iter().any(|line| line.starts_with("bot-cli "));
    assert!(!gone, "{said}");
}

/// Returns a command for uv with its own home directory and cache, and without network access.
fn uv(home: &Path) -> Command {
    let mut uv = python().command("uv");
    uv.env("HOME", home)
        .env("UV_CACHE_DIR", home.join(".cache/uv"))
        .env("UV_OFFLINE", "1")
        .env_remove("UV_TOOL_DIR")
        .env_remove("XDG_DATA_HOME");
    uv
}
