//! The lines that `init` prints, typed in order by somebody who knows nothing else but their keys: in as many terminals as
//! the lines say, with the executables on `PATH`, until a bot answers.

mod lines;
mod room;

use std::fs;
use std::path::Path;
use std::process::Command;

use room::Room;

use crate::clients::{chromium, tools};
use crate::conversation::text;
use crate::framework::tools::OPENAI;

const GREETING: &str = "Hello, how can I help you?";

/// The keys, so that they can be looked for.
const CANARY: &str = "sk-canary-5f1d";

#[test]
fn a_bot_with_a_web_client_and_evals_answers() {
    let room = Room::new();
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

    let terminals = room.follow(&lines, CANARY);

    look(&terminals.address("npm run dev"));
    drop(terminals);
    assert_eq!(files_with(&room.folder(), CANARY), Vec::<String>::new());
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
