//! Tests for the Kubernetes secrets backend, on a stand-in that imitates a real API server. `cargo e2e kubernetes` runs the same suite on a
//! real one.

mod faults;
mod kubeconfig;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use bot_cli_tests::kubernetes::stand_in::StandIn;
use bot_cli_tests::kubernetes::suite;

#[test]
fn the_suite_passes_on_the_stand_in() {
    let failed: Vec<&str> = thread::scope(|scope| {
        let running: Vec<_> = suite::checks()
            .into_iter()
            .map(|(name, check)| {
                scope.spawn(move || {
                    let (_stand_in, cluster) = StandIn::start().unwrap();
                    let passed = catch_unwind(AssertUnwindSafe(|| check(&cluster)));
                    passed.is_err().then_some(name)
                })
            })
            .collect();
        running
            .into_iter()
            .filter_map(|check| check.join().unwrap())
            .collect()
    });
    assert_eq!(failed, [""; 0]);
}

/// `bot-cli cloud` links the same library.
#[test]
fn the_vault_keeps_the_contract_of_backends() {
    let folder = tempfile::tempdir().unwrap();
    let argv = vec![format!("folder={}", folder.path().display())];
    suite::keeps_the_contract("bot-cli-secrets-vault", argv);
}
