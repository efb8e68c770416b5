//! Tests for `bot-cli init DIR --adopt`, which adds a record to a project without one and changes nothing else.

use std::fs;
use std::path::Path;
use std::process::Command;

use bot_cli_tests::init::{WEB, tree};
use serde_json::json;

use super::{done, json as reply, problems, run, web};

const PROJECT: &str = ".bot-cli/project.json";

#[test]
fn a_deleted_record_is_made_again_as_it_was() {
    for words in [
        "-t p2p_webrtc --recording --transcription --observability",
        "-t p2p_webrtc -t hosted_rtc -t carrier_b --no-deploy-to-cloud",
        "-t p2p_webrtc --client-framework react --client-server nextjs --eval",
        "-t p2p_webrtc --video tavus_video --video-input --enable-noise-cancel",
        "-t lemonslice --name Zoë's-bot",
        "-t p2p_webrtc --language pt --eval --ci github",
        "-t p2p_webrtc --environment eu --environment us",
        "-t carrier_a_hosted_rtc_sip_dialin -m realtime --realtime openai_realtime",
    ] {
        let mut options: Vec<&str> = words.split(' ').collect();
        if !words.contains("realtime") {
            options.extend(&WEB[2..]);
        }
        let folder = tempfile::tempdir().unwrap();
        done(folder.path(), &[&["my-bot"], &options[..]].concat());
        let made = folder.path().join("my-bot");
        let before = tree(&made);
        fs::remove_file(made.join(PROJECT)).unwrap();
        let (status, document) = reply(folder.path(), &["my-bot", "--adopt"]);
        assert_eq!(status, Some(0), "{document:#}");
        assert_eq!(
            [&document["different"], &document["missing"]],
            [&json!([]), &json!([])]
        );
        assert_eq!(tree(&made), before, "{words}");
        assert_eq!(
            run(folder.path(), &["my-bot", "--update", "--check"]).status,
            Some(0)
        );
    }
}

/// A bot as a person or another tool would write it.
const BY_HAND: &str = r"from pipecat.processors.audio.audio_buffer_processor import AudioBufferProcessor
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.transports.daily.transport import DailyParams, DailyTransport


async def bot(runner_args):
    transport = DailyTransport(runner_args.room_url, params=DailyParams(video_in_enabled=False))
    await run_bot(transport, DeepgramSTTService(), OpenAILLMService(), AudioBufferProcessor())
";

fn by_hand(folder: &Path) {
    let package = "[project]\nname = \"clerk\"\nversion = \"1\"\n";
    let server = folder.join("my-bot/server");
    fs::create_dir_all(&server).unwrap();
    fs::write(server.join("bot.py"), BY_HAND).unwrap();
    fs::write(server.join("pyproject.toml"), package).unwrap();
}

#[test]
fn a_project_made_by_hand_can_be_updated() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path());
    let before = tree(folder.path());
    let (status, document) = reply(folder.path(), &["my-bot", "--adopt"]);
    assert_eq!(status, Some(2));
    assert_eq!(problems(&document), ["tts_service: missing"]);
    let adopt = ["my-bot", "--adopt", "--tts", "cartesia_tts"];
    let preview = done(folder.path(), &[&adopt[..], &["--dry-run"]].concat());
    assert_eq!(tree(folder.path()), before);
    assert!(preview.contains("; nothing was written\n"), "{preview}");
    let run = run(folder.path(), &adopt);
    crate::assert_snapshot("init/adopted.txt", &(run.stdout + &run.stderr));
    let mut after = tree(folder.path());
    after.retain(|path, _| !path.starts_with("my-bot/.bot-cli"));
    assert_eq!(after, before);
    assert_eq!(
        super::run(folder.path(), &["my-bot", "--update", "--check"]).status,
        Some(0)
    );
    let (status, document) = reply(folder.path(), &["my-bot", "--update", "--eval"]);
    assert_eq!(
        (status, &document["conflicts"]),
        (Some(0), &json!([])),
        "{document:#}"
    );
    let scenarios = json!("server/evals/text.yaml");
    assert!(document["created"].as_array().unwrap().contains(&scenarios));
}

/// The framework's own tool writes no more than this about calls into a bot for Daily's telephone numbers.
const DIAL_IN: &str = r#"from pipecat.runner.types import DailyDialinRequest

transport_params = {"daily": lambda: DailyParams(audio_in_enabled=True)}
DeepgramSTTService, OpenAILLMService, CartesiaTTSService
"#;

#[test]
fn a_bot_that_is_called_by_telephone_is_adopted_as_one() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path());
    fs::write(folder.path().join("my-bot/server/bot.py"), DIAL_IN).unwrap();
    let (_, document) = reply(folder.path(), &["my-bot", "--adopt"]);
    let transports = &document["config"]["transports"];
    assert_eq!(*transports, json!(["hosted_rtc_pstn_dialin"]));
    let recording = &document["unmerged"]["recording"];
    assert_eq!(recording["server/bot.py"], json!("conflict"));
}

#[test]
fn a_bot_in_the_root_is_adopted_after_the_line_that_moves_it() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path());
    let made = folder.path().join("my-bot");
    let server = made.join("server");
    for entry in server.read_dir().unwrap() {
        let path = entry.unwrap().path();
        fs::rename(&path, made.join(path.file_name().unwrap())).unwrap();
    }
    fs::remove_dir(&server).unwrap();
    for option in ["--update", "--adopt"] {
        let (_, document) = reply(folder.path(), &["my-bot", option]);
        let hints = document["error"]["hints"].as_array().unwrap();
        let hint = hints.last().unwrap().as_str().unwrap();
        let (_, rest) = hint.split_once('`').unwrap();
        let (line, rest) = rest.split_once('`').unwrap();
        assert!(
            rest.ends_with("; then `bot-cli init my-bot --adopt`"),
            "{hint}"
        );
        if option == "--adopt" {
            let mut shell = Command::new("sh");
            let moved = shell.args(["-c", line]).current_dir(folder.path()).status();
            assert!(moved.unwrap().success(), "{line}");
        }
    }
    done(folder.path(), &["my-bot", "--adopt", "--tts=cartesia_tts"]);
    done(folder.path(), &["my-bot", "--update"]);
}

#[test]
fn what_can_not_be_adopted_is_named() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &web(&["my-bot"]));
    fs::create_dir(folder.path().join("empty")).unwrap();
    let before = tree(folder.path());
    for (name, code, words) in [
        ("my-bot", "recorded", "--update` changes the project"),
        ("empty", "no_bot", "has no `server/bot.py`"),
        ("nowhere", "no_bot", "has no `server/bot.py`"),
    ] {
        let (status, document) = reply(folder.path(), &[name, "--adopt"]);
        assert_eq!(
            (status, &document["error"]["code"]),
            (Some(2), &json!(code))
        );
        assert!(
            document["error"].to_string().contains(words),
            "{document:#}"
        );
        assert_eq!(tree(folder.path()), before);
    }
}
