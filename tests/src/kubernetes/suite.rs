//! Checks that run against every cluster: the stand-in and a real API server.

mod changes;
mod foreign;
mod reading;
mod signing_in;

use bot_cli_plugin::conformance::Kit;
use bot_cli_terminal::cancel::Cancel;

use super::backend::Backend;
use super::cluster::Cluster;
use crate::bench::second_name;
use crate::executable::executable;

/// The name of a check and the function that runs it.
pub type Check = (&'static str, fn(&Cluster));

/// Returns all checks.
pub fn checks() -> Vec<Check> {
    [
        CONTRACT,
        changes::CHECKS,
        foreign::CHECKS,
        reading::CHECKS,
        signing_in::CHECKS,
    ]
    .concat()
}

const CONTRACT: &[Check] = &[("it_keeps_the_contract_of_backends", contract)];

fn contract(cluster: &Cluster) {
    let room = Room::new(cluster);
    keeps_the_contract(
        "bot-cli-secrets-kubernetes",
        vec![
            format!("organization={}", room.namespace),
            format!("context={}", cluster.context),
            format!("kubeconfig={}", cluster.kubeconfig.display()),
        ],
    );
}

/// Runs the checks of `plugin check` on one of this package's backends.
pub fn keeps_the_contract(name: &str, argv: Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    second_name(&executable(&format!("it-{name}")), &file).unwrap();
    let mut kit = Kit::new(&file);
    kit.argv = Some(argv);
    let report = kit.check(&Cancel::new(), |_, _, _| {}).unwrap();
    assert_eq!(report.failed().count(), 0, "{report:#?}");
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
