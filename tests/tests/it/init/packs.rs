//! Tests for provider packs, from their files to the projects that use them.

mod bad;
mod drawn;

use std::fs;
use std::path::Path;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::init::{Run, tree};
use serde_json::{Value, json};

use crate::host::roles::{self, folder};

/// Creates a bench with just the plugin.
pub(super) fn bench() -> Bench {
    Bench::new(&[("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init"))]).unwrap()
}

pub(super) fn run(bench: &Bench, arguments: &[&str]) -> Run {
    let mut command = bench.command(Path::new("bot-cli-init"));
    let output = command.args(arguments).output().unwrap();
    bench.ran(&output).unwrap()
}

/// Installs a pack as a script, with these services and with `members` added to its manifest.
pub(super) fn script(bench: &Bench, name: &str, services: &[Value], members: &Value) {
    let mut manifest = roles::pack(name);
    manifest["providers"][0]["service"] = json!(services);
    add(&mut manifest, members);
    roles::install(bench, &manifest);
}

/// Returns a service as declared in a manifest, with `members` added to the fields that every service has.
pub(super) fn service(id: &str, members: &Value) -> Value {
    let mut service = roles::service(id, id.rsplit('_').next().unwrap());
    service["label"] = json!(format!("Label of {id}").replace('_', " "));
    add(&mut service, members);
    service
}

fn add(value: &mut Value, members: &Value) {
    for (member, added) in members.as_object().unwrap() {
        value[member] = added.clone();
    }
}

/// Returns the available options, and the warnings about packs that are not used.
pub(super) fn listed(bench: &Bench) -> (Value, Vec<String>) {
    let ran = run(bench, &["--list-options"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let warnings = ran.stderr.lines().map(str::to_owned).collect();
    (ran.document(), warnings)
}

/// Returns the options for a bot with these services.
pub(super) fn cascade<'a>(folder: &'a str, stt: &'a str, tts: &'a str) -> Vec<&'a str> {
    let options = ["-t", "p2p_webrtc", "-m", "cascade", "--llm", "openai_llm"];
    [&[folder, "--stt", stt, "--tts", tts][..], &options].concat()
}

/// Returns the options for a bot with this speech-to-text service. `first` contains the project's folder, then any further options.
pub(super) fn hearing<'a>(first: &[&'a str], stt: &'a str) -> Vec<&'a str> {
    [&cascade(first[0], stt, "cartesia_tts")[..], &first[1..]].concat()
}

const DECLARED: &str = "version = \"1.2.0\"\nabout = \"Speech of Acme\"\ncatalogue = \"1.0\"\nframework = \">=1.14,<2\"\n";

const PROVIDER: &str = r#"
label = "Acme"
site = "https://acme.example/keys"

[env.ACME_API_KEY]
about = "API key"
secret = true

[env.ACME_VOICE]
about = "Voice id"

[[service]]
id = "acme_fast_stt"
kind = "stt"
label = "Acme Fast"
packages = ["acme-speech>=1.2,<2"]
module = "acme_speech.stt"
class = "AcmeSTTService"
note = "Runs on this machine"
args = [{ name = "api_key", env = "ACME_API_KEY" }]

[[service]]
id = "acme_tts"
kind = "tts"
label = "Acme (it's #1)"
extras = ["openai"]
packages = ["acme-speech>=1.2,<2"]
module = "acme_speech.tts"
class = "AcmeTTSService"
args = [
    { name = "api_key", env = "ACME_API_KEY" },
    { name = "settings.voice", env = "ACME_VOICE", default = "it's #1" },
]
"#;

#[test]
fn services_of_a_folder_and_of_a_script_are_listed_with_their_packs() {
    let bench = bench();
    let (without, _) = listed(&bench);
    folder(&bench, "acme", DECLARED, PROVIDER);
    let brought = service(
        "other_llm",
        &json!({ "prompt": "settings.system_instruction" }),
    );
    let members = json!({ "version": "0.3.1", "about": "Others" });
    script(&bench, "other", &[brought], &members);
    let (listed, warnings) = listed(&bench);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(
        listed["packs"],
        json!([
            { "name": "acme", "version": "1.2.0", "about": "Speech of Acme", "services": ["acme_fast_stt", "acme_tts"] },
            { "name": "other", "version": "0.3.1", "about": "Others", "services": ["other_llm"] },
        ])
    );
    for (kind, id) in [
        ("stt", "acme_fast_stt"),
        ("tts", "acme_tts"),
        ("llm", "other_llm"),
    ] {
        let mut ids = listed[kind].as_array().unwrap().clone();
        ids.retain(|listed| listed != id);
        // Nothing else has come, gone or changed its place.
        assert_eq!(Value::Array(ids), without[kind]);
        assert_ne!(listed[kind], without[kind]);
    }
}

#[test]
fn a_project_has_the_services_of_a_pack_and_names_it() {
    let bench = bench();
    folder(&bench, "acme", DECLARED, PROVIDER);
    let options = cascade("my-bot", "acme_fast_stt", "acme_tts");
    let ran = run(&bench, &options);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let made = tree(&bench.path("work/my-bot"));
    let text = |path: &str| String::from_utf8(made[path].clone()).unwrap();
    let bot = text("server/services.py");
    for line in [
        "from acme_speech.stt import AcmeSTTService",
        "from acme_speech.tts import AcmeTTSService",
        "ACME_API_KEY = required(\"ACME_API_KEY\")",
        "ACME_VOICE: str = optional(\"ACME_VOICE\", \"it's #1\")",
        "    \"\"\"Turn text into speech with Acme (it's #1).\"\"\"",
        "    return AcmeSTTService(",
        "        api_key=ACME_API_KEY,",
    ] {
        assert!(bot.lines().any(|found| found == line), "{line}\n{bot}");
    }
    let pyproject = text("server/pyproject.toml");
    for requirement in [
        "\"acme-speech>=1.2,<2\",",
        "\"pipecat-ai[openai,runner,webrtc]>=1.14.0,<2\",",
    ] {
        assert!(pyproject.contains(requirement), "{pyproject}");
    }
    let environment = text("server/.env.example");
    for line in [
        "# Acme: https://acme.example/keys",
        "ACME_API_KEY=",
        "# ACME_VOICE='it\\'s #1'",
    ] {
        assert!(
            environment.lines().any(|found| found == line),
            "{environment}"
        );
    }
    let readme = text("README.md");
    for line in [
        "| Speech-to-text | Acme Fast, from the provider pack acme 1.2.0 |",
        "Acme Fast: Runs on this machine.",
        "| `ACME_VOICE` | Acme: Voice id | <https://acme.example/keys> | no; default: it's \\#1 |",
    ] {
        assert!(
            readme.lines().any(|found| found == line),
            "{line}\n{readme}"
        );
    }
    // The same again changes nothing.
    let again = run(&bench, &options);
    assert!(again.stdout.contains("Nothing to do"), "{again:?}");
}

#[test]
fn a_configuration_names_its_packs_and_is_read_back() {
    let bench = bench();
    folder(&bench, "acme", DECLARED, PROVIDER);
    let pack = bench.path("home/.local/share/bot-cli/packs/acme");
    let printed = run(&bench, &hearing(&["my-bot", "--dry-run"], "acme_fast_stt")).stdout;
    let config: Value = printed.parse().unwrap();
    assert_eq!(config["packs"], json!({ "acme": { "version": "1.2.0" } }));
    fs::write(bench.path("work/bot.json"), &printed).unwrap();
    let again = ["elsewhere", "-c", "bot.json", "--dry-run"];
    let ran = run(&bench, &again);
    assert_eq!(
        (ran.status, ran.stdout.as_str(), ran.stderr.as_str()),
        (Some(0), printed.as_str(), "")
    );

    // Another version may mean something else.
    fs::write(pack.join("pack.toml"), DECLARED.replace("1.2.0", "1.3.0")).unwrap();
    let ran = run(&bench, &again);
    assert_eq!(ran.stderr, "");
    assert_eq!(ran.stdout, printed.replace("1.2.0", "1.3.0"));

    // Without the pack it says which one it needs, and nothing is made.
    fs::rename(&pack, bench.path("gone")).unwrap();
    let of_pack = printed.replace("cartesia_tts", "acme_tts");
    fs::write(bench.path("work/bot.json"), of_pack).unwrap();
    let ran = run(&bench, &["elsewhere", "-c", "bot.json"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    let hint = "\nhint: ask the author of the project for the file or folder of the pack `acme`, then: bot-cli plugin add FILE\n";
    for (part, count) in [
        (
            "it is of the provider pack `acme`, version `1.2.0`, which is not installed\n",
            2,
        ),
        (hint, 1),
    ] {
        assert_eq!(ran.stderr.matches(part).count(), count, "{ran:?}");
    }
    assert!(!bench.path("work/elsewhere").exists());
}

#[test]
fn a_near_miss_is_told_the_service_of_a_pack() {
    let bench = bench();
    folder(&bench, "acme", DECLARED, PROVIDER);
    let ran = run(&bench, &hearing(&["my-bot"], "acme_fsat_stt"));
    assert!(
        ran.stderr.contains("`acme_fsat_stt`: the provider pack acme 1.2.0 has no such service; did you mean `acme_fast_stt`?"),
        "{ran:?}"
    );
    let ran = run(&bench, &hearing(&["my-bot"], "acme_tts"));
    assert!(
        ran.stderr
            .contains("`acme_tts`: that is a text-to-speech service, not a speech-to-text service"),
        "{ran:?}"
    );
    let ran = run(&bench, &hearing(&["my-bot"], "nobodys_quick_stt"));
    assert!(
        ran.stderr.contains("`nobodys_quick_stt`: no such service"),
        "{ran:?}"
    );
}

#[test]
fn a_service_in_a_file_that_is_refused_names_the_file_and_the_reason() {
    let bench = bench();
    folder(&bench, "acme", DECLARED, "label = ");
    let ran = run(&bench, &hearing(&["my-bot"], "acme_fast_stt"));
    assert!(
        ran.stderr.contains("`acme_fast_stt`: the provider pack acme 1.2.0 has no such service; these parts of it can't be used: providers/acme.toml: it can't be read: line 1: "),
        "{ran:?}"
    );
}

#[test]
fn the_schema_that_is_printed_has_the_services_of_packs() {
    let bench = bench();
    folder(&bench, "acme", DECLARED, PROVIDER);
    let schema: Value = run(&bench, &["--config-schema"]).stdout.parse().unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let printed = run(&bench, &hearing(&["my-bot", "--dry-run"], "acme_fast_stt")).stdout;
    assert!(validator.is_valid(&printed.parse().unwrap()), "{printed}");
    assert!(!validator.is_valid(&json!({ "stt_service": "acme_slow_stt" })));
    assert!(!validator.is_valid(&json!({ "packs": { "acme": "1.2.0" } })));
}

#[test]
fn a_service_gets_sound_at_its_one_rate_in_web_bots_and_in_calls() {
    let bench = bench();
    let members = json!({ "input_rate": 24000, "turns": "service", "prompt": "instructions" });
    let fixed = service("acme_realtime", &members);
    script(&bench, "acme", &[fixed], &json!({}));
    let remark = "# the only rate that Label of acme realtime takes";
    for (kind, transport, expected) in [
        (
            "web",
            "p2p_webrtc",
            vec![format!(
                "            audio_in_sample_rate=24_000,  {remark}"
            )],
        ),
        (
            "telephony",
            "carrier_a",
            vec![
                format!("        audio_in_sample_rate=24_000,  {remark}"),
                format!("CALL_INPUT_RATE = 24_000  {remark} here"),
            ],
        ),
    ] {
        let options =
            format!("{transport} -b {kind} -t {transport} -m realtime --realtime acme_realtime");
        let options: Vec<&str> = options.split(' ').collect();
        let ran = run(&bench, &options);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let made = tree(&bench.path(&format!("work/{transport}")));
        let bot = String::from_utf8(made["server/bot.py"].clone()).unwrap();
        for line in expected {
            assert!(bot.lines().any(|found| found == line), "{line}\n{bot}");
        }
    }
}
