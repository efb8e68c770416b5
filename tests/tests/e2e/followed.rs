//! The lines that `init` prints, typed in order by somebody who knows nothing else but their keys: in as many terminals as
//! the lines say, with the executables on `PATH`, until a bot answers.

mod lines;
mod room;

use std::fs;
use std::path::Path;
use std::process::Command;

use lines::Line;
use room::Room;

use crate::clients::{chromium, tools};
use crate::conversation::text;
use crate::framework::tools::{OPENAI, python_script};

const GREETING: &str = "Hello, how can I help you?";

/// The keys, so that they can be looked for.
const CANARY: &str = "sk-canary-5f1d";

#[test]
fn a_bot_with_a_web_client_and_evals_answers() {
    let room = Room::new(&["bot-cli", "bot-cli-init", "bot-cli-cloud"]);
    let options = [
        "--transport=p2p_webrtc",
        "--client-framework=vanilla",
        "--eval",
    ];
    let lines = room.init(&[&OPENAI[..], &options].concat());
    let commands: Vec<&str> = lines.iter().map(|line| line.command.as_str()).collect();
    assert!(
        commands.contains(&"npm run dev")
            && commands.iter().any(|line| line.contains("secrets run")),
        "{commands:?}"
    );

    let terminals = room.follow(&lines, &|_| CANARY.to_owned(), &str::to_owned);

    look(&terminals.address("npm run dev"));
    drop(terminals);
    assert_eq!(files_with(&room.folder(), CANARY), Vec::<String>::new());
}

/// Nothing of it leaves this machine: the runner's own page is its client.
#[test]
fn a_bot_that_stays_on_this_machine_answers() {
    let room = Room::new(&["bot-cli", "bot-cli-init"]);
    let options = ["--transport=p2p_webrtc", "--no-deploy-to-cloud"];
    let lines = room.init(&[&OPENAI[..], &options].concat());
    let terminals = room.follow(&lines, &|_| CANARY.to_owned(), &str::to_owned);
    assert_eq!(
        terminals.address("uv run bot.py -t webrtc"),
        "http://localhost:7860/client/"
    );
    let output = python_script("talk_to_deployed.py")
        .args(["webrtc", "http://127.0.0.1:7860"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["answer"], "It is Paris.", "{said}");
    assert!(!room.folder().join("my-bot/server/Dockerfile").exists());
}

#[test]
fn a_telephone_bot_answers_a_call() {
    let room = Room::new(&["bot-cli", "bot-cli-init", "bot-cli-cloud"]);
    let lines = room.init(&[&OPENAI[..], &["--transport=carrier_a"]].concat());
    let remarks: Vec<&str> = lines.iter().flat_map(Line::remarks).collect();
    assert!(
        remarks
            .iter()
            .any(|remark| remark.contains("replace YOUR_HOST with that name")),
        "{remarks:?}"
    );
    let keys = |name: &str| match name {
        "TWILIO_ACCOUNT_SID" => "AC0".to_owned(),
        _ => CANARY.to_owned(),
    };

    let _terminals = room.follow(&lines, &keys, &|line| {
        line.replace("YOUR_HOST", "bot.example.com")
    });

    call();
}

/// Without `cloud`, the keys go into a file.
#[test]
fn a_bot_that_calls_people_and_its_server_start() {
    let room = Room::new(&["bot-cli", "bot-cli-init"]);
    let options = ["--transport=hosted_rtc_pstn", "--daily-pstn-mode=dial-out"];
    let lines = room.init(&[&OPENAI[..], &options].concat());
    assert!(
        lines
            .iter()
            .all(|line| !line.command.contains("bot-cli cloud")),
        "{lines:?}"
    );
    let keys = |name: &str| match name {
        "DIALOUT_KEY" => "0123456789abcdef0123456789abcdef".to_owned(),
        _ => CANARY.to_owned(),
    };

    let _terminals = room.follow(&lines, &keys, &str::to_owned);

    room::wait_for_port(7860);
    room::wait_for_port(8000);
    let refused = room::answer("127.0.0.1:8000", "POST /dialout");
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
}

/// Opens the page of a client, connects, and waits for the bot's first words.
fn look(page: &str) {
    room::wait_for_port(7860);
    let mut look = Command::new("node");
    look.arg("connect.mjs")
        .arg("--chromium")
        .arg(chromium())
        .args(["--page", page, "--greeting", GREETING])
        .current_dir(tools());
    let output = look.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// A call through Twilio, which has fetched the answer document and hears the bot.
fn call() {
    room::wait_for_port(7860);
    let output = python_script("stand_in_carrier.py")
        .args(["twilio", "http://127.0.0.1:7860", "--hum", "440"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let heard: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(heard["seconds"].as_f64().unwrap() > 0.3, "{heard}");
}

/// The files below `folder` that hold `words`; neither what was installed nor the vault, which is sealed.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            if !["node_modules", ".venv"].contains(&entry.file_name().to_str().unwrap()) {
                found.extend(files_with(&path, words));
            }
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap();
            if bytes
                .windows(words.len())
                .any(|part| part == words.as_bytes())
            {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
