//! The sample of a provider pack, `packs/localai`: its checks, and the lines that install it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bot_cli_tests::bench::Bench;
use serde_json::Value;

use crate::bot::{python, text};

#[test]
fn the_sample_passes_its_own_tests_and_every_check() {
    let own = sample("test.py");
    succeed(python().command("python").arg(own));
    let bench = bench();
    let mut check = bench.host(&["plugin", "check", "--json", "-q"]);
    let output = run(with_interpreter(&bench, check.arg(sample(PACK))));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let of = |verdict: &str| -> Vec<&Value> {
        let found = checks.iter().filter(|check| check["verdict"] == verdict);
        found.collect()
    };
    let failed = of("failed");
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(of("passed").len() > 10, "{report:#}");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn the_lines_of_the_guide_and_of_its_readme_install_the_sample_and_make_bots() {
    let read = |file: &str| fs::read_to_string(repository().join(file)).unwrap();
    let page = read("docs/src/guide/extend.md");
    let (_, ours) = page.split_once("<!-- sample -->\n").unwrap();
    let own = read("packs/localai/README.md");
    for (folder, page, blocks) in [("", ours, 1), ("packs/localai", &own, usize::MAX)] {
        let bench = Bench::new(&EXECUTABLES).unwrap();
        let copied = Command::new("cp")
            .arg("-R")
            .args([repository().join("packs"), bench.path("work")])
            .status();
        assert!(copied.unwrap().success());
        let lines: Vec<&str> = blocks_of_shell(page).take(blocks).collect();
        assert!(!lines.is_empty(), "{page}");
        let mut shell = Command::new("sh");
        shell
            .args(["-euc", &lines.concat()])
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work").join(folder));
        succeed(with_interpreter(&bench, &mut shell));
        let bot = bench
            .path("work")
            .join(folder)
            .join("my-bot/server/services.py");
        let bot = fs::read_to_string(bot).unwrap();
        assert!(bot.contains("LOCALAI_LLM_MODEL"), "{bot}");
    }
}

const PACK: &str = "bot-cli-pack-localai";

const EXECUTABLES: [(&str, &str); 2] = [
    ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
    ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
];

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A file of the sample.
fn sample(file: &str) -> PathBuf {
    repository().join("packs/localai").join(file)
}

/// The blocks of shell on a page, in their order.
fn blocks_of_shell(page: &str) -> impl Iterator<Item = &str> {
    let begun = page.split("```sh\n").skip(1);
    begun.filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
}

/// The host and `init`, with the sample where its README has it copied to.
fn bench() -> Bench {
    let bench = Bench::new(&EXECUTABLES).unwrap();
    let pack = fs::read_to_string(sample(PACK)).unwrap();
    let installed = format!("home/.local/share/bot-cli/plugins/{PACK}");
    bench.script(&installed, &pack).unwrap();
    bench
}

/// The framework's interpreter is the `python3` that a pack starts with.
fn with_interpreter<'a>(bench: &Bench, command: &'a mut Command) -> &'a mut Command {
    let [python, own] = [python().executable(""), bench.path("bin")];
    let path = format!("{}:{}:/usr/bin:/bin", python.display(), own.display());
    command.env("PATH", path)
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn succeed(command: &mut Command) -> Output {
    let output = run(command);
    assert!(output.status.success(), "{command:?}\n{}", text(&output));
    output
}
