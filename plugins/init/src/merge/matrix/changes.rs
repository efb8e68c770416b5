//! The changes: options that a project gets or loses, and templates that a later version has.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::Files;
use crate::catalogue::Catalogue;
use crate::config::parse_file;
use crate::plan::scaffold;
use crate::resolve::resolve;

/// A project before and after a change.
pub(in crate::merge) struct Change {
    pub name: String,
    pub base: Files,
    pub new: Files,
}

/// The projects that are changed.
fn bases() -> [(&'static str, Value); 5] {
    let cascade = json!({
        "mode": "cascade",
        "stt_service": "deepgram_stt",
        "llm_service": "openai_llm",
        "tts_service": "cartesia_tts",
    });
    [
        (
            "web",
            over(
                &cascade,
                &json!({ "bot_type": "web", "transports": ["p2p_webrtc"] }),
            ),
        ),
        (
            "realtime",
            json!({
                "bot_type": "web",
                "transports": ["p2p_webrtc", "hosted_rtc"],
                "mode": "realtime",
                "realtime_service": "openai_realtime",
                "transcription": true,
                "deploy_to_cloud": true,
            }),
        ),
        (
            "telephone",
            over(
                &cascade,
                &json!({
                    "bot_type": "telephony",
                    "transports": ["carrier_a", "p2p_webrtc"],
                    "deploy_to_cloud": true,
                }),
            ),
        ),
        (
            "rooms",
            over(
                &cascade,
                &json!({
                    "bot_type": "telephony",
                    "transports": ["hosted_rtc_pstn_dialin"],
                    "recording": true,
                    "deploy_to_cloud": true,
                    "enable_noise_cancel": true,
                }),
            ),
        ),
        (
            "client",
            json!({
                "bot_type": "web",
                "transports": ["p2p_webrtc", "websocket"],
                "mode": "cascade",
                "stt_service": "deepgram_stt",
                "llm_service": "anthropic_llm",
                "tts_service": "elevenlabs_tts",
                "client_framework": "react",
                "client_server": "vite",
                "enable_eval": true,
            }),
        ),
    ]
}

/// What is said of an option, by its base.
#[expect(clippy::too_many_lines, reason = "a table")]
fn options() -> Vec<(&'static str, &'static str, Value)> {
    let switches = [
        ("recording", json!({ "recording": true })),
        ("transcription", json!({ "transcription": true })),
        ("observability", json!({ "enable_observability": true })),
        ("eval", json!({ "enable_eval": true })),
        ("noise", json!({ "enable_noise_cancel": true })),
        ("deploy", json!({ "deploy_to_cloud": true })),
    ];
    let all = ["web", "realtime", "telephone", "rooms", "client"];
    let mut options: Vec<(&str, &str, Value)> = Vec::new();
    for base in all {
        options.extend(
            switches
                .iter()
                .map(|(name, said)| (base, *name, said.clone())),
        );
        options.push((base, "renamed", json!({ "project_name": "Bakery" })));
    }
    for base in ["web", "telephone", "rooms"] {
        options.extend([
            (base, "other ears", json!({ "stt_service": "openai_stt" })),
            (
                base,
                "other mind",
                json!({ "llm_service": "anthropic_llm" }),
            ),
            (
                base,
                "other voice",
                json!({ "tts_service": "elevenlabs_tts" }),
            ),
        ]);
    }
    let realtime = json!({
        "mode": "realtime",
        "realtime_service": "openai_realtime",
        "stt_service": null,
        "llm_service": null,
        "tts_service": null,
    });
    options.extend([
        (
            "web",
            "rooms too",
            json!({ "transports": ["p2p_webrtc", "hosted_rtc"] }),
        ),
        (
            "web",
            "sockets too",
            json!({ "transports": ["p2p_webrtc", "websocket"] }),
        ),
        (
            "web",
            "another transport",
            json!({ "transports": ["livekit"] }),
        ),
        (
            "web",
            "calls",
            json!({ "transports": ["p2p_webrtc", "carrier_a"], "bot_type": "telephony" }),
        ),
        ("web", "camera", json!({ "video_input": true })),
        ("web", "screen", json!({ "video_output": true })),
        ("web", "face", json!({ "video_service": "tavus_video" })),
        (
            "web",
            "client",
            json!({ "client_framework": "react", "client_server": "vite" }),
        ),
        (
            "web",
            "plain client",
            json!({ "client_framework": "vanilla" }),
        ),
        ("web", "realtime", realtime.clone()),
        ("telephone", "realtime", realtime),
        (
            "realtime",
            "one transport",
            json!({ "transports": ["p2p_webrtc"] }),
        ),
        (
            "realtime",
            "cascade",
            json!({
                "mode": "cascade",
                "realtime_service": null,
                "stt_service": "deepgram_stt",
                "llm_service": "openai_llm",
                "tts_service": "cartesia_tts",
            }),
        ),
        (
            "realtime",
            "other service",
            json!({ "realtime_service": "gemini_live_realtime" }),
        ),
        (
            "realtime",
            "no transcription",
            json!({ "transcription": false }),
        ),
        (
            "realtime",
            "not deployed",
            json!({ "deploy_to_cloud": false }),
        ),
        (
            "telephone",
            "calls only",
            json!({ "transports": ["carrier_a"] }),
        ),
        (
            "telephone",
            "another carrier",
            json!({ "transports": ["carrier_b", "p2p_webrtc"] }),
        ),
        (
            "telephone",
            "not deployed",
            json!({ "deploy_to_cloud": false }),
        ),
        ("rooms", "no recording", json!({ "recording": false })),
        (
            "rooms",
            "no noise filter",
            json!({ "enable_noise_cancel": false }),
        ),
        (
            "rooms",
            "web too",
            json!({ "transports": ["hosted_rtc_pstn_dialin", "p2p_webrtc"] }),
        ),
        (
            "client",
            "no client",
            json!({ "client_framework": "none", "client_server": null }),
        ),
        ("client", "next", json!({ "client_server": "nextjs" })),
        (
            "client",
            "vanilla",
            json!({ "client_framework": "vanilla", "client_server": null }),
        ),
        ("client", "no eval", json!({ "enable_eval": false })),
        (
            "client",
            "rooms too",
            json!({ "transports": ["p2p_webrtc", "websocket", "hosted_rtc"] }),
        ),
        (
            "client",
            "one transport",
            json!({ "transports": ["p2p_webrtc"] }),
        ),
    ]);
    options
}

type Steps = &'static [(&'static str, &'static str, &'static str)];

/// What a later version's templates could have changed: a file, what it has today and what takes its place.
const REWRITES: &[(&str, Steps)] = &[
    (
        "a longer prompt",
        &[(
            "server/bot.py",
            "    \"without lists, markup or emoji. When you do not know something, say so.\"\n",
            "    \"without lists, markup or emoji. When you do not know something, say so. \"\n    \"Never say that you are a program.\"\n",
        )],
    ),
    (
        "a newer framework",
        &[
            (
                "server/pyproject.toml",
                ">=1.14.0,<2\",\n",
                ">=1.15.0,<2\",\n",
            ),
            (
                "server/Dockerfile",
                "pipecat-base:0.2.7",
                "pipecat-base:0.3.0",
            ),
        ],
    ),
    (
        "an argument of the worker",
        &[(
            "server/bot.py",
            "        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,\n",
            "        idle_timeout_secs=runner_args.pipeline_idle_timeout_secs,\n        enable_turn_tracking=True,\n",
        )],
    ),
    (
        "a helper that says more",
        &[(
            "server/settings.py",
            "        problems.append(f\"{name} is not set\")\n",
            "        problems.append(f\"{name} is not set: see .env.example\")\n",
        )],
    ),
    (
        "settings in another order",
        &[
            (
                "server/services.py",
                "OPENAI_MODEL = os.getenv(\"OPENAI_MODEL\") or NOT_GIVEN\n",
                "",
            ),
            (
                "server/services.py",
                "OPENAI_API_KEY = required(\"OPENAI_API_KEY\")\n",
                "OPENAI_MODEL = os.getenv(\"OPENAI_MODEL\") or NOT_GIVEN\nOPENAI_API_KEY = required(\"OPENAI_API_KEY\")\n",
            ),
        ],
    ),
    (
        "another import",
        &[
            (
                "server/bot.py",
                "from pipecat.frames.frames import LLMRunFrame\n",
                "from pipecat.frames import frames\n",
            ),
            ("server/bot.py", "LLMRunFrame()", "frames.LLMRunFrame()"),
        ],
    ),
    (
        "a handler more",
        &[(
            "server/bot.py",
            "    # Your own event handlers go here.\n",
            "    @worker.event_handler(\"on_pipeline_error\")\n    async def on_pipeline_error(worker, frame):\n        logger.error(frame.error)\n\n    # Your own event handlers go here.\n",
        )],
    ),
    (
        "a rule of the linter",
        &[(
            "server/pyproject.toml",
            "select = [\"B\", \"E\", \"F\", \"I\", \"UP\"]",
            "select = [\"B\", \"E\", \"F\", \"I\", \"SIM\", \"UP\"]",
        )],
    ),
    (
        "a newer checker",
        &[(
            "server/pyproject.toml",
            "\"pyright>=1.1.404,<2\"",
            "\"pyright>=1.1.410,<2\"",
        )],
    ),
    (
        "a section of the README in other words",
        &[
            (
                "README.md",
                "Run all commands in `server`.",
                "Every command belongs in the folder `server`.",
            ),
            (
                "README.md",
                "## Troubleshooting\n",
                "## If something fails\n",
            ),
        ],
    ),
    (
        "a comment in other words",
        &[(
            "server/bot.py",
            "# The parameters of each transport, by the name that the runner's `-t` option takes.\n",
            "# What each transport is set up with; the runner's `-t` option takes these names.\n",
        )],
    ),
    (
        "patterns to ignore",
        &[
            (
                ".gitignore",
                ".ruff_cache/\n",
                ".ruff_cache/\n.pytest_cache/\n",
            ),
            (
                "server/.env.example",
                "# Uncommented variables are required.",
                "# Variables without `#` are required.",
            ),
        ],
    ),
];

/// All changes, in a fixed order.
pub(in crate::merge) fn all() -> &'static [Change] {
    static CHANGES: LazyLock<Vec<Change>> = LazyLock::new(made);
    &CHANGES
}

fn made() -> Vec<Change> {
    let bases: BTreeMap<&str, Value> = bases().into_iter().collect();
    let mut made = BTreeMap::new();
    for (name, keys) in &bases {
        made.insert(*name, make(keys));
    }
    let mut changes = Vec::new();
    for (base, name, said) in options() {
        let new = make(&over(&bases[base], &said));
        // Not a change where the base has it already.
        if new != made[base] {
            changes.push(Change {
                name: format!("{base}: {name}"),
                base: made[base].clone(),
                new,
            });
        }
    }
    for (place, (name, steps)) in REWRITES.iter().enumerate() {
        let base = ["web", "telephone", "rooms"][place % 3];
        let mut new = made[base].clone();
        for (path, old, text) in *steps {
            // What a base does not have is not rewritten in it.
            if let Some(file) = new.get_mut(*path) {
                *file = file.replacen(old, text, 1);
            }
        }
        assert_ne!(new, made[base], "{name}");
        changes.push(Change {
            name: format!("{base}: {name}"),
            base: made[base].clone(),
            new,
        });
    }
    changes
}

fn over(keys: &Value, said: &Value) -> Value {
    let mut keys = keys.clone();
    for (key, value) in said.as_object().unwrap() {
        keys[key] = value.clone();
    }
    keys
}

fn make(keys: &Value) -> Files {
    let read = parse_file(&keys.to_string()).unwrap();
    assert_eq!(read.problems, [], "{keys}");
    let config = resolve(&read.draft, Some("shop"), Catalogue::built_in())
        .unwrap_or_else(|problems| panic!("{keys}: {problems:?}"));
    let plan = scaffold(&config).unwrap();
    plan.files
        .into_iter()
        .map(|file| (file.path, file.text))
        .collect()
}
