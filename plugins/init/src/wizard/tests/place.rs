//! Guides, the folder, and what is there already.

use bot_cli_protocol::failure::Exit;
use serde_json::json;

use super::{BACK, ENTER, Nobody, keys, nothing_given, session, switches, talk, whole_draft};
use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::Feature;
use crate::plan;
use crate::resolve::resolve;
use crate::wizard::{Selection, Way, ask};

#[test]
fn leaves_the_bot_to_a_coding_agent_after_two_questions() {
    let (result, asked) = talk(&nothing_given(), &[json!("no-such-folder"), json!(ENTER)]);
    assert_eq!(keys(&asked), ["target", "way"]);
    assert_eq!(result.unwrap().way, Some(Way::Agent));
}

fn at_a_terminal(home: &std::path::Path) -> Selection {
    Selection {
        cwd: home.to_owned(),
        home: Some(home.to_owned()),
        can_ask: true,
        ..Selection::default()
    }
}

#[test]
fn guides_too_are_agreed_to() {
    let home = tempfile::tempdir().unwrap();
    let given = at_a_terminal(home.path());
    let says = [json!("~/bot"), json!("agent"), json!("create")];
    let (result, asked) = talk(&given, &says);
    assert_eq!(keys(&asked), ["target", "way", "confirm"]);
    assert_eq!(asked[2].message, "Write these guides?");
    let summary = asked[2].details.as_deref().unwrap();
    let folder = home.path().join("bot").display().to_string();
    assert!(summary.contains(&folder), "{summary}");
    assert!(summary.contains("GETTING_STARTED.md"), "{summary}");
    let selection = result.unwrap();
    assert_eq!(selection.target.unwrap().shown, folder);

    let with_target = Selection {
        target: Some(crate::target::Target::find("bot".as_ref(), home.path()).unwrap()),
        ..at_a_terminal(home.path())
    };
    let says = [json!("agent"), json!(BACK), json!("agent"), json!("create")];
    let (result, asked) = talk(&with_target, &says);
    assert_eq!(keys(&asked), ["way", "confirm", "way", "confirm"]);
    assert_eq!(result.unwrap().way, Some(Way::Agent));

    let (cancelled, _) = talk(&given, &[json!("bot"), json!("agent"), json!("cancel")]);
    assert_eq!(cancelled.unwrap_err().exit, Exit::Cancelled);
    let (changed, asked) = talk(
        &given,
        &[
            json!("bot"),
            json!("agent"),
            json!("change"),
            json!("target"),
            json!("other"),
            json!("create"),
        ],
    );
    assert_eq!(changed.unwrap().target.unwrap().shown, "other");
    assert_eq!(asked.len(), 6);
}

#[test]
fn the_root_and_the_home_directory_are_asked_about() {
    let home = tempfile::tempdir().unwrap();
    let given = at_a_terminal(home.path());
    for (answer, why) in [
        ("~", "this is your home directory, not a folder in it"),
        (".", "this is your home directory, not a folder in it"),
        ("/", "this is the root folder"),
    ] {
        let says = [
            json!(answer),
            json!("agent"),
            json!(false),
            json!("bot"),
            json!("create"),
        ];
        let (result, asked) = talk(&given, &says);
        assert_eq!(
            keys(&asked),
            ["target", "way", "all_the_same", "target", "confirm"]
        );
        assert_eq!(asked[2].details.as_deref(), Some(why));
        assert_eq!(result.unwrap().target.unwrap().shown, "bot");
        let says = [json!(answer), json!("agent"), json!(true), json!("create")];
        let (result, asked) = talk(&given, &says);
        assert_eq!(keys(&asked), ["target", "way", "all_the_same", "confirm"]);
        assert_eq!(result.unwrap().way, Some(Way::Agent));
    }
}

#[test]
fn what_is_in_the_way_is_told_before_the_other_questions() {
    let home = tempfile::tempdir().unwrap();
    let bot = home.path().join("bot");
    std::fs::create_dir_all(bot.join("server")).unwrap();
    std::fs::write(bot.join("README.md"), "mine").unwrap();
    let given = at_a_terminal(home.path());
    let says = [json!("bot"), json!("scaffold"), json!(false), json!("new")];
    let (_, asked) = talk(&given, &says);
    assert_eq!(
        keys(&asked),
        ["target", "way", "all_the_same", "target", "name"]
    );
    let why = asked[2].details.as_deref().unwrap();
    assert!(
        why.starts_with("`README.md` is there already, and never replaced"),
        "{why}"
    );
    std::fs::create_dir(bot.join(".bot-cli")).unwrap();
    std::fs::write(bot.join(".bot-cli/project.json"), "{}").unwrap();
    let (_, asked) = talk(&given, &[json!("bot"), json!("scaffold")]);
    let why = asked[2].details.as_deref().unwrap();
    assert!(
        why.contains("which `bot-cli init bot --update` changes"),
        "{why}"
    );
    std::fs::remove_dir_all(bot.join(".bot-cli")).unwrap();
    // Guides are in nobody's way, and an empty folder is not.
    for (folder, way) in [("bot", "agent"), ("bot/server", "scaffold")] {
        let (_, asked) = talk(&given, &[json!(folder), json!(way)]);
        assert_ne!(asked.last().unwrap().key, "all_the_same");
    }
    std::fs::remove_dir(bot.join("server")).unwrap();
    std::fs::write(bot.join("server"), "").unwrap();
    let (_, asked) = talk(&given, &[json!("bot"), json!("scaffold")]);
    let why = asked[2].details.as_deref().unwrap();
    assert!(why.starts_with("`server`, which is not a folder, is there"));
}

#[test]
fn the_files_that_are_looked_for_are_those_of_every_scaffold() {
    let calls = Draft {
        bot_type: None,
        transports: Some(vec!["carrier_a".to_owned()]),
        client_framework: None,
        client_server: None,
        switches: switches(&[
            (Feature::VideoOutput, None),
            (Feature::DeployToCloud, Some(false)),
            (Feature::NoiseCancel, None),
        ]),
        ..whole_draft()
    };
    for draft in [whole_draft(), calls] {
        let config = resolve(&draft, None, Catalogue::built_in()).unwrap();
        let files = plan::scaffold(&config).unwrap().files;
        for path in crate::wizard::place::ALWAYS {
            let file = files.iter().find(|file| file.path == path).unwrap();
            assert_eq!(file.existing, plan::Existing::Conflict, "{path}");
        }
    }
}

#[test]
fn without_anybody_to_ask_what_the_mode_decides_is_named_too() {
    let failure = ask(
        &mut session(Nobody, json!({"way": "scaffold"})),
        &nothing_given(),
        &|_| Ok(Catalogue::built_in()),
    )
    .unwrap_err();
    assert_eq!(keys(failure.inputs()), ["target", "mode"]);
    assert!(
        failure
            .hints
            .iter()
            .any(|hint| hint.contains("`stt`, `llm` and `tts`")),
        "{:?}",
        failure.hints
    );
}
