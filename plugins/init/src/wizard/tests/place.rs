use serde_json::json;

use super::{keys, talk, whole_draft};
use crate::catalogue::Catalogue;
use crate::plan;
use crate::resolve::resolve;
use crate::wizard::Selection;

#[test]
fn a_user_is_told_at_once_that_nothing_can_be_made_in_a_folder() {
    let home = tempfile::tempdir().unwrap();
    let given = Selection {
        cwd: home.path().to_owned(),
        home: Some(home.path().to_owned()),
        can_ask: true,
        ..Selection::default()
    };
    let is_home = "this is your home directory, not a folder in it";
    for (answer, why) in [
        ("~", is_home),
        (".", is_home),
        ("/", "this is the root folder"),
    ] {
        let (result, asked) = talk(&given, &[json!(answer), json!("~/bot"), json!("agent")]);
        assert_eq!(keys(&asked), ["target", "target", "way"]);
        assert_eq!(asked[1].problem.as_deref(), Some(why));
        let folder = home.path().join("bot").display().to_string();
        assert_eq!(result.unwrap().target.unwrap().shown, folder);
    }
    let bot = home.path().join("bot");
    std::fs::create_dir_all(bot.join(".bot-cli")).unwrap();
    std::fs::write(bot.join("README.md"), "mine").unwrap();
    let says = [json!("bot"), json!("scaffold")];
    let readme = "`README.md` is there already and never replaced";
    let (_, asked) = talk(&given, &says);
    assert_eq!(asked[2].problem.as_deref(), Some(readme));
    std::fs::write(bot.join(".bot-cli/project.json"), "{}").unwrap();
    let (_, asked) = talk(&given, &says);
    let project = "a project is there already, which `bot-cli init bot --update` changes";
    assert_eq!(asked[2].problem.as_deref(), Some(project));
    // Guides don't replace any of these files.
    assert!(talk(&given, &[json!("bot"), json!("agent")]).0.is_ok());
}

#[test]
fn the_files_that_are_looked_for_are_those_of_every_scaffold() {
    let config = resolve(&whole_draft(), None, Catalogue::built_in()).unwrap();
    let files = plan::scaffold(&config).unwrap().files;
    for path in crate::wizard::place::ALWAYS {
        let file = files.iter().find(|file| file.path == path).unwrap();
        assert_eq!(file.existing, plan::Existing::Conflict, "{path}");
    }
}
