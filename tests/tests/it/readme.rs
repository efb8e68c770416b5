//! What the README and the guide show is what happens.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use bot_cli_templates::catalogue::{BotType, Catalogue};
use bot_cli_tests::bench::Bench;
use serde_json::Value;

#[test]
fn the_session_goes_as_shown() {
    let shown = passage("session");
    let (command, printed) = shown.split_once('\n').unwrap();
    let bench = bench();

    let output = shell(&bench, command.strip_prefix("$ ").unwrap(), "");

    assert!(output.status.success(), "{output:?}");
    let said = [output.stdout, output.stderr].concat();
    assert_eq!(String::from_utf8(said).unwrap(), printed);
}

#[test]
fn the_shell_plugin_is_listed_with_its_own_words_and_runs() {
    let bench = bench();
    bench
        .script("plugins/bot-cli-hello", &passage("hello"))
        .unwrap();

    let help = bench.run(&["--help"]).unwrap();
    let listed = help
        .stdout
        .lines()
        .any(|line| line == "  hello   Says hello");
    assert!(listed, "{}", help.stdout);

    let run = bench.run(&["hello"]).unwrap();
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "Hello\n"));
    let run = bench.run(&["hello", "big world"]).unwrap();
    assert_eq!(run.stdout, "Hello, big world\n");
    let run = bench.run(&["hello", "--json"]).unwrap();
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "\"Hello\"\n"));
}

#[test]
fn the_shell_plugin_is_that_of_the_protocol() {
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sdk/protocol/tests/examples/bot-cli-hello"
    );
    assert_eq!(passage("hello"), fs::read_to_string(example).unwrap());
}

#[test]
fn every_transport_is_named_with_what_it_is() {
    let page = include_str!("../../../docs/src/guide/start.md");
    let catalogue = Catalogue::get();
    for transport in [BotType::Web, BotType::Telephony]
        .into_iter()
        .flat_map(|bot_type| catalogue.transports(bot_type))
    {
        let name = transport.family.as_ref().unwrap_or(&transport.id);
        assert!(page.contains(&format!("`{name}`")), "{name}");
        if transport.carrier {
            let named = format!("`{name}` ({})", transport.label);
            assert!(page.contains(&named), "{named}");
        }
    }
}

#[test]
fn a_line_of_json_drives_the_plugin_alone() {
    let bench = bench();
    let output = shell(&bench, &passage("driven"), "");
    assert!(output.status.success(), "{output:?}");
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["id"], 1);
    let options = &reply["result"]["data"];
    let transports = options["transports"]["web"].as_array().unwrap();
    assert!(transports.contains(&Value::from("p2p_webrtc")), "{options}");
}

#[test]
fn the_lines_for_a_pack_bring_its_service_into_a_bot() {
    let bench = bench();
    let output = shell(&bench, &passage("pack"), "");
    assert!(output.status.success(), "{output:?}");
    let bot = fs::read_to_string(bench.path("work/my-bot/server/services.py")).unwrap();
    for part in ["OpenAILLMService", "VLLM_MODEL", "http://localhost:8000/v1"] {
        assert!(bot.contains(part), "{part}: {bot}");
    }
    let check = "bot-cli plugin check ~/.local/share/bot-cli/packs/vllm";
    let output = shell(&bench, check, "");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_dry_run_is_accepted_as_a_config() {
    let bench = bench();
    let options = "-t p2p_webrtc -m cascade --stt deepgram_stt --llm openai_llm --tts cartesia_tts";
    let dry = shell(
        &bench,
        &format!("bot-cli init my-bot {options} --dry-run"),
        "",
    );
    assert!(dry.status.success(), "{dry:?}");
    let configuration = String::from_utf8(dry.stdout.clone()).unwrap();
    let again = shell(
        &bench,
        "bot-cli init my-bot --config - --dry-run",
        &configuration,
    );
    assert_eq!(dry.stdout, again.stdout, "{again:?}");
    assert!(!bench.path("work/my-bot").exists());
}

#[test]
fn every_command_for_secrets_works_without_an_account() {
    let bench = bench();
    fs::write(bench.path("work/.env"), "DEEPGRAM_API_KEY=d\n").unwrap();
    fs::write(bench.path("work/.env.example"), "DEEPGRAM_API_KEY=\n").unwrap();
    fs::write(bench.path("work/key.pem"), "k\n").unwrap();
    let deployed = "secret_set = \"my-bot-secrets\"\n";
    fs::write(bench.path("work/cloud-deploy.toml"), deployed).unwrap();
    let page = include_str!("../../../docs/src/guide/keys.md");
    let rows = page.lines().filter_map(|line| {
        let row = line.strip_prefix("| `bot-cli cloud secrets ")?;
        row.split_once("` |").map(|(command, _)| command)
    });
    let mut done = 0;
    for row in rows {
        // What a terminal would ask for stands on the command line here.
        let command = match row.split(' ').next().unwrap() {
            "set" if row.ends_with("OPENAI_API_KEY") => format!("{row}=o --skip"),
            "set" | "unset" | "delete" => format!("{row} --skip"),
            "image-pull-secret" => format!("{row} user:token"),
            _ => row.replace(
                "uv run bot.py",
                "sh -c 'test \"$OPENAI_API_KEY$DEEPGRAM_API_KEY\" = od'",
            ),
        };
        let output = shell(&bench, &format!("bot-cli cloud secrets {command}"), "");
        assert!(output.status.success(), "{command}: {output:?}");
        done += 1;
    }
    assert_eq!(done, 10);
}

fn bench() -> Bench {
    Bench::whole().unwrap()
}

/// The code block below the comment that names it.
fn passage(name: &str) -> String {
    let pages = [
        include_str!("../../../README.md"),
        include_str!("../../../docs/src/authors/ten-minutes.md"),
        include_str!("../../../docs/src/guide/extend.md"),
        include_str!("../../../docs/src/guide/scripts.md"),
    ];
    let mark = format!("<!-- {name} -->\n```");
    let mut found = pages.iter().filter_map(|page| page.split_once(&mark));
    let (_, rest) = found.next().unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    let (block, _) = rest.split_once("\n```\n").unwrap();
    format!("{block}\n")
}

fn shell(bench: &Bench, command: &str, input: &str) -> std::process::Output {
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .env_clear()
        .envs(bench.environment())
        // Not that of whoever runs the tests.
        .env("BOT_CLI_KEYRING", "off")
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", bench.path("bin").display()),
        )
        .current_dir(bench.path("work"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}
