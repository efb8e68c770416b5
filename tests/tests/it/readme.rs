//! Checks that the examples in the README and the guide work as shown.

use std::fs;

use bot_cli_templates::catalogue::{BotType, Catalogue};
use bot_cli_tests::bench::{Bench, Ran};
use bot_cli_tests::document::block;
use serde_json::{Value, json};

#[test]
fn the_session_goes_as_shown() {
    let shown = passage("session");
    let (command, printed) = shown.split_once('\n').unwrap();
    let bench = bench();

    let ran = succeeds(&bench, command.strip_prefix("$ ").unwrap());
    assert_eq!(ran.stdout + &ran.stderr, printed);
}

#[test]
fn the_shell_plugin_is_listed_with_its_own_words_and_runs() {
    let bench = bench();
    bench.put("plugins/bot-cli-hello", &passage("hello"));
    let help = bench.run(&["--help"]).unwrap().stdout;
    assert!(help.contains("\n  hello   Says hello\n"), "{help}");
    for (line, said) in [
        ("hello", "Hello\n"),
        ("hello 'big world'", "Hello, big world\n"),
        ("hello --json", "\"Hello\"\n"),
    ] {
        assert_eq!(succeeds(&bench, &format!("bot-cli {line}")).stdout, said);
    }
}

#[test]
fn the_shell_plugin_reads_json_in_any_form() {
    let bench = bench();
    bench.put("plugins/bot-cli-hello", &passage("hello"));
    let request = json!({
        "params": { "argv": ["big", "--json=lines", "\"world\" [ä]"], "protocol": "1.1", "more": { "argv": [{}, []] } },
        "id": "a, \"b\"", "method": "run", "jsonrpc": "2.0",
    });
    let request = serde_json::to_string_pretty(&request).unwrap();
    fs::write(bench.path("request"), request.replace('\n', "\t") + "\r\n").unwrap();
    let ran = succeeds(&bench, "../plugins/bot-cli-hello <../request");
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    let said = "Hello, big \"world\" [ä]";
    let result = json!({ "text": format!("{said}\n"), "data": said });
    assert_eq!(
        reply,
        json!({ "jsonrpc": "2.0", "id": "a, \"b\"", "result": result })
    );
    succeeds(
        &bench,
        "bot-cli plugin check ../plugins/bot-cli-hello --argv world",
    );
}

#[test]
fn the_shell_plugin_is_that_of_the_protocol() {
    let protocol = include_str!("../../../sdk/protocol/PROTOCOL.md");
    let example = block(protocol, "example: bot-cli-hello");
    assert_eq!(passage("hello"), example.unwrap());
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
    let ran = succeeds(&bench, &passage("driven"));
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(reply["id"], 1);
    let options = &reply["result"]["data"];
    let transports = options["transports"]["web"].as_array().unwrap();
    assert!(transports.contains(&Value::from("p2p_webrtc")), "{options}");
}

#[test]
fn the_lines_of_the_guide_and_of_its_readme_install_the_sample_pack() {
    let own = include_str!("../../../sdk/examples/localai/README.md");
    let blocks = own.split("```sh\n").skip(1);
    let own: String = blocks.filter_map(|it| it.split("```").next()).collect();
    for (folder, lines) in [(".", passage("sample")), ("sdk/examples/localai", own)] {
        let bench = bench();
        let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk/examples");
        succeeds(
            &bench,
            &format!("set -e; mkdir sdk; cp -R {samples} sdk; cd {folder}; {lines}"),
        );
        let services = format!("work/{folder}/my-bot/server/services.py");
        let services = fs::read_to_string(bench.path(&services)).unwrap();
        assert!(services.contains("LOCALAI_LLM_MODEL"), "{services}");
    }
}

fn bench() -> Bench {
    let mut bench = Bench::whole().unwrap();
    // Not that of whoever runs the tests.
    bench.set("BOT_CLI_KEYRING", "off");
    bench
}

fn succeeds(bench: &Bench, script: &str) -> Ran {
    let ran = bench.shell(script).unwrap();
    assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
    ran
}

/// Returns the code block below the comment with this name.
fn passage(name: &str) -> String {
    let pages = [
        include_str!("../../../README.md"),
        include_str!("../../../docs/src/authors/ten-minutes.md"),
        include_str!("../../../docs/src/guide/extend.md"),
        include_str!("../../../docs/src/guide/scripts.md"),
    ];
    pages.iter().find_map(|page| block(page, name)).unwrap()
}
