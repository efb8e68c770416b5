//! `plugin check` of provider packs: in a manifest, in a folder, and asked for. Each fault fails its own checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_cli_sdk::conformance::Kit;
use bot_cli_tests::bench::Bench;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::super::roles::{DECLARED, PROVIDER, pack, service, write_folder};
use super::{all_at_once, bench, checks, failed, report};

/// The time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Changes a good manifest.
type Change = fn(&mut Value);

/// Packs with their services in the manifest, and the checks that fail.
const DECLARING: [(&str, Change, &[&str]); 29] = [
    ("good", |_| (), &[]),
    (
        "newer",
        |it| {
            it["catalogue"] = json!("1.9");
            it["providers"][0]["service"][0]["warmth"] = json!(1);
        },
        &[],
    ),
    ("nameless", |it| it["name"] = json!("acme"), &["pack_name"]),
    (
        "double hyphen",
        |it| it["name"] = json!("pack-a--b"),
        &["pack_identifiers", "pack_name"],
    ),
    (
        "no catalogue",
        |it| drop(it.as_object_mut().unwrap().remove("catalogue")),
        &["pack_catalogue"],
    ),
    (
        "another catalogue",
        |it| it["catalogue"] = json!("2.0"),
        &["pack_catalogue"],
    ),
    (
        "no version",
        |it| it["version"] = json!(""),
        &["pack_version"],
    ),
    (
        "odd version",
        |it| it["version"] = json!("one"),
        &["pack_version"],
    ),
    (
        "odd framework",
        |it| it["framework"] = json!("new"),
        &["pack_ranges"],
    ),
    (
        "no framework",
        |it| drop(it.as_object_mut().unwrap().remove("framework")),
        &["pack_framework"],
    ),
    (
        "odd range",
        |it| it["requires"] = json!({ "bot-cli-init": ">>1" }),
        &["pack_ranges"],
    ),
    (
        "odd executable",
        |it| it["requires"] = json!({ "init": ">=1" }),
        &["pack_ranges"],
    ),
    (
        "nothing",
        |it| it["providers"] = json!([]),
        &["pack_services"],
    ),
    (
        "no providers",
        |it| drop(it.as_object_mut().unwrap().remove("providers")),
        &["pack_shape"],
    ),
    (
        "odd providers",
        |it| it["providers"] = json!("static"),
        &["pack_shape"],
    ),
    (
        "huge",
        |it| it["providers"][0]["label"] = json!("x".repeat(1_000_000)),
        &["pack_texts"],
    ),
    (
        "huger",
        |it| {
            let many = (0..4000).map(|number| service(&format!("acme_{number}_stt"), "stt"));
            it["providers"][0]["service"] = many.collect();
        },
        &["pack_size"],
    ),
    (
        "shape",
        |it| it["providers"][0]["service"][0]["kind"] = json!(3),
        &["pack_shape"],
    ),
    (
        "keys",
        |it| it["providers"][0]["service"][0]["warmth"] = json!(1),
        &["pack_keys"],
    ),
    (
        "identifiers",
        |it| it["providers"][0]["service"][0]["id"] = json!("other_stt"),
        &["pack_identifiers"],
    ),
    (
        "texts",
        |it| it["providers"][0]["label"] = json!("Acme\nEvil"),
        &["pack_texts"],
    ),
    (
        "code",
        |it| {
            it["providers"][0]["service"][0]["class"] =
                json!("print(__import__(\"os\").system(\"evil\")) or X");
        },
        &["pack_code"],
    ),
    (
        "imports",
        |it| {
            let args = json!([{ "name": "api_key", "env": "ACME_API_KEY" }, { "name": "params", "call": "Params" }]);
            it["providers"][0]["service"][0]["args"] = args;
        },
        &["pack_imports"],
    ),
    (
        "sources",
        |it| it["providers"][0]["service"][0]["args"][0]["value"] = json!(1),
        &["pack_sources"],
    ),
    (
        "values",
        |it| {
            let arg = json!({ "name": "n", "env": "ACME_API_KEY", "type": "int", "default": "x" });
            it["providers"][0]["service"][0]["args"] = json!([arg]);
        },
        &["pack_values"],
    ),
    (
        "variables",
        |it| it["providers"][0]["env"] = json!({}),
        &["pack_variables"],
    ),
    (
        "requirements",
        |it| it["providers"][0]["service"][0]["packages"] = json!(["acme"]),
        &["pack_requirements"],
    ),
    (
        "place",
        |it| it["providers"][0]["service"][0] = service("acme_llm", "llm"),
        &["pack_place"],
    ),
    (
        "remarks",
        |it| it["providers"][0]["env"]["ACME_TEAM"] = json!({ "about": "Team" }),
        &["pack_remarks"],
    ),
];

/// Returns what is done with a folder, and the checks that fail then.
type FolderCase = (&'static str, fn(&PathBuf), &'static [&'static str]);

/// Changes to a good folder, and the checks that fail.
const FOLDERS: [FolderCase; 9] = [
    ("good", |_| (), &["pack_framework"]),
    (
        "no pack.toml",
        |it| fs::remove_file(it.join("pack.toml")).unwrap(),
        &["pack_folder"],
    ),
    (
        "broken pack.toml",
        |it| fs::write(it.join("pack.toml"), "version = ").unwrap(),
        &["pack_folder"],
    ),
    (
        "no providers",
        |it| fs::remove_dir_all(it.join("providers")).unwrap(),
        &["pack_framework", "pack_shape"],
    ),
    (
        "broken provider",
        |it| fs::write(it.join("providers/acme.toml"), "label = ").unwrap(),
        &["pack_framework", "pack_shape"],
    ),
    (
        "pipe",
        |it| {
            mknodat(
                CWD,
                it.join("providers/pipe.toml"),
                FileType::Fifo,
                Mode::RWXU,
                0,
            )
            .unwrap();
        },
        &["pack_framework", "pack_shape"],
    ),
    (
        "protocol",
        |it| {
            fs::write(
                it.join("pack.toml"),
                format!("protocol = \"2.0\"\n{DECLARED}"),
            )
            .unwrap();
        },
        &["pack_folder"],
    ),
    (
        "misspelt key",
        |it| {
            let declared = format!("framwork = \">=1.14,<2\"\n{DECLARED}");
            fs::write(it.join("pack.toml"), declared).unwrap();
        },
        &["pack_folder"],
    ),
    (
        "key",
        |it| {
            fs::write(
                it.join("providers/acme.toml"),
                format!("{PROVIDER}\nwarmth = 1\n"),
            )
            .unwrap();
        },
        &["pack_framework", "pack_keys"],
    ),
];

/// The way a pack that is asked answers, as cases of its shell script, and the checks that fail.
const ASKED: [(&str, &[&str]); 9] = [
    (
        "pack/services:1.* | pack/services:) reply \"$services\" ;;",
        &[],
    ),
    (
        "pack/services:1.*) reply '\"result\":{}' ;;",
        &["services_replied"],
    ),
    (
        "pack/services:1.*) reply '\"error\":{\"code\":1,\"message\":\"no\"}' ;;",
        &["services_replied"],
    ),
    ("pack/services:1.*) ;;", &["services_replied"]),
    (
        "pack/services:1.0) reply \"$services\" ;;",
        &["services_later_minor"],
    ),
    (
        "pack/services:*) reply \"$services\" ;;",
        &["services_later_major"],
    ),
    (
        "pack/services:1.*) reply \"$(echo \"$services\" | sed \"s/Acme\\\"/Acme $$\\\"/\")\" ;;",
        &["services_alike"],
    ),
    (
        "pack/services:1.*) echo Loading; reply \"$services\" ;;",
        &["only_messages_printed"],
    ),
    (
        "pack/services:1.*) printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ask\",\"params\":{\"key\":\"k\",\"kind\":\"text\",\"message\":\"m\"}}'; reply \"$services\" ;;",
        &["nothing_unoffered_sent"],
    ),
];

#[test]
fn each_fault_of_a_manifest_fails_its_own_check_and_nothing_is_run() {
    for (fault, change, expected) in DECLARING {
        let bench = bench();
        let mut manifest = pack("acme");
        change(&mut manifest);
        let name = manifest["name"].as_str().unwrap();
        let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\ntouch \"$HOME/started\"\n");
        let file = bench
            .script(&format!("plugins/bot-cli-{name}"), &script)
            .unwrap();
        assert_eq!(
            sorted(failed(Kit::new(&file), "")),
            sorted(expected.to_vec()),
            "{fault}"
        );
        assert!(!bench.path("home/started").exists(), "{fault}");
    }
}

#[test]
fn each_fault_of_a_folder_fails_its_own_check() {
    for (fault, change, expected) in FOLDERS {
        let bench = bench();
        let place = bench.path("work/files");
        write_folder(&place, DECLARED, PROVIDER);
        change(&place);
        assert_eq!(
            sorted(failed(Kit::new(&place), "")),
            sorted(expected.to_vec()),
            "{fault}"
        );
    }
    let bench = bench();
    write_folder(&bench.path("work/Bad_Name"), DECLARED, PROVIDER);
    let failed = sorted(failed(Kit::new(&bench.path("work/Bad_Name")), ""));
    assert_eq!(failed, ["pack_framework", "pack_identifiers", "pack_name"]);
}

#[test]
fn each_fault_of_a_pack_that_is_asked_fails_its_own_check() {
    all_at_once(PATIENCE, &ASKED, |(answer, expected), patience| {
        let bench = bench();
        let file = asked(&bench, answer);
        let kit = Kit::new(&file).patience(patience).longest_line(64 * 1024);
        let failed = failed(kit, "");
        (failed != *expected).then(|| format!("{answer}: {failed:?}, not {expected:?}"))
    });
}

#[test]
fn every_check_of_packs_has_a_fault_that_it_finds() {
    let bench = bench();
    write_folder(&bench.path("work/files"), DECLARED, PROVIDER);
    let (_, of_folder) = report(&bench, "./files", &[]);
    asked(&bench, ASKED[0].0);
    let (status, of_asked) = report(&bench, "pack-acme", &[]);
    assert_eq!((status, checks(&of_asked, "failed")), (Some(0), Vec::new()));
    let found: BTreeSet<&str> = DECLARING
        .iter()
        .flat_map(|(.., checks)| *checks)
        .chain(FOLDERS.iter().flat_map(|(.., checks)| *checks))
        .chain(ASKED.iter().flat_map(|(_, checks)| *checks))
        .copied()
        .collect();
    for report in [&of_folder, &of_asked] {
        for check in report["checks"].as_array().unwrap() {
            let id = check["id"].as_str().unwrap();
            if check["document"] == "PACKS.md" {
                assert!(found.contains(id), "{id}");
            }
        }
    }
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
    assert_eq!(
        ran.stderr,
        "note: reading `./bot-cli-pack-acme`, without running anything\n"
    );
    crate::assert_snapshot("host/check/packs.txt", &ran.stdout);
}

#[test]
fn the_samples_of_the_document_break_no_rule() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/tests/packs");
    for (name, advice) in [
        ("bot-cli-pack-tide", &[][..]),
        // It parses no JSON.
        ("bot-cli-pack-moss", &["any_json_read", "pack_framework"]),
    ] {
        let bench = bench();
        let text = fs::read_to_string(samples.join(name)).unwrap();
        let file = bench.script(&format!("plugins/{name}"), &text).unwrap();
        let kit = Kit::new(&file).longest_line(64 * 1024);
        assert_eq!(sorted(failed(kit, "")), advice, "{name}");
    }
    assert!(failed(Kit::new(&samples.join("acme")), "").is_empty());
}

fn sorted(mut ids: Vec<&str>) -> Vec<&str> {
    ids.sort_unstable();
    ids
}

/// A pack in sh that answers like this when it is asked for its services.
fn asked(bench: &Bench, answer: &str) -> PathBuf {
    let mut manifest = pack("acme");
    let providers = manifest["providers"].take();
    manifest["providers"] = json!("dynamic");
    let sample = include_str!("../../../../../host/src/new/sh/plugin.sh");
    let (_, rest) = sample.split_once("bot-cli-plugin: ").unwrap();
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
