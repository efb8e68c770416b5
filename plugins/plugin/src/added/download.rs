//! Downloads a plugin into a private file, without starting the plugin.

use std::error::Error as _;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_sdk::session::Session;
use bot_cli_terminal::one_line;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};

use super::archive::{MOST_BYTES, too_large};

/// The default maximum duration of a pause in the transfer.
const PAUSE: Duration = Duration::from_secs(30);
/// The maximum duration of a download, in pauses.
const PAUSES: u32 = 20;
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
        let message = format!("`{}` {problem}", one_line(&given));
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

pub fn fetch(
    url: &Url,
    into: &Path,
    pause: Option<u64>,
    session: &mut Session,
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let transfer = Transfer {
            session,
            url,
            begun: Instant::now(),
            pause: pause.map_or(PAUSE, Duration::from_secs),
        };
        let request = transfer.client()?.get(url.clone()).send();
        let mut response = transfer.wait(request).await?;
        transfer.check(&response)?;
        let total = response.content_length();
        let mut file = File::create_new(into)?;
        let mut done = 0;
        while let Some(chunk) = transfer.wait(response.chunk()).await? {
            done += chunk.len() as u64;
            if done > MOST_BYTES {
                return Err(transfer.failed(&too_large().to_string()));
            }
            file.write_all(&chunk)?;
            let [done, total] = [Some(done), total].map(|it| it.map(|bytes| bytes / 1024));
            transfer.session.progress("Downloading (KiB)", done, total);
        }
        transfer.session.clear_progress();
        Ok(file.sync_all()?)
    })
}

struct Transfer<'a> {
    session: &'a mut Session,
    url: &'a Url,
    begun: Instant,
    pause: Duration,
}

impl Transfer<'_> {
    fn client(&self) -> Result<Client, Failure> {
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
        let client = Client::builder()
            .user_agent(concat!("bot-cli-plugin/", env!("CARGO_PKG_VERSION")))
            .redirect(https_only)
            .referer(false)
            .build();
        client.map_err(|error| self.failed(&cause(&error)))
    }

    /// Waits for a part of the download. Fails if the user cancels, or if the download takes too long.
    async fn wait<T>(&self, part: impl Future<Output = reqwest::Result<T>>) -> Result<T, Failure> {
        let paused = Instant::now();
        let mut part = std::pin::pin!(part);
        loop {
            if let Ok(output) = tokio::time::timeout(TICK, &mut part).await {
                return output.map_err(|error| self.failed(&cause(&error)));
            }
            if self.session.cancelled() {
                let failure = Failure::cancelled().outcome(ChangeState::NotDone);
                return Err(self.session.cancel().explain(failure));
            }
            let longest = self.pause * PAUSES;
            for (since, most, problem) in [
                (paused, self.pause, "nothing arrived for"),
                (self.begun, longest, "it took more than"),
            ] {
                if since.elapsed() > most {
                    let problem = format!("{problem} {} seconds", most.as_secs());
                    return Err(self.failed(&problem).hint("--timeout sets the limit"));
                }
            }
        }
    }

    fn check(&self, response: &Response) -> Result<(), Failure> {
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(self.failed(&format!("the server answered with status {status}")));
        }
        if response.content_length().is_some_and(|it| it > MOST_BYTES) {
            return Err(self.failed(&too_large().to_string()));
        }
        Ok(())
    }

    fn failed(&self, problem: &str) -> Failure {
        let message = format!("`{}` was not downloaded: {}", self.url, one_line(problem));
        Failure::new(Exit::Unavailable, "not_downloaded", message).outcome(ChangeState::NotDone)
    }
}

/// Returns the message of the innermost cause, without the operating system's error number.
fn cause(error: &reqwest::Error) -> String {
    let mut reason = error.to_string();
    let mut inner = error.source();
    while let Some(error) = inner {
        reason = error.to_string();
        inner = error.source();
    }
    reason
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}
