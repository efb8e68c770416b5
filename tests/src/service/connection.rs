//! Serves one connection: records and answers requests, or fails as the test specifies.
//!
//! The module is asynchronous because hyper is. A slow or endless response must not block other responses.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::channel::{Channel, Sender};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustix::net::sockopt::set_socket_linger;

use super::faults::{Effect, Fault};
use super::message::Reply;
use super::world::{Sent, World};
use super::{routes, secrets, tls};
use crate::watched::Watched;

type Body = BoxBody<Bytes, io::Error>;

pub(super) async fn accept(
    listener: TcpListener,
    world: Arc<Watched<World>>,
    tls: Option<tls::Acceptor>,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    while let Ok((stream, _)) = listener.accept().await {
        world.lock().open += 1;
        let served = serve(stream, Arc::clone(&world), tls.clone());
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let _ = served.await;
            world.lock().open -= 1;
        });
    }
}

async fn serve(
    stream: tokio::net::TcpStream,
    world: Arc<Watched<World>>,
    tls: Option<tls::Acceptor>,
) -> io::Result<()> {
    let stream = stream.into_std()?;
    // A second descriptor of the same socket, to say how it is to be closed.
    let socket = Arc::new(stream.try_clone()?);
    let stream = tokio::net::TcpStream::from_std(stream)?;
    let service = service_fn(move |request| {
        let (world, socket) = (Arc::clone(&world), Arc::clone(&socket));
        async move {
            let reset = || {
                // Closed at once, with what was sent and not read thrown away: the other side sees a reset.
                let _ = set_socket_linger(&socket, Some(Duration::ZERO));
            };
            answer(request, &world, reset).await
        }
    });
    let http = http1::Builder::new();
    // An error here is a connection that ended badly, as a test asked or as a client did.
    let _ = match tls {
        None => http.serve_connection(TokioIo::new(stream), service).await,
        Some(tls) => {
            let stream = TokioIo::new(tls.accept(stream).await?);
            http.serve_connection(stream, service).await
        }
    };
    Ok(())
}

async fn answer(
    request: Request<Incoming>,
    world: &Arc<Watched<World>>,
    reset: impl Fn(),
) -> io::Result<Response<Body>> {
    let sent = receive(request).await?;
    let (fault, latency) = {
        let mut world = world.lock();
        world.sent.push(sent.clone());
        let line = (sent.method.as_str(), sent.target.as_str());
        let injection = world
            .injections
            .iter_mut()
            .find_map(|one| one.takes(line.0, line.1).then(|| one.clone()));
        let scripted = world.script.pop_front().flatten();
        let scripted = scripted.filter(|injection| injection.is_for(&sent.method));
        (scripted.or(injection), world.latency)
    };
    let effect = fault.as_ref().is_none_or(|injection| {
        injection.effect == Effect::Applied || matches!(injection.fault, Fault::Late(_))
    });
    let latency = match fault.as_ref().map(|injection| &injection.fault) {
        Some(Fault::Late(late)) => latency + *late,
        _ => latency,
    };
    if let Some(Effect::Later(delay)) = fault.as_ref().map(|injection| injection.effect) {
        tokio::spawn(perform(sent.clone(), Arc::clone(world), delay));
    }
    let reply = if effect {
        // Whoever hangs up does not keep the service from doing what was asked.
        let work = perform(sent, Arc::clone(world), latency);
        tokio::spawn(work).await.map_err(io::Error::other)?
    } else {
        tokio::time::sleep(latency).await;
        Reply::empty(200)
    };
    match fault.map(|injection| injection.fault) {
        None | Some(Fault::Late(_)) => reply.response(),
        Some(Fault::Answer {
            status,
            headers,
            body,
        }) => Reply {
            status,
            headers,
            body,
        }
        .response(),
        Some(Fault::Silence) => std::future::pending().await,
        Some(Fault::Reset) => {
            reset();
            Err(io::ErrorKind::ConnectionReset.into())
        }
        Some(Fault::ResetInBody) => {
            reset();
            half(&reply, Ending::Error)
        }
        Some(Fault::Truncated) => half(&reply, Ending::Close),
        Some(Fault::Drip(pause)) => blanks(" ", pause),
        Some(Fault::Endless) => blanks(&" ".repeat(64 * 1024), Duration::ZERO),
    }
}

async fn receive(request: Request<Incoming>) -> io::Result<Sent> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let headers: BTreeMap<String, String> = head
        .headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect();
    Ok(Sent {
        method: head.method.as_str().to_owned(),
        target: head.uri.to_string(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        bytes: body,
    })
}

async fn perform(sent: Sent, world: Arc<Watched<World>>, latency: Duration) -> Reply {
    world.lock().working += 1;
    let reply = performed(&sent, &world, latency).await;
    world.lock().working -= 1;
    reply
}

/// Carries out a request. Fails with a conflict if another request is changing the same set.
async fn performed(sent: &Sent, world: &Watched<World>, latency: Duration) -> Reply {
    let changed = secrets::changes(sent);
    if let Some(set) = &changed
        && !world.lock().busy.insert(set.clone())
    {
        return secrets::conflict(set);
    }
    tokio::time::sleep(latency).await;
    let mut world = world.lock();
    if let Some(set) = &changed {
        world.busy.remove(set);
    }
    routes::route(sent, &mut world)
}

impl Reply {
    fn response(self) -> io::Result<Response<Body>> {
        let body = Full::new(Bytes::from(self.body)).map_err(never).boxed();
        head(self.status, self.headers)
            .body(body)
            .map_err(io::Error::other)
    }
}

enum Ending {
    Close,
    Error,
}

/// Returns a response with the full content length but only half the body.
fn half(reply: &Reply, ending: Ending) -> io::Result<Response<Body>> {
    // Even an answer without a body is to be one that lacks something.
    let whole = if reply.body.is_empty() {
        r#"{"status":"OK"}"#
    } else {
        &reply.body
    };
    let half = Bytes::copy_from_slice(&whole.as_bytes()[..whole.len() / 2]);
    let (mut sender, body) = Channel::new(1);
    tokio::spawn(async move {
        let _ = sender.send_data(half).await;
        // The half has to be on its way before the end of the connection overtakes it.
        tokio::time::sleep(Duration::from_millis(50)).await;
        match ending {
            Ending::Close => drop(sender),
            Ending::Error => sender.abort(io::ErrorKind::ConnectionReset.into()),
        }
    });
    head(
        reply.status,
        vec![("content-type", "application/json".to_owned())],
    )
    .header("content-length", whole.len())
    .body(body.boxed())
    .map_err(io::Error::other)
}

/// Returns an endless response of spaces, which never becomes a document.
fn blanks(text: &str, pause: Duration) -> io::Result<Response<Body>> {
    let block = Bytes::copy_from_slice(text.as_bytes());
    let (mut sender, body): (Sender<Bytes, io::Error>, _) = Channel::new(1);
    tokio::spawn(async move {
        while sender.send_data(block.clone()).await.is_ok() {
            tokio::time::sleep(pause).await;
        }
    });
    head(200, vec![("content-type", "application/json".to_owned())])
        .body(body.boxed())
        .map_err(io::Error::other)
}

fn head(status: u16, headers: Vec<(&'static str, String)>) -> hyper::http::response::Builder {
    headers
        .into_iter()
        .fold(Response::builder().status(status), |head, (name, value)| {
            head.header(name, value)
        })
}

fn never(never: Infallible) -> io::Error {
    match never {}
}
