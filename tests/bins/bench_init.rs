//! How near the limit `bot-cli` and `bot-cli-init` are: ratios of median wall-clock times, side by side in one run, to the least that the same
//! work can cost (`cp -r`, `/bin/true`, `--version`) and to the framework's own tool.
//!
//! `cargo run -p bot-cli-tests --bin bench-init` builds the executables and prints a row for each work. Words behind `--` are more words for
//! `cargo build`, such as `--target`. Without the framework the rows of its tool are missing.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bot_cli_tests::bench::Bench;
use bot_cli_tests::python::Python;
use bot_cli_tests::release::Executables;

/// The number of turns of two programs.
struct Turns {
    rounds: usize,
    /// Runs of the first in a round, for each of the second.
    first: usize,
}

/// Theirs takes seconds.
const BESIDE_THEIRS: Turns = Turns {
    rounds: 7,
    first: 20,
};
const BESIDE_OURS: Turns = Turns {
    rounds: 100,
    first: 1,
};

/// One bot, in the words of both tools.
const OURS: &[&str] = &[
    "--transport=p2p_webrtc",
    "--mode=cascade",
    "--stt=deepgram_stt",
    "--llm=openai_llm",
    "--tts=cartesia_tts",
    "--recording",
    "--transcription",
    "--eval",
];
const THEIRS: &[&str] = &[
    "--bot-type=web",
    "--transport=smallwebrtc",
    "--mode=cascade",
    "--stt=deepgram_stt",
    "--llm=openai_llm",
    "--tts=cartesia_tts",
    "--client-framework=none",
    "--recording",
    "--transcription",
    "--eval",
];

/// The same with everything that is generated for a browser.
const WITH_CLIENT: &[&str] = &["--client-framework=react", "--client-server=vite"];

fn main() -> Result<()> {
    let executables = Executables::build(
        &["bot-cli", "bot-cli-plugin", "bot-cli-init"],
        env::args_os().skip(1),
    )?;
    let bench = Bench::new(&[
        ("bot-cli", executables.path("bot-cli")?),
        ("bot-cli-plugin", executables.path("bot-cli-plugin")?),
        ("bot-cli-init", executables.path("bot-cli-init")?),
    ])?;
    heading("near the limit", "beside", "ratio");
    scaffold(&bench)?;
    listing(&bench)?;
    through_the_host(&bench)?;
    match Python::with_framework() {
        Ok(python) => framework(&bench, &python.executable("pipecat"))?,
        Err(reason) => say(&format!("\nThe framework's tool is not there: {reason}")),
    }
    Ok(())
}

/// A whole project beside `cp -r` of its files.
fn scaffold(bench: &Bench) -> Result<()> {
    let plugin = bench.path("bin/bot-cli-init");
    let options = arguments(Some(OURS), "--deploy-to-cloud");
    let options = [&options, WITH_CLIENT].concat();
    let made = tempfile::tempdir()?;
    run_at(made.path(), made.path(), &plugin, &options)?;
    let original = made.path().join("made");
    let original = original.to_str().context("the folder is not UTF-8")?;
    let (ours, copied) = side_by_side(
        &BESIDE_OURS,
        || run(&plugin, &options),
        || run(Path::new("/bin/cp"), &["-r", original, "made"]),
    )?;
    row(
        "a project with a React client",
        ours,
        "cp -r of its files",
        copied,
    );
    Ok(())
}

/// The list of what there is to choose from, beside the shortest answer.
fn listing(bench: &Bench) -> Result<()> {
    let plugin = bench.path("bin/bot-cli-init");
    let (listed, version) = side_by_side(
        &BESIDE_OURS,
        || run(&plugin, &["--list-options"]),
        || run(&plugin, &["--version"]),
    )?;
    row("--list-options", listed, "--version", version);
    Ok(())
}

/// What the host adds to a plugin that it knows, beside the start of the least program there is.
fn through_the_host(bench: &Bench) -> Result<()> {
    let (host, plugin) = (bench.path("bin/bot-cli"), bench.path("bin/bot-cli-init"));
    let (home, plugins) = (bench.path("home"), bench.path("plugins"));
    // One home for all runs, in which the host keeps what it has found in the plugin's file.
    let run = |program: &Path, words: &[&str]| run_at(&home, &plugins, program, words);
    run(&host, &["init", "--list-options"])?;
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..BESIDE_OURS.rounds {
        times[0].push(run(&host, &["init", "--list-options"])?);
        times[1].push(run(&plugin, &["--list-options"])?);
        times[2].push(run(Path::new("/bin/true"), &[])?);
    }
    let [hosted, direct, least] = times.map(median);
    row(
        "what the host adds",
        hosted.saturating_sub(direct),
        "/bin/true",
        least,
    );
    Ok(())
}

/// The framework's own tool at the same work.
fn framework(bench: &Bench, theirs: &Path) -> Result<()> {
    let plugin = bench.path("bin/bot-cli-init");
    heading("as fast as the framework's tool", "pipecat init", "times");
    for (work, last, named) in [
        ("--list-options", "--list-options", false),
        ("--dry-run", "--dry-run", true),
        ("a plain bot", "--no-deploy-to-cloud", true),
    ] {
        let ours_arguments = arguments(named.then_some(OURS), last);
        let theirs_arguments = arguments(named.then_some(THEIRS), last);
        let (ours, theirs) = side_by_side(
            &BESIDE_THEIRS,
            || run(&plugin, &ours_arguments),
            || run(theirs, &[&["init"], theirs_arguments.as_slice()].concat()),
        )?;
        line(
            work,
            ours,
            "",
            theirs,
            theirs.as_secs_f64() / ours.as_secs_f64(),
        );
    }
    Ok(())
}

fn arguments<'a>(options: Option<&[&'a str]>, last: &'a str) -> Vec<&'a str> {
    let mut all = Vec::new();
    if let Some(options) = options {
        all.push("made");
        all.extend_from_slice(options);
    }
    all.push(last);
    all
}

/// The medians of both, taken in turns so that whatever else the machine does meets both.
fn side_by_side(
    turns: &Turns,
    mut ours: impl FnMut() -> Result<Duration>,
    mut theirs: impl FnMut() -> Result<Duration>,
) -> Result<(Duration, Duration)> {
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    // The first run of each warms caches and does not count.
    ours()?;
    theirs()?;
    for _ in 0..turns.rounds {
        for _ in 0..turns.first {
            our_times.push(ours()?);
        }
        their_times.push(theirs()?);
    }
    Ok((median(our_times), median(their_times)))
}

/// One run in an empty folder of its own, from start to exit.
fn run(program: &Path, arguments: &[&str]) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    run_at(folder.path(), folder.path(), program, arguments)
}

/// One run of a user with this home and these plugins.
fn run_at(home: &Path, plugins: &Path, program: &Path, arguments: &[&str]) -> Result<Duration> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(home)
        .env("HOME", home)
        .env("BOT_CLI_PLUGIN_PATH", plugins)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("could not start `{}`", program.display()))?;
    let took = start.elapsed();
    ensure!(
        status.success(),
        "`{}` {arguments:?}: {status}",
        program.display()
    );
    Ok(took)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn heading(work: &str, beside: &str, ratio: &str) {
    say(&format!(
        "\n{work:<34} {:>11}   {beside:<31} {ratio:>8}",
        "ours"
    ));
}

/// How many times the other's time ours is.
fn row(work: &str, ours: Duration, beside: &str, other: Duration) {
    line(
        work,
        ours,
        beside,
        other,
        ours.as_secs_f64() / other.as_secs_f64(),
    );
}

fn line(work: &str, ours: Duration, beside: &str, other: Duration, ratio: f64) {
    say(&format!(
        "{work:<34} {:>8.2} ms   {beside:<20} {:>8.2} ms {ratio:>7.1}",
        ours.as_secs_f64() * 1e3,
        other.as_secs_f64() * 1e3,
    ));
}

#[allow(
    clippy::print_stdout,
    reason = "a benchmark's result is what it prints"
)]
fn say(line: &str) {
    println!("{line}");
}
