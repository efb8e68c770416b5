//! `bot-cli-cloud` beside the service's own client at the same work against the stand-in, as ratios of median wall-clock times
//! in one run, at no latency and at 50 ms a request; and its start beside that of `bot-cli-init`.
//!
//! `cargo run -p bot-cli-tests --bin bench-cloud` builds the executables and prints one row for each work.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bot_cli_tests::python::Python;
use bot_cli_tests::release::Executables;
use bot_cli_tests::service::{ORGANIZATION, PERSONAL_TOKEN, PRIVATE_KEY, Service};

const START: &str =
    "from pipecatcloud.cli.entry_point import entrypoint_cli_typer as start; start()";

/// The number of turns of two programs; theirs takes seconds.
const BESIDE_THEIRS: usize = 5;
const BESIDE_OURS: usize = 100;

fn main() -> Result<()> {
    let packages = ["bot-cli-cloud", "bot-cli-init"];
    let executables = Executables::build(&packages, std::env::args_os().skip(1))?;
    let [cloud, init] = [
        executables.path(packages[0])?,
        executables.path(packages[1])?,
    ];
    let python = Python::with_client().map_err(anyhow::Error::msg)?;
    let home = tempfile::tempdir()?;
    say(
        "work                     latency   ours, by token   ours, by key       theirs   ratios to theirs",
    );
    for latency in [0, 50] {
        for keys in [1, 10, 100] {
            let service = service(latency)?;
            let pairs: Vec<String> = (0..keys)
                .map(|key| format!("KEY_{key}=value {key}"))
                .collect();
            let mut arguments = vec!["secrets", "set", "prod", "--skip"];
            arguments.extend(pairs.iter().map(String::as_str));
            let name = format!("set of {keys} keys");
            row(
                cloud,
                &name,
                latency,
                &service,
                python,
                home.path(),
                &arguments,
            )?;
        }
        let service = service(latency)?;
        for set in 0..1_000 {
            let name = format!("set-{set}");
            let mut world = service.world();
            world.store(ORGANIZATION, &name, "us-west", &[("A", "1")]);
        }
        let list = ["secrets", "list"];
        row(
            cloud,
            "list of 1,000 sets",
            latency,
            &service,
            python,
            home.path(),
            &list,
        )?;
    }

    say("\nwork                      bot-cli-cloud   bot-cli-init   ratio");
    let [ours, init] = in_turns(
        BESIDE_OURS,
        [
            &mut || timed(command(Path::new(cloud), home.path()).arg("--help")),
            &mut || timed(command(Path::new(init), home.path()).arg("--help")),
        ],
    )?;
    say(&format!(
        "{:<22} {:>13.2} ms {:>11.2} ms {:>7.2}",
        "--help",
        milliseconds(ours),
        milliseconds(init),
        ours.as_secs_f64() / init.as_secs_f64()
    ));
    Ok(())
}

fn service(latency: u64) -> Result<Service> {
    let service = Service::start()?;
    service.world().latency = Duration::from_millis(latency);
    Ok(service)
}

/// One work, by all three: ours with a user's token (a key a request), ours with a private key (the whole set), theirs.
fn row(
    cloud: &str,
    work: &str,
    latency: u64,
    service: &Service,
    python: &Python,
    home: &Path,
    arguments: &[&str],
) -> Result<()> {
    let ours = |token: &str| {
        let mut command = command(Path::new(cloud), home);
        command
            .args(arguments)
            .env("BOT_CLI_API_URL", service.url())
            .env("BOT_CLI_TOKEN", token);
        if token == PERSONAL_TOKEN {
            command.env("BOT_CLI_ORGANIZATION", ORGANIZATION);
        }
        timed(&mut command)
    };
    let theirs = || {
        let mut command = command(&python.executable("python"), home);
        command
            .args(["-c", START])
            .args(arguments)
            .env("PIPECAT_API_HOST", service.url())
            .env("PIPECAT_TOKEN", PERSONAL_TOKEN)
            .env("PIPECAT_ORG", ORGANIZATION)
            .env("PIPECAT_CONFIG_PATH", home.join("none.toml"));
        timed(&mut command)
    };
    let [keyed, whole, theirs] = in_turns(
        BESIDE_THEIRS,
        [
            &mut || ours(PERSONAL_TOKEN),
            &mut || ours(PRIVATE_KEY),
            &mut || theirs(),
        ],
    )?;
    say(&format!(
        "{work:<22} {latency:>6} ms {:>13.1} ms {:>11.1} ms {:>9.1} ms {:>9.1} {:>8.1}",
        milliseconds(keyed),
        milliseconds(whole),
        milliseconds(theirs),
        theirs.as_secs_f64() / keyed.as_secs_f64(),
        theirs.as_secs_f64() / whole.as_secs_f64(),
    ));
    Ok(())
}

/// The medians, taken in turns so that whatever else the machine does meets all.
fn in_turns<const COUNT: usize>(
    rounds: usize,
    mut programs: [&mut dyn FnMut() -> Result<Duration>; COUNT],
) -> Result<[Duration; COUNT]> {
    let mut times: [Vec<Duration>; COUNT] = std::array::from_fn(|_| Vec::new());
    for round in 0..=rounds {
        for (program, times) in programs.iter_mut().zip(&mut times) {
            let time = program()?;
            // The first warms caches and does not count.
            if round > 0 {
                times.push(time);
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    }))
}

fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// From start to exit.
fn timed(command: &mut Command) -> Result<Duration> {
    let start = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("could not start {command:?}"))?;
    let took = start.elapsed();
    ensure!(status.success(), "{command:?}: {status}");
    Ok(took)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[allow(
    clippy::print_stdout,
    reason = "a benchmark's result is what it prints"
)]
fn say(line: &str) {
    println!("{line}");
}
