//! A user works on a bot, then gives it one option after the other: nothing of theirs is gone, and it still talks.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use bot_cli_tests::init::{json, tree};

use super::{Bot, HANDLER, OPENAI, ORDER, Talk, between, python, text};
use crate::framework::tools::ANSWERS;

/// The user's work: a file, the generated passage, and what the user has made of it.
const EDITS: [(&str, &str, &str); 6] = [
    (
        "server/bot.py",
        "You are a friendly, helpful assistant in a spoken conversation. ",
        "You are the voice of a small book shop. ",
    ),
    (
        "server/services.py",
        "from pipecat.services.openai.llm import",
        "import httpx\nfrom pipecat.services.openai.llm import",
    ),
    (
        "server/services.py",
        "OPENAI_VOICE_ID = os.getenv(\"OPENAI_VOICE_ID\") or NOT_GIVEN\n",
        "OPENAI_VOICE_ID = os.getenv(\"OPENAI_VOICE_ID\") or NOT_GIVEN\nSHOP_URL = httpx.URL(os.getenv(\"SHOP_URL\") or \"http://localhost:8080\")\n",
    ),
    (
        "server/bot.py",
        "    # Your own event handlers go here.\n",
        HANDLER,
    ),
    (
        "server/pyproject.toml",
        "    \"loguru>=",
        "    \"httpx>=0.27,<1\",\n    \"loguru>=",
    ),
    (
        "server/.env.example",
        "# SmallWebRTC",
        "# The shop's own server\n# SHOP_URL=http://localhost:8080\n\n# SmallWebRTC",
    ),
];

/// What the user asks for later, one after the other.
const UPDATES: [&[&str]; 3] = [
    &["--recording"],
    &["-t", "p2p_webrtc", "-t", "carrier_a"],
    &["--client-framework", "vanilla"],
];

#[test]
fn a_bot_that_its_user_has_worked_on_takes_new_options_and_still_talks() {
    let bot = Bot::new();
    let project = bot.folder.path().join("bot");
    let generated = tree(&project);
    work_on(&bot);
    let worked_on = tree(&project);
    let edited: BTreeSet<&String> = (worked_on.keys())
        .filter(|name| worked_on.get(*name) != generated.get(*name))
        .collect();

    for options in UPDATES {
        update(&bot, options);
        for name in &edited {
            let versions = [generated.get(*name), worked_on.get(*name)];
            assert_kept(
                name,
                versions,
                &fs::read_to_string(project.join(name)).unwrap(),
            );
        }
        is_clean(&bot);
    }

    // What the user has not touched is as in a project that was made that way.
    let fresh = Bot::on(&[&OPENAI[..], &["--recording"], UPDATES[1], UPDATES[2]].concat());
    let (after, fresh) = (tree(&project), tree(&fresh.folder.path().join("bot")));
    for (name, bytes) in &fresh {
        assert!(
            edited.contains(name) || after.get(name) == Some(bytes),
            "{name}"
        );
    }

    let order = bot.server.join("evals/order.yaml");
    let order_status = [
        "--call",
        r#"where is my order=order_status {"order_id": "A-1042"}"#,
        "--say",
        "\"status\": \"shipped\"=It has been shipped.",
    ];
    let talk = Talk::of(bot, &[&order_status[..], &ANSWERS].concat());
    let output = talk.evaluate_with(&order);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let mut running = talk.running.borrow_mut();
    running.line_with("My handler saw order_status");
    drop(running);
    let output = talk.evaluate();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

/// Edits the places that the README names, and some that it does not.
fn work_on(bot: &Bot) {
    let project = bot.folder.path().join("bot");
    for (name, passage, own) in EDITS {
        let path = project.join(name);
        let code = fs::read_to_string(&path).unwrap();
        assert_eq!(code.matches(passage).count(), 1, "{name}: {passage}");
        let own = own.trim_start_matches('\n');
        fs::write(path, code.replace(passage, own)).unwrap();
    }
    let readme = fs::read_to_string(project.join("README.md")).unwrap();
    let tools = between(&readme, "```python\n", "```");
    fs::write(bot.server.join("tools.py"), tools).unwrap();
    fs::write(bot.server.join("evals/order.yaml"), ORDER).unwrap();
    is_clean(bot);
}

fn update(bot: &Bot, options: &[&str]) {
    let words = [&["bot", "--update"], options].concat();
    let (status, said) = json(bot.folder.path(), &words);
    assert_eq!(status, Some(0), "{said:#}");
    assert_eq!(said["conflicts"], serde_json::json!([]), "{said:#}");
    let (status, said) = json(bot.folder.path(), &["bot", "--update", "--check"]);
    assert_eq!(status, Some(0), "{said:#}");
}

/// Asserts that each line that the user has added is there, and none that they have removed.
fn assert_kept(name: &str, [generated, worked_on]: [Option<&Vec<u8>>; 2], now: &str) {
    let lines = |bytes: Option<&Vec<u8>>| {
        let text = String::from_utf8(bytes.cloned().unwrap_or_default()).unwrap();
        text.lines()
            .map(str::to_owned)
            .collect::<BTreeSet<String>>()
    };
    let (generated, worked_on) = (lines(generated), lines(worked_on));
    let now: BTreeSet<&str> = now.lines().collect();
    for added in worked_on.difference(&generated) {
        assert!(now.contains(added.as_str()), "{name} has lost: {added}");
    }
    for removed in generated.difference(&worked_on) {
        assert!(
            !now.contains(removed.as_str()),
            "{name} has again: {removed}"
        );
    }
}

fn is_clean(bot: &Bot) {
    let interpreter = python().executable("python");
    for (tool, arguments) in [
        ("ruff", &["check", "--no-cache"][..]),
        ("pyright", &["--pythonpath", interpreter.to_str().unwrap()]),
    ] {
        let mut command: Command = python().command(tool);
        let output = command.args(arguments).current_dir(&bot.server).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{tool}: {}", text(&output));
    }
}
