//! Tests that each faulty plugin fails the checks that are listed with it, and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_cli_plugin::conformance::Kit;
use serde::Deserialize;

use super::{all_at_once, bench, failed, kit, sample};

/// The time limit for a reply. A fault that looks like silence takes several times as long to detect.
const PATIENCE: Duration = Duration::from_secs(4);

/// The fields of a check that the tests read.
#[derive(Deserialize)]
pub struct Check {
    pub id: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    fault: String,
    argv: Option<String>,
    #[serde(default)]
    fails: Vec<String>,
    #[serde(default)]
    manifest: Vec<String>,
}

pub fn checks(folder: &str, file: &str) -> Vec<Check> {
    #[derive(Deserialize)]
    struct File {
        check: Vec<Check>,
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(repository.join(folder).join(format!("checks/{file}.toml")));
    toml::from_str::<File>(&text.unwrap()).unwrap().check
}

/// Returns every faulty plugin with its check and the checks that must fail.
pub fn faults(checks: &[Check]) -> Vec<(&Check, &str, BTreeSet<&str>)> {
    let faults = checks.iter().flat_map(|check| {
        assert!(!check.fault.is_empty(), "{}", check.id);
        let fails: BTreeSet<&str> = check.fails.iter().map(String::as_str).collect();
        let fails = &fails | &BTreeSet::from([check.id.as_str()]);
        let faults = check.fault.split("====\n");
        faults.map(move |fault| (check, fault.trim_end(), fails.clone()))
    });
    faults.collect()
}

#[test]
fn commands_that_break_a_rule() {
    let files = ["messages", "command", "whole"];
    let mut all: Vec<Check> = files
        .iter()
        .flat_map(|it| checks("sdk/protocol", it))
        .collect();
    all.retain(|check| !check.fault.is_empty());
    assert!(all.len() > 35, "{}", all.len());
    all_at_once(
        PATIENCE,
        &faults(&all),
        |(check, fault, fails), patience| {
            let asks = check.needs.iter().any(|need| need == "question");
            let argv = check
                .argv
                .as_deref()
                .unwrap_or(if asks { "ask" } else { "go" });
            let bench = sample(fault);
            let kit = Kit {
                patience,
                ..Kit::new(&bench.path("bin/bot-cli-sample"))
            };
            differ(&failed(kit, argv), fails, fault)
        },
    );
}

#[test]
fn backends_that_break_a_rule() {
    let all = checks("sdk/secrets", "methods");
    all_at_once(PATIENCE, &faults(&all), |(_, fault, fails), patience| {
        let bench = bench();
        let file = backend(&bench, fault);
        let failed = failed(kit(&file, patience), "organization=scratch");
        differ(&failed, fails, fault)
    });
}

#[test]
fn plugins_in_order_break_none() {
    all_at_once(PATIENCE, &["go", "ask", ""], |argv, patience| {
        let bench = sample("");
        let failed = failed(kit(&bench.path("bin/bot-cli-sample"), patience), argv);
        (!failed.is_empty()).then(|| format!("{argv}: {failed:?}"))
    });
    all_at_once(PATIENCE, &["organization=scratch"], |argv, patience| {
        let bench = bench();
        let failed = failed(kit(&backend(&bench, ""), patience), argv);
        (!failed.is_empty()).then(|| format!("{argv}: {failed:?}"))
    });
}

#[test]
fn manifests_that_break_a_rule() {
    for (folder, file) in [("sdk/protocol", "file"), ("sdk/secrets", "manifest")] {
        let all = checks(folder, file);
        let is_judged = |id: &&String| all.iter().any(|check| check.id == **id);
        let manifests = all
            .iter()
            .flat_map(|it| it.manifest.iter().map(move |m| (it, m)));
        let manifests: Vec<_> = manifests.collect();
        all_at_once(PATIENCE, &manifests, |(check, manifest), patience| {
            let bench = bench();
            let declared: serde_json::Value = serde_json::from_str(manifest).unwrap_or_default();
            let name = match file {
                "manifest" => declared["name"].as_str().unwrap(),
                _ => "a",
            };
            let text = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\nexit 0\n");
            let file = bench.script(&format!("work/bot-cli-{name}"), &text);
            let failed = failed(kit(&file.unwrap(), patience), "");
            let judged: Vec<&String> = failed.iter().filter(is_judged).collect();
            (judged != [&check.id]).then(|| format!("{manifest}: {judged:?}"))
        });
    }
}

/// Runs the checks on plugins that no author would write. The checks must still end, and at least one must fail.
#[test]
fn every_rogue_is_found_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/engine/tests/plugins");
    let entries = fs::read_dir(folder).unwrap();
    let rogues: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(rogues.len() > 15);
    let patience = Duration::from_millis(1500);
    all_at_once(patience, &rogues, |file, patience| {
        let bench = bench();
        let text = fs::read_to_string(file).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let manifest = format!("# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"{name}\"}}");
        let text = text.replacen('\n', &format!("\n{manifest}\n"), 1);
        let file = bench
            .script(&format!("plugins/bot-cli-{name}"), &text)
            .unwrap();
        let failed = failed(kit(&file, patience.min(4 * PATIENCE)), "go");
        (failed.len() < 1 + usize::from(failed != ["request_replied"])).then(|| name.to_owned())
    });
}

pub fn backend(bench: &bot_cli_tests::bench::Bench, rules: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_BIN_EXE_it-secrets-sample"));
    let place = "plugins/bot-cli-secrets-sample";
    bench.install(file, place).unwrap();
    fs::write(bench.path("plugins/bot-cli-secrets-sample.fault"), rules).unwrap();
    bench.path(place)
}

fn differ(failed: &[String], expected: &BTreeSet<&str>, fault: &str) -> Option<String> {
    let failed: BTreeSet<&str> = failed.iter().map(String::as_str).collect();
    (failed != *expected).then(|| format!("{failed:?}, not {expected:?}:\n{fault}"))
}
