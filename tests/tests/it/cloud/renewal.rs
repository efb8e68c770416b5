//! Tests for sign-in renewal: one process renews the sign-in for all, and stores the result before using it. Another client may share the
//! sign-in.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use bot_cli_tests::patience::wait_for_file;
use bot_cli_tests::pty::CTRL_C;
use bot_cli_tests::service::{Fault, Injection};
use bot_cli_tests::signing_in::{assert_no_token, credentials, forms, put_back, sign_in, stranger};

use super::user::User;

/// Returns a user whose token expired long ago but can be renewed.
fn expired() -> User {
    let user = stranger();
    sign_in(&user);
    run_out(&user);
    user.service().world().sent.clear();
    user
}

/// Makes the stored token expire.
fn run_out(user: &User) {
    let text = fs::read_to_string(credentials(user)).unwrap();
    let lines = text.lines().map(|line| match line.split_once(" = ") {
        Some(("expires_at", _)) => "expires_at = 1\n".to_owned(),
        _ => format!("{line}\n"),
    });
    put_back(user, &lines.collect::<String>());
}

#[test]
fn a_renewal_that_is_lost_after_all_serves_this_run_and_is_told_of() {
    let user = expired();
    let late = Fault::Late(Duration::from_millis(400));
    user.service().fail("POST", "/issuer/token", &late);
    let file = credentials(&user);
    let run = std::thread::scope(|scope| {
        let running = scope.spawn(|| user.run(&["secrets", "list"]));
        user.service()
            .wait_until("the request to renew", || !forms(&user).is_empty());
        // What nothing can be renamed to.
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        running.join().unwrap()
    });
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stderr.contains("you are signed in for this run"),
        "{run:?}"
    );
    assert!(!run.stderr.contains("nothing has changed"), "{run:?}");
    assert_no_token(&run);
    let left = fs::read_dir(file.parent().unwrap()).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name());
    assert!(
        left.into_iter()
            .all(|name| !name.to_string_lossy().starts_with('.'))
    );
}

#[test]
fn a_token_that_the_service_refuses_is_renewed_once_by_all() {
    let user = stranger();
    sign_in(&user);
    let revoke = || user.service().world().tokens.remove("access-token-1");
    assert!(revoke().is_some());
    user.service().world().sent.clear();
    let late = Fault::Late(Duration::from_millis(100));
    user.service().fail("POST", "/issuer/token", &late);
    let children = [(); 6].map(|()| user.start(&["secrets", "list"]));
    for child in children {
        let run = user.ended(child);
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    let renewals = forms(&user);
    assert_eq!(renewals.len(), 1, "{renewals:?}");
}

#[test]
fn a_change_that_meets_a_refused_token_is_tried_again_with_another() {
    let user = stranger();
    sign_in(&user);
    user.service().world().sent.clear();
    let refusal = Fault::error(401, "Unauthorized", "UNAUTHORIZED");
    user.service()
        .inject(Injection::new("PUT", "/v1/", refusal).times(1));
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    assert_eq!(forms(&user).len(), 1);
    assert_eq!(user.values("prod").len(), 1);
}

#[test]
fn a_change_on_its_way_is_not_forgotten_when_the_token_is_renewed_and_the_next_try_refused() {
    let user = stranger();
    sign_in(&user);
    let put = |fault| Injection::new("PUT", "/v1/", fault);
    let on_its_way = put(Fault::Reset).applied_after(Duration::from_secs(1));
    let service = user.service();
    service.inject(on_its_way.times(1));
    service.inject(put(Fault::error(401, "Unauthorized", "UNAUTHORIZED")).times(1));
    service.inject(put(Fault::error(403, "Forbidden", "FORBIDDEN")));
    let error = user.fails(
        &["secrets", "set", "prod", "A=1", "--skip"],
        3,
        "not_allowed",
    );
    assert_eq!(error["outcome"], "unknown", "{error}");
    assert_eq!(forms(&user).len(), 2);
    service.wait_until("the first try", || {
        service.stored().to_string().contains("prod")
    });
}

#[test]
fn a_token_that_can_not_be_renewed_is_refused_as_before() {
    let mut of_the_environment = stranger();
    sign_in(&of_the_environment);
    of_the_environment.set("BOT_CLI_TOKEN", "pcc_pat_unknown");
    let without_refresh = stranger();
    without_refresh.service().world().issuer.refreshes = false;
    sign_in(&without_refresh);
    let service = without_refresh.service();
    service.world().tokens.remove("access-token-1");
    for user in [of_the_environment, without_refresh] {
        user.service().world().sent.clear();
        user.fails(&["secrets", "list"], 4, "not_signed_in");
        assert_eq!(forms(&user), [""; 0]);
    }
}

#[test]
fn the_lock_is_waited_for_aloud_and_left_at_once() {
    let user = expired();
    leave_the_lock(&user);
    // The same where it is the service that refuses the token.
    let user = stranger();
    sign_in(&user);
    user.service().world().tokens.remove("access-token-1");
    user.service().world().sent.clear();
    leave_the_lock(&user);
}

/// Cancels a run that waits for the lock, then lets a second run get the lock.
fn leave_the_lock(user: &User) {
    let lock = fs::File::create(credentials(user).with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let wait = || {
        let mut child = user.start(&["secrets", "list"]);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.contains("waiting for another bot-cli"), "{line}");
        (child, stderr)
    };
    let (child, _stderr) = wait();
    // The lock is still there, so nothing else can have ended it.
    assert_eq!(user.interrupt(child).status, Some(130));
    assert_eq!(forms(user), [""; 0]);

    let (child, _stderr) = wait();
    lock.unlock().unwrap();
    assert_eq!(user.ended(child).status, Some(0));
    assert_eq!(forms(user).len(), 1);
}

#[test]
fn a_slow_issuer_is_seen_at_a_terminal() {
    for (path, shown) in [
        ("/issuer/token", "Renewing the sign-in"),
        ("/auth/config", "Waiting for 127.0.0.1"),
    ] {
        let user = expired();
        let late = Fault::Late(Duration::from_secs(2));
        user.service().fail("*", path, &late);
        let mut terminal = user.terminal(&["bot-cli-cloud", "secrets", "list"]);
        terminal.wait_for(shown).unwrap();
        assert_eq!(terminal.end().unwrap().status.code(), Some(0), "{path}");
    }
}

#[test]
fn the_browser_is_started_without_a_token() {
    let mut user = stranger();
    let bin = user.root().join("opens");
    fs::create_dir(&bin).unwrap();
    let seen = user.root().join("seen");
    let script = format!(
        "#!/bin/sh\n{{ echo \"$@\"; env; }} > {0}.new && mv {0}.new {0}\n",
        seen.display()
    );
    user.script(&bin.join("xdg-open"), &script);
    user.set("PATH", &format!("{}:/usr/bin:/bin", bin.display()));
    user.set("BOT_CLI_TOKEN", "c4n4ry");
    let mut terminal = user.terminal(&["bot-cli-cloud", "auth", "login"]);
    terminal.wait_for("Waiting for the browser").unwrap();
    wait_for_file(&seen);
    let started = fs::read_to_string(&seen).unwrap();
    assert!(started.contains("/authorize?"), "{started}");
    assert!(started.contains("HOME="), "{started}");
    assert!(!started.contains("c4n4ry"), "{started}");
    terminal.press(CTRL_C).unwrap();
    assert_eq!(terminal.end().unwrap().status.code(), Some(130));
}

#[test]
fn only_an_invalid_grant_says_that_a_sign_in_has_run_out() {
    // It repeats what nobody may see.
    let coded = |status, code: &str| {
        let told = "refresh-token-1 access-token-1";
        let answer = format!(r#"{{"error":"{code}","error_description":"{told}"}}"#);
        Fault::json(status, &answer)
    };
    let unavailable = (7, "unavailable");
    let refused = (1, "issuer_refused");
    let invalid = (1, "invalid_response");
    let no_issuer = "is not that of an issuer";
    for (fault, (status, code), words) in [
        (coded(400, "invalid_grant"), (4, "not_signed_in"), "run out"),
        (coded(408, "x"), unavailable, "(status 408)"),
        (coded(429, "slow_down"), unavailable, "(status 429)"),
        (coded(500, "invalid_grant"), unavailable, "(status 500)"),
        (Fault::html(503), unavailable, "(status 503)"),
        (coded(400, "server_error"), unavailable, "not available"),
        (coded(401, "invalid_client"), refused, "`invalid_client`"),
        (coded(400, "something_else"), refused, "refuses the request"),
        (Fault::html(200), invalid, no_issuer),
        (Fault::html(400), invalid, no_issuer),
        (
            Fault::json(404, "<p>refresh-token-1</p>"),
            invalid,
            no_issuer,
        ),
    ] {
        let user = expired();
        let kept = fs::read_to_string(credentials(&user)).unwrap();
        user.service().fail("POST", "/issuer/token", &fault);
        let run = user.run(&["--json", "-vv", "secrets", "list"]);
        assert_no_token(&run);
        let error = &run.document()["error"];
        assert_eq!(run.status, Some(status), "{fault:?}: {run:?}");
        assert_eq!(error["code"], code, "{fault:?}: {run:?}");
        assert!(run.stdout.contains(words), "{fault:?}: {run:?}");
        let said = ["run out", "your sign-in is kept"].map(|words| run.stdout.contains(words));
        assert_eq!(said, [status == 4, status != 4], "{fault:?}: {run:?}");
        assert!(!run.stdout.contains("trusted"), "{fault:?}: {run:?}");
        assert_eq!(fs::read_to_string(credentials(&user)).unwrap(), kept);
    }
}
