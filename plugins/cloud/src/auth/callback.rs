//! The server on loopback that the browser returns to, for the duration of one sign-in.
//!
//! Visitors are served side by side, because browsers open connections that they don't use, and everybody on this machine
//! can open one. Only who knows the state of the sign-in can end it. Asynchronous, because hyper is.

use std::collections::VecDeque;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use url::Url;

use super::page::Page;

/// The ports that the issuer knows.
const PORTS: std::ops::RangeInclusive<u16> = 8400..=8404;

/// The path that the issuer knows.
const PATH: &str = "/oauth_callback";

/// The time limit for an idle connection.
const SILENCE: Duration = Duration::from_secs(30);

/// The time limit for fetching the page.
const PATIENCE: Duration = Duration::from_secs(2);

/// The maximum number of connections; one more closes the oldest. Every process can open more files than that.
const MOST: usize = 128;

/// The pause where no connection can be accepted, for want of files.
const PAUSE: Duration = Duration::from_millis(50);

/// An address that waits for a browser.
pub struct Callback {
    listener: TcpListener,
    port: u16,
}

/// A browser that waits for the outcome. Dropping it ends every connection.
pub struct Visitor {
    outcome: watch::Sender<Option<Page>>,
    shown: mpsc::UnboundedReceiver<()>,
    accepting: AbortHandle,
}

/// The result of a redirection from the browser.
#[derive(Debug)]
pub enum Brought {
    /// A code to be exchanged.
    Code(String),
    /// The issuer's refusal, in its words.
    Refusal(String),
}

struct Shared {
    state: String,
    brought: mpsc::UnboundedSender<Brought>,
    outcome: watch::Receiver<Option<Page>>,
    shown: mpsc::UnboundedSender<()>,
}

impl Callback {
    /// Listens on the first port that is free.
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

    /// Returns the address.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for somebody with the right state; `None` comes only with the end of the runtime.
    pub async fn wait(self, state: &str) -> Option<(Visitor, Brought)> {
        let (brought, mut arrivals) = mpsc::unbounded_channel();
        let (outcome, told) = watch::channel(None);
        let (showing, shown) = mpsc::unbounded_channel();
        let shared = Shared {
            state: state.to_owned(),
            brought,
            outcome: told,
            shown: showing,
        };
        let accepting = tokio::spawn(accept(self.listener, Arc::new(shared)));
        let visitor = Visitor {
            outcome,
            shown,
            accepting: accepting.abort_handle(),
        };
        let brought = arrivals.recv().await?;
        Some((visitor, brought))
    }
}

impl Visitor {
    /// Shows the browser a page. A browser that has gone needs none.
    pub async fn tell(mut self, page: Page) {
        self.outcome.send_replace(Some(page));
        let _ = tokio::time::timeout(PATIENCE, self.shown.recv()).await;
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        connections.retain(|connection| !connection.is_finished());
        if connections.len() >= MOST
            && let Some(oldest) = connections.pop_front()
        {
            oldest.abort();
        }
        let connection = tokio::spawn(serve(stream, Arc::clone(&shared)));
        connections.push_back(connection.abort_handle());
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let (waits, mut waited) = mpsc::unbounded_channel();
    let service = service_fn(|request| {
        let (shared, waits) = (Arc::clone(&shared), waits.clone());
        async move { answer(&request, &shared, &waits).await }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(SILENCE)
        .keep_alive(false)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    // A connection that ended badly is its browser's affair.
    drop(served);
    if waited.try_recv().is_ok() {
        let _ = shared.shown.send(());
    }
}

async fn answer(
    request: &Request<Incoming>,
    shared: &Shared,
    waits: &mpsc::UnboundedSender<()>,
) -> io::Result<Response<Full<Bytes>>> {
    let is_head = request.method() == Method::HEAD;
    if !is_head && request.method() != Method::GET {
        return ended(head(405).header(ALLOW, "GET, HEAD"), String::new());
    }
    if request.uri().path() != PATH {
        return ended(head(404), String::new());
    }
    let target = request.uri().path_and_query();
    let target = target.map_or("", |target| target.as_str());
    let page = match brought(target, &shared.state) {
        None => Page::Unknown,
        // Who only looks brings nothing.
        Some(_) if is_head => return ended(head(200), String::new()),
        Some(brought) => {
            let _ = waits.send(());
            let _ = shared.brought.send(brought);
            let mut outcome = shared.outcome.clone();
            let told = outcome.wait_for(Option::is_some).await;
            let page = told.ok().and_then(|page| *page);
            page.unwrap_or(Page::NotSignedIn)
        }
    };
    let head = head(page.status())
        .header(CONTENT_TYPE, "text/html; charset=utf-8")
        .header(
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
        );
    ended(head, page.html())
}

fn head(status: u16) -> hyper::http::response::Builder {
    // The address of the request has the code in it.
    Response::builder()
        .status(status)
        .header(CACHE_CONTROL, "no-store")
        .header(REFERRER_POLICY, "no-referrer")
}

fn ended(head: hyper::http::response::Builder, body: String) -> io::Result<Response<Full<Bytes>>> {
    head.body(Full::from(body)).map_err(io::Error::other)
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
