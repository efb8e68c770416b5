//! Benchmarks for `bot-cli` and `bot-cli-init`. They compare median wall-clock times with the minimum for the same work (`cp -r`,
//! `/bin/true`, `--version`) and with the framework's own tool. The two commands in a comparison run alternately.
//!
//! `cargo run -p bot-cli-tests --bin bench-init` builds the executables and prints a row for each comparison. Arguments after `--` are
//! passed to `cargo build`, for example `--target`. The row for the framework's tool is omitted if the framework is not installed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use bot_cli_tests::bench::Bench;
use bot_cli_tests::nested_cargo::{built, nested_cargo};
use bot_cli_tests::python::Python;

const EXECUTABLES: [&str; 3] = ["bot-cli", "bot-cli-plugin", "bot-cli-init"];

/// The arguments that describe the same bot to each tool.
const OURS: &str = "made --transport=p2p_webrtc --mode=cascade --stt=deepgram_stt --llm=openai_llm --tts=cartesia_tts --recording --transcription --eval";
const THEIRS: &str = "init made --bot-type=web --transport=smallwebrtc --mode=cascade --stt=deepgram_stt --llm=openai_llm --tts=cartesia_tts --client-framework=none --recording --transcription --eval --no-deploy-to-cloud";

/// The number of runs for our commands. The framework's tool takes seconds, so it runs fewer times.
const ROUNDS: usize = 100;
const THEIR_ROUNDS: usize = 7;

fn main() -> Result<()> {
    let mut cargo = nested_cargo();
    cargo
        .args(["build", "--release"])
        .args(env::args_os().skip(1));
    for package in EXECUTABLES {
        cargo.args(["--package", package]);
    }
    let files = built(&mut cargo).map_err(|problem| anyhow!(problem))?;
    let bench = Bench::new(&[])?;
    for name in EXECUTABLES {
        let file = files.get(name).context("cargo has not built it")?;
        bench.install(file, &format!("bin/{name}"))?;
    }
    let work = |program: PathBuf, words: &str| Work {
        program,
        words: words.to_owned(),
        home: bench.path("home"),
    };
    let ours = |words: &str| work(bench.path("bin/bot-cli-init"), words);
    let host = || work(bench.path("bin/bot-cli"), "init --list-options");
    let client = format!("{OURS} --deploy-to-cloud --client-framework=react --client-server=vite");
    let project = tempfile::tempdir()?;
    ours(&client).run_in(project.path())?;
    let copy = format!("-r {} copy", project.path().join("made").display());
    for (name, ours, other) in [
        (
            "a project with a React client",
            ours(&client),
            work("/bin/cp".into(), &copy),
        ),
        ("--list-options", ours("--list-options"), ours("--version")),
        ("the same through the host", host(), ours("--list-options")),
        (
            "the same, beside the start of a process",
            host(),
            work("/bin/true".into(), ""),
        ),
    ] {
        compare(name, &ours, &other, ROUNDS)?;
    }
    match Python::with_framework() {
        Ok(python) => compare(
            "a bot, beside theirs",
            &ours(&format!("{OURS} --no-deploy-to-cloud")),
            &work(python.executable("pipecat"), THEIRS),
            THEIR_ROUNDS,
        )?,
        Err(reason) => say(&format!("The framework's tool is not there: {reason}")),
    }
    Ok(())
}

/// A command that runs in a new, empty working directory each time. All runs have one home, where the host keeps what it has found in the
/// plugin's file.
struct Work {
    program: PathBuf,
    words: String,
    home: PathBuf,
}

impl Work {
    fn run(&self) -> Result<Duration> {
        self.run_in(tempfile::tempdir()?.path())
    }

    /// Runs the command in `folder` and returns the time from start to exit.
    fn run_in(&self, folder: &Path) -> Result<Duration> {
        let mut command = Command::new(&self.program);
        command
            .args(self.words.split_whitespace())
            .current_dir(folder)
            .env("HOME", &self.home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status().with_context(|| format!("{command:?}"))?;
        let took = start.elapsed();
        ensure!(status.success(), "{command:?}: {status}");
        Ok(took)
    }
}

/// Prints the median times of both commands. The runs alternate, so that system load affects both equally.
fn compare(work: &str, ours: &Work, other: &Work, rounds: usize) -> Result<()> {
    // The first run of each warms caches and does not count.
    ours.run()?;
    other.run()?;
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        our_times.push(ours.run()?);
        their_times.push(other.run()?);
    }
    let [ours, theirs] = [our_times, their_times].map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    });
    let name = other.program.file_name().unwrap_or_default().display();
    let (milliseconds, their_milliseconds, ratio) = (ours * 1e3, theirs * 1e3, ours / theirs);
    say(&format!(
        "{work:<34} {milliseconds:>9.2} ms   {name:<14} {their_milliseconds:>9.2} ms   ratio {ratio:.3}"
    ));
    Ok(())
}

#[allow(
    clippy::print_stdout,
    reason = "a benchmark's result is what it prints"
)]
fn say(line: &str) {
    println!("{line}");
}
