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

fn problems(json: &str) -> Vec<String> {
    let problems = resolve(&draft(json), Some("my-bot"), Catalogue::built_in()).unwrap_err();
    let shown = problems.iter().map(|field| {
        assert_eq!(
            field.flag.as_deref(),
            crate::draft::flag(&field.field),
            "{field:?}"
        );
        format!("{}: {}", field.field, field.problem)
    });
    shown.collect()
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
fn names_every_missing_field() {
    for (json, expected) in [
        (
            "",
            &[
                "transports: missing",
                "mode: missing; `cascade` with --stt, --llm and --tts, or `realtime` with --realtime",
            ][..],
        ),
        (
            r#""mode": "cascade", "transports": []"#,
            &[
                "transports: missing",
                "stt_service: missing",
                "llm_service: missing",
                "tts_service: missing",
            ],
        ),
        (
            r#""mode": "realtime", "transports": ["p2p_webrtc"]"#,
            &["realtime_service: missing"],
        ),
        (
            r#""stt_service": "deepgram_stt""#,
            &[
                "transports: missing",
                "mode: missing; `cascade` or `realtime`",
                "llm_service: missing",
                "tts_service: missing",
            ],
        ),
        (
            r#""mode": "", "bot_type": " ", "stt_service": " ", "realtime_service": "openai_realtime", "transports": ["p2p_webrtc"]"#,
            &[
                "mode: missing; `cascade` or `realtime`",
            ],
        ),
        (
            &format!(r#"{SERVICES}, "transports": ["hosted_rtc_pstn"]"#),
            &["daily_pstn_mode: missing; `dial-in` or `dial-out`"],
        ),
        (
            &format!(r#"{SERVICES}, "transports": ["twilio_daily_sip"]"#),
            &["twilio_daily_sip_mode: missing; `dial-in` or `dial-out`"],
        ),
    ] {
        assert_eq!(problems(json), expected, "{json}");
    }
}

#[test]
fn a_mistyped_name_of_the_frameworks_own_is_known_too() {
    for (typed, meant) in [("Twilio", "twilio"), ("daily-pstn", "daily_pstn")] {
        let json = format!(r#"{SERVICES}, "transports": ["{typed}"]"#);
        let problem = format!("transports: `{typed}`: no such transport; did you mean `{meant}`?");
        assert_eq!(problems(&json), [problem]);
    }
}

#[test]
fn an_invalid_mode_hides_nothing() {
    assert_eq!(
        problems(
            r#""mode": "cascad", "transports": ["p2p_webrtx"], "stt_service": "deepgram", "llm_service": "deepgram_stt", "realtime_service": "nope", "video_service": "nope""#
        ),
        [
            "transports: `p2p_webrtx`: no such transport; did you mean `p2p_webrtc`?",
            "mode: `cascad` is none of `cascade`, `realtime`; did you mean `cascade`?",
            "stt_service: `deepgram`: no such service; did you mean `deepgram_stt`?",
            "llm_service: `deepgram_stt`: that is a speech-to-text service, not a language model service",
            "realtime_service: `nope`: no such service",
            "video_service: `nope`: no such service",
        ]
    );
}

#[test]
fn refuses_what_does_not_go_together() {
    for (more, expected) in [
        (
            format!(r#"{CASCADE}, "realtime_service": "openai_realtime""#),
            &["realtime_service: only in mode `realtime`, and the mode is `cascade`"][..],
        ),
        (
            format!(
                r#"{SPEECH}, "stt_service": "deepgram_stt", "llm_service": "openai_llm", "tts_service": "cartesia_tts""#
            ),
            &[
                "stt_service: only in mode `cascade`, and the mode is `realtime`",
                "llm_service: only in mode `cascade`, and the mode is `realtime`",
                "tts_service: only in mode `cascade`, and the mode is `realtime`",
            ],
        ),
        (
            format!(r#"{SERVICES}, "bot_type": "web", "transports": ["carrier_a"]"#),
            &["bot_type: `web`, but `carrier_a` is a telephony transport"],
        ),
        (
            format!(
                r#"{SERVICES}, "transports": ["carrier_a"], "video_service": "tavus_video", "client_framework": "react", "video_input": true, "video_output": true"#
            ),
            &[
                "video_service: only for web bots",
                "client_framework: only for web bots",
                "video_input: only for web bots",
                "video_output: only for web bots",
            ],
        ),
        (
            format!(r#"{CASCADE}, "client_server": "vite""#),
            &["client_server: only with `--client-framework react`"],
        ),
        (
            format!(r#"{CASCADE}, "client_framework": "vanilla", "client_server": "nextjs""#),
            &[
                "client_server: `nextjs` needs `--client-framework react`; a vanilla client has Vite",
            ],
        ),
        (
            format!(r#"{CASCADE}, "client_framework": "preact", "client_server": "next""#),
            &[
                "client_framework: `preact` is none of `react`, `vanilla`, `none`; did you mean `react`?",
                "client_server: `next` is none of `vite`, `nextjs`; did you mean `nextjs`?",
            ],
        ),
        (
            r#""transports": ["livekit"], "mode": "cascade", "stt_service": "deepgram_stt", "llm_service": "openai_llm", "tts_service": "cartesia_tts", "deploy_to_cloud": true, "enable_noise_cancel": true"#.to_owned(),
            &["deploy_to_cloud: the hosting service starts no LiveKit sessions: add another transport, or give `--no-deploy-to-cloud`"],
        ),
        (
            format!(r#"{CASCADE}, "deploy_to_cloud": false, "enable_noise_cancel": true"#),
            &[
                "enable_noise_cancel: needs cloud deployment; `--no-enable-noise-cancel` turns it off",
            ],
        ),
        (
            format!(
                r#"{CASCADE}, "daily_pstn_mode": "dial-in", "twilio_daily_sip_mode": "dialout""#
            ),
            &[
                "daily_pstn_mode: only with the transport `hosted_rtc_pstn`",
                "twilio_daily_sip_mode: `dialout` is none of `dial-in`, `dial-out`; did you mean `dial-out`?",
                "twilio_daily_sip_mode: only with the transport `carrier_a_hosted_rtc_sip`",
            ],
        ),
        (
            format!(
                r#"{SERVICES}, "transports": ["hosted_rtc_pstn_dialin", "hosted_rtc_pstn_dialout"]"#
            ),
            &[
                "transports: `hosted_rtc_pstn_dialin` and `hosted_rtc_pstn_dialout` can't be combined in one bot",
            ],
        ),
        (
            format!(
                r#"{SERVICES}, "transports": ["hosted_rtc_pstn_dialin"], "daily_pstn_mode": "dial-out""#
            ),
            &["daily_pstn_mode: `dial-out`, but the transport is `hosted_rtc_pstn_dialin`"],
        ),
        (
            format!(
                r#"{SERVICES}, "transports": ["hosted_rtc_pstn", "carrier_a_hosted_rtc_sip"], "daily_pstn_mode": "dial-in", "twilio_daily_sip_mode": "dial-out""#
            ),
            &[
                "transports: `hosted_rtc_pstn_dialin` and `carrier_a_hosted_rtc_sip_dialout` can't be combined in one bot",
            ],
        ),
        (
            format!(r#"{CASCADE}, "video_service": "tavus_video", "video_output": false"#),
            &["video_output: a video service needs video output"],
        ),
    ] {
        assert_eq!(problems(&more), expected, "{more}");
    }
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
    let json = resolve(&both, Some("my-bot"), Catalogue::built_in()).unwrap().to_json();
    let transports = serde_json::json!(["hosted_rtc_pstn_dialout", "p2p_webrtc"]);
    assert_eq!((&json["transports"], &json["daily_pstn_mode"]), (&transports, &"dial-out".into()));
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
        let is_derived = ["My Bot!", "  --x  y_z--", "{{ 7*7 }} \"'; rm -rf", "日本 bot", &exact];
        assert_eq!(note.is_none(), slug.is_err() || is_derived.contains(&name), "{note:?}");
        match slug {
            Ok(slug) => assert_eq!(parsed.map(|name| name.slug).as_deref(), Ok(slug), "{name}"),
            Err(part) => {
                let problem = parsed.unwrap_err();
                assert!(problem.contains(part), "{name}: {problem}");
            }
        }
    }
}
