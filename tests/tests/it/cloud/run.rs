//! Tests for `secrets run` with a program that can't be started.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::user::User;
use super::words;

#[test]
fn a_program_that_can_not_be_started_is_an_error() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    for (program, status, why) in [
        ("no-such-program", 127, "no such file or directory"),
        ("/etc/passwd", 126, "permission denied"),
    ] {
        let run = user.run(&["secrets", "run", "prod", "--", program]);
        let error = format!("error: could not start `{program}`: {why}\n");
        assert_eq!((run.status, run.stderr), (Some(status), error));
        // Through the host, it is the same status with the document of an error.
        let words = ["--json", "cloud", "secrets", "run", "prod", "--", program];
        let run = user.feed(&mut user.host(&words), "");
        assert_eq!(run.status, Some(status), "{run:?}");
        assert_eq!(run.document()["error"]["code"], "not_started", "{run:?}");
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn a_set_that_replaces_the_search_path_is_blamed_for_a_missing_program() {
    let user = User::of_the_vault();
    let set = "secrets set prod A=1 PATH=/none LD_SDK_KEY=2 BOT_CLI_TOKEN=3 HOME=/none -s";
    let run = user.run(&words(set));
    let warning = "warning: the set replaces variables of the system or of bot-cli: \
        `PATH`, `BOT_CLI_TOKEN`, `HOME`; programs started with it may fail\n";
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.starts_with(warning), "{run:?}");
    let run = user.run(&words("secrets run prod -- sh -c true"));
    let unset = "secrets unset prod PATH";
    let error = format!(
        "error: could not start `sh`: no such file or directory\n\
         hint: the set replaces `PATH`; `bot-cli cloud {unset}` removes it\n"
    );
    assert_eq!((run.status, run.stderr), (Some(127), error));
    // A program that is not searched for has another problem.
    let run = user.run(&words("secrets run prod -- /none/sh"));
    assert!(!run.stderr.contains("hint:"), "{run:?}");
    user.done(&[&words(unset)[..], &["--skip"]].concat());
    let run = user.run(&words("secrets run prod -- sh -c true"));
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[test]
fn a_program_gets_several_sets_and_no_more_than_it_is_to_get() {
    let mut user = User::of_the_vault();
    user.done(&words("secrets set shared A=1 B=2 --skip"));
    user.done(&words("secrets set prod B=3 C=4 --skip"));
    user.set("OTHER", "5");
    let env = |line: &str| {
        let run = user.run(&words(&format!("secrets run {line} -- /usr/bin/env")));
        assert_eq!(run.status, Some(0), "{run:?}");
        let mut found: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
        found.retain(|line| {
            !["HOME", "PATH", "BOT_CLI"]
                .iter()
                .any(|it| line.starts_with(it))
        });
        found.sort();
        (found.join(" "), run.stderr)
    };
    let said = |text: &str| format!("note: {text}\n");
    for (line, found, note) in [
        (
            "shared prod",
            "A=1 B=3 C=4 OTHER=5",
            said("`prod` replaces B of `shared`"),
        ),
        (
            "prod shared",
            "A=1 B=2 C=4 OTHER=5",
            said("`shared` replaces B of `prod`"),
        ),
        ("shared --only A --no-inherit", "A=1", String::new()),
    ] {
        assert_eq!(env(line), (found.to_owned(), note), "{line}");
    }
    let run = user.run(&words("secrets run prod --no-inherit -- /usr/bin/env"));
    assert!(
        run.stdout.contains("PATH=") && run.stdout.contains("HOME="),
        "{run:?}"
    );
    assert!(!run.stdout.contains("BOT_CLI"), "{run:?}");
    for (key, message) in [
        ("C_D", "there is no key `C_D` in `shared` or `prod`"),
        ("sk-c4n4ry", "there is no such key in `shared` or `prod`"),
    ] {
        let line = [
            "secrets", "run", "shared", "prod", "--only", key, "--", "true",
        ];
        assert_eq!(user.fails(&line, 1, "not_found")["message"], message);
    }
}

#[test]
fn a_value_that_is_too_long_for_an_environment_starts_no_program() {
    let user = User::of_the_vault();
    user.write("big", "c4n4ry".repeat(30_000));
    // With its key and a final NUL byte, one character less is too long by one.
    user.write("fits", "c".repeat(128 * 1024 - "FITS=".len() - 1));
    let set = words("secrets set prod --value-from BIG=big --value-from FITS=fits -s");
    let run = user.run(&set);
    assert_eq!(run.status, Some(0), "{run:?}");
    let problem = "is longer than 128 KiB, so Linux starts no program with it";
    let warning = format!("warning: the value of `BIG` {problem}\n");
    assert!(run.stderr.contains(&warning), "{run:?}");
    assert_eq!(run.stderr.matches(problem).count(), 1, "{run:?}");
    let run = user.run(&["secrets", "run", "prod", "--", "/bin/sh", "-c", "echo hi"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(126), ""));
    let error = format!(
        "error: could not start `/bin/sh`: argument list too long\n  BIG: {problem}\n\
         hint: keep large values in files, and their paths in the set\n"
    );
    assert_eq!(run.stderr, error);
    user.done(&words("secrets unset prod BIG -s"));
    let run = user.run(&words("secrets run prod -- true"));
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[test]
fn arguments_in_any_encoding_reach_the_program() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let latin = OsStr::from_bytes(b"caf\xe9");
    let test = words("secrets run prod -- sh -c");
    for mut door in [user.host(&["cloud"]), user.command(&[])] {
        let script = r#"[ "$(printf '%s' "$0" | wc -c)" = 4 ]"#;
        let run = user.feed(door.args(&test).arg(script).arg(latin), "");
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    let mut host = user.host(&["--json", "cloud"]);
    let run = user.feed(host.args(&test).arg(latin), "");
    assert_eq!(run.status, Some(2), "{run:?}");
    let message = &run.document()["error"]["message"];
    assert_eq!(message, "an argument is not UTF-8");
}

#[test]
fn a_set_that_can_not_be_had_starts_no_program() {
    let user = User::of_the_vault();
    user.done(&["secrets", "image-pull-secret", "registry", "ghcr.io", "u:t"]);
    let missing = "error: `name` is missing: there is no default outside a project\n\
        hint: bot-cli cloud secrets run --help\n";
    let pull = "error: `registry` is an image pull secret\n\
        hint: `bot-cli cloud secrets image-pull-secret` changes it\n";
    for (name, status, said) in [(None, 2, missing), (Some("registry"), 1, pull)] {
        let words = ["secrets", "run"].into_iter().chain(name);
        let run = user.run(&words.chain(["--", "true"]).collect::<Vec<_>>());
        assert_eq!((run.status, run.stderr.as_str()), (Some(status), said));
    }
    // A project without its set is shown the way to it.
    user.write("server/cloud-deploy.toml", "secret_set = \"prod\"\n");
    user.write("server/.env.example", "A=\n");
    let run = user.run(&["secrets", "run", "--", "true"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let hint = "hint: bot-cli cloud secrets set prod --from-template server/.env.example\n";
    assert!(run.stderr.ends_with(hint), "{run:?}");
}
