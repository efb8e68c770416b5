//! The completion script for bash, in bash.

use std::process::Command;

use bot_cli_tests::bench::Bench;

const TREE: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"tree","command":{"commands":[{"name":"plant","about":"Plant one","arguments":[{"name":"kind","kind":"positional","values":[{"value":"oak"},{"value":"elm"}]},{"name":"file","long":"file","kind":"option","completion":"file"},{"name":"size","long":"size","kind":"option","values":[{"value":"small"}]},{"name":"soil","long":"soil","kind":"option","completion":"dynamic"}]}]}}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"candidates":[{"value":"sand","about":"Dry"}]}}'
"#;

#[test]
fn the_script_for_bash_completes() {
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    bench.script("plugins/bot-cli-tree", TREE).unwrap();
    std::fs::write(bench.path("work/a file"), "").unwrap();
    for (line, expected) in [
        ("bot-cli tree plant o", "oak\n"),
        ("bot-cli tree pl", "plant\n"),
        ("bot-cli tree plant --file ", "a file\n"),
        ("bot-cli tree plant --file = a", "a file\n"),
        ("bot-cli tree plant --size =", "small\n"),
        (
            "COMP_WORDBREAKS=; bot-cli tree plant --size=s",
            "--size=small\n",
        ),
        (
            "COMP_WORDBREAKS=; bot-cli tree plant --file=a",
            "--file=a file\n",
        ),
    ] {
        let (breaks, line) = line
            .split_once("; ")
            .unwrap_or(("COMP_WORDBREAKS='='", line));
        let script = format!(
            "{breaks}; source <(bot-cli completions bash) && COMP_WORDS=({line}{}) && COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)) \
             && compopt() {{ :; }} && _bot_cli && printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            if line.ends_with(' ') { "''" } else { "" }
        );
        let mut command = Command::new("bash");
        command
            .args(["-c", &script])
            .env_clear()
            .envs(bench.environment());
        let path = format!(
            "{}:{}",
            bench.path("bin").display(),
            bench.environment()[0].1
        );
        let output = command
            .env("PATH", path)
            .current_dir(bench.path("work"))
            .output()
            .unwrap();
        let ran = bench.ran(&output).unwrap();
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            (expected, ""),
            "{line}"
        );
    }
}
