//! The library for plugins in Python, and what `plugin new` makes with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::python::Python;

use crate::bot::text;

fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/python");
    fs::canonicalize(folder).unwrap()
}

fn python() -> &'static Python {
    Python::with_framework().unwrap()
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", text(&output));
}

#[test]
fn the_library_passes_its_own_tests() {
    let tests = ["-m", "unittest", "-q"];
    succeed(
        python()
            .command("python")
            .args(tests)
            .current_dir(library()),
    );
}

#[test]
fn the_library_its_sample_and_new_plugins_are_formatted_and_typed() {
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    for (name, role) in [("demo", "command"), ("safe", "secrets-backend")] {
        let words = ["plugin", "new", name, "--lang", "python", "--role", role];
        assert_eq!(bench.run(&words).unwrap().status, Some(0));
    }
    let new = ["bot-cli-demo", "bot-cli-secrets-safe"].map(|it| bench.path("work").join(it));
    let rules = library().join("pyproject.toml");
    for folder in new.iter().chain([&library()]) {
        let ruff = || {
            let mut ruff = python().command("ruff");
            ruff.current_dir(folder).env("RUFF_NO_CACHE", "true");
            ruff
        };
        succeed(ruff().args(["check", ".", "--config"]).arg(&rules));
        succeed(
            ruff()
                .args(["format", "--check", ".", "--config"])
                .arg(&rules),
        );
    }
    // With the library's settings: strict, for Python 3.10.
    succeed(python().command("pyright").current_dir(library()));
    for folder in &new {
        let settings = r#"{"typeCheckingMode":"strict","pythonVersion":"3.10"}"#;
        fs::write(folder.join("pyrightconfig.json"), settings).unwrap();
        succeed(python().command("pyright").current_dir(folder));
    }
}

#[test]
fn the_wheel_is_built_and_enough() {
    let place = tempfile::tempdir().unwrap();
    let uv = python().executable("uv").display().to_string();
    let sdk = library().display().to_string();
    let zoo = library().join("tests/plugins/zoo.py").display().to_string();
    let script = format!(
        "cp -r {sdk} sdk && {uv} build -q --out-dir dist sdk && {uv} tool run -q twine check --strict dist/* && \
         {uv} venv -q env && {uv} pip install -q --python env/bin/python dist/*.whl && cp {zoo} plugin.py && \
         env/bin/python plugin.py --build && python3 bot-cli-zoo show --json && test -f env/lib/*/site-packages/bot_cli_sdk/py.typed"
    );
    succeed(
        Command::new("sh")
            .args(["-euc", &script])
            .current_dir(place.path()),
    );
}
