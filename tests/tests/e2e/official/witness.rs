//! The official client as a witness: the same operations by either leave the same state, so that the two can be mixed.

use bot_cli_tests::service::Service;
use serde_json::{Value, json};

use super::official;
use bot_cli_tests::user::User;

/// What somebody does, in words that both understand.
const WORK: &[&str] = &[
    "secrets set prod A=1 'B=two words' C=a=b=c --skip",
    "secrets set prod A=changed 'D=grüße' --skip",
    "secrets set europe E=5 --skip --region eu-central",
    "secrets set gone F=6 --skip",
    "secrets image-pull-secret registry https://registry.example.com/v1/ 'user:tök:en'",
    "secrets image-pull-secret registry https://registry.example.com/v1/ user:other --encode",
    "secrets set from-file --file keys.env --skip",
    "secrets unset prod B --skip",
    "secrets delete gone --skip",
];

const FILE: &str = "# keys\n\nG=7\nH=\"eight nine\"\nI=it's # fine\n";

#[test]
fn the_same_work_leaves_the_same_state() {
    let theirs = Service::start().unwrap();
    for arguments in work() {
        run_official(&theirs, &arguments);
    }
    for user in [User::with_key(), User::with_token()] {
        user.write("keys.env", FILE);
        for arguments in work() {
            run_ours(&user, &arguments);
        }
        assert_eq!(
            user.service().stored(),
            without_comment(theirs.stored()),
            "{}",
            user.name
        );
    }
}

#[test]
fn the_two_can_take_turns() {
    let user = User::with_token();
    user.write("keys.env", FILE);
    for (index, arguments) in work().iter().enumerate() {
        if index % 2 == 0 {
            run_ours(&user, arguments);
        } else {
            run_official(user.service(), arguments);
        }
    }
    let ours = user.done(&["secrets", "list", "--no-sets"]);
    let theirs = official(user.service(), &["secrets", "list"]).done().json();
    let rows = |sets: &Value| -> Vec<(Value, Value, Value)> {
        let sets = sets.as_array().unwrap().iter();
        sets.map(|set| {
            (
                set["name"].clone(),
                set["region"].clone(),
                set["status"].clone(),
            )
        })
        .collect()
    };
    assert_eq!(rows(&ours["sets"]), rows(&theirs["secretSets"]));
    let ours = user.done(&["secrets", "list", "prod"]);
    let theirs = official(user.service(), &["secrets", "list", "prod"])
        .done()
        .json();
    let keys: Vec<&Value> = theirs["secrets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| &key["fieldName"])
        .collect();
    assert_eq!(ours["keys"], json!(keys));
}

/// The words of each line.
fn work() -> Vec<Vec<String>> {
    WORK.iter()
        .map(|line| shlex::split(line).unwrap())
        .collect()
}

fn run_ours(user: &User, arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = user.run(&arguments);
    assert_eq!(run.status, Some(0), "{}: {arguments:?}: {run:?}", user.name);
}

fn run_official(service: &Service, arguments: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.env");
    std::fs::write(&file, FILE).unwrap();
    let file = file.display().to_string();
    let arguments: Vec<&str> = arguments
        .iter()
        .map(|word| {
            if word == "keys.env" {
                &file
            } else {
                word.as_str()
            }
        })
        // Theirs asks before it updates an image pull secret.
        .chain((arguments[1] == "image-pull-secret").then_some("--skip"))
        .collect();
    official(service, &arguments).done();
}

/// Their reader of files knows no comment behind a value; ours does, as python-dotenv.
fn without_comment(mut state: Value) -> Value {
    let value = &mut state["first-org"]["from-file"]["secrets"]["I"];
    assert_eq!(*value, "it's # fine");
    *value = json!("it's");
    state
}
