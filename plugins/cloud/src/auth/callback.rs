//! Where the browser comes back to: one request on loopback, with the right state.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// The ports that the issuer knows.
const PORTS: std::ops::RangeInclusive<u16> = 8400..=8404;

/// The path that the issuer knows.
const PATH: &str = "/oauth_callback";

/// How long a visitor may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most that a visitor may say.
const LONGEST: usize = 16 * 1024;

/// An open door.
pub struct Callback {
    listener: TcpListener,
    port: u16,
}

/// A browser that waits for the outcome.
pub struct Visitor(TcpStream);

/// What the browser brings.
pub enum Brought {
    /// A code to be exchanged.
    Code(String),
    /// The issuer's refusal, in its words.
    Refusal(String),
}

impl Callback {
    /// Opens the first door that is free.
    pub async fn open() -> io::Result<Self> {
        let mut last = io::Error::from(io::ErrorKind::AddrInUse);
        for port in PORTS {
            match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
                Ok(listener) => return Ok(Self { listener, port }),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// The address of the door.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for somebody with the right state; others are turned away.
    pub async fn wait(&self, state: &str) -> io::Result<(Visitor, Brought)> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let mut visitor = Visitor(stream);
            let Ok(Ok(Some(target))) = tokio::time::timeout(PATIENCE, visitor.target()).await
            else {
                continue;
            };
            match brought(&target, state) {
                Some(brought) => return Ok((visitor, brought)),
                None => {
                    visitor
                        .tell(400, "This is not the sign-in that bot-cli waits for.")
                        .await;
                }
            }
        }
    }
}

impl Visitor {
    /// The target of the request.
    async fn target(&mut self) -> io::Result<Option<String>> {
        let mut read = Vec::new();
        let mut buffer = [0; 2048];
        while !read.windows(4).any(|end| end == b"\r\n\r\n") {
            let length = self.0.read(&mut buffer).await?;
            if length == 0 || read.len() > LONGEST {
                return Ok(None);
            }
            read.extend_from_slice(&buffer[..length]);
        }
        let head = String::from_utf8_lossy(&read);
        let target = head
            .strip_prefix("GET ")
            .and_then(|rest| rest.split(' ').next());
        Ok(target.map(str::to_owned))
    }

    /// Shows the browser a page. A browser that has gone needs none.
    pub async fn tell(&mut self, status: u16, text: &str) {
        let reason = if status == 200 { "OK" } else { "Bad Request" };
        let body =
            format!("<!doctype html><meta charset=utf-8><title>bot-cli</title><p>{text}</p>\n");
        let answer = format!(
            "HTTP/1.1 {status} {reason}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let write = async {
            self.0.write_all(answer.as_bytes()).await?;
            self.0.shutdown().await
        };
        drop(tokio::time::timeout(PATIENCE, write).await);
    }
}

fn brought(target: &str, state: &str) -> Option<Brought> {
    let url = Url::parse("http://127.0.0.1").ok()?.join(target).ok()?;
    if url.path() != PATH {
        return None;
    }
    let get = |wanted: &str| {
        url.query_pairs()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.into_owned())
    };
    if get("state").as_deref() != Some(state) {
        return None;
    }
    match (get("code"), get("error")) {
        (Some(code), None) => Some(Brought::Code(code)),
        (_, Some(error)) => Some(Brought::Refusal(error)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Brought, brought};

    #[test]
    fn only_the_right_state_brings_anything() {
        let code = |target: &str| match brought(target, "s") {
            Some(Brought::Code(code)) => Some(code),
            Some(Brought::Refusal(refusal)) => Some(format!("refused: {refusal}")),
            None => None,
        };
        assert_eq!(
            code("/oauth_callback?code=a%20b&state=s").as_deref(),
            Some("a b")
        );
        assert_eq!(
            code("/oauth_callback?error=access_denied&state=s").as_deref(),
            Some("refused: access_denied")
        );
        for target in [
            "/oauth_callback?code=a&state=x",
            "/oauth_callback?code=a",
            "/other?code=a&state=s",
            "/oauth_callback?state=s",
            "//",
        ] {
            assert_eq!(code(target), None, "{target}");
        }
    }
}
