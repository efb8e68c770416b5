//! Checks that run against every cluster: the stand-in and a real API server.

mod changes;
mod foreign;
mod reading;
mod signing_in;

use super::backend::Backend;
use super::cluster::Cluster;

/// The name of a check and the function that runs it.
pub type Check = (&'static str, fn(&Cluster));

/// Returns all checks.
pub fn checks() -> Vec<Check> {
    [
        changes::CHECKS,
        foreign::CHECKS,
        reading::CHECKS,
        signing_in::CHECKS,
    ]
    .concat()
}

/// A namespace for one check, deleted when dropped.
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

    /// Opens the backend in this namespace as the administrator.
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
