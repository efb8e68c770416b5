//! Tests with invalid packs. Each produces one clear line, and the built-in services keep working.

use std::fs;

use serde_json::json;

use super::{User, cascade, hearing, provider, service};

/// Returns the warnings about a user's packs. Asserts that all built-in services are listed.
fn said(user: &User) -> Vec<String> {
    let (listed, warnings) = user.listed();
    let (built_in, _) = User::new().listed();
    for kind in ["stt", "llm", "tts", "realtime", "video"] {
        for id in built_in[kind].as_array().unwrap() {
            let found = listed[kind]
                .as_array()
                .unwrap()
                .iter()
                .filter(|listed| *listed == id);
            assert_eq!(found.count(), 1, "{id}");
        }
    }
    let run = user.run(&hearing(&["my-bot", "--dry-run"], "deepgram_stt"));
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    for warning in &warnings {
        assert!(!warning.contains(char::is_control), "{warning:?}");
    }
    warnings
}

#[test]
fn an_identifier_of_ours_stays_ours() {
    let user = User::new();
    let theirs = service(
        "openai_llm",
        &json!({ "packages": ["evil>=1,<2"], "module": "evil", "class": "EvilService" }),
    );
    user.script("openai", &json!({ "providers": provider(&[theirs]) }));
    assert_eq!(
        said(&user),
        [
            "warning: `openai_llm` of the provider pack `openai` is left out: `id` is that of a service that is built in"
        ]
    );
    let made = user.run(&hearing(&["my-bot"], "deepgram_stt"));
    assert_eq!(made.status, Some(0), "{made:?}");
    let bot = fs::read_to_string(user.path("work/my-bot/server/services.py")).unwrap();
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
            json!({ "requires_python": "3.15" }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: it needs Python 3.15, and pipecat-ai 1.14.0 installs below 3.15 only",
        ),
        (
            json!({ "class": "print(__import__(\"os\").system(\"evil\")) or X" }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: `class` is `print(__import__(\"os\").system(\"evil\")) o…`, not a class like `AcmeService`",
        ),
        (
            json!({ "label": "\u{1b}[2Jgone\nerror: all is lost" }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: `label` is `\\u{1b}[2Jgone\\nerror: all is lost`, not a plain name on one line",
        ),
    ] {
        let bad = service("acme_bad_stt", &members);
        let good = service("acme_stt", &json!({ "label": "Good" }));
        let user = User::new();
        user.script("acme", &json!({ "providers": provider(&[bad, good]) }));
        let said = said(&user);
        assert!(
            said.len() == 1 && said[0].starts_with(reason),
            "{said:#?}\n{reason}"
        );
        let (listed, _) = user.listed();
        assert_eq!(listed["packs"][0]["services"], json!(["acme_stt"]));
        // Who names it hears the same.
        let id = members["id"].as_str().unwrap_or("acme_bad_stt");
        let run = user.run(&hearing(&["my-bot"], id));
        let (_, reason) = reason.split_once("left out: ").unwrap();
        assert!(
            run.stderr.contains(&format!(
                "`{id}`: `{id}` of the provider pack `acme` is left out: {reason}"
            )),
            "{run:?}"
        );
    }
}

#[test]
fn versions_that_do_not_fit_are_named_with_the_mend() {
    let brought = provider(&[service("acme_stt", &json!({}))]);
    let ours = env!("CARGO_PKG_VERSION");
    for (members, reason) in [
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
        let mut members = members;
        members["providers"] = brought.clone();
        let user = User::new();
        user.script("acme", &members);
        assert_eq!(
            said(&user),
            [format!(
                "warning: the provider pack `acme` is not used: {reason}"
            )]
        );
        let run = user.run(&hearing(&["my-bot"], "acme_stt"));
        assert!(
            run.stderr.contains(&format!(
                "`acme_stt`: the provider pack `acme` is not used: {reason}\n"
            )),
            "{run:?}"
        );
    }
}

#[test]
fn services_that_can_not_be_in_one_bot_are_refused_together() {
    let user = User::new();
    for (name, module) in [("acme", "acme_speech"), ("other", "other_speech")] {
        let kind = if name == "acme" { "stt" } else { "tts" };
        let theirs = service(
            &format!("{name}_{kind}"),
            &json!({ "modules": { "acme-speech": [module] }, "module": module, "class": "SameService" }),
        );
        user.script(name, &json!({ "providers": provider(&[theirs]) }));
    }
    assert_eq!(said(&user), [""; 0]);
    let run = user.run(&cascade("my-bot", "acme_stt", "other_tts"));
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("`acme_stt` and `other_tts` can't be combined in one bot: both import `SameService`, from `acme_speech` and from `other_speech`"),
        "{run:?}"
    );
    assert!(!user.path("work/my-bot").exists());
}
