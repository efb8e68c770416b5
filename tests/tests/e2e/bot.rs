//! A generated bot that needs nothing but this machine: its project, a stand-in for its AI services, and programs that talk to it.
//!
//! Both sides of a call are pure tones. A mismatched sample rate would change the pitch.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::patience::wait_until;
use bot_cli_tests::python::Python;
use serde_json::Value;
use tempfile::TempDir;

use crate::running::Running;

/// The pitch of the voice from `stand_in_openai.py`, in hertz.
pub(crate) const VOICE: f64 = 220.0;

/// The allowed deviation in pitch, in hertz. Confusing 44.1 kHz with 48 kHz shifts the pitch by 9%. Lost packets on a busy machine shift it
/// by less.
pub(crate) const TOLERANCE: f64 = 15.0;

/// The options for a bot whose services all come from one provider.
pub(crate) const OPENAI: [&str; 4] = [
    "--mode=cascade",
    "--stt=openai_stt",
    "--llm=openai_llm",
    "--tts=openai_tts",
];

/// The options that give the stand-in its answers and calls in the starter scenarios.
pub(crate) const ANSWERS: [&str; 10] = [
    "--say",
    "capital of France=It is Paris.",
    "--say",
    "which city=You like Lisbon best.",
    "--call",
    r#"time is it in Lisbon=current_time {"timezone": "Europe/Lisbon"}"#,
    "--say",
    "\"now\": =It is late there.",
    "--call",
    "hang up=end_call {}",
];

/// The framework runner's options for calls from a browser.
pub(crate) const WEBRTC: [&str; 2] = ["-t", "webrtc"];

/// The environment variables with keys for the phone carriers.
pub(crate) const KEYS: [(&str, &str); 6] = [
    ("DAILY_API_KEY", "bot-daily-key"),
    ("TWILIO_ACCOUNT_SID", "AC0"),
    ("TWILIO_AUTH_TOKEN", "any"),
    ("TELNYX_API_KEY", "any"),
    ("PLIVO_AUTH_ID", "any"),
    ("PLIVO_AUTH_TOKEN", "any"),
];

/// Returns the framework's Python environment. If it is missing, the test fails with the reason.
pub(crate) fn python() -> &'static Python {
    Python::with_framework().unwrap_or_else(|problem| panic!("{problem}"))
}

/// Returns the path of a file in `tests/framework`.
pub(crate) fn script(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/framework")).join(name)
}

/// Returns the variables that send what a bot asks of an API to the stand-in at `address`, which `name` tells it.
pub(crate) const fn redirected<'a>(
    name: &'static str,
    address: &'a str,
) -> [(&'static str, &'a str); 2] {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/framework/redirected");
    [("PYTHONPATH", folder), (name, address)]
}

/// Returns a command that runs a Python script in `tests/framework`.
pub(crate) fn python_script(name: &str) -> Command {
    let mut command = python().command("python");
    command.arg(script(name));
    command
}

/// Makes `uv run` use the framework's environment.
pub(crate) fn framework_as_uv(bench: &Bench) {
    let uv = format!(
        "#!/bin/sh\n[ $1 = sync ] && exec mkdir .venv\nshift\n[ $1 = python ] && shift\nexec {} \"$@\"\n",
        python().executable("python").display()
    );
    bench.script("bin/uv", &uv).unwrap();
}

/// Starts the stand-in for the AI services with these options. Returns the process and its address.
pub(crate) fn models(options: &[&str]) -> (Running, String) {
    let mut models = Running::start(python_script("stand_in_openai.py").args(options));
    let address = models.line_with("http://");
    (models, address)
}

/// The options for a bot whose service is a speech-to-speech API.
pub(crate) const REALTIME: [&str; 4] = [
    "--mode=realtime",
    "--realtime=openai_realtime",
    "--transport=p2p_webrtc",
    "--eval",
];

/// Starts the stand-in for a speech-to-speech API with these options. Returns the process and its address.
pub(crate) fn realtime(options: &[&str]) -> (Running, String) {
    let mut service = Running::start(python_script("stand_in_realtime.py").args(options));
    let address = service.line_with("ws://");
    (service, address)
}

/// Runs a Python script in `tests/framework` and parses its output as JSON.
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

/// Returns the exit status and all output of a command, as text.
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

/// Asserts that the bot's speech was heard and had the expected pitch.
pub(crate) fn assert_voice(heard: &Value, who: &str) {
    let seconds = heard["seconds"].as_f64().unwrap_or_default();
    let hertz = heard["hertz"].as_f64().unwrap_or_default();
    let fits = seconds > 0.3 && (hertz - VOICE).abs() < TOLERANCE;
    assert!(fits, "{who}: {heard}");
}

/// Sends `request`, a method and a path, and returns the body of the response.
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

/// Runs `init` with these arguments in a new folder. Returns the folder and the output.
pub(crate) fn made(arguments: &[&str]) -> (TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    let mut init = Command::new(&*bot_cli_tests::init::ALONE);
    // Without what this machine may have installed, which changes the lines that are printed.
    init.env("PATH", "/usr/bin:/bin");
    let output = succeeds(init.args(arguments).current_dir(folder.path()));
    (folder, output)
}

/// Removes a project's variables from a command's environment, so that keys on this machine are not used.
pub(crate) fn without_keys(command: &mut Command, server: &Path) {
    let example = fs::read_to_string(server.join(".env.example")).unwrap();
    for line in example.lines() {
        if let Some((name, _)) = line.trim_start_matches("# ").split_once('=') {
            command.env_remove(name);
        }
    }
}

/// A generated project and the stand-in for its AI services.
pub(crate) struct Bot {
    pub(crate) folder: TempDir,
    /// The folder with the project's code.
    pub(crate) server: PathBuf,
    pub(crate) models: Running,
    pub(crate) models_address: String,
}

impl Bot {
    /// Generates a bot with these transports.
    pub(crate) fn over(transports: &[&str], options: &[&str]) -> Self {
        let transports = transports.iter().flat_map(|name| ["--transport", name]);
        let options: Vec<&str> = transports.chain(options.iter().copied()).collect();
        Self::new(&[&OPENAI, &options[..]].concat(), &ANSWERS)
    }

    /// Generates a bot with these options, whose stand-in models give these answers.
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

    /// Returns a command for Python in the code folder, with only the keys that the bot's services need.
    pub(crate) fn python(&self) -> Command {
        let mut command = python().command("python");
        without_keys(&mut command, &self.server);
        command
            .current_dir(&self.server)
            .env("OPENAI_API_KEY", "any")
            .env("OPENAI_BASE_URL", format!("{}/v1", self.models_address));
        command
    }

    /// Returns a command for the framework's runner with these options and environment variables.
    pub(crate) fn runner(&self, options: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = self.python();
        command
            .args(["bot.py", "--host", "127.0.0.1", "--port", "0"])
            .args(options)
            .envs(variables.iter().copied());
        command
    }

    /// Starts the framework's runner. Returns the process and the bot's address.
    pub(crate) fn run(&self, options: &[&str], variables: &[(&str, &str)]) -> (Running, String) {
        let mut running = Running::start(&mut self.runner(options, variables));
        let listens = running.line_with("Uvicorn running on");
        let mut words = listens.split_whitespace();
        let address = words.find(|word| word.starts_with("http://")).unwrap();
        (running, address.to_owned())
    }

    /// Asserts that the bot at `address` passes these scenarios in the framework's eval harness.
    pub(crate) fn passes(&self, scenarios: &str, address: &str) {
        let mut harness = python().command("pipecat");
        harness.args(["eval", "run", scenarios, "--logs-dir", "logs"]);
        harness.arg("--bot-url");
        harness.arg(address.replacen("http", "ws", 1) + "/ws");
        succeeds(harness.current_dir(&self.server));
    }

    /// Inserts code into `bot.py` at the place for the user's own event handlers.
    pub(crate) fn handle(&self, handler: &str) {
        let path = self.server.join("bot.py");
        let code = fs::read_to_string(&path).unwrap();
        let place = code.split_once("    # Your own event handlers go here.\n");
        let (before, after) = place.unwrap();
        fs::write(&path, [before, handler, after].concat()).unwrap();
    }

    /// Gives a constant of `session.py` another value.
    pub(crate) fn set(&self, name: &str, value: &str) {
        let path = self.server.join("session.py");
        let code = fs::read_to_string(&path).unwrap();
        let (before, rest) = code.split_once(&format!("\n{name} = ")).unwrap();
        let (_, after) = rest.split_once('\n').unwrap();
        fs::write(path, format!("{before}\n{name} = {value}\n{after}")).unwrap();
    }

    /// Starts the bot as the hosting service's image would. `variables` are set as if they came from the bot's secret set.
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

/// A bot deployed as on the hosting service.
pub(crate) struct Deployed {
    pub(crate) address: String,
    _app: Running,
}

impl Deployed {
    /// Waits until this many sessions have ended. Returns everything that the stand-in for the hosting service recorded.
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

/// Returns the classes of all sessions. Asserts that no session had a problem.
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
