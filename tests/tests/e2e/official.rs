//! Runs the service's own client against the stand-in. The same operations with either tool must leave the same state, so that users can
//! mix the two.

use std::fs;
use std::process::Stdio;

use bot_cli_tests::python::Python;
use bot_cli_tests::service::{ORGANIZATION, PERSONAL_TOKEN, Service};
use bot_cli_tests::user::User;
use serde_json::{Value, json};

use crate::bot::text;

/// Python code that runs the client's command tree, because the client has no executable of its own on `PATH`.
const START: &str =
    "from pipecatcloud.cli.entry_point import entrypoint_cli_typer as start; start()";

/// A user's commands, in a form that both tools accept.
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
fn the_same_work_leaves_the_same_state_and_either_lists_it() {
    let theirs = Service::start().unwrap();
    for line in WORK {
        // Theirs asks before it updates an image pull secret.
        let skip = if line.contains("--skip") {
            ""
        } else {
            " --skip"
        };
        official(&theirs, &format!("{line}{skip}"));
    }
    let expected = without_comment(theirs.stored());
    for user in [User::with_key(), User::with_token()] {
        user.write("keys.env", FILE);
        for line in WORK {
            let words = shlex::split(line).unwrap();
            let run = user.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(run.status, Some(0), "{}: {line}: {run:?}", user.name);
        }
        assert_eq!(user.service().stored(), expected, "{}", user.name);
    }

    let user = User::with_token();
    user.done(&["secrets", "set", "prod", "A=1", "B=2", "--skip"]);
    official(
        user.service(),
        "secrets set europe E=5 --skip --region eu-central",
    );
    let rows = |sets: &Value| -> Vec<Value> {
        let sets = sets.as_array().unwrap().iter();
        sets.map(|it| json!([it["name"], it["region"], it["status"]]))
            .collect()
    };
    let ours = user.done(&["secrets", "list", "--no-sets"]);
    let theirs: Value = serde_json::from_str(&official(user.service(), "secrets list")).unwrap();
    assert_eq!(rows(&ours["sets"]), rows(&theirs["secretSets"]));
    let ours = user.done(&["secrets", "list", "prod"]);
    let theirs = official(user.service(), "secrets list prod");
    let theirs: Value = serde_json::from_str(&theirs).unwrap();
    let keys = theirs["secrets"].as_array().unwrap().iter();
    let keys: Vec<&Value> = keys.map(|key| &key["fieldName"]).collect();
    assert_eq!(ours["keys"], json!(keys));
}

pub(crate) fn python() -> &'static Python {
    Python::with_client().unwrap_or_else(|problem| panic!("{problem}"))
}

/// Runs the service's own client as a user in the first organization. Returns its output.
fn official(service: &Service, line: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("keys.env"), FILE).unwrap();
    let output = python()
        .command("python")
        .args(["-c", START, "--output", "json"])
        .args(shlex::split(line).unwrap())
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("PIPECAT_API_HOST", service.url())
        .env("PIPECAT_TOKEN", PERSONAL_TOKEN)
        .env("PIPECAT_ORG", ORGANIZATION)
        .env("PIPECAT_CONFIG_PATH", home.path().join("none.toml"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Removes the comment that the service's own client keeps after a value. `bot-cli` drops the comment, as python-dotenv does.
fn without_comment(mut state: Value) -> Value {
    let value = &mut state["first-org"]["from-file"]["secrets"]["I"];
    assert_eq!(*value, "it's # fine");
    *value = json!("it's");
    state
}
