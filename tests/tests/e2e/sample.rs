//! Runs the commands that install and check `packs/localai`, the sample provider pack.

use std::fs;
use std::path::Path;
use std::process::Command;

use bot_cli_tests::bench::Bench;

use crate::bot::text;

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
        let path = format!("{}:/usr/bin:/bin", bench.path("bin").display());
        let mut shell = Command::new("sh");
        shell
            .args(["-euc", &lines.concat()])
            .env_clear()
            .envs(bench.environment())
            .env("PATH", path)
            .current_dir(bench.path("work").join(folder));
        succeed(&mut shell);
        let bot = bench
            .path("work")
            .join(folder)
            .join("my-bot/server/services.py");
        let bot = fs::read_to_string(bot).unwrap();
        assert!(bot.contains("LOCALAI_LLM_MODEL"), "{bot}");
    }
}

const EXECUTABLES: [(&str, &str); 3] = [
    ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
    ("bot-cli-plugin", env!("CARGO_BIN_EXE_it-bot-cli-plugin")),
    ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
];

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the shell blocks on a page, in order.
fn blocks_of_shell(page: &str) -> impl Iterator<Item = &str> {
    let begun = page.split("```sh\n").skip(1);
    begun.filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", text(&output));
}
