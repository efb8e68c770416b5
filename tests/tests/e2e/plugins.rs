//! Checks plugins in other languages against the protocol.

mod hosts;
mod other_languages;
mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::document::block;
use bot_cli_tests::pty::{CTRL_C, Terminal};
use serde_json::Value;

fn bench() -> Bench {
    Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap()
}

/// Runs the checks on a plugin and asserts that none fails.
fn check(bench: &Bench, plugin: &Path, argv: &str) {
    let mut host = bench.host(&["plugin", "check", "--json", "-q", "--argv", argv]);
    // Interpreters may be anywhere.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let output = host.arg(plugin).env("PATH", path).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let of = |verdict: &str| -> Vec<&Value> {
        let found = checks.iter().filter(|check| check["verdict"] == verdict);
        found.collect()
    };
    let (failed, file) = (of("failed"), plugin.display());
    assert!(failed.is_empty(), "{file} {argv:?}: {failed:#?}");
    assert!(of("passed").len() > 30, "{file} {argv:?}: {report:#}");
    assert_eq!(output.status.code(), Some(0));
}

/// Builds the skeletons in `docs/src/authors/ten-minutes.md` as the page describes.
#[test]
fn the_skeletons_of_the_documents_keep_every_required_rule() {
    let page = include_str!("../../../docs/src/authors/ten-minutes.md");
    let block = |name| block(page, name).unwrap();
    let bench = bench();
    let new = ["plugin", "new", "snake", "--lang", "python"];
    assert_eq!(bench.run(&new).unwrap().status, Some(0));
    let snake = bench.path("work/bot-cli-snake");
    fs::write(snake.join("plugin.py"), block("snake")).unwrap();
    build(&snake);
    fs::create_dir_all(bench.path("plugins")).unwrap();
    let built = snake.join("bot-cli-snake");
    fs::rename(built, bench.path("plugins/bot-cli-snake")).unwrap();
    let new = ["plugin", "new", "tess", "--lang", "typescript"];
    assert_eq!(bench.run(&new).unwrap().status, Some(0));
    let project = bench.path("work/bot-cli-tess");
    fs::write(project.join("src/plugin.ts"), block("tess")).unwrap();
    let script = "npm install --silent --no-audit --no-fund && npm run build && \
                  install build/bot-cli-tess ../../plugins/bot-cli-tess";
    let output = Command::new("sh")
        .args(["-euc", script])
        .current_dir(project)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    for name in ["snake", "tess"] {
        let file = bench.path(&format!("plugins/bot-cli-{name}"));
        let mut host = bench.host(&["plugin", "check", "--argv", "world"]);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let output = host.arg(&file).env("PATH", path).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && text.contains("(0 must"),
            "{text}"
        );
    }
}

/// Installs an example of a specification and returns its path.
fn example(bench: &Bench, document: &str, file: &str) -> PathBuf {
    let text = block(document, &format!("example: {file}")).unwrap();
    bench.script(&format!("plugins/{file}"), &text).unwrap()
}

/// Finds the plugins of the bench, and interpreters, which may be anywhere.
fn find_plugins(bench: &mut Bench) {
    let path = std::env::var("PATH").unwrap_or_default();
    let own = ["plugins", "bin"].map(|folder| bench.path(folder).display().to_string());
    bench.set("PATH", format!("{}:{path}", own.join(":")));
}

#[test]
fn the_example_of_the_protocol_works_and_passes_every_check() {
    let mut bench = bench();
    let protocol = include_str!("../../../sdk/protocol/PROTOCOL.md");
    let roll = example(&bench, protocol, "bot-cli-roll");
    for argv in ["3", ""] {
        check(&bench, &roll, argv);
    }
    find_plugins(&mut bench);
    bench.shows(
        "
        $ bot-cli roll 3 --json | grep -c '[1-6]'
        3
        $ bot-cli roll many
        ! error: `dice` must be a number from 1 to 100
        ! hint: bot-cli roll 3
        = 2
        ",
    );
}

fn shelf(bench: &Bench) -> PathBuf {
    let backends = include_str!("../../../sdk/secrets/BACKENDS.md");
    example(bench, backends, "bot-cli-secrets-shelf")
}

#[test]
fn the_example_of_a_secrets_backend_keeps_the_whole_contract() {
    let bench = bench();
    let kept = bench.path("kept");
    let argv = format!("organization=scratch file={}", kept.display());
    check(&bench, &shelf(&bench), &argv);
    // What the checks made is gone again.
    let text = fs::read_to_string(kept).unwrap();
    assert!(!text.contains("check-"), "{text}");
}

#[test]
fn a_set_kept_by_a_backend_in_another_language_is_what_run_uses() {
    let mut bench = Bench::new(&[
        ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
        ("bot-cli-cloud", env!("CARGO_BIN_EXE_it-bot-cli-cloud")),
    ])
    .unwrap();
    shelf(&bench);
    find_plugins(&mut bench);
    bench.shows(
        "
        $ bot-cli cloud config set shelf.file [BENCH]/kept && bot-cli cloud config set backend shelf
        ...
        $ bot-cli cloud secrets set prod OPENAI_API_KEY=sk-1 --skip
        ...
        $ bot-cli cloud secrets run prod -- sh -c 'echo $OPENAI_API_KEY' 2>/dev/null
        sk-1
        $ bot-cli cloud secrets delete prod --skip
        ...
        $ bot-cli cloud secrets list --json 2>/dev/null | grep -c prod
        0
        = 1
        ",
    );
}

#[test]
fn new_plugins_in_python_pass_every_check_and_their_own_test_and_ctrl_c_ends_their_work() {
    let bench = bench();
    for (name, role, file, argvs) in [
        ("safe", "secrets-backend", "bot-cli-secrets-safe", &[""][..]),
        ("demo", "command", "bot-cli-demo", &["world", ""]),
    ] {
        let new = ["plugin", "new", name, "--role", role, "--lang", "python"];
        let ran = bench.run(&new).unwrap();
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let folder = bench.path("work").join(file);
        let output = Command::new(folder.join("test.py")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        build(&folder);
        // The executable needs nothing of its folder.
        let alone = bench.path("plugins").join(file);
        fs::create_dir_all(bench.path("plugins")).unwrap();
        fs::rename(folder.join(file), &alone).unwrap();
        for argv in argvs {
            check(&bench, &alone, argv);
        }
    }
    let folder = bench.path("work/bot-cli-demo");
    let slow = "    __import__(\"time\").sleep(30)\n    greeting =";
    replace(&folder.join("plugin.py"), "    greeting =", slow);
    build(&folder);
    cancel(&bench, &folder.join("bot-cli-demo"));
}

/// Replaces a part of a file that is there once.
fn replace(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(old).count(), 1, "{text}");
    fs::write(file, text.replace(old, new)).unwrap();
}

/// Builds the executable of a plugin in Python: the same bytes each time.
fn build(folder: &Path) {
    let built = || {
        let output = Command::new("python3")
            .arg(folder.join("plugin.py"))
            .arg("--build")
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap());
        let mut files = files.filter(|it| it.file_name().to_string_lossy().starts_with("bot-cli-"));
        fs::read(files.next().unwrap().path()).unwrap()
    };
    assert_eq!(built(), built());
}

/// A plugin with every kind of argument and question.
#[test]
fn a_plugin_made_with_the_library_for_python_passes_every_check() {
    let bench = bench();
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/python");
    let folder = bench.path("work/zoo");
    fs::create_dir_all(&folder).unwrap();
    let mut copied = Command::new("cp");
    copied
        .arg("-r")
        .arg(library.join("bot_cli_sdk"))
        .arg(&folder);
    assert!(copied.status().unwrap().success());
    fs::copy(
        library.join("tests/plugins/zoo.py"),
        folder.join("plugin.py"),
    )
    .unwrap();
    build(&folder);
    for argv in ["soon", "choose", "unlock"] {
        check(&bench, &folder.join("bot-cli-zoo"), argv);
    }
}

/// Runs a new plugin that works for 30 seconds, and cancels it with Ctrl-C.
fn cancel(bench: &Bench, plugin: &Path) {
    bench.install(plugin, "bin/bot-cli-demo").unwrap();
    let mut terminal = Terminal::in_shell(bench, &["bot-cli", "demo", "world"]).unwrap();
    terminal.wait_for("Greeting world").unwrap();
    terminal.press(CTRL_C).unwrap();
    let screen = terminal.end().unwrap().screen;
    let lines: Vec<&str> = screen.trim_end().lines().collect();
    assert!(
        lines.ends_with(&["cancelled", "status 130", "tidy"]),
        "{screen}"
    );
    assert!(!screen.contains("waiting"), "{screen}");
}

#[test]
fn a_new_plugin_in_rust_builds_offline_and_passes_every_check_and_its_own_test() {
    let bench = bench();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sdk = fs::canonicalize(package.join("../sdk")).unwrap();
    let sdk = sdk.to_str().unwrap();
    let ran = bench
        .run(&["plugin", "new", "demo", "--lang", "rust", "--sdk", sdk])
        .unwrap();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let folder = bench.path("work/bot-cli-demo");
    fs::copy(package.join("../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = package.join("../target/new-plugin");
    let cargo = |command| {
        let output = Command::new("cargo")
            .args([command, "--offline", "--manifest-path"])
            .arg(folder.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", &target)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    cargo("test");
    let slow = "std::thread::sleep(std::time::Duration::from_secs(30));\n        let word = if";
    replace(&folder.join("src/main.rs"), "let word = if", slow);
    cargo("build");
    cancel(&bench, &target.join("debug/bot-cli-demo"));
}
