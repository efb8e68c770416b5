//! Tests for the questions in `bot-cli init`, answered at a real terminal.

mod leaving;

use std::collections::BTreeMap;
use std::fs;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::init::tree;
use bot_cli_tests::pty::{ENTER, Terminal};
use serde_json::{Value, json};

/// The ways to start `init`: through the host or directly.
#[derive(Debug, Clone, Copy)]
enum Door {
    /// `bot-cli init`.
    Host,
    /// `bot-cli-init`.
    Hand,
}

const DOORS: [Door; 2] = [Door::Host, Door::Hand];

impl Door {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Host => &["bot-cli", "init"],
            Self::Hand => &["bot-cli-init"],
        }
    }
}

type Files = BTreeMap<String, Vec<u8>>;

/// Creates a bench with the host and the plugin.
fn bench() -> Bench {
    let executables = [
        ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
        ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
    ];
    Bench::new(&executables).unwrap()
}

fn start(bench: &Bench, door: Door) -> Terminal {
    Terminal::in_bench(bench, door.words(), 40, 100).unwrap()
}

/// Runs a command line as if the user had pasted it, in a new bench. Returns the files.
fn pasted(line: &str) -> Files {
    let bench = bench();
    let ran = bench.shell(line).unwrap();
    assert_eq!(ran.status, Some(0), "{line}\n{ran:?}");
    tree(&bench.path("work"))
}

/// Sends one `run` request over the protocol, without a user to answer questions.
fn run(bench: &Bench, answers: &Value) -> Value {
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "run",
        "params": {"protocol": "1.0", "argv": [], "answers": answers, "capabilities": {},
            "context": {"cwd": bench.path("work"), "interactive": false}},
    });
    fs::write(bench.path("request"), format!("{request}\n")).unwrap();
    let ran = bench.shell("bot-cli-init <../request").unwrap();
    serde_json::from_str(&ran.stdout).unwrap()
}

fn is_untouched(bench: &Bench) -> bool {
    tree(&bench.path("work")).is_empty()
}

/// Every question asked before a project is generated, with the keys that answer it.
const WALK: [(&str, &str); 17] = [
    ("Which folder?", "my-bot\r"),
    ("How do you want to build the bot?", "\u{1b}[B\r"),
    ("What is the project called?", ENTER),
    ("Where do people talk to the bot?", ENTER),
    ("How do people connect to the bot?", ENTER),
    ("How does the bot hear and speak?", ENTER),
    ("Which speech-to-text service?", ENTER),
    ("Which language model?", ENTER),
    ("Which text-to-speech service?", ENTER),
    ("Should the bot show a face?", ENTER),
    ("What else should it do?", " \r"),
    ("Add a web client of your own?", "react\r"),
    ("What should build and serve it?", "nextjs\r"),
    ("Prepare it for cloud deployment?", ENTER),
    ("Cancel background noise?", "y\r"),
    ("Add evals?", ENTER),
    ("Create this project?", ENTER),
];

fn answer(terminal: &mut Terminal, walk: &[(&str, &str)]) {
    for (question, keys) in walk {
        terminal.wait_for_question(question).unwrap();
        terminal.press(keys).unwrap();
    }
}

/// Returns the command line that generates the same project without questions.
fn equivalent(output: &str) -> &str {
    output
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("bot-cli init my-bot"))
        .unwrap_or_else(|| panic!("no command in:\n{output}"))
}

#[test]
fn a_walk_makes_what_the_command_it_shows_makes() {
    for door in DOORS {
        let bench = bench();
        let mut terminal = start(&bench, door);
        answer(&mut terminal, &WALK);
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{door:?}\n{}", ended.screen);

        let files = tree(&bench.path("work"));
        assert!(
            files.contains_key("my-bot/server/bot.py"),
            "{:?}",
            files.keys()
        );
        assert_eq!(files, pasted(equivalent(&ended.output)), "{door:?}");
    }
}

#[test]
fn leaves_the_bot_to_a_coding_agent() {
    for door in DOORS {
        let bench = bench();
        let mut terminal = start(&bench, door);
        answer(&mut terminal, &[WALK[0], (WALK[1].0, ENTER)]);
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{door:?}\n{}", ended.screen);
        let made = tree(&bench.path("work/my-bot"));
        let files: Vec<&String> = made.keys().collect();
        assert_eq!(files, ["AGENTS.md", "ASSISTANT.md", "GETTING_STARTED.md"]);
        let command = equivalent(&ended.output);
        assert_eq!(command, "bot-cli init my-bot </dev/null");
        assert_eq!(tree(&bench.path("work")), pasted(command), "{door:?}");
    }
}

#[test]
fn a_narrow_terminal_is_wide_enough() {
    let bench = bench();
    let mut terminal = Terminal::in_bench(&bench, Door::Host.words(), 24, 40).unwrap();
    answer(&mut terminal, &WALK);
    let ended = terminal.end().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
    assert!(bench.path("work/my-bot/server/bot.py").is_file());
}

#[test]
fn a_script_answers_by_key_and_is_told_all_that_is_open() {
    let bench = bench();
    let mut answers = json!({"target": "my-bot", "way": "scaffold", "mode": "cascade"});
    let reply = run(&bench, &answers);
    assert_eq!(reply["error"]["data"]["code"], "input_required", "{reply}");
    let open = reply["error"]["data"]["inputs"].as_array().unwrap();
    let open: Vec<&str> = open
        .iter()
        .map(|input| input["key"].as_str().unwrap())
        .collect();
    assert_eq!(open, ["stt", "llm", "tts"]);
    assert!(is_untouched(&bench));

    for (key, service) in [
        ("stt", "deepgram_stt"),
        ("llm", "openai_llm"),
        ("tts", "cartesia_tts"),
    ] {
        answers[key] = json!(service);
    }
    answers["features"] = json!(["recording"]);
    answers["enable_noise_cancel"] = json!(true);
    let reply = run(&bench, &answers);
    let again = pasted(equivalent(reply["result"]["text"].as_str().unwrap()));
    assert_eq!(tree(&bench.path("work")), again);
}

#[test]
fn options_are_a_table_at_a_terminal() {
    let bench = bench();
    let output = |option: &[&str]| {
        let words = [&["bot-cli", "init", "--list-options"], option].concat();
        let terminal = Terminal::in_bench(&bench, &words, 40, 100).unwrap();
        terminal.end().unwrap().output
    };
    let table = output(&[]);
    let is_row = |line: &str| line.contains("carrier_a ") && line.contains("Twilio");
    assert!(table.lines().any(is_row), "{table}");
    let listed: Value = serde_json::from_str(&output(&["--json"])).unwrap();
    assert_eq!(listed["labels"]["carrier_a"], "Twilio");
}

#[test]
fn what_is_in_the_way_costs_no_answer() {
    let bench = bench();
    fs::create_dir(bench.path("work/my-bot")).unwrap();
    fs::write(bench.path("work/my-bot/README.md"), "mine").unwrap();
    let reply = run(
        &bench,
        &json!({
            "target": "my-bot", "way": "scaffold", "mode": "realtime", "realtime": "openai_realtime",
        }),
    );
    assert_eq!(reply["error"]["data"]["code"], "conflict", "{reply}");
    assert_eq!(
        reply["error"]["data"]["hints"],
        json!([
            "nothing was changed; move them away, or choose another directory",
            "the same without questions: `bot-cli init my-bot --name my-bot --transport p2p_webrtc --mode realtime --realtime openai_realtime`",
        ])
    );
}
