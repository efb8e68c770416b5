//! The sample of a provider pack, `packs/localai`, from its installation to a conversation with its two services.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::port::free_port;
use serde_json::Value;

use crate::conversation::running::Running;
use crate::conversation::text;
use crate::framework::tools::{ANSWERS, evaluate, models, python, python_script};

#[test]
fn the_sample_passes_its_own_tests_and_every_check() {
    let own = sample("test.py");
    succeed(python().command("python").arg(own));
    let bench = bench();
    let mut check = bench.host(&["plugin", "check", "--json", "-q"]);
    let output = run(with_interpreter(&bench, check.arg(sample(PACK))));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let of = |verdict: &str| -> Vec<&Value> {
        let found = checks.iter().filter(|check| check["verdict"] == verdict);
        found.collect()
    };
    let failed = of("failed");
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(of("passed").len() > 10, "{report:#}");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn the_lines_of_the_guide_and_of_its_readme_install_the_sample_and_make_bots() {
    let read = |file: &str| fs::read_to_string(repository().join(file)).unwrap();
    let page = read("docs/src/guide/extend.md");
    let (_, ours) = page.split_once("<!-- sample -->\n").unwrap();
    let own = read("packs/localai/README.md");
    for (folder, page, blocks) in [("", ours, 1), ("packs/localai", &own, usize::MAX)] {
        let bench = Bench::new(&EXECUTABLES).unwrap();
        let copied = Command::new("cp")
            .arg("-R")
            .args([repository().join("packs"), bench.path("work")])
            .status();
        assert!(copied.unwrap().success());
        let lines: Vec<&str> = blocks_of_shell(page).take(blocks).collect();
        assert!(!lines.is_empty(), "{page}");
        let mut shell = Command::new("sh");
        shell
            .args(["-euc", &lines.concat()])
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work").join(folder));
        succeed(with_interpreter(&bench, &mut shell));
        let bot = bench
            .path("work")
            .join(folder)
            .join("my-bot/server/services.py");
        let bot = fs::read_to_string(bot).unwrap();
        assert!(bot.contains("LOCALAI_LLM_MODEL"), "{bot}");
    }
}

#[test]
fn a_bot_with_the_services_of_the_sample_holds_a_conversation() {
    let project = Project::new();
    let heard = ["--hear", "What is the capital of France?"];
    let (mut model, address) = models(&[&heard[..], &ANSWERS].concat());
    let (running, port) = project.listen(&format!(
        "LOCALAI_BASE_URL={address}/v1\nLOCALAI_LLM_MODEL=a-language-model\nLOCALAI_STT_MODEL=a-speech-model\n\
         OPENAI_API_KEY=any\nOPENAI_BASE_URL={address}/v1\n"
    ));
    project.evaluate(&project.server.join("evals/text.yaml"), port);
    let asked = model.line_with("POST /v1/chat/completions");
    assert!(asked.contains(r#""model":"a-language-model""#), "{asked}");

    succeed(python_script("voice.py").arg(project.bench.path("work/voice.wav")));
    let spoken = project.bench.path("work/spoken.yaml");
    fs::write(&spoken, include_str!("sample/spoken.yaml")).unwrap();
    project.evaluate(&spoken, port);
    let heard = model.line_with("POST /v1/audio/transcriptions");
    assert!(heard.contains("a-speech-model"), "{heard}");
    drop(running);
}

const PACK: &str = "bot-cli-pack-localai";

const EXECUTABLES: [(&str, &str); 2] = [
    ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
    ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
];

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A file of the sample.
fn sample(file: &str) -> PathBuf {
    repository().join("packs/localai").join(file)
}

/// The blocks of shell on a page, in their order.
fn blocks_of_shell(page: &str) -> impl Iterator<Item = &str> {
    let begun = page.split("```sh\n").skip(1);
    begun.filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
}

/// The host and `init`, with the sample where its README has it copied to.
fn bench() -> Bench {
    let bench = Bench::new(&EXECUTABLES).unwrap();
    let pack = fs::read_to_string(sample(PACK)).unwrap();
    let installed = format!("home/.local/share/bot-cli/plugins/{PACK}");
    bench.script(&installed, &pack).unwrap();
    bench
}

/// A generated project with both services of the sample.
struct Project {
    bench: Bench,
    server: PathBuf,
}

impl Project {
    /// As a user gets there: both services are listed, and chosen by their names.
    fn new() -> Self {
        let bench = bench();
        let init = |arguments: &[&str]| {
            let output = succeed(with_interpreter(
                &bench,
                bench.host(arguments).arg("--json"),
            ));
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };
        let listed = init(&["init", "--list-options"]);
        for kind in ["stt", "llm"] {
            let id = Value::from(format!("localai_{kind}"));
            let of_kind = listed[kind].as_array().unwrap();
            assert!(of_kind.contains(&id), "{id} is not listed: {listed:#}");
        }
        assert_eq!(listed["packs"][0]["name"], "localai", "{listed:#}");
        assert_eq!(listed["packs"][0]["version"], "1.0.0", "{listed:#}");
        init(&[
            "init",
            "bot",
            "--transport",
            "p2p_webrtc",
            "--mode",
            "cascade",
            "--eval",
            "--stt",
            "localai_stt",
            "--llm",
            "localai_llm",
            "--tts",
            "openai_tts",
        ]);
        let server = bench.path("work/bot/server");
        let readme = fs::read_to_string(bench.path("work/bot/README.md")).unwrap();
        assert!(readme.contains("localai 1.0.0"), "{readme}");
        Self { bench, server }
    }

    /// Starts the bot with this `.env`, and waits until it listens.
    fn listen(&self, env: &str) -> (Running, u16) {
        fs::write(self.server.join(".env"), env).unwrap();
        let port = free_port().unwrap();
        let mut running = Running::start(&mut self.bot(port));
        running.line_with("Uvicorn running on");
        (running, port)
    }

    fn bot(&self, port: u16) -> Command {
        let mut command = python().command("python");
        command
            .args(["bot.py", "-t", "webrtc", "--host", "127.0.0.1", "--port"])
            .arg(port.to_string())
            .current_dir(&self.server);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("LOCALAI_") || name.starts_with("OPENAI_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// The framework's eval harness has the conversation of a scenario with the bot.
    fn evaluate(&self, scenario: &Path, port: u16) {
        let address = format!("ws://127.0.0.1:{port}/ws");
        let output = evaluate(scenario, &address, &self.bench.path("work/logs"));
        assert!(output.status.success(), "{}", text(&output));
    }
}

/// The framework's interpreter is the `python3` that a pack starts with.
fn with_interpreter<'a>(bench: &Bench, command: &'a mut Command) -> &'a mut Command {
    let [python, own] = [python().executable(""), bench.path("bin")];
    let path = format!("{}:{}:/usr/bin:/bin", python.display(), own.display());
    command.env("PATH", path)
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn succeed(command: &mut Command) -> Output {
    let output = run(command);
    assert!(output.status.success(), "{command:?}\n{}", text(&output));
    output
}
