//! Tests for provider packs, from their files to the projects that use them.

mod bad;
mod drawn;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use bot_cli_tests::init::{Run, command, tree};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A user with provider packs.
pub(super) struct User {
    home: TempDir,
}

impl User {
    pub(super) fn new() -> Self {
        let user = Self {
            home: tempfile::tempdir().unwrap(),
        };
        for folder in ["plugins", "work"] {
            fs::create_dir(user.path(folder)).unwrap();
        }
        user
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.home.path().join(below)
    }

    /// Writes a pack as a folder and returns its path.
    pub(super) fn folder(&self, name: &str, declared: &str, providers: &[(&str, &str)]) -> PathBuf {
        let folder = self.path(&format!(".local/share/bot-cli/packs/{name}"));
        fs::create_dir_all(folder.join("providers")).unwrap();
        fs::write(folder.join("pack.toml"), declared).unwrap();
        for (file, text) in providers {
            fs::write(folder.join("providers").join(file), text).unwrap();
        }
        folder
    }

    /// Writes a pack as a script, with `members` added to the fields that every pack's manifest has.
    pub(super) fn script(&self, name: &str, members: &Value) {
        let mut manifest = json!({
            "protocol": "1.0",
            "name": format!("pack-{name}"),
            "version": "1.2.0",
            "role": "provider-pack",
            "catalogue": "1.0",
        });
        for (member, value) in members.as_object().unwrap() {
            manifest[member] = value.clone();
        }
        let file = self.path(&format!("plugins/bot-cli-pack-{name}"));
        let text = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Run {
        let output = command(&self.path("work"), arguments)
            .env("HOME", self.home.path())
            .env("BOT_CLI_PLUGIN_PATH", self.path("plugins"))
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap();
        Run {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the available options, and the warnings about packs that are not used.
    pub(super) fn listed(&self) -> (Value, Vec<String>) {
        let run = self.run(&["--list-options"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let warnings = run.stderr.lines().map(str::to_owned).collect();
        (run.stdout.parse().unwrap(), warnings)
    }
}

/// Returns a service as declared in a manifest, with `members` added to the fields that every service has.
pub(super) fn service(id: &str, members: &Value) -> Value {
    let kind = id.rsplit('_').next().unwrap();
    let mut service = json!({
        "id": id,
        "kind": kind,
        "label": format!("Label of {id}").replace('_', " "),
        "packages": ["acme-speech>=1.2,<2"],
        "module": "acme_speech.services",
        "class": "AcmeService",
        "args": [{ "name": "api_key", "env": "ACME_API_KEY" }],
    });
    if kind == "llm" {
        service["prompt"] = json!("settings.system_instruction");
    }
    for (member, value) in members.as_object().unwrap() {
        service[member] = value.clone();
    }
    service
}

/// Returns a manifest's `providers`, with one provider.
pub(super) fn provider(services: &[Value]) -> Value {
    json!([{
        "label": "Acme",
        "site": "https://acme.example/keys",
        "env": { "ACME_API_KEY": { "about": "API key", "secret": true } },
        "service": services,
    }])
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
    let user = User::new();
    let (without, _) = user.listed();
    user.folder("acme", DECLARED, &[("acme.toml", PROVIDER)]);
    let brought = provider(&[service("other_llm", &json!({}))]);
    let members = json!({ "version": "0.3.1", "about": "Others", "providers": brought });
    user.script("other", &members);
    let (listed, warnings) = user.listed();
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
    let user = User::new();
    user.folder("acme", DECLARED, &[("acme.toml", PROVIDER)]);
    let options = cascade("my-bot", "acme_fast_stt", "acme_tts");
    let run = user.run(&options);
    assert_eq!(run.status, Some(0), "{run:?}");
    let made = tree(&user.path("work/my-bot"));
    let text = |path: &str| String::from_utf8(made[path].clone()).unwrap();
    let bot = text("server/services.py");
    for line in [
        "from acme_speech.stt import AcmeSTTService",
        "from acme_speech.tts import AcmeTTSService",
        "ACME_API_KEY = required(\"ACME_API_KEY\")",
        "ACME_VOICE = os.getenv(\"ACME_VOICE\") or \"it's #1\"",
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
    let again = user.run(&options);
    assert!(again.stdout.contains("Nothing to do"), "{again:?}");
}

#[test]
fn a_configuration_names_its_packs_and_is_read_back() {
    let user = User::new();
    let folder = user.folder("acme", DECLARED, &[("acme.toml", PROVIDER)]);
    let printed = user
        .run(&hearing(&["my-bot", "--dry-run"], "acme_fast_stt"))
        .stdout;
    let config: Value = printed.parse().unwrap();
    assert_eq!(config["packs"], json!({ "acme": { "version": "1.2.0" } }));
    fs::write(user.path("work/bot.json"), &printed).unwrap();
    let again = ["elsewhere", "-c", "bot.json", "--dry-run"];
    let run = user.run(&again);
    assert_eq!(
        (run.status, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), printed.as_str(), "")
    );

    // Another version may mean something else.
    fs::write(folder.join("pack.toml"), DECLARED.replace("1.2.0", "1.3.0")).unwrap();
    let run = user.run(&again);
    assert_eq!(run.stderr, "");
    assert_eq!(run.stdout, printed.replace("1.2.0", "1.3.0"));

    // Without the pack it says which one it needs, and nothing is made.
    fs::rename(&folder, user.path("gone")).unwrap();
    let run = user.run(&["elsewhere", "-c", "bot.json"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("--stt: `acme_fast_stt`: it is of the provider pack `acme`, version `1.2.0`, which is not installed: get its file or folder, and install it with `bot-cli plugin add FILE`"),
        "{run:?}"
    );
    assert!(!user.path("work/elsewhere").exists());
}

#[test]
fn a_near_miss_is_told_the_service_of_a_pack() {
    let user = User::new();
    user.folder("acme", DECLARED, &[("acme.toml", PROVIDER)]);
    let run = user.run(&hearing(&["my-bot"], "acme_fsat_stt"));
    assert!(
        run.stderr.contains("`acme_fsat_stt`: the provider pack acme 1.2.0 has no such service; did you mean `acme_fast_stt`?"),
        "{run:?}"
    );
    let run = user.run(&hearing(&["my-bot"], "acme_tts"));
    assert!(
        run.stderr
            .contains("`acme_tts`: that is a text-to-speech service, not a speech-to-text service"),
        "{run:?}"
    );
    let run = user.run(&hearing(&["my-bot"], "nobodys_quick_stt"));
    assert!(
        run.stderr.contains("`nobodys_quick_stt`: no such service"),
        "{run:?}"
    );
}

#[test]
fn the_schema_that_is_printed_has_the_services_of_packs() {
    let user = User::new();
    user.folder("acme", DECLARED, &[("acme.toml", PROVIDER)]);
    let schema: Value = user.run(&["--config-schema"]).stdout.parse().unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let printed = user
        .run(&hearing(&["my-bot", "--dry-run"], "acme_fast_stt"))
        .stdout;
    assert!(validator.is_valid(&printed.parse().unwrap()), "{printed}");
    assert!(!validator.is_valid(&json!({ "stt_service": "acme_slow_stt" })));
    assert!(!validator.is_valid(&json!({ "packs": { "acme": "1.2.0" } })));
}

#[test]
fn a_service_gets_sound_at_its_one_rate_in_web_bots_and_in_calls() {
    let user = User::new();
    let members = json!({ "input_rate": 24000, "turns": "service", "prompt": "instructions" });
    let fixed = service("acme_realtime", &members);
    user.script("acme", &json!({ "providers": provider(&[fixed]) }));
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
        let run = user.run(&options);
        assert_eq!(run.status, Some(0), "{run:?}");
        let made = tree(&user.path(&format!("work/{transport}")));
        let bot = String::from_utf8(made["server/bot.py"].clone()).unwrap();
        for line in expected {
            assert!(bot.lines().any(|found| found == line), "{line}\n{bot}");
        }
    }
}
