//! `bot-cli-init` beside the framework's own tool at the same work, as ratios of median wall-clock times in one run.
//!
//! `cargo bench -p bot-cli-tests` prints one row for each work: both times, and how many times ours goes into theirs. Without
//! the framework only the first table is there: a listing without and with provider packs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bot_cli_tests::bench::Bench;
use bot_cli_tests::python::Python;

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
    rounds: 200,
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

fn main() -> Result<()> {
    let bench = Bench::new(&[
        ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
        ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
    ])?;
    let plugin = bench.path("bin/bot-cli-init");
    let host = bench.path("bin/bot-cli");

    say("work                       without packs   with 20 packs   ratio");
    let listing = arguments(None, "--list-options");
    for (form, install) in [
        ("scripts", pack_script as fn(&Bench, usize) -> Result<()>),
        ("folders", pack_folder),
    ] {
        let with = Bench::new(&[("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init"))])?;
        for number in 0..20 {
            install(&with, number)?;
        }
        let listed = fs::read_to_string(listing_of(&with)?)?;
        ensure!(listed.contains("acme19_b_tts"), "the packs are not listed");
        let (alone, beside) = side_by_side(
            &BESIDE_OURS,
            || {
                run_at(
                    &bench.path("home"),
                    &bench.path("plugins"),
                    &plugin,
                    &listing,
                )
            },
            || run_at(&with.path("home"), &with.path("plugins"), &plugin, &listing),
        )?;
        row(&format!("--list-options, {form}"), alone, beside);
    }

    let python = Python::with_framework().map_err(anyhow::Error::msg)?;
    let theirs = python.executable("pipecat");
    say("\nwork                      bot-cli-init   pipecat init   ratio");
    for (work, ours_last, theirs_last, named) in [
        ("--list-options", "--list-options", "--list-options", false),
        ("--dry-run", "--dry-run", "--dry-run", true),
        (
            "a whole project",
            "--no-deploy-to-cloud",
            "--no-deploy-to-cloud",
            true,
        ),
    ] {
        let ours_arguments = arguments(named.then_some(OURS), ours_last);
        let theirs_arguments = arguments(named.then_some(THEIRS), theirs_last);
        let (ours, theirs) = side_by_side(
            &BESIDE_THEIRS,
            || run(&plugin, &ours_arguments),
            || run(&theirs, &[&["init"], theirs_arguments.as_slice()].concat()),
        )?;
        row(work, ours, theirs);
    }

    say("\nwork                      bot-cli-init   through bot-cli   ratio");
    let direct = arguments(None, "--list-options");
    let (alone, hosted) = side_by_side(
        &BESIDE_OURS,
        || run(&plugin, &direct),
        || run(&host, &["init", "--list-options"]),
    )?;
    row("--list-options", alone, hosted);
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

/// A provider with four services.
const PROVIDER: &str = r#"{
    "label": "AcmeNUMBER", "site": "https://acme.example/keys",
    "env": { "ACMENUMBER_API_KEY": { "about": "API key", "secret": true } },
    "service": [
        { "id": "acmeNUMBER_a_stt", "kind": "stt", "label": "Acme a", "module": "acme.a", "class": "AcmeA",
          "args": [{ "name": "api_key", "env": "ACMENUMBER_API_KEY" }] },
        { "id": "acmeNUMBER_b_stt", "kind": "stt", "label": "Acme b", "module": "acme.b", "class": "AcmeB",
          "args": [{ "name": "api_key", "env": "ACMENUMBER_API_KEY" }] },
        { "id": "acmeNUMBER_a_tts", "kind": "tts", "label": "Acme a", "module": "acme.c", "class": "AcmeC",
          "args": [{ "name": "api_key", "env": "ACMENUMBER_API_KEY" }] },
        { "id": "acmeNUMBER_b_tts", "kind": "tts", "label": "Acme b", "module": "acme.d", "class": "AcmeD",
          "args": [{ "name": "api_key", "env": "ACMENUMBER_API_KEY" }] }
    ]
}"#;

fn provider(number: usize) -> Result<serde_json::Value> {
    Ok(serde_json::from_str(
        &PROVIDER.replace("NUMBER", &number.to_string()),
    )?)
}

fn pack_script(bench: &Bench, number: usize) -> Result<()> {
    let manifest = serde_json::json!({
        "protocol": "1.0", "name": format!("pack-acme{number}"), "version": "1.0.0", "role": "provider-pack",
        "catalogue": "1.0", "framework": ">=1.14,<2", "providers": [provider(number)?],
    });
    let text = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
    bench.script(&format!("plugins/bot-cli-pack-acme{number}"), &text)?;
    Ok(())
}

fn pack_folder(bench: &Bench, number: usize) -> Result<()> {
    let folder = bench.path(&format!("home/.local/share/bot-cli/packs/acme{number}"));
    fs::create_dir_all(folder.join("providers"))?;
    fs::write(
        folder.join("pack.toml"),
        "version = \"1.0.0\"\ncatalogue = \"1.0\"\nframework = \">=1.14,<2\"\n",
    )?;
    let provider = toml::to_string(&provider(number)?)?;
    fs::write(folder.join("providers/acme.toml"), provider)?;
    Ok(())
}

/// A file with what is listed beside the packs of a bench.
fn listing_of(bench: &Bench) -> Result<PathBuf> {
    let file = bench.path("work/listing.json");
    let status = Command::new(bench.path("bin/bot-cli-init"))
        .arg("--list-options")
        .env("HOME", bench.path("home"))
        .env("BOT_CLI_PLUGIN_PATH", bench.path("plugins"))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&file)?)
        .status()?;
    ensure!(status.success(), "--list-options: {status}");
    Ok(file)
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

fn row(work: &str, ours: Duration, theirs: Duration) {
    say(&format!(
        "{work:<22} {:>12.2} ms {:>11.2} ms {:>7.1}",
        ours.as_secs_f64() * 1e3,
        theirs.as_secs_f64() * 1e3,
        theirs.as_secs_f64() / ours.as_secs_f64(),
    ));
}

#[allow(
    clippy::print_stdout,
    reason = "a benchmark's result is what it prints"
)]
fn say(line: &str) {
    println!("{line}");
}
