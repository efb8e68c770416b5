//! Backends with their own executables: discovery, selection, settings and use.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::user::{User, pairs};
use super::words;

/// Returns a user with secrets in the local vault and with a backend installed.
fn with_both() -> User {
    let mut user = User::of_a_backend();
    user.unset("BOT_CLI_BACKEND");
    user
}

fn script(user: &User, name: &str, manifest: &str) {
    let file = user.plugins().join(format!("bot-cli-secrets-{name}"));
    let text = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\ntouch \"$0.started\"\nexit 1\n");
    user.script(&file, &text);
}

fn manifest(name: &str, secrets: &str) -> String {
    format!(
        r#"{{"protocol":"1.0","name":"secrets-{name}","version":"3.1.0","about":"Keep secrets","role":"secrets-backend","secrets":"{secrets}"}}"#
    )
}

#[test]
fn a_backend_is_chosen_by_option_variable_and_configuration() {
    let mut user = with_both();
    let chosen = |user: &User, arguments: &[&str]| {
        let listed = user.done(&[&["secrets", "list"], arguments].concat());
        listed["scope"]["backend"].clone()
    };
    let of = |value: &str, source: &str| json!({ "value": value, "source": source });
    assert_eq!(chosen(&user, &[]), of("local", "default"));
    assert_eq!(
        chosen(&user, &["--backend", "sample"]),
        of("sample", "flag")
    );
    user.done(&["config", "set", "backend", "sample"]);
    assert_eq!(chosen(&user, &[]), of("sample", "config"));
    assert_eq!(chosen(&user, &["--backend", "local"]), of("local", "flag"));
    user.set("BOT_CLI_BACKEND", "local");
    assert_eq!(chosen(&user, &[]), of("local", "environment"));
    user.set("BOT_CLI_BACKEND", "sample");
    assert_eq!(chosen(&user, &[]), of("sample", "environment"));
    let listed = user.done(&["secrets", "list"]);
    assert_eq!(listed["scope"]["place"], "organization home");
    assert_eq!(listed["scope"]["organization"], of("home", "backend"));
    assert_eq!(listed["scope"]["api_url"], json!(null));
}

#[test]
fn settings_of_a_backend_are_its_own_and_reach_it_alone() {
    let user = with_both();
    user.done(&words("secrets set prod A=1 --backend sample -s"));
    let other = user.root().join("other.json").display().to_string();
    let set = user.done(&["config", "set", "sample.file", &other]);
    assert_eq!(set["key"], "sample.file");
    let file = user.home().join(".config/bot-cli/backends.toml");
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written, format!("[sample]\nfile = \"{other}\"\n"));
    let sets = |arguments: &[&str]| {
        let listed = user.done(&[&["secrets", "list"], arguments].concat());
        listed["sets"].as_array().unwrap().len()
    };
    let sample = ["--backend", "sample"];
    assert_eq!(sets(&sample), 0, "the other file is empty");
    assert_eq!(sets(&["--backend", "local"]), 0);
    user.done(&["config", "set", "sample.file", ""]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "");
    assert_eq!(sets(&sample), 1);
    // What is configured for the service and the vault is not for another backend, which has its own.
    user.done(&["config", "set", "organization", "acme"]);
    assert_eq!(sets(&sample), 1);
    user.done(&["config", "set", "sample.organization", "other"]);
    let listed = user.done(&["secrets", "list", "--backend", "sample"]);
    let expected = json!({ "value": "other", "source": "config" });
    assert_eq!(listed["scope"]["organization"], expected);
    assert_eq!(listed["sets"], json!([]));
    assert_eq!(sets(&["--backend", "sample", "-o", "home"]), 1);

    let unknown = "key: must be `NAME.KEY`, with the name of a backend that is installed";
    for (key, code, hint) in [
        ("sample.fiel", "unknown_setting", "did you mean `file`?"),
        ("samle.file", "unknown_backend", "did you mean `sample`?"),
        ("local.file", "invalid_input", unknown),
    ] {
        let set = ["config", "set", key, "x"];
        user.fails(&set, 2, code);
        let run = user.run(&set);
        assert!(run.stderr.contains(hint), "{key}: {run:?}");
    }
}

#[test]
fn a_setting_that_the_backend_does_not_have_or_needs_is_named() {
    let user = with_both();
    let text = manifest("needy", "1.0").replace(
        r#""secrets":"1.0""#,
        r#""secrets":"1.0","settings":[{"name":"zone","about":"Where","required":true}]"#,
    );
    script(&user, "needy", &text);
    let list = ["secrets", "list", "--backend", "needy"];
    let run = user.run(&list);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (
            Some(2),
            "error: the backend `needy` needs its setting `zone`\n\
             hint: bot-cli cloud config set needy.zone VALUE\n"
        )
    );
    let folder = user.home().join(".config/bot-cli");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("backends.toml"), "[needy]\nzoen = 'a'\n").unwrap();
    let run = user.run(&list);
    assert_eq!(
        run.stderr,
        "error: the backend `needy` has no setting `zoen`\n\
         hint: did you mean `zone`?\n\
         hint: `bot-cli cloud config set needy.zoen ''` removes it\n"
    );
    user.done(&["config", "set", "needy.zoen", ""]);
    assert!(
        !user
            .plugins()
            .join("bot-cli-secrets-needy.started")
            .exists()
    );
}

#[test]
fn a_program_runs_with_the_values_of_a_backend() {
    let mut user = with_both();
    user.set("BOT_CLI_TOKEN", "pcc_pat_forTheServiceOnly");
    let at = ["--backend", "sample"];
    user.done(&[&["secrets", "set", "prod", "A=one", "B=two", "-s"], &at[..]].concat());
    let show = ["--", "sh", "-c", "echo $A $B ${BOT_CLI_TOKEN-none}"];
    let run = user.run(&[&["secrets", "run", "prod"], &at[..], &show].concat());
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "one two none\n")
    );
    // What never gives values back is left out where nobody names it, and refused where somebody does.
    user.set("BOT_CLI_BACKEND", "hosted");
    user.fails(&["secrets", "run", "prod", "--", "true"], 1, "not_found");
    let named = words("secrets run prod --backend hosted -- true");
    let run = user.run(&named);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (
            Some(2),
            "error: the hosting service never gives values back, so no program can be started with them\n"
        )
    );
}

#[test]
fn a_set_is_copied_between_any_two_backends() {
    let user = with_both();
    let host = "https://registry.example.com/v1/";
    user.done(&words("secrets set prod A=1 B=2 -s --backend local"));
    let pull = ["secrets", "image-pull-secret", "pull", host, "u:t"];
    user.done(&[&pull[..], &["--backend", "local"]].concat());
    for name in ["prod", "pull"] {
        let copy = ["secrets", "copy", name, "--to", "sample", "-s"];
        let plan = user.done(&[&copy[..], &["--dry-run"]].concat());
        assert_eq!(plan["dry_run"], true);
        let copied = user.done(&copy);
        assert_eq!(copied["from"]["backend"], "local", "{copied}");
        assert_eq!(copied["scope"]["backend"]["value"], "sample", "{copied}");
    }
    let values = |backend| {
        let run = user.run(&["secrets", "run", "prod", "--backend", backend, "--", "env"]);
        let lines: Vec<&str> = run.stdout.lines().collect();
        ["A=1", "B=2"].map(|line| lines.contains(&line))
    };
    assert_eq!(values("sample"), [true, true]);
    for name in ["prod", "pull"] {
        user.done(&["secrets", "delete", name, "--backend", "local", "-s"]);
        user.done(&words(&format!(
            "secrets copy {name} --from sample --to local -s"
        )));
    }
    assert_eq!(values("local"), [true, true]);
    let listed = user.done(&["secrets", "list", "--backend", "local"]);
    assert_eq!(listed["sets"].as_array().unwrap().len(), 2);
    // Within one backend, a copy needs another name or another place.
    let within = words("secrets copy prod --from sample --to sample -s");
    user.fails(&within, 2, "invalid_input");
    user.done(&[&within[..], &["--to-name", "second"]].concat());
}

#[test]
fn organizations_regions_and_status_are_those_of_the_backend() {
    let user = User::of_a_backend();
    user.done(&["secrets", "set", "prod", "A=1", "-o", "acme", "-s"]);
    let all = user.done(&["organizations", "list"]);
    assert_eq!(all["organizations"][0]["name"], "acme", "{all}");
    user.fails(&["organizations", "use", "acem"], 1, "not_found");
    let chosen = user.done(&["organizations", "use", "acme"]);
    let file = chosen["config"].as_str().unwrap();
    assert!(file.ends_with("backends.toml"), "{chosen}");
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    let status = user.done(&["auth", "status"]);
    assert_eq!(status["backend"], "sample");
    assert_eq!(status["place"], "organization acme");
    let regions = user.done(&["regions", "list"]);
    assert_eq!(regions["default"], "us-west");
    assert_eq!(regions["regions"].as_array().unwrap().len(), 3);
    let shown = user.run(&["config", "show"]);
    let settings = "sample.organization  acme";
    assert!(shown.stdout.contains(settings), "{shown:?}");
}

#[test]
fn the_region_of_a_project_is_taken_where_the_backend_has_it() {
    let user = User::of_a_backend();
    user.write(
        "server/cloud-deploy.toml",
        "secret_set = \"bot\"\nregion = \"eu-central\"\n",
    );
    let made = user.done(&["secrets", "set", "A=1", "--skip"]);
    assert_eq!(
        (made["name"].as_str(), made["region"].as_str()),
        (Some("bot"), Some("eu-central"))
    );
    user.write(
        "server/cloud-deploy.toml",
        "secret_set = \"two\"\nregion = \"mars\"\n",
    );
    let made = user.done(&["secrets", "set", "A=1", "--skip"]);
    assert_eq!(made["region"], "us-west");
}

#[test]
fn a_backend_that_can_not_be_used_is_one_line_with_the_mend() {
    let user = with_both();
    script(&user, "later", &manifest("later", "2.0"));
    script(
        &user,
        "other",
        &manifest("other", "1.0").replace("secrets-backend", "provider-pack"),
    );
    script(
        &user,
        "picky",
        &manifest("picky", "1.0").replace(
            r#""secrets":"1.0""#,
            r#""secrets":"1.0","requires":{"bot-cli-cloud":">=7"}"#,
        ),
    );
    script(&user, "open", &manifest("open", "1.0"));
    let open = user.plugins().join("bot-cli-secrets-open");
    let mode = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(open, mode).unwrap();
    for (name, line) in [
        (
            "later",
            "it has secrets 2.0, bot-cli-cloud 0.1.0 knows 1.0; install versions of both that fit each other",
        ),
        (
            "picky",
            "it requires bot-cli-cloud >=7, this is 0.1.0; install versions of both that fit each other",
        ),
        (
            "other",
            "its role is `provider-pack`, not `secrets-backend`; its author changes the role in its manifest, or the name of the file",
        ),
    ] {
        let run = user.run(&["secrets", "list", "--backend", name]);
        let first = run.stderr.lines().next().unwrap_or_default();
        assert_eq!(
            first,
            format!("error: can't use the backend `{name}`: {line}"),
            "{run:?}"
        );
        assert_eq!(run.status, Some(1), "{run:?}");
    }
    user.fails(
        &["secrets", "list", "--backend", "open"],
        1,
        "backend_refused",
    );
    // None of them was started, and what is built in works on.
    let started = std::fs::read_dir(user.plugins()).unwrap();
    let names = started.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let started: Vec<String> = names.filter(|name| name.ends_with("started")).collect();
    assert_eq!(started, [""; 0]);
    user.done(&["secrets", "list"]);
    user.done(&["secrets", "list", "--backend", "sample"]);
}

#[test]
fn an_executable_in_the_name_of_a_built_in_backend_is_never_started() {
    let user = with_both();
    for name in ["local", "hosted"] {
        script(&user, name, &manifest(name, "1.0"));
    }
    user.done(&["secrets", "set", "prod", "A=1", "-s"]);
    user.done(&["secrets", "list", "--backend", "local"]);
    user.fails(
        &["secrets", "list", "--backend", "hosted"],
        4,
        "not_signed_in",
    );
    for name in ["local", "hosted"] {
        let started = format!("bot-cli-secrets-{name}.started");
        assert!(!user.plugins().join(started).exists());
    }
}

#[test]
fn a_missing_backend_stays_the_choice_until_it_is_back() {
    let user = User::of_a_backend();
    user.done(&["secrets", "set", "prod", "A=1", "-s"]);
    let file = user.plugins().join("bot-cli-secrets-sample");
    let away = user.root().join("away");
    std::fs::rename(&file, &away).unwrap();
    let run = user.run(&["secrets", "list"]);
    assert_eq!(
        run.stderr,
        "error: there is no backend `sample`\n  \
         --backend: must be `local`, `hosted` or a backend that is installed (from the environment)\n\
         hint: backends: local, hosted; another one is an executable `bot-cli-secrets-NAME` where `bot-cli plugin list` looks\n"
    );
    let set = user.run(&["secrets", "set", "prod", "A=1", "-s"]);
    assert_eq!(set.stderr, run.stderr);
    let shown = user.run(&["config", "show"]);
    assert_eq!(shown.status, Some(0), "{shown:?}");
    assert!(
        shown.stderr.contains("there is no backend `sample`"),
        "{shown:?}"
    );
    std::fs::rename(&away, &file).unwrap();
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
}

#[test]
fn a_missing_backend_of_the_configuration_is_taken_out_by_the_line_of_the_hint() {
    let user = with_both();
    user.done(&["config", "set", "backend", "sample"]);
    std::fs::remove_file(user.plugins().join("bot-cli-secrets-sample")).unwrap();
    let run = user.run(&["secrets", "list"]);
    let hint = "hint: bot-cli cloud config set backend ''\n";
    assert!(run.stderr.contains(hint), "{run:?}");
    user.done(&["config", "set", "backend", ""]);
    user.done(&["secrets", "list", "--backend", "local"]);
    let run = user.run(&["secrets", "list"]);
    assert!(!run.stderr.contains("no backend"), "{run:?}");
}

#[test]
fn backends_and_their_settings_are_completed_and_none_is_started() {
    let user = with_both();
    script(&user, "acme", &manifest("acme", "1.0"));
    script(&user, "later", &manifest("later", "2.0"));
    let complete = |words: &[&str]| -> Vec<String> {
        let completions = user.completions(words);
        let words = completions
            .lines()
            .filter_map(|line| line.split('\t').next());
        words.map(str::to_owned).collect()
    };
    let all = ["local", "hosted", "acme", "sample"];
    assert_eq!(complete(&["secrets", "list", "--backend", ""]), all);
    assert_eq!(complete(&["secrets", "copy", "prod", "--to", ""]), all);
    assert_eq!(
        complete(&["config", "set", "sample."]),
        ["sample.file", "sample.organization", "sample.region"]
    );
    assert!(!user.plugins().join("bot-cli-secrets-acme.started").exists());
}

#[test]
fn a_file_of_settings_that_can_not_be_read_stops_only_whom_it_is_for() {
    let user = with_both();
    let folder = user.home().join(".config/bot-cli");
    std::fs::create_dir_all(&folder).unwrap();
    let list = ["secrets", "list", "--backend", "sample"];
    for text in ["[sample\n", "[sample]\nfile = 7\n"] {
        std::fs::write(folder.join("backends.toml"), text).unwrap();
        user.done(&words("secrets set prod A=1 -s --backend local"));
        user.done(&["secrets", "list"]);
        user.done(&["config", "show"]);
        user.fails(&list, 2, "invalid_config");
    }
    // Another backend's table is another's.
    std::fs::write(folder.join("backends.toml"), "[other]\nzone = 7\n").unwrap();
    user.done(&list);
}
