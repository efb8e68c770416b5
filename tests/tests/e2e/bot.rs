//! A generated bot with nothing but this machine: its project, the stand-in for its AI services, and whoever talks to it.
//!
//! Both sides of a call are single tones. Wherever a sample rate did not fit, they would arrive at another pitch.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bot_cli_tests::patience::wait_until;
use bot_cli_tests::python::Python;
use serde_json::Value;
use tempfile::TempDir;

use crate::running::Running;

/// The pitch of the voice that `stand_in_openai.py` speaks with, in hertz.
pub(crate) const VOICE: f64 = 220.0;

/// Between the rates of a CD and of a studio are nine percent; a busy machine loses packets, which shifts the pitch by less.
pub(crate) const TOLERANCE: f64 = 15.0;

/// The services of one provider.
pub(crate) const OPENAI: [&str; 4] = [
    "--mode=cascade",
    "--stt=openai_stt",
    "--llm=openai_llm",
    "--tts=openai_tts",
];

/// What the models say to the starter scenario.
pub(crate) const ANSWERS: [&str; 4] = [
    "--say",
    "capital of France=It is Paris.",
    "--say",
    "which city=You like Lisbon best.",
];

/// The options of the framework's runner for a browser.
pub(crate) const WEBRTC: [&str; 2] = ["-t", "webrtc"];

/// The keys of companies that carry calls.
pub(crate) const KEYS: [(&str, &str); 6] = [
    ("DAILY_API_KEY", "bot-daily-key"),
    ("TWILIO_ACCOUNT_SID", "AC0"),
    ("TWILIO_AUTH_TOKEN", "any"),
    ("TELNYX_API_KEY", "any"),
    ("PLIVO_AUTH_ID", "any"),
    ("PLIVO_AUTH_TOKEN", "any"),
];

/// The environment; a test that needs it fails with the reason where it cannot be had.
pub(crate) fn python() -> &'static Python {
    Python::with_framework().unwrap_or_else(|problem| panic!("{problem}"))
}

/// A file of `tests/framework`.
pub(crate) fn script(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/framework")).join(name)
}

/// The interpreter with such a file.
pub(crate) fn python_script(name: &str) -> Command {
    let mut command = python().command("python");
    command.arg(script(name));
    command
}

/// The stand-in for the AI services with these options, and its address.
pub(crate) fn models(options: &[&str]) -> (Running, String) {
    let mut models = Running::start(python_script("stand_in_openai.py").args(options));
    let address = models.line_with("http://");
    (models, address)
}

/// What such a file prints as JSON with these arguments.
pub(crate) fn drive(name: &str, arguments: &[&str]) -> Value {
    let output = succeeds(python_script(name).args(arguments));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(crate) fn succeeds(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", text(&output));
    output
}

/// How a command ended, and all that it said.
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

/// The bot was heard, at the pitch at which it speaks.
pub(crate) fn assert_voice(heard: &Value, who: &str) {
    let seconds = heard["seconds"].as_f64().unwrap_or_default();
    let hertz = heard["hertz"].as_f64().unwrap_or_default();
    let fits = seconds > 0.3 && (hertz - VOICE).abs() < TOLERANCE;
    assert!(fits, "{who}: {heard}");
}

/// The body of the answer to `METHOD PATH`.
pub(crate) fn ask(address: &str, request: &str, document: &str) -> String {
    let host = address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "{request} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{document}",
        document.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    body.to_owned()
}

/// Runs `init` with these arguments in a new folder.
pub(crate) fn made(arguments: &[&str]) -> (TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    let mut init = Command::new(env!("CARGO_BIN_EXE_it-bot-cli-init"));
    // Without what this machine may have installed, which changes the lines that are printed.
    init.env("PATH", "/usr/bin:/bin");
    let output = succeeds(init.args(arguments).current_dir(folder.path()));
    (folder, output)
}

/// Takes the keys that this machine may have for a project from the environment of a command.
pub(crate) fn without_keys(command: &mut Command, server: &Path) {
    let example = fs::read_to_string(server.join(".env.example")).unwrap();
    for line in example.lines() {
        if let Some((name, _)) = line.trim_start_matches("# ").split_once('=') {
            command.env_remove(name);
        }
    }
}

/// A generated project, and the stand-in for its services.
pub(crate) struct Bot {
    pub(crate) folder: TempDir,
    /// The folder of its code.
    pub(crate) server: PathBuf,
    pub(crate) models: Running,
    pub(crate) models_address: String,
}

impl Bot {
    /// A bot over these transports.
    pub(crate) fn over(transports: &[&str], options: &[&str]) -> Self {
        let transports = transports.iter().flat_map(|name| ["--transport", name]);
        let options: Vec<&str> = transports.chain(options.iter().copied()).collect();
        Self::new(&[&OPENAI, &options[..]].concat(), &ANSWERS)
    }

    /// A bot of these options whose models answer so.
    pub(crate) fn new(options: &[&str], answers: &[&str]) -> Self {
        let (folder, _) = made(&[&["bot"], options].concat());
        let (models, models_address) = models(answers);
        Self {
            server: folder.path().join("bot/server"),
            folder,
            models,
            models_address,
        }
    }

    /// The interpreter in the folder of the code, with the keys of its services alone.
    pub(crate) fn python(&self) -> Command {
        let mut command = python().command("python");
        without_keys(&mut command, &self.server);
        command
            .current_dir(&self.server)
            .env("OPENAI_API_KEY", "any")
            .env("OPENAI_BASE_URL", format!("{}/v1", self.models_address));
        command
    }

    /// The framework's runner with these options and these variables.
    pub(crate) fn runner(&self, options: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = self.python();
        command
            .args(["bot.py", "--host", "127.0.0.1", "--port", "0"])
            .args(options)
            .envs(variables.iter().copied());
        command
    }

    /// Starts it, and returns its address.
    pub(crate) fn run(&self, options: &[&str], variables: &[(&str, &str)]) -> (Running, String) {
        let mut running = Running::start(&mut self.runner(options, variables));
        let listens = running.line_with("Uvicorn running on");
        let mut words = listens.split_whitespace();
        let address = words.find(|word| word.starts_with("http://")).unwrap();
        (running, address.to_owned())
    }

    /// The framework's eval harness has the conversations of a file with the bot at an address, which pass.
    pub(crate) fn passes(&self, scenarios: &str, address: &str) {
        let mut harness = python().command("pipecat");
        harness.args(["eval", "run", scenarios, "--logs-dir", "logs"]);
        harness.arg("--bot-url");
        harness.arg(address.replacen("http", "ws", 1) + "/ws");
        succeeds(harness.current_dir(&self.server));
    }

    /// Adds code where `bot.py` says that it can be.
    pub(crate) fn handle(&self, handler: &str) {
        let path = self.server.join("bot.py");
        let code = fs::read_to_string(&path).unwrap();
        let place = code.split_once("    # Your own event handlers go here.\n");
        let (before, after) = place.unwrap();
        fs::write(&path, [before, handler, after].concat()).unwrap();
    }

    /// Starts the image that the hosting service would build, with these variables from its secret set, too.
    pub(crate) fn deploy(&self, variables: &[(&str, &str)]) -> Deployed {
        let mut command = self.python();
        command
            .arg(script("deployed_app.py"))
            .arg(&self.server)
            .envs(KEYS)
            .envs(variables.iter().copied());
        let mut app = Running::start(&mut command);
        let address = app.line_with("http://127.0.0.1");
        Deployed { address, _app: app }
    }
}

/// A bot on the hosting service.
pub(crate) struct Deployed {
    pub(crate) address: String,
    _app: Running,
}

impl Deployed {
    /// Returns what happened, once this many sessions are over.
    pub(crate) fn ended(&self, count: usize) -> Value {
        let world =
            || serde_json::from_str::<Value>(&ask(&self.address, "GET /world", "")).unwrap();
        wait_until("the sessions to be over", || {
            let world = world();
            let sessions = world["sessions"].as_array().unwrap();
            sessions.len() == count && sessions.iter().all(|one| one["over"] == true)
        });
        world()
    }
}

/// The classes of the sessions that have been, none of which had a problem.
pub(crate) fn classes(world: &Value) -> Vec<&str> {
    let sessions = world["sessions"].as_array().unwrap();
    for session in sessions {
        assert_eq!(session["problem"], Value::Null, "{session}");
    }
    sessions
        .iter()
        .filter_map(|session| session["arguments"].as_str())
        .collect()
}
