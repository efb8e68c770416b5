//! Another host, written from `PROTOCOL.md` alone, beside `bot-cli`: both end every plugin alike.

use std::fs;
use std::path::Path;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::document::block;
use serde_json::Value;

const HOST: &str = include_str!("host.py");
const FOLLOW: &str = include_str!("../../../../docs/src/guide/scripts.md");

/// Plugins that break the protocol, and commands of good ones.
const WORDS: [&str; 20] = [
    "rogue no-reply",
    "rogue crash",
    "rogue double",
    "rogue wrong-id",
    "rogue banner",
    "rogue status",
    "rogue escapes",
    "rogue version",
    "rogue exit 127",
    "rogue say '{\"id\":1,\"result\":{\"text\":\"no version\"}}'",
    "rogue said '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":0,\"message\":\"no\"}}'",
    "rogue said '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":9,\"message\":\"no\"}}'",
    "nobody",
    "init --list-options",
    "init --describe /",
    "init --describe bot",
    "init bot --update --check",
    "init bot --no-such-option",
    "plugin list",
    "plugin info rogue",
];

#[test]
fn another_host_runs_every_plugin_as_bot_cli_does() {
    let bench = Bench::whole().unwrap();
    let rogue = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-rogue"));
    bench.install(rogue, "bin/bot-cli-rogue").unwrap();
    fs::write(bench.path("work/host.py"), HOST).unwrap();
    let made = "bot-cli init bot -t p2p_webrtc -m cascade --stt deepgram_stt --llm openai_llm --tts cartesia_tts";
    assert_eq!(bench.shell(made).unwrap().status, Some(0));
    for words in WORDS {
        for form in ["", "--json", "--json=lines"] {
            let [own, other] = ["bot-cli", "python3 host.py"].map(|host| {
                let line = format!("{host} {form} {words} </dev/null");
                let ran = bench.shell(&line).unwrap();
                (ran.status, outcome(&ran.stdout, form))
            });
            assert_eq!(own, other, "{form} {words}");
        }
    }
}

/// Returns what must be the same: text as it is, a document or the last line without the words of the host itself.
fn outcome(stdout: &str, form: &str) -> Value {
    if form.is_empty() {
        return Value::from(stdout);
    }
    let last = stdout
        .lines()
        .next_back()
        .filter(|_| form == "--json=lines");
    let mut document: Value =
        serde_json::from_str(last.unwrap_or(stdout)).unwrap_or_else(|_| Value::from(stdout));
    if let Some(result) = document.get_mut("result").and_then(Value::as_object_mut) {
        // A host may fill in the defaults.
        result.retain(|_, member| !member.is_null() && *member != "" && *member != 0);
    }
    if let Some(error) = document.get_mut("error").and_then(Value::as_object_mut) {
        let code = error.get("data").map(|data| data["code"].clone());
        return code.or_else(|| error.remove("code")).unwrap();
    }
    document
}

#[test]
fn a_program_follows_a_command_line_by_line() {
    let bench = Bench::whole().unwrap();
    let program = block(FOLLOW, "lines").unwrap();
    fs::write(bench.path("work/follow.py"), program).unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk/examples/localai");
    let ran = bench
        .shell(&format!("python3 follow.py plugin check {sample}"))
        .unwrap();
    let (progress, result) = ran.stdout.trim_end().rsplit_once('\n').unwrap();
    assert!(progress.starts_with("pack_folder 0 "), "{ran:?}");
    let result: Value = serde_json::from_str(result).unwrap();
    let checks = result["checks"].as_array().unwrap();
    assert_eq!(
        (ran.status, progress.lines().count()),
        (Some(0), checks.len())
    );
    let ran = bench.shell("python3 follow.py plugin info nobody").unwrap();
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.stdout.contains("not_found"), "{ran:?}");
}
