use std::fs;

use bot_cli_init::{Feature, fields};
use bot_cli_templates::Preset;
use serde_json::Value;

use super::{assert_snapshot, command, done, json, run, shown, tree, web};

#[test]
fn options_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let listed = done(folder.path(), &["--list-options"]);
    assert_snapshot("list_options.json", &listed);
    assert_eq!(
        done(folder.path(), &["--list-options", "--json"])
            .parse::<Value>()
            .unwrap(),
        listed.parse::<Value>().unwrap()
    );
    // Whatever else is said, and nowhere is anything written.
    assert_eq!(
        done(
            folder.path(),
            &["my-bot", "--list-options", "--mode", "nonsense"]
        ),
        listed
    );
    assert!(tree(folder.path()).is_empty());
}

#[test]
fn a_dry_run_prints_every_key_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let printed = done(folder.path(), &web(&["my-bot", "--dry-run"]));
    assert_snapshot("dry_run.json", &printed);
    let quickstart = done(folder.path(), &["quickstart", "--dry-run"]);
    assert_snapshot("dry_run_quickstart.json", &quickstart);
    assert!(tree(folder.path()).is_empty());
    for config in [printed, quickstart] {
        fs::write(folder.path().join("bot.json"), &config).unwrap();
        assert_eq!(
            done(folder.path(), &["elsewhere", "-c", "bot.json", "--dry-run"]),
            config
        );
    }
}

#[test]
fn options_win_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let said = "my-bot --dry-run --recording --client-framework react";
    let said: Vec<&str> = said.split(' ').collect();
    let config = done(folder.path(), &web(&said));
    fs::write(folder.path().join("bot.json"), config).unwrap();
    let over = "-c bot.json --dry-run --name other --no-recording --transcription --mode realtime \
                --realtime openai_realtime --client-framework none -t daily";
    let over: Vec<&str> = over.split_whitespace().collect();
    let (status, config) = json(folder.path(), &over);
    assert_eq!(status, Some(0), "{config}");
    assert_eq!(config["project_name"], "other");
    assert_eq!(
        (&config["recording"], &config["transcription"]),
        (&Value::Bool(false), &Value::Bool(true))
    );
    assert_eq!(
        (&config["stt_service"], &config["client_server"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(config["transports"].to_string(), r#"["hosted_rtc"]"#);
}

/// A file's key is not an option that nobody typed, in rules about one value and in those about two.
#[test]
fn a_problem_names_where_the_value_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = r#"{"mode": "cascade", "transports": ["p2p_webrtc"], "stt": "deepgram_sst", "llm_service": "openai_llm",
        "tts_service": "cartesia_tts", "client_server": "vite", "enable_krisp": true, "recording": "no", "video_output": false}"#;
    fs::write(folder.path().join("c.json"), wrong).unwrap();
    let mut told = String::new();
    for line in [
        "my-bot -c c.json --no-deploy-to-cloud",
        "my-bot -c c.json --stt deepgram_tss --no-deploy-to-cloud --no-video-output --video tavus_video",
        "my-bot -c c.json --ask",
        "my-bot --preset quick --no-deploy-to-cloud --enable-noise-cancel --client-server nextjs",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        told.extend(["$ ", line, "\n", &shown(folder.path(), &words), "\n"]);
    }
    let mut piped = command(folder.path(), &["my-bot", "-c", "-"]);
    piped.stdin(fs::File::open(folder.path().join("c.json")).unwrap());
    let ran = piped.output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    told.extend(["$ my-bot -c - <c.json\n", &said]);
    assert_snapshot("written_where.txt", &told);
    let (_, document) = json(folder.path(), &["my-bot", "-c", "c.json", "--llm", "gpt"]);
    let fields = &document["error"]["fields"];
    let named = |at: usize| (fields[at]["field"].as_str(), fields[at]["flag"].as_str());
    assert_eq!(named(0), (Some("recording"), None), "{document}");
    assert_eq!(named(1), (Some("stt"), None), "{document}");
    assert_eq!(named(2), (Some("llm_service"), Some("--llm")), "{document}");
}

#[test]
fn any_scaffold_option_scaffolds() {
    let folder = tempfile::tempdir().unwrap();
    let features = Feature::ALL.map(|it| [it.flag().to_owned(), it.flag_off()]);
    let features: Vec<String> = features.into_iter().flatten().collect();
    let settings = fields().map(|(_, flag)| flag.to_owned());
    let settings = settings.filter(|flag| !features.contains(flag));
    let settings: Vec<String> = settings.map(|flag| format!("{flag}=x")).collect();
    let others = ["--enable-krisp", "--no-enable-krisp", "--dry-run"];
    let options = features.iter().chain(&settings).map(String::as_str);
    for option in options.chain(others) {
        let (status, document) = json(folder.path(), &["my-bot", option]);
        assert_eq!(status, Some(2), "{option}");
        assert_eq!(document["error"]["code"], "invalid_input", "{option}");
    }
    assert!(tree(folder.path()).is_empty());
}

#[test]
fn options_of_the_frameworks_own_tool_are_known() {
    let folder = tempfile::tempdir().unwrap();
    for (option, cancels) in [("--enable-krisp", true), ("--no-enable-krisp", false)] {
        let (_, config) = json(folder.path(), &web(&["my-bot", "--dry-run", option]));
        assert_eq!(config["enable_noise_cancel"], cancels, "{config}");
    }
}

#[test]
fn a_preset_is_a_configuration_that_options_override() {
    let folder = tempfile::tempdir().unwrap();
    let dry = |words: &[&str]| {
        let run = run(folder.path(), &[words, &["--dry-run"]].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    for preset in Preset::all() {
        let name = preset.name.as_str();
        let made = dry(&["my-bot", "--preset", name]);
        for (key, value) in preset.config.as_object().unwrap() {
            assert_eq!(made[key], *value, "{name}: {key}");
        }
    }
    let local = dry(&["quickstart", "--local"]);
    assert_eq!(local, dry(&["quickstart", "--preset", "local"]));
    assert_eq!(local["llm_service"], "ollama_llm");
    let changed = ["my-bot", "--preset", "local", "--llm", "openai_llm"];
    assert_eq!(dry(&changed)["llm_service"], "openai_llm");
    assert_eq!(
        dry(&["quickstart"]),
        dry(&["quickstart", "--preset", "quick"])
    );
}

#[test]
fn what_is_left_open_is_asked_for_with_ask() {
    let folder = tempfile::tempdir().unwrap();
    let asked = run(folder.path(), &["my-bot", "--ask", "-t", "p2p_webrtc"]);
    assert_eq!(asked.status, Some(2), "{asked:?}");
    assert!(
        asked
            .stderr
            .contains("`--mode` is missing, and there is no terminal"),
        "{asked:?}"
    );
    assert!(tree(folder.path()).is_empty());
}

#[test]
fn files_that_are_no_configuration_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{{\"project_name\": \"{}\"}}", "x".repeat(1024 * 1024));
    for (name, contents, reason) in [
        (
            "latin",
            &b"{\"project_name\": \"\xfc\"}"[..],
            "it is not UTF-8",
        ),
        ("long", long.as_bytes(), "it is longer than 1 MiB"),
    ] {
        fs::write(folder.path().join(name), contents).unwrap();
        let (status, document) = json(folder.path(), &["my-bot", "--config", name]);
        assert_eq!(status, Some(2));
        assert_eq!(
            document["error"]["message"],
            format!("can't use `{name}` as the configuration: {reason}")
        );
    }
}
