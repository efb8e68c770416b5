//! Tests for `plugin check` on provider packs, in a manifest and in a folder. Each fault must fail its own check.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bot_cli_plugin::conformance::Kit;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::super::roles::{DECLARED, PROVIDER, pack, service, write_folder};
use super::broken::{checks as data, faults};
use super::{bench, failed};

#[test]
fn each_fault_of_a_manifest_fails_its_own_check_and_nothing_is_run() {
    for (_, fault, fails) in faults(&data("templates", "pack")) {
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
    let mut broken = service("acme_other_stt", "stt");
    broken["class"] = json!("no_class");
    let services = newer["providers"][0]["service"].as_array_mut();
    services.unwrap().push(broken);
    assert_eq!(failed_of(&newer), BTreeSet::from(["pack_services"]));

    let mut huge = pack("acme");
    let many = (0..9000).map(|number| service(&format!("acme_{number}_stt"), "stt"));
    huge["providers"][0]["service"] = many.collect();
    assert_eq!(failed_of(&huge), BTreeSet::from(["pack_services"]));

    let odd = failed_of(&pack("a--b"));
    assert_eq!(odd, BTreeSet::from(["pack_name", "pack_services"]));
}

/// Returns the checks that fail for a pack with this manifest. Asserts that the pack is not run.
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
    let services = &["pack_framework", "pack_services"];
    let mistyped = format!("framwork = \">=1.14,<2\"\n{DECLARED}");
    let unknown = format!("{PROVIDER}\nwarmth = 1\n");
    for (file, content, expected) in [
        ("pack.toml", "version = ", folder_alone),
        ("pack.toml", &mistyped, folder_alone),
        ("pack.toml", DECLARED, &["pack_framework"]),
        ("providers/acme.toml", "label = ", services),
        ("providers/acme.toml", &unknown, services),
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
    assert_eq!(failed, ["pack_framework", "pack_name", "pack_services"]);
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
fn a_part_of_a_later_catalogue_is_not_judged() {
    let bench = bench();
    let mut manifest = pack("acme");
    manifest["catalogue"] = json!("1.9");
    manifest["providers"][0]["service"][0]["warmth"] = json!(1);
    let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
    bench.script("work/bot-cli-pack-acme", &script).unwrap();
    let words = ["plugin", "check", "./bot-cli-pack-acme"];
    let text = bench.run(&words).unwrap().stdout;
    let reason = "\n  not run: the pack is made for catalogue 1.9, and this is 1.0: acme_stt: `service.warmth` is not a key of catalogue 1.0\n";
    assert!(text.contains(reason), "{text}");
}

#[test]
fn the_samples_of_the_document_break_no_rule() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates/tests/packs");
    for name in ["bot-cli-pack-tide", "acme"] {
        assert_eq!(failed(Kit::new(&samples.join(name)), ""), [""; 0], "{name}");
    }
}

fn sorted<T: Ord>(mut ids: Vec<T>) -> Vec<T> {
    ids.sort_unstable();
    ids
}
