use std::fmt::Write as _;

use super::resolve;
use crate::catalogue::Catalogue;
use crate::config::{Config, parse_file};
use crate::draft::Draft;

const CASCADE: &str = r#""transports": ["p2p_webrtc"], "mode": "cascade", "stt_service": "deepgram_stt", "llm_service": "openai_llm", "tts_service": "cartesia_tts""#;
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
fn any_line_of_text_gives_the_name_of_a_package() {
    let exact = "a".repeat(54);
    let too_long = format!("{}-b", "a".repeat(53));
    for (name, slug) in [
        ("My Bot!", "my-bot"),
        ("  --x  y_z--", "x-y-z"),
        ("{{ 7*7 }} \"'; rm -rf", "7-7-rm-rf"),
        ("日本 bot", "bot"),
        (&exact, &exact),
        ("日本語", "bot"),
        ("ab", "ab-bot"),
        ("../x", "x-bot"),
        (&too_long, &too_long[..53]),
    ] {
        let parsed = super::ProjectName::parse(name);
        assert_eq!(parsed.unwrap().slug, slug, "{name}");
    }
}
