//! Tests for `secrets export`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::terminal::answer;
use super::user::User;
use super::{fields, script, words};

const TEXT: &str = "A='it\\'s'\nB='two\nlines'\n";

/// Returns a user with a set of two values in the vault.
fn user() -> User {
    let user = User::of_the_vault();
    let set = ["secrets", "set", "prod", "A=it's", "B=two\nlines", "--skip"];
    user.done(&set);
    user
}

#[test]
fn values_go_into_a_private_file_or_a_pipe_once_agreed_to() {
    let user = user();
    user.fails(
        &words("secrets export prod --file out"),
        2,
        "input_required",
    );
    assert!(!user.work().join("out").exists());
    let said = user.done(&words("secrets export prod --file out --skip"));
    let path = user.work().join("out");
    assert_eq!(
        said,
        json!({"name": "prod", "keys": ["A", "B"], "path": "[ROOT]/work/out"})
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    // A file that is there stays, unless it is to be replaced.
    fs::write(&path, "mine").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let line = "secrets export prod --file out --skip --format json --only A";
    user.fails(&words(line), 1, "file_exists");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    user.done(&[&words(line)[..], &["--force"]].concat());
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "{\n  \"A\": \"it's\"\n}\n"
    );
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let key = user.home().join(".local/share/bot-cli/vault/vault.key");
    for file in ["/dev/null", ".", key.to_str().unwrap()] {
        let line = format!("secrets export prod --skip --force --file {file}");
        user.fails(&words(&line), 1, "not_a_place");
    }

    let run = user.run(&words("secrets export prod --skip"));
    assert_eq!(
        (run.status, &*run.stdout, &*run.stderr),
        (Some(0), TEXT, "")
    );
    let mut host = user.host(&words("cloud secrets export prod --skip"));
    let run = user.feed(&mut host, "");
    assert_eq!(
        (run.status, &*run.stdout, &*run.stderr),
        (Some(0), TEXT, "")
    );
}

#[test]
fn values_are_not_printed_where_somebody_may_see_them_or_a_document_is_expected() {
    let user = user();
    user.fails(&words("secrets export prod --skip"), 2, "invalid_input");
    let messages = script(&user, "secrets export prod --skip", &json!({}));
    let said = serde_json::to_string(&messages).unwrap();
    assert!(
        said.contains("`--json`") && !said.contains("it's"),
        "{said}"
    );
    let terminal = user.terminal(&words("bot-cli cloud secrets export prod"));
    let ended = answer(terminal, &[], 2);
    let refused = "standard output is a terminal";
    assert!(ended.output.contains(refused), "{}", ended.output);
    let terminal = user.terminal(&words("bot-cli cloud secrets export prod --show"));
    let ended = answer(terminal, &[("Export them?", "y\r")], 0);
    assert!(ended.output.contains("A='it\\'s'"), "{}", ended.output);
    let line = "bot-cli cloud secrets export prod --file out";
    let ended = answer(user.terminal(&words(line)), &[("Export them?", "n\r")], 130);
    assert!(!ended.output.contains("it's"), "{}", ended.output);
    assert!(!user.work().join("out").exists());
}

#[test]
fn what_a_format_or_a_backend_does_not_give_is_refused_by_name() {
    let user = user();
    let line = "secrets export prod --format docker --file out --skip";
    let error = user.fails(&words(line), 2, "invalid_input");
    let problem = "has a value with a line end, which Docker's files can't hold";
    assert_eq!(fields(&error), [("B", problem)]);
    assert!(!user.work().join("out").exists());
    let only = user.run(&words(
        "secrets export prod --format docker --only A --skip",
    ));
    assert_eq!(only.stdout, "A=it's\n");
    user.fails(
        &words("secrets export prod --only C --file out --skip"),
        1,
        "not_found",
    );
    user.fails(
        &words("secrets export none --file out --skip"),
        1,
        "not_found",
    );
    let hosted = words("secrets export prod --backend hosted --file out --skip");
    user.fails(&hosted, 2, "not_readable");
}
