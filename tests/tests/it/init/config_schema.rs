//! Tests for the configuration file schema with a validator.

use std::fs;

use bot_cli_tests::matrix::pairwise;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::{done, json, web};

/// The schema's file in the repository, published for editors to load from its URL.
const PUBLISHED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../plugins/init/config.schema.json"
);

#[test]
fn the_published_schema_is_what_the_command_prints() {
    let folder = tempfile::tempdir().unwrap();
    let printed = done(folder.path(), &["--config-schema"]);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(PUBLISHED, &printed).unwrap();
    }
    let published = fs::read_to_string(PUBLISHED).unwrap_or_default();
    assert_eq!(
        printed, published,
        "{PUBLISHED} differs; UPDATE=1 rewrites it"
    );
    assert!(jsonschema::meta::is_valid(&published.parse().unwrap()));
}

#[test]
fn the_schema_and_the_command_accept_and_refuse_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let config: Value = done(folder.path(), &web(&["my-bot", "--dry-run"]))
        .parse()
        .unwrap();
    let validator = validator();
    for (key, value, accepted) in [
        ("$schema", json!("./bot.schema.json"), true),
        ("transports", json!(["smallwebrtc", "daily"]), true),
        ("llm_service", json!("openai_responses_llm"), true),
        ("video_service", json!(null), true),
        ("client_framework", json!("vanilla"), true),
        ("client_framework", json!(null), true),
        ("project_name", json!(null), true),
        ("bot_type", json!(null), true),
        ("generate_client", json!(true), true),
        ("generate_client", json!("yes"), false),
        ("enable_krisp", json!(false), true),
        ("enable_krisp", json!("yes"), false),
        ("eval", json!(false), true),
        ("recording", json!(true), true),
        ("recordings", json!(true), false),
        ("recording", json!("yes"), false),
        ("recording", json!(null), false),
        ("mode", json!("fast"), false),
        ("mode", json!(null), false),
        ("stt_service", json!("deepgram"), false),
        ("stt_service", json!("openai_llm"), false),
        ("transports", json!("p2p_webrtc"), false),
        ("transports", json!([]), false),
        ("transports", json!(["p2p_webrtc", "p2p"]), false),
        ("client_framework", json!("angular"), false),
        ("project_name", json!(7), false),
    ] {
        let mut changed = config.clone();
        changed[key] = value;
        fs::write(folder.path().join("bot.json"), changed.to_string()).unwrap();
        let (status, answer) = json(folder.path(), &["-c", "bot.json", "--dry-run"]);
        assert_eq!(status == Some(0), accepted, "{key}: {answer}");
        assert_eq!(
            validator.is_valid(&changed),
            accepted,
            "{key}: {}",
            changed[key]
        );
    }
}

/// Checks every option, on and off, and every service.
#[test]
fn options_give_the_configuration_that_they_name_and_it_satisfies_the_published_schema() {
    let folder = tempfile::tempdir().unwrap();
    let schema = validator();
    for combination in pairwise() {
        let config = combination.config().unwrap().to_json();
        let arguments = combination.arguments();
        let options = arguments.iter().map(String::as_str).chain(["--dry-run"]);
        let printed = done(folder.path(), &options.collect::<Vec<_>>());
        assert_eq!(printed.parse::<Value>().unwrap(), config, "{arguments:?}");
        let problems: Vec<String> = schema
            .iter_errors(&config)
            .map(|problem| format!("{}: {problem}", problem.instance_path()))
            .collect();
        assert!(problems.is_empty(), "{arguments:?}\n{problems:#?}");
    }
}

/// Returns a validator for the schema that the command prints, because `UPDATE=1` may be rewriting the published file.
fn validator() -> Validator {
    let folder = tempfile::tempdir().unwrap();
    let schema = done(folder.path(), &["--config-schema"]).parse().unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}
