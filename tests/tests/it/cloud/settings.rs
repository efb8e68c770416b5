//! Tests for settings from flags, environment variables, the configuration file and the project, and for commands that depend on them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use bot_cli_tests::service::{Access, Fault, Outcome, PERSONAL_TOKEN, Provisioning, USER_TOKEN};
use bot_cli_tests::signing_in::{sign_in, stranger};
use serde_json::{Value, json};

use super::user::{User, pairs};
use super::{script, words};

/// Asserts which organization and region a command uses, and the source of each.
#[track_caller]
fn assert_scope(user: &User, line: &str, expected: [&str; 4]) {
    let document = user.done(&words(line));
    let scope = &document["scope"];
    let seen =
        ["organization", "region"].map(|name| [&scope[name]["value"], &scope[name]["source"]]);
    let seen = seen
        .as_flattened()
        .iter()
        .map(|value| value.as_str().unwrap_or("none"));
    assert_eq!(seen.collect::<Vec<_>>(), expected, "{line}: {document}");
}

#[test]
fn a_flag_comes_before_the_environment_before_the_configuration_before_the_service() {
    let mut user = User::with_token();
    user.unset("BOT_CLI_ORGANIZATION");
    let set = "secrets set prod A=1 --skip";
    assert_scope(&user, set, ["first-org", "service", "us-west", "service"]);
    user.done(&["config", "set", "organization", "second-org"]);
    user.done(&["config", "set", "region", "us-west"]);
    assert_scope(&user, set, ["second-org", "config", "us-west", "config"]);
    user.set("BOT_CLI_ORGANIZATION", "first-org");
    user.set("BOT_CLI_REGION", "us-east");
    let made = "secrets set other A=1 --skip";
    let expected = ["first-org", "environment", "us-east", "environment"];
    assert_scope(&user, made, expected);
    let flags = "secrets set other A=1 --skip -o second-org -r ap-south";
    assert_scope(&user, flags, ["second-org", "flag", "ap-south", "flag"]);
    let stored = user.service().stored();
    assert_eq!(stored["first-org"]["other"]["region"], "us-east");
    assert_eq!(stored["second-org"]["prod"]["region"], "us-west");
    assert_eq!(stored["second-org"]["other"]["region"], "ap-south");
}

#[test]
fn a_region_is_asked_of_the_right_organization() {
    let user = User::with_token();
    let set = "secrets set prod A=1 --skip -r ap-south -o";
    let of = |organization| format!("{set} {organization}");
    user.fails(&words(&of("first-org")), 2, "unknown_region");
    user.done(&words(&of("second-org")));
    user.fails(&words(&of("third-org")), 4, "not_allowed");
}

#[test]
fn an_organization_that_can_not_be_checked_is_said_to_be_unchecked() {
    let user = User::of_the_vault();
    let unchecked = "warning: the vault has nothing of `acme` yet";
    let run = user.run(&["organizations", "use", "acme"]);
    assert!(run.stderr.starts_with(unchecked), "{run:?}");
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    assert_eq!(user.run(&["organizations", "use", "acme"]).stderr, "");
}

#[test]
fn that_the_vault_is_used_is_noted_once_a_machine() {
    let mut user = User::of_the_vault();
    user.unset("BOT_CLI_BACKEND");
    let noted = "note: not signed in: using this machine's vault";
    let first = user.run(&["secrets", "list"]);
    assert!(first.stderr.starts_with(noted), "{first:?}");
    let cure = "`bot-cli cloud config set backend local`";
    assert!(first.stderr.contains(cure), "{first:?}");
    let second = user.run(&["secrets", "list"]);
    assert!(!second.stderr.contains(noted), "{second:?}");
    // Where it can't be remembered, it is said again.
    user.set("XDG_DATA_HOME", "/dev/null/nowhere");
    for _ in 0..2 {
        let run = user.run(&["secrets", "list"]);
        assert!(run.stderr.contains(noted), "{run:?}");
    }
}

#[test]
fn a_variable_that_is_not_utf_8_is_an_error_and_sends_nothing() {
    let user = User::with_token();
    for name in [
        "BOT_CLI_API_URL",
        "BOT_CLI_TOKEN",
        "BOT_CLI_ORGANIZATION",
        "BOT_CLI_REGION",
        "BOT_CLI_BACKEND",
        "BOT_CLI_TIMEOUT",
        "BOT_CLI_KEYRING",
    ] {
        let mut command = user.command(&["--json", "secrets", "list"]);
        let run = user.feed(command.env(name, OsStr::from_bytes(b"c4n4ry\xff")), "");
        assert_eq!(run.status, Some(2), "{name}: {run:?}");
        let field = &run.document()["error"]["fields"][0];
        assert_eq!(field["field"], name, "{run:?}");
        assert_eq!(field["problem"], "is not UTF-8", "{run:?}");
        assert!(!run.stdout.contains("c4n4ry") && !run.stderr.contains("c4n4ry"));
    }
    assert_eq!(user.service().sent().len(), 0);
}

#[test]
fn a_token_of_the_environment_may_end_with_a_line_end_and_has_nothing_else() {
    let mut user = User::with_token();
    for end in ["\n", "\r\n", " \n"] {
        user.set("BOT_CLI_TOKEN", &format!("{PERSONAL_TOKEN}{end}"));
        user.done(&["secrets", "list"]);
    }
    drop(user.service().take_sent());
    for token in ["c4n4ry a", "c4n4ry\na", "c4n4ry\u{1b}[2J", "c4n4ry\u{200b}"] {
        user.set("BOT_CLI_TOKEN", token);
        let run = user.run(&["secrets", "list"]);
        assert_eq!(run.status, Some(4), "{run:?}");
        let refused =
            "BOT_CLI_TOKEN has characters that no token has, so the service was not asked";
        assert!(run.stderr.contains(refused), "{run:?}");
        assert!(!run.stderr.contains("c4n4ry"), "{run:?}");
    }
    assert_eq!(user.service().take_sent(), [""; 0]);
}

#[test]
fn a_change_of_the_configuration_keeps_comments_and_links() {
    let user = User::of_the_vault();
    let folder = user.home().join(".config/bot-cli");
    let dotfiles = user.home().join("dotfiles");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(&dotfiles).unwrap();
    let target = dotfiles.join("bot-cli.toml");
    let link = folder.join("config.toml");
    fs::write(&target, "# mine\nregion = \"us-east\" # near\n").unwrap();
    std::os::unix::fs::symlink("../../dotfiles/bot-cli.toml", &link).unwrap();
    user.done(&["config", "set", "region", "us-west"]);
    user.done(&["config", "set", "timeout", "5"]);
    assert!(link.is_symlink());
    let text = fs::read_to_string(&target).unwrap();
    assert_eq!(
        text,
        "# mine\nregion = \"us-west\" # near\ntimeout = \"5\"\n"
    );

    // What can't be reached is not taken for nothing.
    fs::remove_file(&target).unwrap();
    for arguments in [&["secrets", "list"][..], &["config", "set", "timeout", "5"]] {
        user.fails(arguments, 2, "invalid_config");
    }
    assert!(link.is_symlink() && !target.exists());
}

#[test]
fn the_status_names_user_and_organization() {
    let mut user = User::with_token();
    let assert_status = |user: &User, who: &str, organization: &str| {
        let run = user.run(&["auth", "status"]);
        let signed_in = format!("Signed in to [SERVICE]{who} (BOT_CLI_TOKEN)\n{organization}");
        assert_eq!((run.status, run.stdout), (Some(0), signed_in));
    };
    let of_the_service = "Organization: first-org (service)\n";
    let (with_name, with_token) = (
        " as user@example.com with a token of your own",
        " with a token of your own",
    );
    assert_status(&user, with_name, "Organization: first-org (environment)\n");
    user.unset("BOT_CLI_ORGANIZATION");
    assert_status(&user, with_name, of_the_service);
    let document = user.done(&["auth", "status"]);
    assert_eq!(document["user"], "user@example.com");
    let expected = json!({"value": "first-org", "source": "service"});
    assert_eq!(document["organization"], expected);
    // Without the name it is as true.
    for fault in [Fault::Reset, Fault::html(500), Fault::json(200, "{}")] {
        user.service().fail("GET", "/v1/users", &fault);
        assert_status(&user, with_token, of_the_service);
        user.service().heal();
    }
    assert_status(&User::with_key(), " with a private API key", "");
}

#[test]
fn a_configuration_that_is_broken_is_named_and_kept() {
    let user = User::of_the_vault();
    let path = user.home().join(".config/bot-cli/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for text in ["organization = ", "organisation = \"x\"\n", "region = 7\n"] {
        fs::write(&path, text).unwrap();
        let error = user.fails(&["secrets", "list"], 2, "invalid_config");
        assert!(error.to_string().contains("config.toml"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn inside_a_project_the_deploy_file_names_the_set_and_it_is_said() {
    for user in [User::of_the_vault(), User::with_token()] {
        let text = "agent_name = \"my-bot\"\nsecret_set = \"my-bot-secrets\"\n";
        user.write("server/cloud-deploy.toml", text);
        let run = user.run(&["secrets", "set", "A=1", "--skip"]);
        assert_eq!(run.status, Some(0), "{}: {run:?}", user.name);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("cloud-deploy.toml"), "{said}");
        assert_eq!(user.values("my-bot-secrets"), pairs(&[("A", "1")]));
    }
}

#[test]
fn waiting_goes_on_until_ready_or_failed() {
    let (set, waiting) = (
        words("secrets set prod A=1 --skip"),
        words("secrets set prod A=1 --skip --wait"),
    );
    for user in [User::with_key(), User::with_token()] {
        let provision = |outcome| {
            user.service().world().provisioning = Provisioning {
                pending_reads: 2,
                outcome,
            };
        };
        provision(Outcome::Ready);
        assert_eq!(user.done(&waiting)["status"], "ready", "{}", user.name);
        assert_eq!(user.done(&set)["status"], "pending", "{}", user.name);
        provision(Outcome::Failed("no room in this region"));
        let error = user.fails(&waiting, 1, "provisioning_failed");
        assert!(error.to_string().contains("no room in this region"));
    }
}

#[test]
fn what_looks_wrong_is_warned_about_without_being_shown() {
    let user = User::of_the_vault();
    for (value, warning) in [
        ("your-api-key", "looks like a placeholder"),
        ("  c4n4ry", "has a blank at an edge"),
    ] {
        let run = user.run(&["secrets", "set", "prod", &format!("KEY={value}"), "--skip"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let warning = format!("warning: the value of `KEY` {warning}\n");
        assert!(run.stderr.contains(&warning), "{run:?}");
        assert_eq!(run.stderr.matches("warning: ").count(), 1, "{run:?}");
        assert!(!run.stderr.contains(value), "{run:?}");
    }
}

#[test]
fn a_template_names_the_keys_that_are_still_missing() {
    for user in [User::of_the_vault(), User::with_token()] {
        user.write(".env.example", "# needed\nA=\nB=your-key\n# OPTIONAL=1\n");
        let set = words("secrets set prod A=1 --skip --from-template .env.example");
        let made = user.done(&set);
        assert_eq!(made["missing"], json!(["B"]), "{}: {made}", user.name);
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    }
}

#[test]
fn a_script_drives_the_plugin_by_the_protocol() {
    let user = User::of_the_vault();
    let run = |line: &str, answers: Value| script(&user, line, &answers).pop().unwrap();
    let reply = run("secrets set prod A", json!({}));
    assert_eq!(reply["error"]["data"]["code"], "input_required", "{reply}");
    let answers = json!({"value_A": "typed", "confirm": false});
    let refused = run("secrets set prod A", answers);
    let expected = json!({"code": 130, "message": "cancelled", "data": {"code": "cancelled", "outcome": "not_done"}});
    assert_eq!(refused["error"], expected, "{refused}");
    let answers = json!({"value_A": "typed", "confirm": true});
    let reply = run("secrets set prod A", answers);
    assert_eq!(reply["result"]["data"]["created"], json!(["A"]), "{reply}");
    assert_eq!(user.values("prod"), pairs(&[("A", "typed")]));
    let reply = run("secrets delete prod", json!({"name": "prod"}));
    assert_eq!(reply["result"]["data"]["name"], "prod", "{reply}");
}

#[test]
fn what_goes_without_saying_of_the_vault_is_said_to_whoever_asks() {
    let mut user = User::of_the_vault();
    let shown = |user: &User, options: &[&str]| {
        let set = ["secrets", "set", "prod", "A=1", "--dry-run"];
        let run = user.run(&[&set, options].concat());
        run.stdout.lines().next().unwrap_or_default().to_owned()
    };
    let first = |place: &str| format!("Create the secret set `prod` in {place}");
    let vault = "the vault of this machine";
    assert_eq!(shown(&user, &[]), first(vault));
    let default = "organization local, region us-west (the default)";
    for (options, place) in [
        (&["-v"][..], default),
        (&["-o", "local"], "organization local"),
        (&["-r", "us-west"], "region us-west"),
        (&["-r", "us-east"], "region us-east"),
    ] {
        assert_eq!(shown(&user, options), first(&format!("{place}, {vault}")));
    }
    user.set("BOT_CLI_REGION", "us-west");
    let chosen = first(&format!("region us-west, {vault}"));
    assert_eq!(shown(&user, &[]), chosen);
}

#[test]
fn a_token_of_an_unknown_kind_finds_its_paths() {
    let mut user = User::with_token();
    user.set("BOT_CLI_TOKEN", USER_TOKEN);
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let key = Access::Key("first-org".to_owned());
    let service = user.service();
    service.world().tokens.insert("no-prefix".to_owned(), key);
    user.set("BOT_CLI_TOKEN", "no-prefix");
    user.done(&["secrets", "set", "prod", "B=1", "--skip"]);
    assert_eq!(user.values("prod"), pairs(&[("A", "1"), ("B", "1")]));
}

#[test]
fn a_token_is_enough_where_nobody_has_a_home() {
    let mut user = User::with_key();
    user.unset("HOME");
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    user.done(&["secrets", "list"]);
    user.fails(&["config", "set", "region", "us-east"], 1, "no_home");
    let mut user = User::of_the_vault();
    user.unset("HOME");
    user.fails(&["secrets", "list"], 1, "no_home");
}

#[test]
fn a_fifo_in_the_place_of_a_file_is_refused_and_not_waited_for() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    user.done(&["config", "set", "timeout", "5"]);
    for (path, command) in [
        (".config/bot-cli/config.toml", &["config", "show"][..]),
        (".local/share/bot-cli/vault/vault.key", &["vault", "verify"]),
    ] {
        let path = user.home().join(path);
        fs::remove_file(&path).unwrap();
        let mut mkfifo = std::process::Command::new("mkfifo");
        let made = mkfifo.args(["-m", "600"]).arg(&path).status();
        assert!(made.unwrap().success());
        let run = user.run(command);
        assert_ne!(run.status, Some(0), "{run:?}");
        assert!(run.stderr.contains("it is not a regular file"), "{run:?}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_variable_that_is_not_set_is_not_spoken_of() {
    let signed_in = stranger();
    signed_in.service().world().issuer.refreshes = false;
    sign_in(&signed_in);
    for (user, is_set) in [(User::with_token(), true), (signed_in, false)] {
        user.service().world().tokens.clear();
        let run = user.run(&["secrets", "list"]);
        assert_eq!(run.status, Some(4), "{run:?}");
        let hint = "BOT_CLI_TOKEN is set and wins";
        assert_eq!(run.stderr.contains(hint), is_set, "{run:?}");
    }
}
