//! A stand-in for the hosted service: HTTP/1.1 on loopback, with or without TLS, with the state, responses and faults of the real service.
//!
//! The organization paths (`/v1/organizations/NAME/...`) and the published paths (`/v1/...`) share one state. Tests can read the state,
//! inject faults and list the requests so far. The stand-in runs no agents and builds no images. Each read advances a rollout or build by
//! one step, toward an outcome that the test chooses.

mod agents;
mod building;
mod builds;
mod clock;
mod connection;
mod deploying;
mod documents;
mod faults;
mod issuer;
mod logs;
mod message;
mod oauth;
mod properties;
mod routes;
mod secrets;
mod sessions;
pub(crate) mod tls;
mod uploads;
mod world;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tokio::sync::oneshot;

use crate::patience::wait_for_earlier_connections;
use crate::watched::{Guard, Watched};

pub use agents::{Rollout, RolloutEnd};
pub use builds::{BuildEnd, Building};
pub use faults::{Fault, Injection};
pub use uploads::Upload;
pub use world::{Access, ListForm, Outcome, Provisioning, Sent, World};

/// The access token of a user who belongs to both organizations.
pub const USER_TOKEN: &str = "user-token-0f3c6a1d9b";
/// A personal access token of the same user.
pub const PERSONAL_TOKEN: &str = "pcc_pat_5e81c2f07a64";
/// A private API key for [`ORGANIZATION`].
pub const PRIVATE_KEY: &str = "sk_2b7d90e4c15f";
/// The first organization, which is the default. Its regions are `us-west` (the default), `us-east` and `eu-central`.
pub const ORGANIZATION: &str = "first-org";
/// The other organization. Its regions are `ap-south` (the default) and `us-west`.
pub const OTHER_ORGANIZATION: &str = "second-org";

/// A running stand-in, stopped when dropped.
#[derive(Debug)]
pub struct Service {
    url: String,
    world: Arc<Watched<World>>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Starts a stand-in on its own port.
    pub fn start() -> io::Result<Self> {
        Self::listen("http", None)
    }

    /// Starts a stand-in over TLS. Also returns its self-signed certificate in PEM format.
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

    /// Returns the server's URL, such as `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Locks the state, for reading or changing it.
    pub fn world(&self) -> Guard<'_, World> {
        self.world.lock()
    }

    /// Adds a fault for matching requests.
    pub fn inject(&self, injection: Injection) {
        self.world().injections.push(injection);
    }

    /// Makes all requests with this `method` (`*` for any) fail without effect if their target contains `path`.
    pub fn fail(&self, method: &'static str, path: &str, fault: &Fault) {
        self.inject(Injection::new(method, path, fault.clone()));
    }

    /// Sets the faults for the next requests, in order. `None` means no fault.
    pub fn follow(&self, script: impl IntoIterator<Item = Option<Injection>>) {
        self.world().script = script.into_iter().collect();
    }

    /// Removes all faults.
    pub fn heal(&self) {
        let mut world = self.world();
        world.injections.clear();
        world.script.clear();
    }

    /// Waits until all requests are done, including those of clients that have disconnected.
    pub fn settle(&self) {
        wait_for_earlier_connections(self.address);
        self.wait_until("the service to settle", || {
            let world = self.world();
            world.working == 0 && world.open == 0
        });
    }

    /// Waits until `done` returns `true`, checking after every state change.
    #[track_caller]
    pub fn wait_until(&self, what: &str, done: impl Fn() -> bool) {
        self.world.wait_until(what, done);
    }

    /// Returns all requests so far.
    pub fn sent(&self) -> Vec<Sent> {
        self.world().sent.clone()
    }

    /// Returns the requests so far as `METHOD target`, and clears the list.
    pub fn take_sent(&self) -> Vec<String> {
        let sent = std::mem::take(&mut self.world().sent);
        sent.iter().map(Sent::line).collect()
    }

    /// Returns everything that is stored, including values, so that tests can compare states.
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
