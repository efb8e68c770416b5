//! Tests for the Kubernetes secrets backend on a real API server.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bot_cli_tests::kubernetes::api_server::ApiServer;
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
}
