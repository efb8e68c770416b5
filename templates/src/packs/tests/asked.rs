//! Packs that are asked for their services.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Fixture, PACK, brings, provider};

/// Answers one request with `result` and counts its starts.
fn answering(result: &str) -> String {
    format!(
        r#"echo started >> "$0.starts"
read -r line
printf '{{"jsonrpc":"2.0","id":1,{result}}}\n'
"#
    )
}

#[test]
fn a_pack_that_answers_is_started_once_for_each_version_of_its_file() {
    let place = Fixture::new();
    let dynamic = format!(r#"{PACK},"providers":"dynamic""#);
    let result = format!(r#""result":{{"providers":[{}]}}"#, provider("acme_stt"));
    let file = place.script("pack-acme", &dynamic, &answering(&result));
    let starts = || {
        fs::read_to_string(format!("{}.starts", file.display())).map_or(0, |it| it.lines().count())
    };
    assert_eq!(brings(&place.one()), "unasked");
    assert_eq!(starts(), 0);
    assert_eq!(brings(&place.ask()), "acme_stt");
    assert_eq!(brings(&place.ask()), "acme_stt");
    assert_eq!(brings(&place.one()), "acme_stt");
    assert_eq!(starts(), 1);
    let result = format!(
        r#""result":{{"providers":[{}]}}"#,
        provider("acme_second_stt")
    );
    place.script("pack-acme", &dynamic, &answering(&result));
    assert_eq!(brings(&place.one()), "unasked");
    assert_eq!(brings(&place.ask()), "acme_second_stt");
    assert_eq!(starts(), 2);
}

#[test]
fn the_executables_of_the_document_are_packs() {
    let place = Fixture::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs");
    for (name, expected) in [
        ("moss", "moss_small_llm, moss_large_llm"),
        ("tide", "tide_tts"),
    ] {
        let text = fs::read_to_string(examples.join(format!("bot-cli-pack-{name}"))).unwrap();
        let file = place.write(&format!("bin/bot-cli-pack-{name}"), &text);
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(brings(&place.ask()), expected);
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_pack_that_answers_something_else_is_refused() {
    let dynamic = format!(r#"{PACK},"providers":"dynamic""#);
    for (script, expected) in [
        (
            answering(r#""result":{}"#),
            "its reply to `pack/services` has no `providers`; `bot-cli plugin check ",
        ),
        (
            answering(r#""result":{"providers":{}}"#),
            "`providers` must be a list",
        ),
        (
            answering(r#""error":{"code":1,"message":"no\\nnetwork"}"#),
            "no network",
        ),
        (
            "exit 3".to_owned(),
            "plugin `pack-acme` ended without a reply (exit status: 3)",
        ),
        ("echo x".repeat(3), "plugin `pack-acme` "),
    ] {
        let place = Fixture::new();
        place.script("pack-acme", &dynamic, &script);
        let told = brings(&place.ask());
        assert!(told.starts_with(expected), "{told}");
    }
}
