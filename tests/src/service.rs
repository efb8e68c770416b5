//! A stand-in for the hosted service: HTTP/1.1 on loopback, bare or over TLS, with the state, the answers and the bad days of the real one.
//!
//! Both families of paths stand over one state. A test reads that state, injects faults and asks what was sent. What it
//! leaves out is what secrets don't need: agents, sessions, builds.

mod connection;
mod faults;
mod issuer;
mod message;
mod oauth;
mod routes;
mod secrets;
mod tls;
mod world;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tokio::sync::oneshot;

use crate::patience::wait_for_earlier_connections;
use crate::watched::{Guard, Watched};

pub use faults::{Fault, Injection};
pub use world::{Access, ListForm, Outcome, Provisioning, Sent, World};

/// A user's access token, member of both organizations.
pub const USER_TOKEN: &str = "user-token-0f3c6a1d9b";
/// A personal access token of the same user.
pub const PERSONAL_TOKEN: &str = "pcc_pat_5e81c2f07a64";
/// A private API key of [`ORGANIZATION`].
pub const PRIVATE_KEY: &str = "sk_2b7d90e4c15f";
/// The first organization, which is the default: regions `us-west` (default), `us-east` and `eu-central`.
pub const ORGANIZATION: &str = "first-org";
/// The other organization: regions `ap-south` (default) and `us-west`.
pub const OTHER_ORGANIZATION: &str = "second-org";

/// A running stand-in; it ends when this is dropped.
#[derive(Debug)]
pub struct Service {
    url: String,
    world: Arc<Watched<World>>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Starts one on a port of its own.
    pub fn start() -> io::Result<Self> {
        Self::listen("http", None)
    }

    /// Starts one over TLS, with a certificate that nobody vouches for; the certificate goes along, as PEM.
    pub fn start_tls() -> io::Result<(Self, String)> {
        let (acceptor, certificate) = tls::acceptor()?;
        Ok((Self::listen("https", Some(acceptor))?, certificate))
    }

    fn listen(scheme: &str, tls: Option<tls::Acceptor>) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address: SocketAddr = listener.local_addr()?;
        let url = format!("{scheme}://{address}");
        let world = Arc::new(Watched::new(World::new(&url)));
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let shared = Arc::clone(&world);
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = connection::accept(listener, shared, tls) => {}
                    _ = stopped => {}
                }
            });
            // Answers that never end must not keep the test from ending.
            runtime.shutdown_background();
        });
        Ok(Self {
            url,
            world,
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Returns the address: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The state, to be read or changed.
    pub fn world(&self) -> Guard<'_, World> {
        self.world.lock()
    }

    /// Makes requests go wrong.
    pub fn inject(&self, injection: Injection) {
        self.world().injections.push(injection);
    }

    /// Has the next requests go wrong as written, one after the other; `None` goes well.
    pub fn follow(&self, script: impl IntoIterator<Item = Option<Injection>>) {
        self.world().script = script.into_iter().collect();
    }

    /// From now on, everything is as it should be.
    pub fn heal(&self) {
        let mut world = self.world();
        world.injections.clear();
        world.script.clear();
    }

    /// Waits until everything that was asked for has been done, also for clients that have gone.
    pub fn settle(&self) {
        wait_for_earlier_connections(self.address);
        self.wait_until("the service to settle", || {
            let world = self.world();
            world.working == 0 && world.open == 0
        });
    }

    /// Waits until the state is such that `done`.
    #[track_caller]
    pub fn wait_until(&self, what: &str, done: impl Fn() -> bool) {
        self.world.wait_until(what, done);
    }

    /// The requests so far, in full.
    pub fn sent(&self) -> Vec<Sent> {
        self.world().sent.clone()
    }

    /// The requests so far as `METHOD target`; they are forgotten then.
    pub fn take_sent(&self) -> Vec<String> {
        let sent = std::mem::take(&mut self.world().sent);
        sent.iter().map(Sent::line).collect()
    }

    /// Everything that is stored, values included, for comparing states.
    pub fn stored(&self) -> Value {
        self.world().stored()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
