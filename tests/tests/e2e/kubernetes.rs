//! The secrets backend for Kubernetes on a real API server.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bot_cli_tests::kubernetes::api_server::ApiServer;
use bot_cli_tests::kubernetes::backend::Backend;
use bot_cli_tests::kubernetes::suite;

#[test]
fn the_suite_passes_on_a_real_api_server() {
    let (_server, cluster) = ApiServer::start().unwrap();
    let mut failed = Vec::new();
    for (name, check) in suite::checks() {
        eprintln!("{name}");
        if catch_unwind(AssertUnwindSafe(|| check(&cluster))).is_err() {
            failed.push(name);
        }
    }
    assert_eq!(failed, [""; 0]);
    // Over TLS with a certificate of the client's own, too.
    let settings = [("context", "certificate")];
    let mut backend = Backend::open(&cluster.kubeconfig, Some("default"), &settings).unwrap();
    backend.put("by-certificate", &[("A", "1")]).unwrap();
    assert!(backend.delete("by-certificate").unwrap());
}
