use std::fmt::Write as _;

use super::resolve;
use crate::catalogue::Catalogue;
use crate::config::{Client, Config, parse_file};
use crate::draft::Draft;
use crate::option_table::Feature;

const CASCADE: &str = r#""transports": ["p2p_webrtc"], "mode": "cascade", "stt_service": "deepgram_stt", "llm_service": "openai_llm", "tts_service": "cartesia_tts""#;
const SPEECH: &str =
    r#""transports": ["p2p_webrtc"], "mode": "realtime", "realtime_service": "openai_realtime""#;
const SERVICES: &str = r#""mode": "cascade", "stt_service": "deepgram_stt", "llm_service": "openai_llm", "tts_service": "cartesia_tts""#;

fn draft(json: &str) -> Draft {
    let read = parse_file(&format!("{{{json}}}")).unwrap();
    assert_eq!(read.problems, [], "{json}");
    read.draft
}

fn config(json: &str) -> Config<'static> {
    resolve(&draft(json), Some("my-bot"), Catalogue::built_in())
        .unwrap_or_else(|problems| panic!("{json}: {problems:?}"))
}

/// In `cases.txt`, each case is followed by its problems, or by its differences from the default configuration. The words `cascade` and
/// `realtime` expand to the default services.
#[test]
fn every_case_has_its_problems_or_its_configuration() {
    let usual = config(CASCADE).to_json();
    let mut told = String::new();
    let cases = include_str!("cases.txt").lines();
    for case in cases.filter_map(|line| line.strip_prefix("$ ")) {
        let (services, more) = case.split_once(' ').unwrap();
        let services = match services {
            "cascade" => SERVICES,
            "realtime" => r#""mode": "realtime", "realtime_service": "openai_realtime""#,
            _ => "",
        };
        let more = more.trim_start_matches('{').trim_end_matches('}');
        let both = [services, more];
        let said: Vec<&str> = both.into_iter().filter(|said| !said.is_empty()).collect();
        let draft = draft(&said.join(", "));
        writeln!(told, "$ {case}").unwrap();
        match resolve(&draft, Some("my-bot"), Catalogue::built_in()) {
            Ok(config) => {
                for (key, value) in config.to_json().as_object().unwrap() {
                    if *value != usual[key] {
                        writeln!(told, "  = {key}: {value}").unwrap();
                    }
                }
            }
            Err(problems) => {
                for field in problems {
                    assert_eq!(field.flag.as_deref(), crate::draft::flag(&field.field));
                    writeln!(told, "  {}: {}", field.field, field.problem).unwrap();
                }
            }
        }
        told.push('\n');
    }
    let told = told.trim_end().to_owned() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/resolve/cases.txt");
        std::fs::write(file, &told).unwrap();
    }
    assert_eq!(include_str!("cases.txt"), told);
}

#[test]
fn what_is_printed_is_accepted_and_gives_the_same() {
    for json in [
        CASCADE.to_owned(),
        SPEECH.to_owned(),
        format!(r#"{SPEECH}, "video_service": "tavus_video", "client_framework": "react""#),
        format!(
            r#"{SERVICES}, "transports": ["hosted_rtc_pstn", "p2p_webrtc"], "daily_pstn_mode": "dial-in""#
        ),
        format!(
            r#"{CASCADE}, "recording": true, "deploy_to_cloud": false, "client_framework": "vanilla", "project_name": "  Über \"Bot\" 'x' "#
        ) + r#"", "enable_eval": true"#,
    ] {
        let first = config(&json).to_json();
        assert_eq!(
            first.as_object().unwrap().len(),
            crate::option_table::fields().count()
        );
        let text = serde_json::to_string_pretty(&first).unwrap();
        let again = parse_file(&text).unwrap();
        assert_eq!(again.problems, [], "{text}");
        assert_eq!(
            resolve(&again.draft, None, Catalogue::built_in())
                .unwrap()
                .to_json(),
            first
        );
    }
}

#[test]
fn flags_win_and_silence_what_means_nothing_any_more() {
    let file = draft(&format!(
        r#"{CASCADE}, "recording": true, "client_framework": "react", "client_server": "nextjs""#
    ));
    let flags = draft(
        r#""mode": "realtime", "realtime_service": "openai_realtime", "recording": false, "client_framework": "vanilla""#,
    );
    let config = resolve(&flags.over(file), Some("my-bot"), Catalogue::built_in()).unwrap();
    assert_eq!(config.to_json()["mode"], "realtime");
    assert!(!config.has(Feature::Recording));
    assert_eq!(config.client, Client::Vanilla);
}

#[test]
fn another_direction_turns_the_transports_of_a_file_round() {
    let text = format!(
        r#"{SERVICES}, "transports": ["daily_pstn_dialin", "p2p_webrtc"], "daily_pstn_mode": "dial-in""#
    );
    let said = draft(r#""daily_pstn_mode": "dial-out""#);
    let both = said.over(draft(&text));
    let json = resolve(&both, Some("my-bot"), Catalogue::built_in())
        .unwrap()
        .to_json();
    let transports = serde_json::json!(["hosted_rtc_pstn_dialout", "p2p_webrtc"]);
    assert_eq!(
        (&json["transports"], &json["daily_pstn_mode"]),
        (&transports, &"dial-out".into())
    );
}

#[test]
fn names_are_any_line_of_text() {
    let long = "a".repeat(300);
    let exact = "a".repeat(63);
    let too_long = format!("{}-b", "a".repeat(62));
    for (name, slug) in [
        ("My Bot!", Ok("my-bot")),
        ("  --x  y_z--", Ok("x-y-z")),
        ("{{ 7*7 }} \"'; rm -rf", Ok("7-7-rm-rf")),
        ("日本 bot", Ok("bot")),
        (&exact, Ok(exact.as_str())),
        ("日本語", Ok("bot")),
        ("ab", Ok("ab-bot")),
        ("../x", Ok("x-bot")),
        (&long, Err("longer than 255 characters")),
        (&too_long, Ok(&too_long[..62])),
        (
            "a\u{1b}[31mbc",
            Err("`a\\u{1b}[31mbc` contains control characters"),
        ),
        ("abc\ndef", Err("`abc\\ndef` contains control characters")),
        ("abc\u{202e}def", Err("contains control characters")),
        (" ", Err("empty")),
    ] {
        let parsed = super::ProjectName::parse(name);
        match slug {
            Ok(slug) => assert_eq!(parsed.map(|name| name.slug).as_deref(), Ok(slug), "{name}"),
            Err(part) => {
                let problem = parsed.unwrap_err();
                assert!(problem.contains(part), "{name}: {problem}");
            }
        }
    }
}
