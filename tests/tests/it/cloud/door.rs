//! Tests for the local address to which the browser returns after sign-in: unexpected visitors, and the contents of the page.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

use bot_cli_tests::service::Fault;
use serde_json::json;

use bot_cli_tests::signing_in::{agree, begin, credentials, exchange, forms, stranger, visit};

/// Asserts that a page is filled in, needs no network and has nothing of the sign-in.
fn assert_plain(answer: &str) {
    let (_, page) = answer.split_once("\r\n\r\n").unwrap();
    for left in ["{t", "{light}", "{dark}", "http", "url(", "<script"] {
        assert!(!page.contains(left), "{left}: {answer}");
    }
    for secret in ["code-1", "access-token", "state="] {
        assert!(!answer.contains(secret), "{secret}: {answer}");
    }
}

/// Returns the host and port in a URL.
fn host(address: &str) -> &str {
    let rest = address.strip_prefix("http://").unwrap();
    rest.split('/').next().unwrap()
}

#[test]
fn connections_that_say_nothing_keep_nobody_waiting() {
    for silent in [1, 20, 200] {
        let user = stranger();
        let (child, address) = begin(&user);
        let back = agree(&address);
        let connections: Vec<_> = (0..silent)
            .map(|_| TcpStream::connect(host(&back)).unwrap())
            .collect();
        // Somebody else is answered while they are still there, and so is the browser.
        let (redirect, _) = back.split_once('?').unwrap();
        let other = visit(&format!("{redirect}?code=code-1&state=other"));
        assert!(other.starts_with("HTTP/1.1 400"), "{silent}: {other}");
        for mut connection in connections.iter().rev().take(100) {
            connection.set_nonblocking(true).unwrap();
            let said = connection.read(&mut [0]).map_err(|error| error.kind());
            assert_eq!(said, Err(ErrorKind::WouldBlock), "{silent}");
        }
        let answer = visit(&back);
        assert!(answer.starts_with("HTTP/1.1 200"), "{silent}: {answer}");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

#[test]
fn only_a_visit_with_the_right_state_brings_anything() {
    let user = stranger();
    let (child, address) = begin(&user);
    let back = agree(&address);
    let (redirect, query) = back.split_once('?').unwrap();
    let root = format!("http://{}/", host(&back));
    let unknown = "This sign-in is not known";
    let other_state = format!("{redirect}?code=code-1&state=other");
    let without_state = format!("{redirect}?code=code-1");
    let without_code = back.replace("code=code-1&", "");
    for (method, address, status, said) in [
        ("HEAD", back.clone(), "200", ""),
        ("POST", back.clone(), "405", "allow: GET, HEAD"),
        ("GET", format!("{root}favicon.ico"), "404", ""),
        ("GET", format!("{root}?{query}"), "404", ""),
        ("GET", other_state, "400", unknown),
        ("GET", without_state, "400", unknown),
        ("GET", without_code, "400", unknown),
    ] {
        let answer = exchange(method, &address);
        let begins = answer.starts_with(&format!("HTTP/1.1 {status}"));
        assert!(begins && answer.contains(said), "{address}: {answer}");
        assert_plain(&answer);
        assert!(method != "HEAD" || answer.ends_with("\r\n\r\n"), "{answer}");
    }
    let mut broken = TcpStream::connect(host(&back)).unwrap();
    broken.write_all(b"\x16\x03\x01 not http\r\n\r\n").unwrap();
    assert_eq!(forms(&user), [""; 0]);
    let answer = visit(&back);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // The page says what became of it and nothing else.
    for expected in [
        "You are signed in",
        "cache-control: no-store",
        "referrer-policy: no-referrer",
        "content-security-policy: default-src 'none'",
        "prefers-color-scheme: dark",
    ] {
        assert!(answer.contains(expected), "{expected}: {answer}");
    }
    assert_plain(&answer);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn signed_in_is_said_only_when_the_service_has_confirmed_it() {
    let refusal = Fault::error(401, "Unauthorized", "UNAUTHORIZED");
    let broken = Fault::json(400, r#"{"error":"invalid_grant"}"#);
    for (method, path, fault) in [("GET", "/v1/", refusal), ("POST", "/issuer/token", broken)] {
        let user = stranger();
        let (child, address) = begin(&user);
        let back = agree(&address);
        user.service().fail(method, path, &fault);
        let answer = visit(&back);
        assert!(answer.starts_with("HTTP/1.1 400"), "{path}: {answer}");
        assert!(answer.contains("The terminal says why"), "{path}: {answer}");
        assert_plain(&answer);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{path}: {output:?}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{path}");
        assert!(!credentials(&user).exists(), "{path}");
    }
}

#[test]
fn a_refusal_of_the_issuer_is_shown_in_both_places() {
    let user = stranger();
    let (child, address) = begin(&user);
    let back = agree(&address);
    let refused = back.replace("code=code-1", "error=access_denied");
    assert_ne!(refused, back);
    let answer = visit(&refused);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("The sign-in was refused"), "{answer}");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(4));
    assert_eq!(forms(&user), [""; 0]);
}

#[test]
fn what_can_be_no_bearer_token_is_not_kept() {
    for spoil in [
        json!({"token_type": "mac"}),
        json!({"access_token": "a\nb c\u{1b}"}),
        json!({"access_token": ""}),
        json!({"refresh_token": "a b"}),
    ] {
        let user = stranger();
        user.service().world().issuer.spoil = spoil.clone();
        let (child, address) = begin(&user);
        let answer = visit(&agree(&address));
        assert!(answer.starts_with("HTTP/1.1 400"), "{spoil}: {answer}");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{spoil}: {output:?}");
        assert!(!credentials(&user).exists(), "{spoil}");
    }
}
