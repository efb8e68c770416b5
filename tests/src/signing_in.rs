//! Signs in to the stand-in service, as a browser and its user would.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by panicking, and uses what it asked for"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::user::{Run, User};

/// Returns a user with an account who has not signed in.
pub fn stranger() -> User {
    let mut user = User::with_token();
    user.unset("BOT_CLI_TOKEN");
    user.unset("BOT_CLI_ORGANIZATION");
    user
}

/// Starts `auth login`. Returns the process and the URL to open.
pub fn begin(user: &User) -> (Child, String) {
    let mut child = user
        .command(&["auth", "login", "--no-browser"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    let address = loop {
        let length = stderr.read_line(&mut said).unwrap();
        assert_ne!(length, 0, "it ended without an address: {said}");
        let mut words = said.split_whitespace();
        if let Some(address) = words.find(|word| word.contains("/authorize?")) {
            break address.to_owned();
        }
    };
    // What else it says must have somewhere to go.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    (child, address)
}

/// Fetches a URL as a browser would, and returns the complete response.
pub fn visit(address: &str) -> String {
    exchange("GET", address)
}

/// Fetches a URL with this method, and returns the complete response.
pub fn exchange(method: &str, address: &str) -> String {
    let (host, path) = address
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: Browser/1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// Approves the sign-in on the issuer's page. Returns the URL to which the issuer redirects the browser.
pub fn agree(address: &str) -> String {
    let answer = visit(address);
    let location = answer
        .lines()
        .find_map(|line| line.strip_prefix("location: "));
    location
        .unwrap_or_else(|| panic!("{address}: {answer}"))
        .trim()
        .to_owned()
}

/// Signs in, approving the sign-in in the browser.
pub fn sign_in(user: &User) {
    // A sign-in listens on one of five ports.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (child, address) = begin(user);
    let back = agree(&address);
    let answer = visit(&back);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Returns the path of the credentials file.
pub fn credentials(user: &User) -> PathBuf {
    user.home().join(".config/bot-cli/credentials.toml")
}

/// Writes the credentials file with the required private permissions.
pub fn put_back(user: &User, text: &str) {
    let path = credentials(user);
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// Returns the forms sent to the issuer's token endpoint.
pub fn forms(user: &User) -> Vec<String> {
    let sent = user.service().sent();
    let token = sent.iter().filter(|sent| sent.target == "/issuer/token");
    token.map(|sent| sent.body.clone()).collect()
}

/// Asserts that no token or code of the issuer was shown.
pub fn assert_no_token(run: &Run) {
    for shown in [&run.stdout, &run.stderr] {
        for trace in ["access-token", "refresh-token", "code-1"] {
            assert!(!shown.contains(trace), "{run:?}");
        }
    }
}
