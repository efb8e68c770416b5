//! Checks that suggested fixes and next steps work when followed.

use super::user::{Run, User};

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
