//! Checks that a value appears nowhere: not on the screen, in a file, or in the arguments and environment of a child process.

mod echo;

use std::fs;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use bot_cli_tests::service::{Outcome, Provisioning};

use super::user::{Run, User, assert_in_no_file};

/// A value that needs escaping in every notation and that has a unique prefix.
const VALUE: &str = "Zq7%k/+\"é\\&c4n4ry=end";

const FORMS: &[&[&str]] = &[&[], &["--json"], &["-v"], &["-vv"], &["--json", "-vv"]];

/// Returns the forms of the value that must not appear anywhere.
fn traces() -> Vec<String> {
    let json = serde_json::to_string(VALUE).unwrap();
    let percent = |set| percent_encoding::utf8_percent_encode(VALUE, set).to_string();
    vec![
        VALUE.to_owned(),
        VALUE.chars().take(5).collect(),
        json.trim_matches('"').to_owned(),
        percent(percent_encoding::NON_ALPHANUMERIC),
        percent(percent_encoding::CONTROLS),
        form_urlencoded::byte_serialize(VALUE.as_bytes()).collect(),
        BASE64_STANDARD.encode(VALUE),
        BASE64_URL_SAFE.encode(VALUE),
        // As credentials of an image pull secret; the piece that does not depend on what stands around it.
        BASE64_STANDARD.encode(format!("user:{VALUE}")),
        format!("{VALUE:?}").trim_matches('"').to_owned(),
    ]
}

/// Runs the plugin and checks that its output does not contain the value.
fn run_unseen(user: &User, form: &[&str], words: &[String], stdin: &str) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let arguments = [form, &words].concat();
    let run = user.run_with(&arguments, stdin);
    assert_unseen(&run, &format!("{arguments:?}"));
}

fn assert_unseen(run: &Run, case: &str) {
    for trace in traces() {
        for shown in [&run.stdout, &run.stderr] {
            assert!(!shown.contains(&trace), "`{trace}`: {case}: {run:?}");
        }
    }
}

/// Returns every way to pass in a value, as arguments and standard input.
fn ways_in() -> Vec<(Vec<String>, String)> {
    let line = format!("KEY='{}'\n", VALUE.replace('\\', "\\\\"));
    let beginning: String = VALUE.chars().take(5).collect();
    let filled = |text: &str| {
        text.replace("{LINE}", &line)
            .replace("{PAIR}", "KEY={VALUE}")
            .replace("{BEGINNING}", &beginning)
            .replace("{HOST}", "https://registry.example.com/v1/")
            .replace("{VALUE}", VALUE)
    };
    let lines = include_str!("canary/ways_in.txt").lines();
    let ways = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let (words, stdin) = line.split_once(" <<< ").unwrap_or((line, ""));
        let words = shlex::split(words).unwrap();
        let words = words.iter().map(|word| filled(word)).collect();
        (words, filled(&stdin.replace("\\n", "\n")))
    });
    ways.collect()
}

/// What the service repeats of it is for the module `echo`.
#[test]
fn a_value_is_nowhere_to_be_seen_around_the_service() {
    for user in [User::with_key(), User::with_token()] {
        std::thread::scope(|scope| {
            for (words, stdin) in ways_in() {
                let user = &user;
                scope.spawn(move || {
                    for form in FORMS {
                        run_unseen(user, form, &words, &stdin);
                    }
                });
            }
        });
        for folder in [user.home(), user.work()] {
            assert_in_no_file(&folder, &traces(), user.name);
        }
    }
}

#[test]
fn a_value_is_nowhere_to_be_seen_around_the_vault() {
    let user = User::of_the_vault();
    for (words, stdin) in ways_in() {
        for form in FORMS {
            run_unseen(&user, form, &words, &stdin);
        }
    }
    for arguments in [
        &["secrets", "list"][..],
        &["secrets", "list", "prod"],
        &["secrets", "run", "prod", "--", "true"],
        &[
            "secrets", "export", "prod", "--skip", "--force", "--file", "out",
        ],
        &["secrets", "export", "prod", "--format", "docker"],
        &["secrets", "unset", "prod", "KEY", "--skip"],
        &["secrets", "delete", "prod", "--skip"],
        &["secrets", "delete", "registry", "--skip"],
    ] {
        for form in FORMS {
            let run = user.run(&[form, arguments].concat());
            assert_unseen(&run, &format!("{arguments:?}"));
        }
    }
    assert_in_no_file(&user.home(), &traces(), "the vault");
}

#[test]
fn a_value_reaches_no_child_by_its_arguments_or_environment() {
    let user = User::of_the_vault();
    let bin = user.bin();
    let plugin = bin.join("bot-cli-cloud");
    fs::rename(&plugin, bin.join("real-plugin")).unwrap();
    // What stands between the host and the plugin writes down what the plugin is started with.
    let manifest = r#"{"protocol":"1.0","name":"cloud","version":"0.0.1","about":"Write down"}"#;
    let log = user.root().join("started-with");
    let script = format!(
        "#!/bin/sh\n# bot-cli-plugin: {manifest}\nprintf '%s\\n' \"$0\" \"$@\" >> {log}\nenv >> {log}\nexec {real} \"$@\"\n",
        log = log.display(),
        real = bin.join("real-plugin").display()
    );
    user.script(&plugin, &script);
    for (words, stdin) in ways_in() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut host = user.host(&["cloud"]);
        let run = user.feed(host.args(&words), &stdin);
        assert_unseen(&run, &format!("{words:?}"));
    }
    let started = fs::read_to_string(&log).unwrap();
    assert!(started.matches("\nHOME=").count() > 10, "{started}");
    for trace in traces() {
        assert!(!started.contains(&trace), "`{trace}`: {started}");
    }
    assert_in_no_file(&user.home(), &traces(), "behind the host");
}

#[test]
fn a_reason_for_failing_that_repeats_the_value_is_not_shown() {
    let user = User::with_key();
    user.service().world().provisioning = Provisioning {
        pending_reads: 1,
        outcome: Outcome::Failed(VALUE),
    };
    let pair = format!("KEY={VALUE}");
    for form in FORMS {
        let set = ["secrets", "set", "prod", &pair, "--skip", "--wait"];
        let run = user.run(&[form, &set[..]].concat());
        assert_eq!(run.status, Some(1), "{run:?}");
        assert_unseen(&run, "set --wait");
    }
}
