use bot_cli_templates::catalogue::BotType;

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

/// Below each configuration are its problems. `cascade` and `realtime` stand for usual services.
#[test]
fn every_problem_is_told_with_its_field() {
    let mut expected = String::new();
    for line in include_str!("problems.txt").lines() {
        let Some(case) = line.strip_prefix("$ ") else {
            continue;
        };
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
        expected.extend(["$ ", case, "\n"]);
        for field in resolve(&draft, Some("my-bot"), Catalogue::built_in()).unwrap_err() {
            assert_eq!(field.flag.as_deref(), crate::draft::flag(&field.field));
            expected.extend(["  ", &field.field, ": ", &field.problem, "\n"]);
        }
        expected.push('\n');
    }
    assert_eq!(
        include_str!("problems.txt"),
        expected.trim_end().to_owned() + "\n"
    );
}

#[test]
fn a_telephone_bot_that_is_on_the_web_too_may_have_a_client() {
    let config = config(&format!(
        r#"{SERVICES}, "transports": ["carrier_a", "p2p_webrtc"], "client_framework": "vanilla""#
    ));
    assert_eq!(config.bot_type, BotType::Telephony);
    assert_eq!(config.client, Client::Vanilla);
}

#[test]
fn infers_the_bot_type_and_resolves_other_names() {
    for (transports, bot_type, expected) in [
        (
            r#"["p2p_webrtc", "smallwebrtc", "p2p_webrtc"]"#,
            "web",
            r#"["p2p_webrtc"]"#,
        ),
        (
            r#"["daily", "p2p_webrtc"]"#,
            "web",
            r#"["hosted_rtc","p2p_webrtc"]"#,
        ),
        (
            r#"["p2p_webrtc", "twilio"]"#,
            "telephony",
            r#"["p2p_webrtc","carrier_a"]"#,
        ),
        (
            r#"["carrier_b", "exotel"]"#,
            "telephony",
            r#"["carrier_b","carrier_d"]"#,
        ),
    ] {
        let json = config(&format!(r#"{SERVICES}, "transports": {transports}"#)).to_json();
        assert_eq!(json["bot_type"], bot_type, "{transports}");
        assert_eq!(json["transports"].to_string(), expected);
    }
    let json = config(&format!(r#"{CASCADE}, "bot_type": "telephony""#)).to_json();
    assert_eq!(json["bot_type"], "telephony");
    for (transport, key) in [
        ("daily_pstn", "daily_pstn_mode"),
        ("hosted_rtc_pstn", "daily_pstn_mode"),
        ("carrier_a_hosted_rtc_sip", "twilio_daily_sip_mode"),
    ] {
        let json = config(&format!(
            r#"{SERVICES}, "transports": ["{transport}"], "{key}": "dial-out""#
        ))
        .to_json();
        let resolved = json["transports"][0].as_str().unwrap();
        assert!(resolved.ends_with("_dialout"), "{resolved}");
        assert_eq!(json[key], "dial-out");
    }
}

#[test]
fn deployment_is_the_default_where_the_hosting_service_can_start_the_bot() {
    for (transports, deploys) in [
        (r#"["p2p_webrtc"]"#, true),
        (r#"["websocket"]"#, true),
        (r#"["livekit"]"#, false),
        (r#"["livekit", "p2p_webrtc"]"#, true),
    ] {
        let config = config(&format!(r#"{SERVICES}, "transports": {transports}"#));
        assert_eq!(config.has(Feature::DeployToCloud), deploys, "{transports}");
    }
}

#[test]
fn a_video_service_can_be_said_not_to_be_there() {
    for none in [r#""none""#, r#"" none ""#, r#""""#, "null"] {
        let config = config(&format!("{CASCADE}, \"video_service\": {none}"));
        assert!(config.video.is_none() && !config.has(Feature::VideoOutput));
    }
}

#[test]
fn react_without_a_server_is_vite() {
    let client = |more: &str| config(&format!("{CASCADE}{more}")).client;
    assert_eq!(client(""), Client::None);
    assert_eq!(client(r#", "client_framework": "none""#), Client::None);
    assert_eq!(
        client(r#", "client_framework": "react""#),
        Client::ReactVite
    );
    assert_eq!(
        client(r#", "client_framework": "react", "client_server": "nextjs""#),
        Client::ReactNextjs
    );
    for server in ["", r#", "client_server": "vite""#] {
        let vanilla = client(&format!(r#", "client_framework": "vanilla"{server}"#));
        assert_eq!(vanilla, Client::Vanilla);
    }
    assert_eq!(client(r#", "client_framework": null"#), Client::None);
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
        let note = parsed.as_ref().ok().and_then(super::ProjectName::note);
        let is_derived = [
            "My Bot!",
            "  --x  y_z--",
            "{{ 7*7 }} \"'; rm -rf",
            "日本 bot",
            &exact,
        ];
        assert_eq!(
            note.is_none(),
            slug.is_err() || is_derived.contains(&name),
            "{note:?}"
        );
        match slug {
            Ok(slug) => assert_eq!(parsed.map(|name| name.slug).as_deref(), Ok(slug), "{name}"),
            Err(part) => {
                let problem = parsed.unwrap_err();
                assert!(problem.contains(part), "{name}: {problem}");
            }
        }
    }
}
