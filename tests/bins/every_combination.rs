//! Plans every combination that `init` allows, in memory, and says how many there are of each kind:
//! `cargo run --release -p bot-cli-tests --bin every-combination`.
//!
//! Every choice with every other, the pipeline's services taking turns; then every cascade of three services, the other
//! choices taking turns. A number as argument plans only one of so many.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;

use bot_cli_init::{Config, Feature, PlannedFile, parse_file, resolve, scaffold};
use bot_cli_templates::catalogue::{Catalogue, Kind};
use bot_cli_tests::matrix::{Axes, Combination, add_services};
use bot_cli_tests::pairwise;
use serde_json::json;

fn main() -> anyhow::Result<ExitCode> {
    let sample = std::env::args()
        .nth(1)
        .map_or(Ok(NonZeroUsize::MIN), |word| word.parse())?;
    let all = combinations();
    let combinations: Vec<&Combination> = all.iter().step_by(sample.get()).collect();
    let workers = thread::available_parallelism()?.get();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    thread::scope(|scope| {
        let parts: Vec<_> = (0..workers)
            .map(|worker| {
                let part = combinations.iter().skip(worker).step_by(workers);
                scope.spawn(|| part.map(|one| check(one)).collect::<Vec<_>>())
            })
            .collect();
        for result in parts
            .into_iter()
            .flat_map(thread::ScopedJoinHandle::join)
            .flatten()
        {
            match result {
                Ok(kind) => *counts.entry(kind).or_default() += 1,
                Err(problem) => problems.push(problem),
            }
        }
    });
    let mut out = io::stdout().lock();
    for (kind, count) in &counts {
        writeln!(out, "{count:>8}  {kind}")?;
    }
    let good: usize = counts.values().sum();
    writeln!(
        out,
        "{good:>8}  of {} planned without a problem, of {} there are",
        combinations.len(),
        all.len()
    )?;
    for problem in problems.iter().take(50) {
        writeln!(out, "{problem}")?;
    }
    Ok(if good == combinations.len() && good > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn combinations() -> Vec<Combination> {
    let axes = Axes::of_the_catalogue();
    let rows = pairwise::every(&axes.sizes(), &|chosen| axes.fits(chosen));
    let mut found: Vec<Combination> = rows
        .iter()
        .filter_map(|row| axes.combination(row))
        .collect();
    let cascades: Vec<Combination> = found
        .iter()
        .filter(|one| one.keys["mode"] == "cascade")
        .cloned()
        .collect();
    for (number, one) in found.iter_mut().enumerate() {
        add_services(&mut one.keys, number);
    }
    let of = |kind| {
        let services = Catalogue::get().services(kind);
        services.map(|service| &service.id).collect::<Vec<_>>()
    };
    let (llms, voices) = (of(Kind::Llm), of(Kind::Tts));
    // Neighbours among the choices differ in little: strides apart, they differ in much.
    let mut others = cascades.iter().cycle().step_by(7919);
    for stt in of(Kind::Stt) {
        for llm in &llms {
            for tts in &voices {
                found.extend(others.next().cloned().map(|mut one| {
                    for (key, id) in [
                        ("stt_service", stt),
                        ("llm_service", *llm),
                        ("tts_service", *tts),
                    ] {
                        one.keys.insert(key.to_owned(), json!(id));
                    }
                    one
                }));
            }
        }
    }
    for (number, one) in found.iter_mut().enumerate() {
        one.name = format!("bot-{number}");
    }
    found
}

/// Returns what kind of bot it is, or what is wrong with it.
fn check(combination: &Combination) -> Result<String, String> {
    let wrong = |problem: String| {
        format!(
            "{problem}\n  bot-cli init {}",
            combination.arguments().join(" ")
        )
    };
    let config = combination.config().map_err(wrong)?;
    // Whatever is planned was parsed, and has no mark of a template left.
    let plan = scaffold(&config).map_err(|error| wrong(error.to_string()))?;
    let problems = [
        paths(&config, &plan.files),
        environment(&config, &plan.files),
        printed(&config),
    ];
    match problems.into_iter().flatten().next() {
        Some(problem) => Err(wrong(problem)),
        None => Ok(kind(combination, &config)),
    }
}

fn kind(combination: &Combination, config: &Config) -> String {
    let said = |key: &str| {
        combination.keys[key]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let video = config.video.map_or("", |_| ", avatar");
    let client = match config.client.framework() {
        "none" => String::new(),
        framework => format!(
            ", {framework} client {}",
            config.client.server().unwrap_or_default()
        ),
    };
    format!("{} {}{video}{client}", said("bot_type"), said("mode"))
        .trim_end()
        .to_owned()
}

fn paths(config: &Config, files: &[PlannedFile]) -> Option<String> {
    let all: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    if all.len() != files.len() {
        return Some("a file twice".to_owned());
    }
    let outside = all.iter().find(|path| {
        path.starts_with('/')
            || path
                .split('/')
                .any(|part| part.is_empty() || part == "." || part == "..")
            || !path.bytes().all(|byte| byte.is_ascii_graphic())
    });
    if let Some(path) = outside {
        return Some(format!("`{path}` is no path of a project"));
    }
    let expected = [
        ("server/bot.py", true),
        ("server/pyproject.toml", true),
        ("server/.env.example", true),
        (".gitignore", true),
        ("README.md", true),
        ("server/Dockerfile", config.has(Feature::DeployToCloud)),
        (
            "server/cloud-deploy.toml",
            config.has(Feature::DeployToCloud),
        ),
        ("server/evals/text.yaml", config.has(Feature::Eval)),
        ("client/package.json", config.client.framework() != "none"),
    ];
    expected
        .iter()
        .find(|(path, there)| all.contains(path) != *there)
        .map(|(path, there)| format!("`{path}` there: {}, not {there}", !there))
}

/// Every variable that is read is listed once, and every listed one is read.
fn environment(config: &Config, files: &[PlannedFile]) -> Option<String> {
    let is_name = |text: &str| {
        text.len() > 2
            && text
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let example = files
        .iter()
        .find(|file| file.path == "server/.env.example")?;
    let listed: Vec<&str> = example
        .text
        .lines()
        .filter_map(|line| line.trim_start_matches("# ").split_once('='))
        .map(|(name, _)| name)
        .filter(|name| is_name(name))
        .collect();
    let is_ours = |file: &&PlannedFile| {
        let name = file.path.strip_prefix("server/").unwrap_or_default();
        name.strip_suffix(".py")
            .is_some_and(|name| !name.contains('/'))
    };
    let ours: Vec<&PlannedFile> = files.iter().filter(is_ours).collect();
    let read: BTreeSet<&str> = ours
        .iter()
        .flat_map(|file| file.text.split("(\"").skip(1))
        .filter_map(|rest| rest.split('"').next())
        .filter(|name| is_name(name))
        .collect();
    let is_read = |name: &str| {
        let quoted = format!("\"{name}\"");
        ours.iter().any(|file| file.text.contains(&quoted))
    };
    let by_runner: BTreeSet<&str> = config
        .transports
        .iter()
        .flat_map(|transport| &transport.env)
        .map(|variable| variable.name.as_str())
        .collect();
    let by_class: BTreeSet<&str> = config
        .services()
        .flat_map(|service| &service.reads)
        .map(|read| read.name.as_str())
        .collect();
    let once: BTreeSet<&str> = listed.iter().copied().collect();
    if once.len() != listed.len() {
        return Some("a variable is listed twice".to_owned());
    }
    if let Some(name) = read.difference(&once).next() {
        return Some(format!("`{name}` is read and not listed"));
    }
    once.iter()
        .find(|name| !is_read(name) && !by_runner.contains(*name) && !by_class.contains(*name))
        .map(|name| format!("`{name}` is listed and nobody reads it"))
}

/// What `--dry-run` prints, `--config` takes for the same.
fn printed(config: &Config) -> Option<String> {
    let text = config.to_json().to_string();
    let again = parse_file(&text)
        .map_err(|reason| vec![reason])
        .and_then(|read| {
            resolve(&read.draft, None, config.catalogue)
                .map_err(|problems| problems.iter().map(|field| field.problem.clone()).collect())
        });
    match again {
        Ok(again) if again.to_json() == config.to_json() => None,
        Ok(_) => Some(format!("read again, it is another: {text}")),
        Err(problems) => Some(format!("refused when read again: {problems:?}: {text}")),
    }
}
