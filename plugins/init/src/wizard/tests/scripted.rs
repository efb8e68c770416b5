use serde_json::json;

use super::{answered, nothing_given, talk};
use crate::option_table::{Feature, FeatureQuestion};
use crate::wizard::steps;

#[test]
fn a_folder_whose_name_gives_no_name_of_packages_is_no_default() {
    for (target, default) in [
        ("日\u{202e}", None),
        ("w", Some(json!("w"))),
        ("my-bot", Some(json!("my-bot"))),
    ] {
        let says = [json!(target), json!("scaffold")];
        let (_, asked) = talk(&nothing_given(), &says);
        let name = asked.iter().find(|question| question.key == "name");
        assert_eq!(name.unwrap().default, default);
    }
}

#[test]
fn the_documents_have_the_key_of_every_question() {
    let page = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/reference/questions.md"
    ));
    let page = page.unwrap();
    let (_, table) = page.split_once("| key of a question of `init` |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let documented: Vec<&str> = table
        .lines()
        .skip(2)
        .flat_map(|row| row.split('|').nth(1).unwrap().split(','))
        .map(|key| key.trim().trim_matches('`'))
        .collect();
    let keys = steps::all().iter().map(steps::Step::key);
    let asked: Vec<&str> = keys.chain(["confirm", "refresh_guide"]).collect();
    assert_eq!(documented, asked, "the table in questions.md");
    let extras = table.lines().find(|row| row.starts_with("| `features` |"));
    for feature in Feature::ALL.map(Feature::row) {
        assert!(
            feature.question == FeatureQuestion::Own
                || extras.unwrap().contains(&format!("`{}`", feature.name)),
            "the row of `features` in questions.md lacks `{}`",
            feature.name
        );
    }
}

#[test]
fn a_wrong_scripted_answer_is_refused_with_its_key() {
    for (key, answer) in [
        ("name", json!("日\u{202e}")),
        ("transport", json!([])),
        (
            "transport",
            json!(["hosted_rtc_pstn_dialin", "hosted_rtc_pstn_dialout"]),
        ),
        ("stt", json!("nobody_stt")),
    ] {
        let mut answers = json!({
            "target": "no-such-folder", "way": "scaffold", "name": "bot", "mode": "cascade", "bot_type": "telephony",
            "transport": ["carrier_a"],
        });
        answers[key] = answer;
        let failure = answered(answers).unwrap_err();
        assert_eq!(failure.code, "invalid_input");
        assert_eq!(failure.fields[0].field, key);
    }
}
