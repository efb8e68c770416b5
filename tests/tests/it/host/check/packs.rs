//! `plugin check` of provider packs: in a manifest, in a folder, and asked for. Each fault fails its own checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_cli_plugin::conformance::Kit;
use bot_cli_tests::bench::Bench;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::super::roles::{DECLARED, PROVIDER, pack, service, write_folder};
use super::broken::{checks as data, faults};
use super::{all_at_once, bench, failed, kit};

/// The time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

#[test]
fn each_fault_of_a_manifest_fails_its_own_check_and_nothing_is_run() {
    let mut all = data("templates", "pack");
    all.extend(data("templates", "rules"));
    // Too much is made below.
    all.retain(|check| check.id != "pack_size");
    for (_, fault, fails) in faults(&all) {
        let mut manifest = pack("acme");
        for line in fault.lines() {
            let (pointer, value) = line.split_once(' ').unwrap();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let parent = manifest.pointer_mut(parent).unwrap();
            parent[key] = serde_json::from_str(value).unwrap();
        }
        assert_eq!(failed_of(&manifest), fails, "{fault}");
    }
    assert_eq!(failed_of(&pack("acme")), BTreeSet::new());

    let mut newer = pack("acme");
    newer["catalogue"] = json!("1.9");
    newer["providers"][0]["service"][0]["warmth"] = json!(1);
    assert_eq!(failed_of(&newer), BTreeSet::new());

    let mut huge = pack("acme");
    huge["providers"][0]["label"] = json!("x".repeat(1_000_000));
    assert_eq!(failed_of(&huge), BTreeSet::from(["pack_texts"]));
    let mut huge = pack("acme");
    let many = (0..4000).map(|number| service(&format!("acme_{number}_stt"), "stt"));
    huge["providers"][0]["service"] = many.collect();
    assert_eq!(failed_of(&huge), BTreeSet::from(["pack_size"]));

    let odd = failed_of(&pack("a--b"));
    assert_eq!(odd, BTreeSet::from(["pack_identifiers", "pack_name"]));
}

/// The checks that fail for a pack with this manifest, which is not run.
fn failed_of(manifest: &Value) -> BTreeSet<&'static str> {
    let bench = bench();
    let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\ntouch \"$HOME/started\"\n");
    let file = format!("plugins/bot-cli-{}", manifest["name"].as_str().unwrap());
    let failed = failed(Kit::new(&bench.script(&file, &script).unwrap()), "");
    assert!(!bench.path("home/started").exists());
    failed.into_iter().map(|id| &*id.leak()).collect()
}

#[test]
fn each_fault_of_a_folder_fails_its_own_check() {
    let folder_alone = &["pack_folder"][..];
    let shape = &["pack_framework", "pack_shape"];
    let mistyped = format!("framwork = \">=1.14,<2\"\n{DECLARED}");
    let unknown = format!("{PROVIDER}\nwarmth = 1\n");
    for (file, content, expected) in [
        ("pack.toml", "version = ", folder_alone),
        ("pack.toml", &mistyped, folder_alone),
        ("pack.toml", DECLARED, &["pack_framework"]),
        ("providers/acme.toml", "label = ", shape),
        (
            "providers/acme.toml",
            &unknown,
            &["pack_framework", "pack_keys"],
        ),
    ] {
        let bench = bench();
        let folder = bench.path("work/files");
        write_folder(&folder, DECLARED, PROVIDER);
        fs::write(folder.join(file), content).unwrap();
        let failed = sorted(failed(Kit::new(&folder), ""));
        assert_eq!(failed, expected, "{file} {content:?}");
    }
    let bench = bench();
    let folder = bench.path("work/Bad_Name");
    write_folder(&folder, DECLARED, PROVIDER);
    let pipe = folder.join("providers/pipe.toml");
    mknodat(CWD, pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let failed = sorted(failed(Kit::new(&folder), ""));
    let expected = [
        "pack_framework",
        "pack_identifiers",
        "pack_name",
        "pack_shape",
    ];
    assert_eq!(failed, expected);
}

#[test]
fn each_fault_of_a_pack_that_is_asked_fails_its_own_check() {
    let all = data("templates", "asked");
    let good = "pack/services:1.* | pack/services:) reply \"$services\" ;;";
    let mut cases = vec![(good, Vec::new())];
    cases.extend(
        faults(&all)
            .into_iter()
            .map(|(check, fault, _)| (fault, vec![check.id.clone()])),
    );
    all_at_once(PATIENCE, &cases, |(answer, expected), patience| {
        let bench = bench();
        let file = asked(&bench, answer);
        let failed = failed(kit(&file, patience), "");
        (failed != *expected).then(|| format!("{answer}: {failed:?}, not {expected:?}"))
    });
}

#[test]
fn a_finding_names_the_service_the_reason_and_what_mends_it() {
    let bench = bench();
    let mut manifest = pack("acme");
    manifest["providers"][0]["service"][0]["class"] = json!("X or \u{1b}[31mY");
    let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
    bench.script("work/bot-cli-pack-acme", &script).unwrap();
    let ran = bench
        .run(&["plugin", "check", "./bot-cli-pack-acme", "--show"])
        .unwrap();
    assert_eq!(ran.status, Some(1));
    crate::assert_snapshot("host/check/packs.txt", &ran.stdout);
}

#[test]
fn the_samples_of_the_document_break_no_rule() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates/tests/packs");
    for (name, advice) in [
        ("bot-cli-pack-tide", &[][..]),
        // It parses no JSON.
        ("bot-cli-pack-moss", &["any_json_read", "pack_framework"]),
    ] {
        let bench = bench();
        let text = fs::read_to_string(samples.join(name)).unwrap();
        let file = bench.script(&format!("plugins/{name}"), &text).unwrap();
        assert_eq!(
            sorted(failed(kit(&file, 10 * PATIENCE), "")),
            advice,
            "{name}"
        );
    }
    assert!(failed(Kit::new(&samples.join("acme")), "").is_empty());
}

fn sorted<T: Ord>(mut ids: Vec<T>) -> Vec<T> {
    ids.sort_unstable();
    ids
}

/// A pack in sh that answers like this when it is asked for its services.
fn asked(bench: &Bench, answer: &str) -> PathBuf {
    let mut manifest = pack("acme");
    let providers = manifest["providers"].take();
    manifest["providers"] = json!("dynamic");
    let sample = include_str!("../../../../../plugins/plugin/src/new/sh/plugin.sh");
    let (_, rest) = sample.split_once("@MANIFEST@").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    let (before, after) = rest.split_once("    run:1.* | run:)").unwrap();
    let services = json!({ "providers": providers });
    let refused = "pack/services:*) fail -32022 \"unsupported\" '{\"supported\":[\"1.0\"]}' ;;";
    let script = format!(
        "#!/bin/sh\n# bot-cli-plugin: {manifest}\nservices='\"result\":{services}'\n{before}    {answer}\n    {refused}\n    run:1.* | run:){after}",
    );
    let script = script.replace("@NAME@", "pack-acme");
    bench.script("plugins/bot-cli-pack-acme", &script).unwrap()
}
