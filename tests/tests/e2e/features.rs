//! What a generated bot sees, shows and reports: the user's camera, its own picture, and traces for a collector.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::bot::{
    ANSWERS, Bot, OPENAI, REALTIME, WEBRTC, drive, python_script, realtime, redirected, succeeds,
};
use crate::running::Running;

/// The answers of models about the camera.
const SIGHT: [&str; 6] = [
    "--call",
    r#"hold up=look {"question": "Which is it?"}"#,
    "--say",
    "picture: red=It is red.",
    "--say",
    "isn't sending=Your camera is off.",
];

/// The header that the collector gets, as it is set and as it arrives.
const HEADERS: &str = "Authorization=Basic%20c2VjcmV0LWtleQ";
const ARRIVED: &str = "Basic c2VjcmV0LWtleQ";

/// Words of the prompt, of both sides of the conversation and of tools.
const TEXT: [&str; 5] = ["friendly", "capital", "Paris", "Lisbon", "timezone"];

#[test]
fn the_model_looks_when_it_is_asked_about_something_visible_and_a_camera_that_is_off_is_explained()
{
    let bot = cascade(&["--video-input"], &SIGHT);
    let (_running, address) = bot.run(&WEBRTC, &[]);
    bot.passes("evals/camera.yaml", &address);
    for (options, answer) in [
        (&[&*address][..], "It is red."),
        (&[&*address, "--camera-off"], "Your camera is off."),
    ] {
        assert_eq!(drive("show_and_see.py", options)["answer"], answer);
    }
}

#[test]
fn a_realtime_service_sees_the_camera_all_the_time() {
    let (_service, service) = realtime(&["--say", "picture: red=It is red."]);
    let bot = Bot::new(&[&REALTIME[..], &["--video-input"]].concat(), &[]);
    let (_running, address) = bot.run(&WEBRTC, &redirected("STAND_IN_REALTIME", &service));
    let said = drive("show_and_see.py", &[&address]);
    assert_eq!(said["answer"], "It is red.");
}

#[test]
fn the_picture_shows_whether_the_bot_listens_thinks_or_speaks() {
    let (_service, service) = realtime(&[]);
    let in_cascade = cascade(&["--video-output"], &["--think", "0.5"]);
    let in_realtime = Bot::new(&[&REALTIME[..], &["--video-output"]].concat(), &[]);
    let mut colors = Vec::new();
    for (_running, address) in [
        in_cascade.run(&WEBRTC, &[]),
        in_realtime.run(&WEBRTC, &redirected("STAND_IN_REALTIME", &service)),
    ] {
        let saw = drive("show_and_see.py", &[&address, "--camera-off", "--watch"]);
        assert_eq!(saw["sizes"], serde_json::json!([[320, 240]]));
        colors.extend(saw["colors"].as_array().unwrap().clone());
    }
    for color in ["blue", "orange", "green"] {
        assert!(colors.contains(&color.into()), "{color}: {colors:?}");
    }
}

#[test]
fn traces_have_every_part_of_a_session_and_no_text() {
    let bot = cascade(&["--tracing"], &ANSWERS);
    let traced = Traced::new(&bot, &[]);
    // A typed conversation with tools, and a spoken one.
    bot.passes("evals/text.yaml", &traced.address);
    drive("talk_to_deployed.py", &["webrtc", &traced.address]);
    let spans = traced.sessions(3);
    let names: BTreeMap<&str, &Value> = spans.iter().map(|it| (name(it), it)).collect();
    for (span, parent) in [
        ("turn", "conversation"),
        ("llm", "turn"),
        ("tts", "turn"),
        ("execute_tool current_time", "turn"),
    ] {
        let parents = spans.iter().filter(|it| name(it) == span);
        let mut parents = parents.map(|it| it["parent"].clone());
        let is_there =
            parents.any(|id| (spans.iter()).any(|it| it["id"] == id && name(it) == parent));
        assert!(is_there, "{span} in {parent}: {names:#?}");
    }
    assert_eq!(names["turn"]["service"], "bot");
    assert_eq!(names["turn"]["authorization"], ARRIVED);
    assert!(names["llm"]["attributes"]["metrics.ttfb"].is_number());
    let all = Value::from(spans.clone()).to_string();
    for word in TEXT {
        assert!(!all.contains(word), "{word}: {all}");
    }
}

#[test]
fn traces_have_the_text_where_it_is_wanted() {
    let bot = cascade(&["--tracing"], &ANSWERS);
    let wanted = ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    let traced = Traced::new(&bot, &[wanted]);
    bot.passes("evals/text.yaml", &traced.address);
    let all = Value::from(traced.sessions(2)).to_string();
    for word in TEXT {
        assert!(all.contains(word), "{word}: {all}");
    }
}

#[test]
fn traces_of_a_realtime_service_have_no_text() {
    let (_service, service) = realtime(&ANSWERS);
    let bot = Bot::new(&[&REALTIME[..], &["--tracing"]].concat(), &[]);
    let traced = Traced::new(&bot, &redirected("STAND_IN_REALTIME", &service));
    bot.passes("evals/text.yaml", &traced.address);
    let spans = traced.sessions(2);
    let names: Vec<&str> = spans.iter().map(name).collect();
    for part in ["conversation", "turn", "execute_tool current_time"] {
        assert!(names.contains(&part), "{part}: {names:?}");
    }
    let all = Value::from(spans.clone()).to_string();
    for word in TEXT {
        assert!(!all.contains(word), "{word}: {all}");
    }
}

#[test]
fn without_a_collector_nothing_is_traced() {
    let bot = cascade(&["--tracing"], &ANSWERS);
    let code = "import tracing; from opentelemetry import trace
print(tracing.tracing('one'), type(trace.get_tracer_provider()).__name__)";
    let said = succeeds(bot.python().args(["-c", code])).stdout;
    assert_eq!(
        String::from_utf8_lossy(&said).trim(),
        "{} ProxyTracerProvider"
    );
}

#[test]
fn a_collector_that_is_gone_is_no_problem_and_its_key_is_not_logged() {
    let bot = cascade(&["--tracing"], &ANSWERS);
    let variables = [
        // Nothing listens there.
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9"),
        ("OTEL_EXPORTER_OTLP_HEADERS", HEADERS),
    ];
    let (mut running, address) = bot.run(&WEBRTC, &variables);
    bot.passes("evals/text.yaml", &address);
    running.line_with("Failed to export span");
    // The first line is the command.
    let mut lines = running.log().lines().skip(1);
    assert!(!lines.any(|line| line.contains("c2VjcmV0LWtleQ")));
}

fn cascade(options: &[&str], answers: &[&str]) -> Bot {
    let usual = ["--transport=p2p_webrtc", "--eval"];
    Bot::new(&[&OPENAI[..], &usual, options].concat(), answers)
}

fn name(span: &Value) -> &str {
    span["name"].as_str().unwrap()
}

/// A bot that runs, and the collector of its traces.
struct Traced {
    collector: Running,
    address: String,
    _bot: Running,
}

impl Traced {
    fn new(bot: &Bot, variables: &[(&str, &str)]) -> Self {
        let mut collector = Running::start(&mut python_script("stand_in_collector.py"));
        let endpoint = collector.line_with("http://127.0.0.1");
        let usual = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &*endpoint),
            ("OTEL_EXPORTER_OTLP_HEADERS", HEADERS),
        ];
        let (running, address) = bot.run(&WEBRTC, &[&usual[..], variables].concat());
        Self {
            collector,
            address,
            _bot: running,
        }
    }

    /// Waits until this many sessions have ended, and returns their spans. The bot still runs.
    fn sessions(mut self, count: usize) -> Vec<Value> {
        for _ in 0..count {
            self.collector.line_with(r#""name": "conversation""#);
        }
        let lines = self
            .collector
            .log()
            .lines()
            .filter(|it| it.starts_with("{\"name\""));
        lines.map(|it| serde_json::from_str(it).unwrap()).collect()
    }
}
