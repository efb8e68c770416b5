//! A generated bot holds a conversation, with nothing but this machine: the framework's own eval harness talks to the
//! untouched bot, and a stand-in on loopback answers for the language model.

pub(crate) mod running;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use bot_cli_tests::port::free_port;
use running::Running;
use tempfile::TempDir;

use crate::framework::tools::{
    ANSWERS, OPENAI, evaluate, made, models, python, python_script, script,
};

#[test]
fn the_starter_scenario_passes_with_a_model_that_answers_well() {
    let bot = Bot::new();
    let (mut model, _running) = bot.evaluate("evals/text.yaml", &ANSWERS);
    model.line_with("POST /v1/chat/completions");
}

#[test]
fn sessions_at_once_are_watched_at_a_port_each() {
    let (_models, address) = models(&[]);
    let bot = Bot::with(&[&OPENAI[..], &["--observability"]].concat());
    let env = format!("OPENAI_API_KEY=any\nOPENAI_BASE_URL={address}/v1\n");
    let (mut running, port) = bot.listen(&env);
    let output = python_script("talk_to_deployed.py")
        .args(["webrtc", &format!("http://127.0.0.1:{port}")])
        .args(["--at-once", "2"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let [one, other] = [(); 2].map(|()| running.line_with("Whisker running at ws://localhost:"));
    let port = |line: &str| line.rsplit(':').next().unwrap().to_owned();
    assert_ne!(port(&one), port(&other));
}

#[test]
fn a_realtime_bot_answers_what_is_typed() {
    let mut service = python_script("stand_in_realtime.py");
    let mut service = Running::start(service.args(["Hello.", "It is Paris."]));
    let bot = Bot::with(&["--mode", "realtime", "--realtime", "openai_realtime"]);
    fs::write(bot.server.join(".env"), "OPENAI_API_KEY=any\n").unwrap();
    let port = free_port().unwrap();
    let mut running = Running::start(
        bot.command(port)
            .env("PYTHONPATH", script("redirected"))
            .env("STAND_IN_REALTIME", service.line_with("ws://")),
    );
    running.line_with("Uvicorn running on");
    let output = python_script("talk_to_deployed.py")
        .args(["webrtc", &format!("http://127.0.0.1:{port}")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["greeting"], "Hello.");
    assert_eq!(said["answer"], "It is Paris.");
}

#[test]
fn a_bot_without_its_keys_names_them_all_and_ends() {
    let services = "--mode=cascade --stt=deepgram_stt --llm=anthropic_llm --tts=cartesia_tts";
    let bot = Bot::with(&services.split(' ').collect::<Vec<_>>());
    let output = bot.command(0).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    for key in ["DEEPGRAM_API_KEY", "ANTHROPIC_API_KEY", "CARTESIA_API_KEY"] {
        assert!(said.contains(key), "{key} is not named:\n{said}");
    }
    let command =
        "`bot-cli cloud secrets run bot-secrets --backend local -- uv run bot.py -t webrtc";
    assert!(said.contains(command), "{said}");
    assert!(!said.contains("Traceback"), "{said}");
    assert!(
        !text(&output).contains("Bot ready"),
        "the runner had started:\n{}",
        text(&output)
    );
}

/// The framework's runner reads `.env` by itself, in a folder above its own.
#[test]
fn the_environment_wins_over_the_file() {
    const START: &str = r#"
import atexit, os, runpy, sys, sysconfig
os.symlink(sysconfig.get_path("purelib"), "packages")
sys.path.insert(0, os.path.abspath("packages"))
atexit.register(lambda: print(os.environ["OPENAI_API_KEY"], os.environ["OPENAI_MODEL"]))
sys.argv = ["bot.py", "--help"]
runpy.run_path("bot.py", run_name="__main__")
"#;
    let bot = Bot::new();
    let env = "OPENAI_API_KEY=of-the-file\nOPENAI_MODEL=of-the-file\n";
    fs::write(bot.server.join(".env"), env).unwrap();
    let output = python()
        .command("python")
        .args(["-c", START])
        .current_dir(&bot.server)
        .env("OPENAI_API_KEY", "of-the-environment")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let last = said.lines().last();
    assert_eq!(
        last,
        Some("of-the-environment of-the-file"),
        "{}",
        text(&output)
    );
}

/// The project is untouched, but for the places that its README names.
#[test]
fn a_function_and_a_handler_of_the_user_are_called() {
    let bot = Bot::new();
    let readme = fs::read_to_string(bot.folder.path().join("bot/README.md")).unwrap();
    let tools = between(&readme, "```python\n", "```");
    assert!(tools.contains("async def order_status("), "{tools}");
    fs::write(bot.server.join("tools.py"), tools).unwrap();
    let code = fs::read_to_string(bot.server.join("bot.py")).unwrap();
    let (before, after) = code
        .split_once("    # Your own event handlers go here.\n")
        .unwrap();
    fs::write(bot.server.join("bot.py"), [before, HANDLER, after].concat()).unwrap();
    fs::write(bot.server.join("evals/order.yaml"), ORDER).unwrap();
    let lint = python()
        .command("ruff")
        .args(["check", "--no-cache", "."])
        .current_dir(&bot.server)
        .output()
        .unwrap();
    assert!(lint.status.success(), "{}", text(&lint));

    let answers = [
        "--call",
        r#"where is my order=order_status {"order_id": "A-1042"}"#,
        "--say",
        "\"status\": \"shipped\"=It has been shipped.",
    ];
    let (_model, mut running) = bot.evaluate("evals/order.yaml", &answers);
    running.line_with("My handler saw order_status");
}

const HANDLER: &str = r#"
    @llm.event_handler("on_function_calls_started")
    async def on_function_calls_started(service, function_calls):
        logger.info(f"My handler saw {function_calls[0].function_name}")
"#;

const ORDER: &str = r#"
name: order
scenarios:
  - name: looks_up_an_order
    turns:
      - expect:
          - event: response
      - user: "Where is my order A-1042?"
        expect:
          - event: function_call
            name: order_status
            args: { order_id: A-1042 }
          - event: response
            text_contains: shipped
"#;

/// The first passage between two others.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

/// A generated project.
struct Bot {
    folder: TempDir,
    server: PathBuf,
}

impl Bot {
    fn new() -> Self {
        Self::with(&OPENAI)
    }

    /// Of services, and what else there may be.
    fn with(options: &[&str]) -> Self {
        let further = ["--transport", "p2p_webrtc", "--eval"];
        let (folder, server) = made(&[options, &further].concat());
        Self { folder, server }
    }

    /// The scenarios of a file pass with a model that answers so. Returns the model and the bot.
    fn evaluate(&self, scenarios: &str, answers: &[&str]) -> (Running, Running) {
        let (model, address) = models(answers);
        let env = format!("OPENAI_API_KEY=any\nOPENAI_BASE_URL={address}/v1\n");
        let (running, port) = self.listen(&env);
        let address = format!("ws://127.0.0.1:{port}/ws");
        let logs = self.folder.path().join("logs");
        let output = evaluate(&self.server.join(scenarios), &address, &logs);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        (model, running)
    }

    /// Starts it with this `.env`, and waits until it listens.
    fn listen(&self, env: &str) -> (Running, u16) {
        fs::write(self.server.join(".env"), env).unwrap();
        let port = free_port().unwrap();
        let mut running = Running::start(&mut self.command(port));
        running.line_with("Uvicorn running on");
        (running, port)
    }

    fn command(&self, port: u16) -> Command {
        let mut command = python().command("python");
        command
            .args([
                "bot.py",
                "-t",
                "webrtc",
                "--host",
                "127.0.0.1",
                "--port",
                &port.to_string(),
            ])
            .current_dir(&self.server);
        for key in [
            "OPENAI_API_KEY",
            "DEEPGRAM_API_KEY",
            "ANTHROPIC_API_KEY",
            "CARTESIA_API_KEY",
        ] {
            command.env_remove(key);
        }
        command
    }
}

pub(crate) fn text(output: &Output) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    format!(
        "{status}\n{}{}",
        String::from_utf8_lossy(stdout),
        String::from_utf8_lossy(stderr)
    )
}
