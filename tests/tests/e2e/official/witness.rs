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
    for line in WORK {
        run_official(&theirs, line);
    }
    for user in [User::with_key(), User::with_token()] {
        user.write("keys.env", FILE);
        for line in WORK {
            run_ours(&user, line);
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
    for (index, line) in WORK.iter().enumerate() {
        if index % 2 == 0 {
            run_ours(&user, line);
        } else {
            run_official(user.service(), line);
        }
    }
    let ours = user.done(&["secrets", "list", "--no-sets"]);
    let theirs = official(user.service(), "secrets list").done().json();
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
    let theirs = official(user.service(), "secrets list prod").done().json();
    let keys: Vec<&Value> = theirs["secrets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| &key["fieldName"])
        .collect();
    assert_eq!(ours["keys"], json!(keys));
}

fn run_ours(user: &User, line: &str) {
    let words = shlex::split(line).unwrap();
    let run = user.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.status, Some(0), "{}: {line}: {run:?}", user.name);
}

fn run_official(service: &Service, line: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.env");
    std::fs::write(&file, FILE).unwrap();
    let mut line = line.replace("keys.env", &file.display().to_string());
    // Theirs asks before it updates an image pull secret.
    if line.contains("image-pull-secret") {
        line.push_str(" --skip");
    }
    official(service, &line).done();
}

/// Their reader of files knows no comment behind a value; ours does, as python-dotenv.
fn without_comment(mut state: Value) -> Value {
    let value = &mut state["first-org"]["from-file"]["secrets"]["I"];
    assert_eq!(*value, "it's # fine");
    *value = json!("it's");
    state
}
