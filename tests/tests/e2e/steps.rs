//! Follows a project's own README from the first step to the last, in a new project of each kind, with only the packages that
//! `pyproject.toml` requires. Also checks that the requirements resolve on every supported Python version.

mod workflow;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::port::free_port;
use tempfile::TempDir;

use crate::bot::{ANSWERS, made, models, python, succeeds, without_keys};
use crate::running::Running;

/// The prefixes of the steps that these tests skip.
const NOT_HERE: &[&str] = &[
    // These need an account.
    "uvx --from \"pipecat-ai[cli]\" --with pipecatcloud",
    "bot-cli cloud ",
    "curl -X POST https://api.daily.co",
    // `telephony` asks for calls.
    "curl -X POST http://127.0.0.1:8000/dialout",
    // `followed` types it.
    "bot-cli dev",
    // `hosting` takes the steps of the image.
    "docker compose ",
    // These install into the home of whoever runs the tests, and fetch 1 GB.
    "uv tool install ",
    "pipecat-ai-context-hub ",
    // `clients` takes the steps of the client.
    "cd client",
    "npm ",
];

#[test]
fn the_steps_of_the_quickstart_work() {
    let (_models, address) = models(&ANSWERS);
    let mut user = User::new(&["quickstart"]);
    user.models = Some(format!("{address}/v1"));
    let printed = std::mem::take(&mut user.printed);
    assert_eq!(printed.last().unwrap(), "uv run bot.py");
    for line in printed {
        user.take(&line);
    }
    let taken = user.follow("README.md");
    for step in [
        "uv sync",
        "uv run bot.py -t webrtc",
        "uv run pyright",
        "uv run python -m pipecat.evals run evals/text.yaml --logs-dir evals/logs",
    ] {
        assert!(taken.contains(step), "the README has no step `{step}`");
    }
    let taken = user.follow("AGENTS.md");
    assert!(taken.contains("uv run ruff check . && uv run ruff format --check ."));
    user.builds_with_and_without_lock();
    user.evaluates_with_dev();
    workflow::passes_and_fails(user);
}

#[test]
fn the_steps_of_a_realtime_bot_for_telephones_and_rooms_work() {
    follows(&[
        "--transport=carrier_a",
        "--transport=carrier_b",
        "--transport=carrier_c",
        "--transport=carrier_d",
        "--transport=hosted_rtc",
        "--mode=realtime",
        "--realtime=openai_realtime",
        "--enable-noise-cancel",
        "--recording",
        "--self-host",
    ]);
}

#[test]
fn the_steps_of_a_video_bot_with_a_client_and_services_on_this_machine_work() {
    follows(&[
        "--transport=p2p_webrtc",
        "--transport=livekit",
        "--transport=websocket",
        "--mode=cascade",
        "--stt=whisper_stt",
        "--llm=ollama_llm",
        "--tts=kokoro_tts",
        "--video=tavus_video",
        "--client-framework=react",
        "--observability",
        "--no-deploy-to-cloud",
    ]);
}

fn follows(options: &[&str]) {
    let taken = User::new(&[&["my-bot"], options].concat()).follow("README.md");
    assert!(
        taken.contains("uv sync") && taken.contains("uv run ruff check ."),
        "{taken:?}"
    );
}

/// A user who follows the instructions in a new project.
struct User {
    _folder: TempDir,
    project: PathBuf,
    /// The folder in which the next command runs.
    cwd: PathBuf,
    /// The lines that `init` printed.
    printed: Vec<String>,
    /// The language model's address in the environment, which takes precedence over `.env`.
    models: Option<String>,
    bot: Option<(Running, u16)>,
}

impl User {
    fn new(arguments: &[&str]) -> Self {
        let (folder, output) = made(arguments);
        let made = fs::read_dir(folder.path()).unwrap().next().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let printed = said.lines().filter_map(|line| line.strip_prefix("next: "));
        Self {
            cwd: folder.path().to_owned(),
            project: made.unwrap().path(),
            printed: printed.map(str::to_owned).collect(),
            models: None,
            bot: None,
            _folder: folder,
        }
    }

    /// Runs every step on a page, except those that start with a prefix in [`NOT_HERE`]. Returns the steps that it ran.
    fn follow(&mut self, page: &str) -> BTreeSet<String> {
        let text = fs::read_to_string(self.project.join(page)).unwrap();
        self.cwd = self.project.clone();
        let mut taken = BTreeSet::new();
        for step in steps(&text) {
            if !NOT_HERE.iter().any(|begin| step.starts_with(begin)) {
                self.take(&step);
                taken.insert(step);
            }
        }
        self.bot = None;
        taken
    }

    fn take(&mut self, step: &str) {
        if let Some(folder) = step.strip_prefix("cd ") {
            self.cwd = self.cwd.join(folder);
            assert!(self.cwd.is_dir(), "`{step}`: there is no such folder");
        } else if step == "cp .env.example .env" {
            let example = fs::read_to_string(self.server().join(".env.example")).unwrap();
            self.succeeds(step);
            fs::write(self.server().join(".env"), filled_in(&example)).unwrap();
        } else if let Some(arguments) = step.strip_prefix("uv run bot.py") {
            self.start(arguments);
        } else if step == "uv run server.py" {
            let port = free_port().unwrap();
            let start = format!("export SERVER_PORT={port}; exec {step}");
            Running::start(&mut self.shell(&start)).line_with("Uvicorn running on");
        } else if step.starts_with("uv run python -m pipecat.evals run") {
            let (_, port) = self.bot.as_ref().unwrap();
            self.succeeds(&format!("{step} --bot-url ws://127.0.0.1:{port}/ws"));
        } else if let Some((kept, _)) = step.split_once(" | bot-cli cloud secrets set ") {
            // The bot's keys alone go to the hosting service.
            let kept = String::from_utf8(self.succeeds(kept).stdout).unwrap();
            assert!(kept.contains("\nOPENAI_API_KEY="), "`{step}`: {kept}");
            assert!(!kept.contains("\nDIALOUT_KEY="), "`{step}`: {kept}");
        } else if let Some(arguments) = step.strip_prefix("bot-cli init") {
            self.cwd = self.project.clone();
            let program = env!("CARGO_BIN_EXE_it-bot-cli-init");
            self.succeeds(&format!("{program}{arguments}"));
        } else if step.starts_with("uv ") {
            // `AGENTS.md` says it in words.
            self.cwd = self.server();
            self.succeeds(step);
        } else {
            panic!("`{step}`: say how it is taken, or why it can't be");
        }
    }

    /// Starts the bot, stopping any previous one.
    fn start(&mut self, arguments: &str) {
        self.bot = None;
        let port = free_port().unwrap();
        let arguments = arguments.replace("YOUR_HOST", "bot.example.com");
        let mut running = Running::start(&mut self.shell(&format!(
            "exec uv run bot.py{arguments} --host 127.0.0.1 --port {port}"
        )));
        running.line_with("Uvicorn running on");
        self.bot = Some((running, port));
    }

    /// Checks that the commands in the Dockerfile work with a lock file, and in a project that has none yet.
    fn builds_with_and_without_lock(&self) {
        let dockerfile = fs::read_to_string(self.server().join("Dockerfile")).unwrap();
        let run = dockerfile.split("\nRUN ").nth(1).unwrap();
        let script: String = run
            .lines()
            .filter(|line| !line.contains("--mount="))
            .take_while(|line| !line.is_empty())
            .map(|line| line.trim_end_matches('\\'))
            .collect();
        assert!(script.contains("uv sync"), "{script}");
        let dry = script.replace("uv sync", "uv sync --dry-run");
        assert!(self.server().join("uv.lock").is_file());
        self.succeeds(&dry);
        fs::remove_file(self.server().join("uv.lock")).unwrap();
        self.succeeds(&dry);
    }

    /// Runs the same conversation with `bot-cli dev`.
    fn evaluates_with_dev(&mut self) {
        self.cwd = self.project.clone();
        let bench = Bench::whole().unwrap();
        let (home, host) = (bench.path("home"), bench.path("bin/bot-cli"));
        let (home, host) = (home.display(), host.display());
        let port = free_port().unwrap();
        let variables = format!("XDG_DATA_HOME={home} XDG_CONFIG_HOME={home} BOT_CLI_KEYRING=off");
        self.succeeds(&format!("{variables} {host} dev --eval --port {port}"));
    }

    fn succeeds(&self, step: &str) -> Output {
        succeeds(&mut self.shell(step))
    }

    /// Returns a command for a shell that uses the tests' `uv` and none of this machine's keys.
    fn shell(&self, step: &str) -> Command {
        let mut shell = Command::new("sh");
        shell
            .args(["-euc", step])
            .current_dir(&self.cwd)
            .env("NO_COLOR", "1");
        for (name, value) in python().command("uv").get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        without_keys(&mut shell, &self.server());
        shell.envs(self.models.iter().map(|it| ("OPENAI_BASE_URL", it)));
        shell
    }

    fn server(&self) -> PathBuf {
        self.project.join("server")
    }
}

/// Returns the commands in a page's shell blocks, one per line, without comments.
fn steps(page: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let mut inside = false;
    for line in page.replace("\\\n", " ").lines().map(str::trim) {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside {
            let command = line.split(" # ").next().unwrap_or_default().trim();
            if !command.is_empty() {
                steps.push(command.to_owned());
            }
        }
    }
    assert!(!steps.is_empty());
    steps
}

/// Fills in every empty variable, as a user would.
fn filled_in(example: &str) -> String {
    let fill = |line: &str| match line {
        "# OPENAI_BASE_URL=" => "OPENAI_BASE_URL=http://127.0.0.1:9\n".to_owned(),
        "DIALOUT_KEY=" => format!("{line}0123456789abcdef0123456789abcdef\n"),
        "PUBLIC_URL=" => format!("{line}https://bot.example.com\n"),
        "TWILIO_PHONE_NUMBER=" => format!("{line}+15550100\n"),
        "TWILIO_SIP_DOMAIN=" => format!("{line}example.sip.twilio.com\n"),
        _ if line.ends_with('=') && !line.starts_with('#') => format!("{line}any\n"),
        _ => format!("{line}\n"),
    };
    example.lines().map(fill).collect()
}
