//! Tests for `secrets run` with a program that can't be started.

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
        let error = format!("error: could not start `{program}`: {why}\n");
        assert_eq!((run.status, run.stderr), (Some(status), error));
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
fn a_value_that_is_too_long_for_an_environment_starts_no_program() {
    let user = User::of_the_vault();
    user.write("big", "c4n4ry".repeat(30_000));
    user.done(&["secrets", "set", "prod", "--value-from", "BIG=big", "-s"]);
    let run = user.run(&["secrets", "run", "prod", "--", "/bin/sh", "-c", "echo hi"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(126), ""));
    assert_eq!(
        run.stderr,
        "error: could not start `/bin/sh`: argument list too long\n\
         hint: keep large values in files, and their paths in the set\n"
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
fn an_image_pull_secret_is_no_secret_set() {
    let user = User::of_the_vault();
    let pull = ["secrets", "image-pull-secret", "registry", "ghcr.io", "u:t"];
    user.done(&pull);
    let run = user.run(&["secrets", "run", "registry", "--", "true"]);
    assert_eq!(run.status, Some(1));
    assert_eq!(
        run.stderr,
        "error: `registry` is an image pull secret\n\
         hint: `bot-cli cloud secrets image-pull-secret` changes it\n"
    );
}
