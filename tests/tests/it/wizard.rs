//! Tests for the questions in `bot-cli init`, answered at a real terminal.

mod leaving;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, CTRL_U, ENTER, ESCAPE, Terminal};
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

/// An empty working directory, and both executables under their real names.
struct Workspace {
    bench: Bench,
}

impl Workspace {
    fn new() -> Self {
        let executables = [
            ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
            ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
        ];
        let bench = Bench::new(&executables).unwrap();
        Self { bench }
    }

    fn work(&self) -> PathBuf {
        self.bench.path("work")
    }

    fn environment(&self) -> [(&'static str, String); 3] {
        let bin = self.bench.path("bin").display().to_string();
        let path = std::env::var("PATH").unwrap();
        [
            ("PATH", format!("{bin}:{path}")),
            ("HOME", self.bench.path("home").display().to_string()),
            ("TERM", "xterm-256color".to_owned()),
        ]
    }

    fn init(&self, door: Door) -> pty_process::blocking::Command {
        let command = match door {
            Door::Host => pty_process::blocking::Command::new("bot-cli").arg("init"),
            Door::Hand => pty_process::blocking::Command::new("bot-cli-init"),
        };
        command
            .env_clear()
            .envs(self.environment())
            .current_dir(self.work())
    }

    fn start(&self, door: Door) -> Terminal {
        Terminal::start(self.init(door), 40, 100).unwrap()
    }

    /// Runs a command line as if the user had pasted it.
    fn paste(&self, line: &str) {
        let pasted = Command::new("sh")
            .args(["-c", line])
            .env_clear()
            .envs(self.environment())
            .current_dir(self.work())
            .output()
            .unwrap();
        assert!(pasted.status.success(), "{line}\n{pasted:?}");
    }

    /// Sends one `run` request over the protocol, without a user to answer questions.
    fn run(&self, answers: &Value) -> Value {
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "run",
            "params": {"protocol": "1.0", "argv": [], "answers": answers, "capabilities": {},
                "context": {"cwd": self.work(), "interactive": false}},
        });
        let mut plugin = Command::new(self.bench.path("bin/bot-cli-init"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = plugin.stdin.take().unwrap();
        writeln!(stdin, "{request}").unwrap();
        drop(stdin);
        let output = plugin.wait_with_output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn is_untouched(&self) -> bool {
        fs::read_dir(self.work()).unwrap().next().is_none()
    }
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

/// Returns every file below a folder, with its text.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let below = tree(&path).into_iter();
            files.extend(below.map(|(file, text)| (format!("{name}/{file}"), text)));
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            files.insert(name, text);
        }
    }
    files
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
        let workspace = Workspace::new();
        let mut terminal = workspace.start(door);
        answer(&mut terminal, &WALK);
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{door:?}\n{}", ended.screen);

        let again = Workspace::new();
        again.paste(equivalent(&ended.output));
        let files = tree(&workspace.work());
        assert!(
            files.contains_key("my-bot/server/bot.py"),
            "{:?}",
            files.keys()
        );
        assert_eq!(files, tree(&again.work()), "{door:?}");
    }
}

#[test]
fn leaves_the_bot_to_a_coding_agent() {
    for door in DOORS {
        let workspace = Workspace::new();
        let mut terminal = workspace.start(door);
        answer(&mut terminal, &[WALK[0], (WALK[1].0, ENTER)]);
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{door:?}\n{}", ended.screen);
        let files: Vec<String> = tree(&workspace.work().join("my-bot")).into_keys().collect();
        assert_eq!(files, ["AGENTS.md", "ASSISTANT.md", "GETTING_STARTED.md"]);

        let again = Workspace::new();
        assert_eq!(equivalent(&ended.output), "bot-cli init my-bot </dev/null");
        again.paste(equivalent(&ended.output));
        assert_eq!(tree(&workspace.work()), tree(&again.work()), "{door:?}");
    }
}

#[test]
fn escape_goes_back_to_the_answer_before() {
    let workspace = Workspace::new();
    let mut terminal = workspace.start(Door::Host);
    answer(&mut terminal, &WALK[..3]);
    for at in (1..4).rev() {
        answer(&mut terminal, &[(WALK[at].0, ESCAPE)]);
    }
    answer(
        &mut terminal,
        &[
            (WALK[0].0, "other\r"),
            (WALK[1].0, ENTER),
            (WALK[2].0, CTRL_U),
        ],
    );
    terminal.press("日本\u{202e}\r").unwrap();
    terminal.wait_for("contains control characters").unwrap();
    terminal.press(CTRL_C).unwrap();
    assert_eq!(terminal.end().unwrap().status.code(), Some(130));
    assert!(workspace.is_untouched());
}

#[test]
fn a_narrow_terminal_is_wide_enough() {
    let workspace = Workspace::new();
    let mut terminal = Terminal::start(workspace.init(Door::Host), 24, 40).unwrap();
    answer(&mut terminal, &WALK);
    let ended = terminal.end().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
    assert!(workspace.work().join("my-bot/server/bot.py").is_file());
}

#[test]
fn a_script_answers_by_key_and_is_told_all_that_is_open() {
    let workspace = Workspace::new();
    let mut answers = json!({"target": "my-bot", "way": "scaffold", "mode": "cascade"});
    let reply = workspace.run(&answers);
    assert_eq!(reply["error"]["data"]["code"], "input_required", "{reply}");
    let open = reply["error"]["data"]["inputs"].as_array().unwrap();
    let open: Vec<&str> = open
        .iter()
        .map(|input| input["key"].as_str().unwrap())
        .collect();
    assert_eq!(open, ["stt", "llm", "tts"]);
    assert!(workspace.is_untouched());

    for (key, service) in [
        ("stt", "deepgram_stt"),
        ("llm", "openai_llm"),
        ("tts", "cartesia_tts"),
    ] {
        answers[key] = json!(service);
    }
    answers["features"] = json!(["recording"]);
    answers["enable_noise_cancel"] = json!(true);
    let reply = workspace.run(&answers);
    let again = Workspace::new();
    again.paste(equivalent(reply["result"]["text"].as_str().unwrap()));
    assert_eq!(tree(&workspace.work()), tree(&again.work()));
}

#[test]
fn options_are_a_table_at_a_terminal() {
    let workspace = Workspace::new();
    let output = |option: &[&str]| {
        let command = workspace.init(Door::Host).arg("--list-options");
        let terminal = Terminal::start(command.args(option), 40, 100).unwrap();
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
    let workspace = Workspace::new();
    fs::create_dir(workspace.work().join("my-bot")).unwrap();
    fs::write(workspace.work().join("my-bot/README.md"), "mine").unwrap();
    let reply = workspace.run(&json!({
        "target": "my-bot", "way": "scaffold", "mode": "realtime", "realtime": "openai_realtime",
    }));
    assert_eq!(reply["error"]["data"]["code"], "conflict", "{reply}");
    assert_eq!(
        reply["error"]["data"]["hints"],
        json!([
            "nothing was changed; move them away, or choose another directory",
            "the same without questions: `bot-cli init my-bot --name my-bot --transport p2p_webrtc --mode realtime --realtime openai_realtime`",
        ])
    );
}
