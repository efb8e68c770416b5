//! The secrets backend for Kubernetes, on a stand-in that answers as a real API server was seen to. `cargo e2e kubernetes` runs the
//! same suite on a real one.

mod canary;
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
