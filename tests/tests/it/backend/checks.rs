//! `plugin check` of a backend: a fault fails the checks that are made for it, and no others.

use std::time::Duration;

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::conformance::{Document, Kit, Report, Verdict};

use super::Stage;
use crate::host::check::all_at_once;

/// The time that a reply may take. A fault that shows as silence takes this long.
const PATIENCE: Duration = Duration::from_secs(3);

/// The faults of the sample, and the checks that fail.
const FAULTS: [(&str, &[&str]); 35] = [
    ("", &[]),
    ("asks-with-default", &[]),
    ("asks", &["place_opened"]),
    ("lists-unopened", &["open_comes_first"]),
    ("opens-twice", &["open_only_once"]),
    ("opens-every-major", &["later_schema_refused"]),
    ("knows-one-minor", &["later_minor_opened"]),
    ("dies-at-open", &["place_opened"]),
    ("signed-out", &["place_opened"]),
    ("long-place", &["place_opened"]),
    (
        "imagines",
        &[
            "absent_set_is_none",
            "set_deleted",
            "prior_heeded",
            "too_large_refused",
            "bad_parameters_refused",
        ],
    ),
    ("misses-nothing", &["absent_set_is_none"]),
    ("hides", &["set_created"]),
    (
        "lies",
        &[
            "set_created",
            "set_kept",
            "set_added_to",
            "values_returned",
            "keys_removed",
            "set_deleted",
            "other_kind_refused",
            "prior_heeded",
            "bad_name_refused",
            "too_large_refused",
            "cancelled_change_told",
        ],
    ),
    ("forgets", &["set_kept"]),
    ("replaces", &["set_added_to", "values_returned"]),
    ("trims", &["values_returned"]),
    ("keeps-keys", &["keys_removed"]),
    ("keeps-sets", &["set_deleted"]),
    ("one-registry", &["image_pull_secret_kept"]),
    ("makes-credentials-up", &["absent_credentials_refused"]),
    ("mixes-kinds", &["other_kind_refused"]),
    ("forgets-prior", &["prior_heeded"]),
    ("any-name", &["bad_name_refused"]),
    ("takes-all", &["too_large_refused"]),
    ("takes-anything", &["bad_parameters_refused"]),
    (
        "denies-cancelled",
        &[
            "set_created",
            "set_kept",
            "set_added_to",
            "values_returned",
            "keys_removed",
            "set_deleted",
            "other_kind_refused",
            "prior_heeded",
            "cancelled_change_told",
            "value_unseen",
        ],
    ),
    (
        "quotes",
        &[
            "set_created",
            "set_kept",
            "set_added_to",
            "values_returned",
            "keys_removed",
            "set_deleted",
            "other_kind_refused",
            "prior_heeded",
            "bad_name_refused",
            "too_large_refused",
            "value_unseen",
            "only_messages_printed",
        ],
    ),
    ("quotes-parameters", &["value_unseen"]),
    ("asks-in-put", &["value_unseen", "nothing_unoffered_sent"]),
    ("replies-twice", &["one_reply_each"]),
    ("leaves-child", &["no_process_left"]),
    (
        "dies-in-put",
        &[
            "set_created",
            "set_kept",
            "set_added_to",
            "values_returned",
            "keys_removed",
            "set_deleted",
            "other_kind_refused",
            "prior_heeded",
            "cancelled_change_told",
            "value_unseen",
        ],
    ),
    (
        "hangs",
        &[
            "set_created",
            "set_kept",
            "set_added_to",
            "values_returned",
            "keys_removed",
            "set_deleted",
            "other_kind_refused",
            "prior_heeded",
            "bad_name_refused",
            "too_large_refused",
            "cancelled_change_told",
            "value_unseen",
        ],
    ),
    (
        "another-set",
        &[
            "set_created",
            "set_kept",
            "set_added_to",
            "keys_removed",
            "image_pull_secret_kept",
            "other_kind_refused",
            "prior_heeded",
            "cancelled_change_told",
            "value_unseen",
        ],
    ),
];

fn kit(stage: &Stage) -> Kit {
    Kit::new(&stage.folder.path().join("bot-cli-secrets-sample"))
        .patience(PATIENCE)
        .longest_line(100_000)
}

fn failed(report: &Report) -> Vec<&'static str> {
    report.failed().map(|finding| finding.id).collect()
}

#[test]
fn each_fault_fails_its_own_checks() {
    all_at_once(PATIENCE, &FAULTS, |(fault, expected), patience| {
        let stage = Stage::new(fault);
        let report = kit(&stage)
            .patience(patience)
            .argv(["organization=scratch"])
            .check(&Cancel::new())
            .unwrap();
        let failed = failed(&report);
        (failed != *expected).then(|| format!("{fault}: {failed:?}, not {expected:?}"))
    });
}

#[test]
fn every_check_of_a_backend_has_a_fault_that_it_finds() {
    let stage = Stage::new("");
    let report = kit(&stage).check(&Cancel::new()).unwrap();
    let found: Vec<&str> = FAULTS
        .iter()
        .flat_map(|(_, checks)| *checks)
        .copied()
        .collect();
    let declared = DECLARED.iter().flat_map(|(.., checks)| *checks).copied();
    let found: Vec<&str> = found.into_iter().chain(declared).collect();
    for finding in &report.findings {
        if finding.document == Document::Backends {
            assert!(found.contains(&finding.id), "{}", finding.id);
        }
    }
}

/// Names and manifests that are wrong, and the checks that fail.
const DECLARED: [(&str, &str, &[&str]); 8] = [
    ("secrets-local", "", &["backend_name"]),
    ("safe", "", &["backend_name"]),
    ("secrets-a", r#""secrets":"2.0""#, &["backend_schema"]),
    ("secrets-a", r#""version":"1""#, &["backend_versions"]),
    (
        "secrets-a",
        r#""requires":{"bot-cli-cloud":"new"}"#,
        &["backend_versions"],
    ),
    (
        "secrets-a",
        r#""settings":[{"name":"a b"}]"#,
        &["settings_declared"],
    ),
    (
        "secrets-a",
        r#""settings":[{"name":"region"}]"#,
        &["settings_declared"],
    ),
    (
        "secrets-a",
        r#""settings":[{"name":"api-token"}]"#,
        &["settings_no_credentials"],
    ),
];

#[test]
fn what_a_backend_declares_is_looked_at() {
    for (name, members, expected) in DECLARED {
        let mut manifest: serde_json::Value =
            serde_json::from_str(&format!("{{{members}}}")).unwrap();
        for (member, usual) in [
            ("protocol", "1.0"),
            ("name", name),
            ("version", "1.0.0"),
            ("role", "secrets-backend"),
            ("secrets", "1.0"),
        ] {
            if manifest.get(member).is_none() {
                manifest[member] = usual.into();
            }
        }
        let bench = crate::host::bench();
        // It says that it has no method, and knows of no version.
        let script =
            format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\nwhile read -r line; do :; done\n");
        let file = bench
            .script(&format!("work/bot-cli-{name}"), &script)
            .unwrap();
        let report = Kit::new(&file)
            .patience(Duration::from_millis(100))
            .check(&Cancel::new())
            .unwrap();
        let failed: Vec<&str> = report
            .failed()
            .map(|finding| finding.id)
            .filter(|id| id.starts_with("backend_") || id.starts_with("settings_"))
            .collect();
        assert_eq!(failed, expected, "{name} {members}");
    }
}

#[test]
fn without_a_place_no_work_is_done() {
    let stage = Stage::new("");
    let report = kit(&stage).check(&Cancel::new()).unwrap();
    assert!(report.holds(), "{report}");
    for finding in &report.findings {
        let works = finding.document == Document::Backends
            && !finding.id.starts_with("backend_")
            && !finding.id.starts_with("settings_")
            && !["open_comes_first", "later_schema_refused"].contains(&finding.id);
        assert_eq!(
            works,
            finding.verdict == Verdict::NotRun && finding.document == Document::Backends,
            "{}",
            finding.id
        );
    }
}

#[test]
fn a_place_that_the_manifest_does_not_know_is_refused_before_anything_is_started() {
    let stage = Stage::new("");
    for (words, problem) in [
        (&["scratch"][..], "has a word that is not NAME=VALUE"),
        (
            &["organization=scratch", "fiel=x"],
            "names `fiel`, which is no setting of the backend: did you mean `file`?",
        ),
    ] {
        let failure = kit(&stage).argv(words.iter().copied());
        let failure = failure.check(&Cancel::new()).unwrap_err();
        assert_eq!(failure.message, format!("`--argv` {problem}"));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bot-cli-secrets-needy");
    let manifest = r#"{"protocol":"1.0","name":"secrets-needy","version":"1.0.0","role":"secrets-backend","secrets":"1.0","settings":[{"name":"zone","required":true}]}"#;
    std::fs::write(
        &file,
        format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\ntouch \"$0.started\"\n"),
    )
    .unwrap();
    let kit = Kit::new(&file).argv([""; 0]);
    let failure = kit.check(&Cancel::new()).unwrap_err();
    assert_eq!(
        failure.message,
        "`--argv` lacks the setting `zone`, which the backend requires: `zone=VALUE`"
    );
    assert!(!folder.path().join("bot-cli-secrets-needy.started").exists());
}
