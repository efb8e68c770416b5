//! Tests for `secrets list`, which prints machine-readable rows and only sets of the requested type.

use super::user::User;

#[test]
fn a_row_has_one_word_a_column() {
    for user in User::all() {
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        let host = "https://registry.example.com/v1/";
        user.done(&["secrets", "image-pull-secret", "registry", host, "u:t"]);
        let run = user.run(&["secrets", "list"]);
        let rows: Vec<Vec<&str>> = run
            .stdout
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            rows,
            [
                ["NAME", "TYPE", "REGION", "STATUS"],
                ["prod", "secret", "us-west", "ready"],
                ["registry", "image_pull_secret", "us-west", "ready"],
            ],
            "{}",
            user.name
        );
        let place = match user.name {
            "vault" => "note: the vault of this machine\n",
            "backend" => "note: organization local, the backend `vault`\n",
            "published paths" => "note: the organization of the API key, the hosting service\n",
            _ => "note: organization first-org, the hosting service\n",
        };
        assert_eq!(run.stderr, place);
        assert_eq!(user.run(&["-q", "secrets", "list"]).stderr, "");
        assert_eq!(user.run(&["--json", "secrets", "list"]).stderr, "");
    }
}

#[test]
fn what_is_no_secret_set_is_not_shown_as_one() {
    for user in User::all() {
        let host = "https://registry.example.com/v1/";
        user.done(&["secrets", "image-pull-secret", "registry", host, "u:t"]);
        let run = user.run(&["secrets", "list", "registry", "--sets"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
        assert_eq!(
            run.stderr,
            "error: `registry` is an image pull secret\n\
             hint: `bot-cli cloud secrets image-pull-secret` changes it\n"
        );
        user.done(&["secrets", "list", "registry"]);
    }
}
