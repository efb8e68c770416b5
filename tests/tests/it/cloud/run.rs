//! `secrets run`: a program that can't be started.

use std::process::Command;

use serde_json::Value;

use super::user::User;

#[test]
fn a_program_that_can_not_be_started_is_an_error() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    for (program, status, why) in [
        ("no-such-program", 127, "no such file or directory"),
        ("/etc/passwd", 126, "permission denied"),
    ] {
        let run = user.run(&["secrets", "run", "prod", "--", program]);
        assert_eq!(
            (run.status, run.stderr),
            (
                Some(status),
                format!("error: could not start `{program}`: {why}\n")
            )
        );
        // Through the host, it is the same status with the document of an error.
        let output = Command::new(user.bin().join("bot-cli"))
            .args(["--json", "cloud", "secrets", "run", "prod", "--", program])
            .env_clear()
            .envs(user.variables())
            .current_dir(user.work())
            .output()
            .unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert_eq!(document["error"]["code"], "not_started", "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_value_that_is_too_long_for_an_environment_is_named_with_its_size() {
    let user = User::of_the_vault();
    user.write("big", "c4n4ry".repeat(30_000));
    let set = [
        "secrets",
        "set",
        "prod",
        "A=1",
        "--value-from",
        "BIG=big",
        "--skip",
    ];
    let warned = user.run(&set);
    assert_eq!(
        warned.stderr.lines().next(),
        Some(
            "warning: `BIG` has 180005 bytes with its name, more than the 131072 that a variable of an \
             environment may have"
        ),
        "{warned:?}"
    );
    let run = user.run(&[
        "secrets",
        "run",
        "prod",
        "--",
        "/bin/sh",
        "-c",
        "echo started",
    ]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(126), ""));
    assert_eq!(
        run.stderr,
        "error: could not start `/bin/sh`: argument list too long\n  \
         BIG: has 180005 bytes with its name, and a variable of an environment may have 131072\n\
         hint: keep it in a file, and its path in the set\n"
    );
}

#[test]
fn values_that_are_too_long_together_are_counted() {
    let user = User::of_the_vault();
    user.write("big", "v".repeat(100_000));
    user.write("bigger", "v".repeat(120_000));
    let from: Vec<String> = (0..60)
        .map(|index| format!("KEY_{index}=big"))
        .chain(["LARGEST=bigger".to_owned()])
        .collect();
    let mut set = vec!["secrets", "set", "prod", "--skip"];
    for from in &from {
        set.extend(["--value-from", from]);
    }
    user.done(&set);
    let run = user.run(&["secrets", "run", "prod", "--", "/bin/true"]);
    assert_eq!(run.status, Some(126), "{run:?}");
    assert!(
        run.stderr
            .contains("hint: the 61 keys of the set have 6120"),
        "{run:?}"
    );
    assert!(
        run.stderr.contains("the largest is `LARGEST` with 120009"),
        "{run:?}"
    );
}

#[test]
fn a_name_that_nobody_gives_is_missed() {
    let user = User::of_the_vault();
    let run = user.run(&["secrets", "run", "--", "true"]);
    assert_eq!(run.status, Some(2));
    assert_eq!(
        run.stderr,
        "error: `name` is missing: there is no server/cloud-deploy.toml here that names one\n"
    );
}

#[test]
fn a_set_of_another_organization_of_the_vault_is_found() {
    let mut user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    user.set("BOT_CLI_ORGANIZATION", "acme");
    for arguments in [
        &["run", "prod", "--", "true"][..],
        &[
            "copy",
            "prod",
            "--to",
            "local",
            "--to-name",
            "other",
            "--skip",
        ],
    ] {
        let run = user.run(&[&["secrets"], arguments].concat());
        assert_eq!(run.status, Some(1));
        assert_eq!(
            run.stderr,
            "error: there is no secret set `prod` in the vault of this machine (organization acme)\n\
             hint: the organization `local` of the vault has one: `-o local`\n"
        );
    }
    let copy = [
        "secrets", "copy", "prod", "--to", "local", "-o", "local", "--skip",
    ];
    user.done(&copy);
    assert_eq!(user.values("prod").len(), 1);
}

#[test]
fn an_image_pull_secret_is_no_secret_set_and_is_not_looked_for_elsewhere() {
    let user = User::of_the_vault();
    let credentials = ["ghcr.io", "user:token"];
    let pull = ["secrets", "image-pull-secret", "registry"];
    user.done(&[&pull[..], &credentials].concat());
    let run = user.run(&["secrets", "run", "registry", "--", "true"]);
    assert_eq!(run.status, Some(1));
    assert_eq!(
        run.stderr,
        "error: `registry` is an image pull secret, not a secret set\n\
         hint: bot-cli cloud secrets list --sets\n"
    );
    // The same where another organization has it.
    let run = user.run(&["secrets", "run", "registry", "-o", "acme", "--", "true"]);
    assert!(!run.stderr.contains("has one"), "{run:?}");
}
