//! The loopback server that receives the browser's redirect during a sign-in.
//!
//! Connections are served concurrently, because browsers open connections that they never use and any local program can connect. Only a
//! request with the correct `state` parameter ends the sign-in. The module is asynchronous because hyper requires it.

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
use oauth2::RedirectUrl;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use url::form_urlencoded;

/// The redirect ports registered with the token issuer.
const PORTS: std::ops::RangeInclusive<u16> = 8400..=8404;

/// The redirect path registered with the token issuer.
const PATH: &str = "/oauth_callback";

/// The time limit for receiving a request's headers.
const SILENCE: Duration = Duration::from_secs(30);

/// The time limit for sending the final page.
const PATIENCE: Duration = Duration::from_secs(2);

/// The pause after a failed attempt to accept a connection, for example because no file descriptors are left.
const PAUSE: Duration = Duration::from_millis(50);

pub struct Callback {
    listener: TcpListener,
    pub address: RedirectUrl,
}

/// A browser connection that waits for the outcome of the sign-in.
pub struct Visitor {
    outcome: watch::Sender<Option<Page>>,
    shown: mpsc::UnboundedReceiver<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    SignedIn,
    /// The sign-in failed, either locally or at the token issuer.
    NotSignedIn,
    /// The request doesn't belong to the current sign-in.
    Unknown,
}

impl Page {
    /// Returns the page's HTML, which loads no external resources and contains nothing from the request.
    fn html(self) -> String {
        let (title, text, light, dark) = match self {
            Self::SignedIn => (
                "You are signed in",
                "You can close this page and go back to the terminal.",
                "#1a7f4b",
                "#3fb77a",
            ),
            Self::NotSignedIn => (
                "You are not signed in",
                "The sign-in was refused, or it failed. The terminal says why.",
                "#b4442e",
                "#e8795f",
            ),
            Self::Unknown => (
                "This sign-in is not known",
                "bot-cli waits for another one. Use the address that the terminal shows.",
                "#b4442e",
                "#e8795f",
            ),
        };
        include_str!("page.html")
            .replace("{title}", title)
            .replace("{text}", text)
            .replace("{light}", light)
            .replace("{dark}", dark)
    }
}

/// The issuer's authorization response.
#[derive(Debug)]
pub enum Brought {
    Code(String),
    /// The issuer's error code.
    Refusal(String),
}

struct Shared {
    state: String,
    brought: mpsc::UnboundedSender<Brought>,
    outcome: watch::Receiver<Option<Page>>,
    shown: mpsc::UnboundedSender<()>,
}

impl Callback {
    /// Listens on the first free port.
    pub async fn open() -> io::Result<Self> {
        let mut last = io::Error::from(io::ErrorKind::AddrInUse);
        for port in PORTS {
            match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
                Ok(listener) => {
                    let address = format!("http://127.0.0.1:{port}{PATH}");
                    let address = RedirectUrl::new(address).map_err(io::Error::other)?;
                    return Ok(Self { listener, address });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Waits for a request with the correct `state` parameter. Returns `None` only if the runtime shuts down.
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
        tokio::spawn(accept(self.listener, Arc::new(shared)));
        let brought = arrivals.recv().await?;
        Some((Visitor { outcome, shown }, brought))
    }
}

impl Visitor {
    /// Sends the final page, unless the browser has disconnected.
    pub async fn tell(mut self, page: Page) {
        self.outcome.send_replace(Some(page));
        let _ = tokio::time::timeout(PATIENCE, self.shown.recv()).await;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, Arc::clone(&shared)))),
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
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
    // A connection that the browser aborted is not an error.
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
    let head = |status: u16| {
        // The headers protect the code in the request's address.
        Response::builder()
            .status(status)
            .header(ALLOW, "GET, HEAD")
            .header(CACHE_CONTROL, "no-store")
            .header(REFERRER_POLICY, "no-referrer")
            .header(CONTENT_TYPE, "text/html; charset=utf-8")
            .header(
                CONTENT_SECURITY_POLICY,
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
            )
    };
    // Only a GET request to the callback path can end the sign-in.
    let bare = match (request.method(), request.uri().path()) {
        (&Method::GET, PATH) => None,
        (&Method::HEAD, PATH) => Some(200),
        (&Method::GET | &Method::HEAD, _) => Some(404),
        _ => Some(405),
    };
    if let Some(status) = bare {
        return head(status).body(Full::default()).map_err(io::Error::other);
    }
    let query = request.uri().query().unwrap_or_default();
    let page = match brought(query, &shared.state) {
        None => Page::Unknown,
        Some(brought) => {
            let _ = waits.send(());
            let _ = shared.brought.send(brought);
            let mut outcome = shared.outcome.clone();
            let told = outcome.wait_for(Option::is_some).await;
            let page = told.ok().and_then(|page| *page);
            page.unwrap_or(Page::NotSignedIn)
        }
    };
    let status = if page == Page::SignedIn { 200 } else { 400 };
    let page = Full::from(page.html());
    head(status).body(page).map_err(io::Error::other)
}

fn brought(query: &str, state: &str) -> Option<Brought> {
    let get = |wanted: &str| {
        form_urlencoded::parse(query.as_bytes())
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
