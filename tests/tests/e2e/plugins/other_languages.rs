//! Plugins in TypeScript and Go: what `plugin new` writes, the library for TypeScript, and its package.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::document::block;
use serde_json::json;

use super::{bench, cancel, check, replace};

pub const SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk/typescript");

/// What every project in TypeScript installs.
pub const TOOLS: &str =
    "npm install --silent --no-audit --no-fund typescript@5 @types/node@20 esbuild@0";

pub fn new(bench: &Bench, words: &[&str]) {
    let ran = bench.run(&[&["plugin", "new"], words].concat()).unwrap();
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

/// Runs a script that must succeed, with the tools of this machine.
pub fn script(bench: &Bench, folder: &Path, script: &str) {
    let output = Command::new("sh")
        .args(["-euc", script])
        .current_dir(folder)
        .env("GOCACHE", bench.path("go"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{script}: {output:?}");
}

/// Moves the executable of a plugin away from its project: it needs nothing else.
fn alone(bench: &Bench, built: &Path) -> PathBuf {
    let file = bench.path("alone").join(built.file_name().unwrap());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::rename(built, &file).unwrap();
    file
}

#[test]
fn a_new_plugin_in_typescript_passes_every_check_and_ctrl_c_ends_a_loop_that_never_pauses() {
    let bench = bench();
    new(&bench, &["demo", "--lang", "typescript"]);
    let folder = bench.path("work/bot-cli-demo");
    script(
        &bench,
        &folder,
        "npm install --silent --no-audit --no-fund && npm test",
    );
    let file = alone(&bench, &folder.join("build/bot-cli-demo"));
    for argv in ["world", ""] {
        check(&bench, &file, argv);
    }
    let progress = "session.progress(`Greeting ${who}`);";
    let source = folder.join("src/plugin.ts");
    replace(
        &source,
        progress,
        &format!("{progress} for (;;) if (Date.now() < 0) break;"),
    );
    script(&bench, &folder, "npm run build");
    cancel(&bench, &folder.join("build/bot-cli-demo"));
}

#[test]
fn a_new_backend_in_typescript_keeps_the_whole_contract() {
    let bench = bench();
    let role = ["--role", "secrets-backend", "--lang", "typescript"];
    new(&bench, &[&["safe"], &role[..]].concat());
    let folder = bench.path("work/bot-cli-secrets-safe");
    script(
        &bench,
        &folder,
        "npm install --silent --no-audit --no-fund && npm test",
    );
    let file = alone(&bench, &folder.join("build/bot-cli-secrets-safe"));
    let kept = bench.path("kept");
    let argv = format!("organization=scratch file={}", kept.display());
    check(&bench, &file, &argv);
    // What the checks made is gone again.
    assert_eq!(fs::read_to_string(kept).unwrap(), "{}");
}

#[test]
fn a_new_plugin_in_go_passes_every_check_and_ctrl_c_ends_its_work() {
    let bench = bench();
    new(&bench, &["demo", "--lang", "go"]);
    let folder = bench.path("work/bot-cli-demo");
    let build = "test -z \"$(gofmt -l .)\" && go vet && go test && go build && \
                 test \"$(./bot-cli-demo world)\" = 'Hello, world.'";
    script(&bench, &folder, build);
    for argv in ["world", ""] {
        check(&bench, &folder.join("bot-cli-demo"), argv);
    }
    takes_only_its_own_answer(&folder.join("bot-cli-demo"));
    let source = folder.join("main.go");
    let progress = "user.progress(\"Greeting \" + who)";
    replace(&source, progress, &format!("{progress}\n\tselect {{}}"));
    script(&bench, &folder, "go build -vet=off 2>/dev/null || go build");
    cancel(&bench, &folder.join("bot-cli-demo"));
}

fn takes_only_its_own_answer(plugin: &Path) {
    let mut command = Command::new(plugin);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut plugin = command.spawn().unwrap();
    let mut input = plugin.stdin.take().unwrap();
    let mut lines = BufReader::new(plugin.stdout.take().unwrap()).lines();
    let run = json!({ "argv": [], "capabilities": { "ask": { "kinds": ["text"] } } });
    let run = json!({ "jsonrpc": "2.0", "id": 1, "method": "run", "params": run });
    writeln!(input, "{run}").unwrap();
    assert!(lines.next().unwrap().unwrap().contains("\"ask-1\""));
    for (id, value) in [("ask-0", "bob"), ("ask-1", "ada")] {
        let answer = json!({ "action": "accept", "value": value });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": answer });
        writeln!(input, "{answer}").unwrap();
    }
    drop(input);
    let said: Vec<String> = lines.map(|line| line.unwrap()).collect();
    assert!(said.last().unwrap().contains("Hello, ada."), "{said:?}");
    assert!(plugin.wait().unwrap().success());
}

#[test]
fn the_library_for_typescript_passes_its_tests_and_its_package_has_all_that_the_readme_uses() {
    let page = include_str!("../../../../sdk/typescript/README.md");
    let block = |name| block(page, name).unwrap();
    let bench = bench();
    let work = bench.path("work");
    let pack = format!(
        "mkdir sdk && cp -r {SDK}/. sdk && cd sdk && rm -rf node_modules dist build test/dist && {TOOLS} && npm test && npm pack --pack-destination .."
    );
    script(&bench, &work, &pack);
    for (folder, plugin, test) in [
        ("notes", "notes", Some("notes.test")),
        ("acme", "pack", None),
    ] {
        let project = work.join(folder);
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(project.join("src/plugin.ts"), block(plugin)).unwrap();
        if let Some(test) = test {
            assert!(block(plugin).lines().count() <= 40);
            fs::write(project.join("src/plugin.test.ts"), block(test)).unwrap();
        }
        let tsc = "npx tsc --strict --noEmit --target es2022 --module preserve --skipLibCheck false --types node src/*.ts";
        let tests = test.map_or("", |_| "&& npx bot-cli-sdk test");
        let install = TOOLS.replace("install", "install ../bot-cli-sdk-*.tgz");
        let build = format!(
            "echo '{{}}' >package.json && {install} && {tsc} && npx bot-cli-sdk build {tests}"
        );
        script(&bench, &project, &build);
    }
    for argv in ["list", "add"] {
        check(&bench, &work.join("notes/build/bot-cli-notes"), argv);
    }
    let pack = work.join("acme/build/bot-cli-pack-acme");
    let mut host = bench.host(&["plugin", "check"]);
    let output = host.arg(&pack).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    script(
        &bench,
        &work,
        &format!(
            "test \"$({} --version)\" = 'bot-cli-pack-acme 1.0.0'",
            pack.display()
        ),
    );
}
