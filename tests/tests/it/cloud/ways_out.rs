//! Checks that suggested fixes and next steps work when followed.

use super::user::{Run, User};
use super::words;

/// Returns the lines of standard error that start with `label`, without the label.
fn said<'a>(run: &'a Run, label: &str) -> Vec<&'a str> {
    let lines = run.stderr.lines();
    lines.filter_map(|line| line.strip_prefix(label)).collect()
}

/// Runs a suggested command.
fn follow(user: &User, shown: &str) -> Run {
    let words = shlex::split(shown).unwrap();
    assert_eq!(words[..2], ["bot-cli", "cloud"], "{shown}");
    user.run(&words[2..].iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_next_step_leads_to_the_same_place() {
    let mut user = User::of_the_vault();
    user.unset("BOT_CLI_BACKEND");
    let place = ["-o", "it's ours", "--backend", "local"];
    let set = ["secrets", "set", "prod", "A=1", "B=2", "--skip"];
    let unset = ["secrets", "unset", "prod", "B", "--skip"];
    for arguments in [&set[..], &unset] {
        let run = user.run(&[arguments, &place].concat());
        let [next] = said(&run, "next: ")[..] else {
            panic!("{run:?}");
        };
        let shown = follow(&user, next);
        assert_eq!(shown.status, Some(0), "{next}: {shown:?}");
        assert!(shown.stdout.contains("prod"), "{shown:?}");
    }
    let missing = user.run(&[&["secrets", "list", "elsewhere"][..], &place].concat());
    let [hint] = said(&missing, "hint: ")[..] else {
        panic!("{missing:?}");
    };
    assert!(follow(&user, hint).stdout.contains("prod"), "{missing:?}");
}

#[test]
fn a_set_of_another_region_is_said_to_be_there() {
    for user in User::all() {
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        let run = user.run(&["secrets", "list", "prod", "--region", "us-east"]);
        assert_eq!(run.status, Some(1), "{run:?}");
        assert_eq!(said(&run, "hint: "), ["it is in us-west"], "{run:?}");
        let run = user.run(&["secrets", "list", "--region", "us-east"]);
        assert!(run.stdout.ends_with(", region us-east\n"), "{run:?}");
    }
}

#[test]
fn a_name_that_the_service_would_refuse_is_refused_before_anything_is_asked() {
    for user in [User::with_token(), User::with_key()] {
        for name in ["Prod", "ab"] {
            let set = ["secrets", "set", name, "A=1"];
            let registry = ["secrets", "image-pull-secret", name, "ghcr.io", "u:t"];
            for arguments in [&set[..], &registry] {
                let run = user.run(arguments);
                assert_eq!(run.status, Some(2), "{run:?}");
                assert!(run.stderr.contains("3 to 63 lower-case"), "{run:?}");
            }
        }
    }
}

#[test]
fn where_a_wrong_setting_comes_from_is_said() {
    let mut user = User::of_the_vault();
    user.set("BOT_CLI_REGION", "nowhere");
    let assert_said = |user: &User, message: &str| {
        let run = user.run(&["secrets", "set", "prod", "A=1", "--skip"]);
        assert_eq!(said(&run, "error: "), [message], "{run:?}");
    };
    assert_said(&user, "there is no region `nowhere` (from the environment)");
    user.unset("BOT_CLI_REGION");
    user.done(&["config", "set", "region", "nowhere"]);
    assert_said(
        &user,
        "there is no region `nowhere` (from the configuration)",
    );
    user.set("BOT_CLI_BACKEND", "elsewhere");
    assert_said(&user, "there is no backend `elsewhere`");
}

#[test]
fn who_can_not_be_asked_is_told_what_to_write() {
    let user = User::of_the_vault();
    let values = user.run(&["secrets", "set", "prod", "A", "B"]);
    let hint = "give them as `KEY=VALUE`, or in a file with `--file`";
    assert_eq!(said(&values, "hint: "), [hint], "{values:?}");
    let credentials = user.run(&["secrets", "image-pull-secret", "registry", "ghcr.io"]);
    let hint = "give `USER:TOKEN` behind the host, or `-` there and `USER:TOKEN` on stdin";
    assert_eq!(said(&credentials, "hint: "), [hint], "{credentials:?}");
}

#[test]
fn the_host_shows_what_stands_behind_two_hyphens() {
    let user = User::of_the_vault();
    let run = user.feed(&mut user.host(&words("cloud secrets run --help")), "");
    assert!(
        run.stdout.contains("[OPTIONS] [NAME] -- <PROGRAM>...\n"),
        "{run:?}"
    );
}
