//! Downloads a plugin into a private file, without starting the plugin.

use std::error::Error;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure, reason};
use bot_cli_protocol::wording;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::one_line;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use super::archive::{MOST_BYTES, too_large};
use crate::origin::origin;

/// The maximum duration of a pause in the transfer.
const PAUSE: Duration = Duration::from_secs(30);
/// The maximum duration of a download.
const LONGEST: Duration = Duration::from_secs(600);
/// The interval between checks for cancellation.
const TICK: Duration = Duration::from_millis(50);
const REDIRECTS: usize = 5;

/// Parses an HTTPS URL to download a plugin from. Returns `None` if `given` is a path. Fails for any other scheme, and for a URL with a
/// user name or password.
pub fn address(given: &OsStr) -> Result<Option<Url>, Failure> {
    let given = given.to_string_lossy();
    let Some((scheme, _)) = given.split_once("://") else {
        return Ok(None);
    };
    let wrong = |problem: &str| {
        let message = format!("`{}` {problem}", origin(&given));
        Failure::new(Exit::Usage, "bad_address", message)
    };
    let url = Url::parse(&given).map_err(|error| wrong(&format!("is no address: {error}")))?;
    if url.scheme() != "https" {
        let hint = "download the file in another way, and add that";
        return Err(wrong(&format!("begins with `{scheme}`, not with `https`")).hint(hint));
    }
    // It would be recorded, and shown by `plugin list`.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("contains a user name or a password"));
    }
    Ok(Some(url))
}

/// Returns the last part of the path of an address.
pub fn file_name(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// Downloads a file. Fails if the user cancels, or if the download takes too long.
pub fn fetch(url: &Url, into: &Path, session: &Session) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let cancel = session.cancel().clone();
    runtime.block_on(async {
        let mut transfer = std::pin::pin!(transfer(url, into, session));
        loop {
            if let Ok(done) = tokio::time::timeout(TICK, &mut transfer).await {
                return done;
            }
            if cancel.requested() {
                let failure = Failure::cancelled().outcome(ChangeState::NotDone);
                return Err(cancel.explain(failure));
            }
        }
    })
}

async fn transfer(url: &Url, into: &Path, session: &Session) -> Result<(), Failure> {
    let failed = |problem: &str| {
        let url = origin(url.as_str());
        let message = format!("`{url}` was not downloaded: {}", one_line(problem));
        Failure::new(Exit::Unavailable, "not_downloaded", message).outcome(ChangeState::NotDone)
    };
    let broken = |error: reqwest::Error| {
        if error.is_timeout() {
            let [pause, longest] = [PAUSE, LONGEST].map(|limit| limit.as_secs());
            let problem = format!("nothing arrived for {pause} seconds, or it took {longest}");
            let hint = "download the file in another way, and give it instead of the address";
            return failed(&problem).hint(hint);
        }
        let problem = cause(&error);
        let failure = failed(wording::tls(&problem));
        if problem.contains("certificate") {
            failure.hint("if a proxy or a private authority is in between, give its certificates: export SSL_CERT_FILE=/path/to/certificates.pem")
        } else if error.is_connect() {
            failure.hint("if the network needs a proxy: export HTTPS_PROXY=http://HOST:PORT")
        } else {
            failure
        }
    };
    let request = client(PAUSE, LONGEST).map_err(broken)?.get(url.clone());
    let mut response = request.send().await.map_err(broken)?;
    if !response.status().is_success() {
        let status = response.status().as_u16();
        return Err(failed(&format!("the server answered with status {status}")));
    }
    let total = response.content_length();
    if total > Some(MOST_BYTES) {
        return Err(failed(&too_large().to_string()));
    }
    let mut file = File::create_new(into)?;
    let mut done = 0;
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        done += chunk.len() as u64;
        if done > MOST_BYTES {
            return Err(failed(&too_large().to_string()));
        }
        file.write_all(&chunk)?;
        let [done, total] = [Some(done), total].map(|it| it.map(|bytes| bytes / 1024));
        session.progress("Downloading (KiB)", done, total);
    }
    session.clear_progress();
    Ok(file.sync_all()?)
}

fn client(pause: Duration, longest: Duration) -> reqwest::Result<Client> {
    // An earlier call may have installed the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let https_only = Policy::custom(|attempt| {
        if attempt.url().scheme() != "https" {
            attempt.error("it redirects to an address without `https`")
        } else if attempt.previous().len() > REDIRECTS {
            attempt.error("it redirects too often")
        } else {
            attempt.follow()
        }
    });
    Client::builder()
        .user_agent(concat!("bot-cli-plugin/", env!("CARGO_PKG_VERSION")))
        .redirect(https_only)
        .referer(false)
        .read_timeout(pause)
        .timeout(longest)
        .build()
}

/// Returns the message of the innermost cause, without the operating system's error number.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn Error = error;
    while let Some(cause) = inner.source() {
        inner = cause;
    }
    reason(&io::Error::other(inner.to_string()))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener};
    use std::thread;
    use std::time::Duration;

    use super::client;

    /// Starts a server that answers one request with `head`, and then sends a byte every 10 ms for as long as the client reads.
    fn server(head: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let mut bytes = head.as_bytes();
            while stream.write_all(bytes).is_ok() {
                bytes = if head.is_empty() { b"" } else { b"x" };
                thread::sleep(Duration::from_millis(10));
            }
        });
        address
    }

    #[test]
    fn a_download_has_two_limits_of_time() {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        let [short, long] = [Duration::from_millis(200), Duration::from_secs(60)];
        let drip = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
        for (head, pause, longest) in [("", short, long), (drip, long, short)] {
            let client = client(pause, longest).unwrap();
            let request = client.get(format!("http://{}", server(head)));
            let answer = runtime.block_on(async { request.send().await?.bytes().await });
            assert!(answer.unwrap_err().is_timeout(), "{head:?}");
        }
    }
}
