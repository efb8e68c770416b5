//! Tests for the Kubernetes secrets backend on a real API server.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use bot_cli_secrets::Effect;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_tests::kubernetes::api_server::ApiServer;
use bot_cli_tests::kubernetes::backend::Backend;
use bot_cli_tests::kubernetes::suite;
use rustix::process::Signal;
use serde_json::{Value, json};

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

/// The time for which a server is paused. The response timeout is shorter.
const PAUSE: Duration = Duration::from_millis(600);
const ANSWER: Duration = Duration::from_millis(400);

#[derive(Debug, Clone, Copy)]
enum Fault {
    Killed,
    Paused,
    Restarted,
}

#[test]
fn a_server_that_fails_in_a_change_leaves_no_untrue_claim() {
    let (server, cluster) = ApiServer::start().unwrap();
    let server = Mutex::new(server);
    let namespace = cluster.namespace();
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    let mut number = 0;
    for fault in [Fault::Killed, Fault::Paused, Fault::Restarted] {
        for change in ["create", "put", "pull", "unset", "delete"] {
            for moment in [0, 3, 6, 12, 25] {
                number += 1;
                let set = format!("set-{number}");
                let scope = json!({ "secrets": "1.0", "organization": namespace, "settings": {} });
                let file = &cluster.kubeconfig;
                let opened = Backend::open_with(file, scope, ANSWER, Cancel::new());
                let mut backend = opened.unwrap();
                match change {
                    "create" => {}
                    "pull" => backend.pull(&set, "ghcr.io", "b2xk").unwrap(),
                    _ => backend.put(&set, &[("A", "old"), ("B", "old")]).unwrap(),
                }
                let before = cluster.secret(&namespace, &set);
                let prior = backend.prior(&set);
                let ended = thread::scope(|scope| {
                    scope.spawn(|| {
                        thread::sleep(Duration::from_millis(moment));
                        let mut server = server.lock().unwrap();
                        match fault {
                            Fault::Killed => server.kill().unwrap(),
                            Fault::Restarted => {
                                server.kill().unwrap();
                                server.begin().unwrap();
                            }
                            Fault::Paused => {
                                server.signal(Signal::STOP).unwrap();
                                thread::sleep(PAUSE);
                                server.signal(Signal::CONT).unwrap();
                            }
                        }
                    });
                    match change {
                        "create" | "put" => backend.put_onto(&set, None, &[("A", "new")], &prior),
                        "pull" => backend.pull_onto(&set, "ghcr.io", "bmV3", &prior),
                        "unset" => backend.unset(&set, &["A"], None).map(drop),
                        _ => backend.delete(&set, None).map(drop),
                    }
                });
                let mut server = server.lock().unwrap();
                if matches!(fault, Fault::Killed) {
                    server.begin().unwrap();
                }
                server.wait(&cluster).unwrap();
                // What was under way is carried out by now, or never.
                thread::sleep(PAUSE);
                let after = cluster.secret(&namespace, &set);
                let data =
                    |secret: &Option<Value>| secret.as_ref().map(|secret| secret["data"].clone());
                let is_done = data(&before) != data(&after);
                let is_true = match &ended {
                    Ok(()) => is_done,
                    Err((_, Effect::NotDone, _)) => !is_done,
                    Err((_, effect, _)) => *effect == Effect::Unknown,
                };
                assert!(
                    is_true,
                    "{fault:?}, {change}, {moment} ms: {ended:?}, {is_done}"
                );
                let ending = match &ended {
                    Ok(()) => "done".to_owned(),
                    Err((code, effect, _)) => format!("{effect:?} {code}"),
                };
                *endings.entry(format!("{fault:?}: {ending}")).or_default() += 1;
            }
        }
    }
    // Figures of a test that passes are shown with `--nocapture`.
    let _ = writeln!(std::io::stderr(), "{}", json!(endings));
}
