//! Checks for every cluster: the stand-in and a real API server.

mod changes;
mod foreign;
mod reading;
mod signing_in;

use super::backend::Backend;
use super::cluster::Cluster;

/// A check, with the promise that it keeps.
pub type Check = (&'static str, fn(&Cluster));

/// All of them.
pub fn checks() -> Vec<Check> {
    [
        changes::CHECKS,
        foreign::CHECKS,
        reading::CHECKS,
        signing_in::CHECKS,
    ]
    .concat()
}

/// A namespace for one check, which goes away after it.
struct Room<'a> {
    cluster: &'a Cluster,
    namespace: String,
}

impl<'a> Room<'a> {
    fn new(cluster: &'a Cluster) -> Self {
        Self {
            cluster,
            namespace: cluster.namespace(),
        }
    }

    /// The backend in this namespace, as the administrator.
    fn backend(&self) -> Backend {
        self.backend_as(&self.cluster.context)
    }

    fn backend_as(&self, context: &str) -> Backend {
        let settings = [("context", context)];
        Backend::open(&self.cluster.kubeconfig, Some(&self.namespace), &settings).unwrap()
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.cluster.forget(&self.namespace);
    }
}

fn pairs(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}
