//! Tests for signing in and out with a browser, a token, another client's file, and invalid files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use bot_cli_tests::service::PERSONAL_TOKEN;
use bot_cli_tests::signing_in::{credentials, forms, sign_in, stranger};
use serde_json::{Value, json};

#[test]
fn a_browser_signs_in() {
    let user = stranger();
    for arguments in [["secrets", "list"], ["auth", "status"]] {
        let error = user.fails(&arguments, 4, "not_signed_in");
        assert_eq!(error["hints"][0], "bot-cli cloud auth login");
    }
    sign_in(&user);
    assert_eq!(user.done(&["secrets", "list"])["sets"], json!([]));
    user.done(&["auth", "status"]);
    let mode = fs::metadata(credentials(&user))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let organizations = user.done(&["organizations", "list"]);
    assert_eq!(organizations["organizations"][0]["name"], "first-org");
    user.done(&["organizations", "use", "second-org"]);
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let stored = user.service().stored();
    assert_eq!(stored["second-org"]["prod"]["region"], "ap-south");
}

#[test]
fn a_token_is_renewed_shortly_before_its_end() {
    let user = stranger();
    user.service().world().issuer.expires_in = 20;
    sign_in(&user);
    user.service().world().issuer.expires_in = 86_400;
    user.service().world().sent.clear();
    user.done(&["secrets", "list"]);
    let renewals = forms(&user);
    assert_eq!(renewals.len(), 1, "{renewals:?}");
    assert!(
        renewals[0].contains("grant_type=refresh_token"),
        "{renewals:?}"
    );
    // The new one lasts.
    user.done(&["secrets", "list"]);
    assert_eq!(forms(&user).len(), 1);
}

#[test]
fn an_issuer_that_is_not_what_it_says_is_not_followed() {
    type Spoil = fn(&mut Value);
    let spoilt: [(&str, Spoil); 4] = [
        ("issuer", |document| {
            document["issuer"] = json!("https://elsewhere.example.com");
        }),
        ("token", |document| {
            document["token_endpoint"] = json!("http://elsewhere.example.com/token");
        }),
        ("page", |document| {
            document["authorization_endpoint"] = json!("file:///etc/passwd");
        }),
        ("challenge", |document| {
            document["code_challenge_methods_supported"] = json!(["plain"]);
        }),
    ];
    for (name, spoil) in spoilt {
        let user = stranger();
        spoil(&mut user.service().world().issuer.document);
        let run = user.run(&["auth", "login", "--no-browser"]);
        assert_eq!(run.status, Some(1), "{name}: {run:?}");
        assert!(run.stderr.contains("error: "), "{name}: {run:?}");
        assert!(!run.stderr.contains("/authorize?"), "{name}: {run:?}");
    }
}

#[test]
fn a_token_on_standard_input_signs_in_if_the_service_knows_it() {
    let user = stranger();
    let arguments = ["auth", "login", "--token-stdin"];
    let run = user.run_with(&arguments, "pcc_pat_unknown\n");
    assert_eq!(run.status, Some(4), "{run:?}");
    assert!(!credentials(&user).exists());
    let run = user.run_with(&arguments, "\n");
    assert_eq!(run.status, Some(2), "{run:?}");
    let run = user.run_with(&arguments, &format!("{PERSONAL_TOKEN}\n"));
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(!run.stdout.contains(PERSONAL_TOKEN) && !run.stderr.contains(PERSONAL_TOKEN));
    user.done(&["secrets", "list"]);
}

#[test]
fn signing_in_says_so_where_secrets_still_go_elsewhere() {
    let user = stranger();
    let login = || user.run_with(&["auth", "login", "--token-stdin"], PERSONAL_TOKEN);
    let elsewhere = "the backend is `local` (from the configuration)";
    assert!(!login().stderr.contains(elsewhere));
    user.done(&["config", "set", "backend", "local"]);
    let run = login();
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains(elsewhere), "{run:?}");
}

#[test]
fn credentials_that_are_broken_or_open_are_reported_and_never_block_signing_in() {
    for spoil in ["torn", "open", "folder"] {
        let user = stranger();
        sign_in(&user);
        let file = credentials(&user);
        match spoil {
            "torn" => fs::write(&file, "token = \"c4n4ry").unwrap(),
            "open" => fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap(),
            _ => {
                fs::remove_file(&file).unwrap();
                fs::create_dir(&file).unwrap();
            }
        }
        let error = user.fails(&["secrets", "list"], 4, "broken_credentials");
        assert!(error["hints"][0].is_string(), "{spoil}: {error}");
        assert!(!error.to_string().contains("c4n4ry"), "{spoil}: {error}");
        if spoil == "folder" {
            continue;
        }
        sign_in(&user);
        user.done(&["secrets", "list"]);
    }
}
