//! A stand-in for an API server: serves Secrets and namespaces over HTTP/1.1 on loopback, with realistic responses and with faults on
//! demand.

mod api;
mod connection;
mod refusal;
mod trouble;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use serde_json::Value;

use super::cluster::{Cluster, write_kubeconfig};
use crate::watched::Watched;
use api::Store;
pub use trouble::{Applied, Fault, Trouble};

/// A running stand-in, stopped when dropped.
pub struct StandIn {
    address: SocketAddr,
    world: Arc<World>,
    folder: tempfile::TempDir,
}

/// The state shared by all connections.
type World = Watched<State>;

#[derive(Default)]
struct State {
    store: Store,
    /// The faults for upcoming requests, in order.
    script: VecDeque<Option<Trouble>>,
    /// The number of delayed requests that are still pending.
    working: usize,
    stopped: bool,
}

impl StandIn {
    /// Starts a stand-in and writes a kubeconfig for its users.
    pub fn start() -> io::Result<(Self, Cluster)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let world = Arc::new(World::default());
        let shared = Arc::clone(&world);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let world = Arc::clone(&shared);
                if world.lock().stopped {
                    return;
                }
                // An error is a connection that ended badly, as a test asked or as a client did.
                thread::spawn(move || connection::serve(&stream, &world));
            }
        });
        let folder = tempfile::tempdir()?;
        let kubeconfig = folder.path().join("kubeconfig");
        // Nobody vouches for a connection without TLS, but to read one authority is quicker than to read the system's.
        let authority = rcgen::generate_simple_self_signed(Vec::new()).map_err(io::Error::other)?;
        let authority = authority.cert.pem();
        let url = format!("http://{address}");
        write_kubeconfig(&kubeconfig, &url, &authority)?;
        let cluster = Cluster::of(&kubeconfig, "admin")?;
        let stand_in = Self {
            address,
            world,
            folder,
        };
        Ok((stand_in, cluster))
    }

    /// Returns the server's URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns a temporary folder that is deleted along with the stand-in.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Sets the faults for the next requests, in order. `None` means no fault.
    pub fn follow(&self, script: impl IntoIterator<Item = Option<Trouble>>) {
        self.world.lock().script = script.into_iter().collect();
    }

    /// Waits until all delayed requests have taken effect.
    pub fn settle(&self) {
        let is_settled = || self.world.lock().working == 0;
        self.world.wait_until("the stand-in to settle", is_settled);
    }

    /// Returns the Secrets in a namespace by name.
    pub fn stored(&self, namespace: &str) -> BTreeMap<String, Value> {
        self.world.lock().store.secrets_in(namespace)
    }

    /// Creates a namespace directly, without a request.
    pub fn make_namespace(&self, name: &str) {
        self.world.lock().store.make_namespace(name);
    }

    /// Removes all Secrets from a namespace directly, without a request.
    pub fn empty(&self, namespace: &str) {
        self.world.lock().store.empty(namespace);
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.world.lock().stopped = true;
        // Whoever waits for the next connection has to see that.
        let _ = TcpStream::connect(self.address);
    }
}
