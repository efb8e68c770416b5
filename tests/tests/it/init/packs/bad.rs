//! Tests with invalid packs. Each produces one clear line, and the built-in services keep working.

use std::fs;

use serde_json::json;

use bot_cli_tests::bench::Bench;

use super::{bench, cascade, hearing, listed, run, script, service};

/// Returns the warnings about a user's packs. Asserts that all built-in services are listed.
fn said(bench: &Bench) -> Vec<String> {
    let (found, warnings) = listed(bench);
    let (built_in, _) = listed(&super::bench());
    for kind in ["stt", "llm", "tts", "realtime", "video"] {
        for id in built_in[kind].as_array().unwrap() {
            let ids = found[kind].as_array().unwrap().iter();
            assert_eq!(ids.filter(|it| *it == id).count(), 1, "{id}");
        }
    }
    let ran = run(bench, &hearing(&["my-bot", "--dry-run"], "deepgram_stt"));
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    for warning in &warnings {
        assert!(!warning.contains(char::is_control), "{warning:?}");
    }
    warnings
}

#[test]
fn an_identifier_of_ours_stays_ours() {
    let bench = bench();
    let theirs = service(
        "openai_llm",
        &json!({
            "packages": ["evil>=1,<2"], "module": "evil", "class": "EvilService",
            "prompt": "settings.system_instruction",
        }),
    );
    script(&bench, "openai", &[theirs], &json!({}));
    assert_eq!(
        said(&bench),
        [
            "warning: `openai_llm` of the provider pack `openai` is left out: `id` is that of the built-in `openai_llm`"
        ]
    );
    let made = run(&bench, &hearing(&["my-bot"], "deepgram_stt"));
    assert_eq!(made.status, Some(0), "{made:?}");
    let bot = fs::read_to_string(bench.path("work/my-bot/server/services.py")).unwrap();
    assert!(!bot.contains("evil"));
}

#[test]
fn what_is_wrong_with_one_service_leaves_the_others() {
    for (members, reason) in [
        (
            json!({ "id": "other_bad_stt" }),
            "warning: `other_bad_stt` of the provider pack `acme` is left out: `id` must begin with `acme_`, the pack's name",
        ),
        (
            json!({ "label": "\u{1b}[2Jgone\nerror: all is lost" }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: `label` is `\\u{1b}[2Jgone\\nerror: all is lost`, not a plain name on one line",
        ),
    ] {
        let bad = service("acme_bad_stt", &members);
        let good = service("acme_stt", &json!({ "label": "Good" }));
        let bench = bench();
        script(&bench, "acme", &[bad, good], &json!({}));
        let said = said(&bench);
        assert!(
            said.len() == 1 && said[0].starts_with(reason),
            "{said:#?}\n{reason}"
        );
        let (listed, _) = listed(&bench);
        assert_eq!(listed["packs"][0]["services"], json!(["acme_stt"]));
        // Who names it hears the same.
        let id = members["id"].as_str().unwrap_or("acme_bad_stt");
        let ran = run(&bench, &hearing(&["my-bot"], id));
        let (_, reason) = reason.split_once("left out: ").unwrap();
        assert!(
            ran.stderr.contains(&format!(
                "`{id}`: `{id}` of the provider pack `acme` is left out: {reason}"
            )),
            "{ran:?}"
        );
    }
}

#[test]
fn roles_and_versions_that_do_not_fit_are_named_with_the_mend() {
    let brought = service("acme_stt", &json!({}));
    let ours = env!("CARGO_PKG_VERSION");
    for (members, reason) in [
        (
            json!({ "role": "command" }),
            "its role is `command`, not `provider-pack`; its author changes the role in its manifest, or the name of the file".to_owned(),
        ),
        (
            json!({ "catalogue": "2.0" }),
            format!(
                "it has catalogue 2.0, bot-cli-init {ours} knows 1.0; install versions of both that fit each other"
            ),
        ),
        (
            json!({ "framework": ">=3" }),
            format!(
                "it was made for pipecat-ai >=3, bot-cli-init {ours} makes projects for 1.14.0; install versions of both that fit each other"
            ),
        ),
    ] {
        let bench = bench();
        script(&bench, "acme", std::slice::from_ref(&brought), &members);
        assert_eq!(
            said(&bench),
            [format!(
                "warning: the provider pack `acme` is not used: {reason}"
            )]
        );
        let ran = run(&bench, &hearing(&["my-bot"], "acme_stt"));
        assert!(
            ran.stderr.contains(&format!(
                "`acme_stt`: the provider pack `acme` is not used: {reason}\n"
            )),
            "{ran:?}"
        );
    }
    let bench = bench();
    bench.put("plugins/bot-cli-pack-acme", "#!/bin/sh\n");
    let reason =
        "it declares no manifest; its author adds a manifest with `\"role\":\"provider-pack\"`";
    let warning = format!("warning: the provider pack `acme` is not used: {reason}");
    assert_eq!(said(&bench), [warning]);
}

#[test]
fn services_that_can_not_be_in_one_bot_are_refused_together() {
    let bench = bench();
    for (name, module) in [("acme", "acme_speech"), ("other", "other_speech")] {
        let kind = if name == "acme" { "stt" } else { "tts" };
        let theirs = service(
            &format!("{name}_{kind}"),
            &json!({ "modules": { "acme": [module] }, "module": module, "class": "SameService" }),
        );
        script(&bench, name, &[theirs], &json!({}));
    }
    assert_eq!(said(&bench), [""; 0]);
    let ran = run(&bench, &cascade("my-bot", "acme_stt", "other_tts"));
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("`acme_stt` and `other_tts` can't be combined in one bot: both import `SameService`, from `acme_speech` and from `other_speech`"),
        "{ran:?}"
    );
    assert!(!bench.path("work/my-bot").exists());
}
