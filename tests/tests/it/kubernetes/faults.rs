//! Tests that done, not done and unknown are distinct outcomes, whatever happens to the connection.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use bot_cli_secrets::Effect;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_tests::kubernetes::backend::{Backend, Unmade, assert_not_done};
use bot_cli_tests::kubernetes::cluster::Cluster;
use bot_cli_tests::kubernetes::stand_in::{Applied, Fault, StandIn, Trouble};
use serde_json::{Value, json};

/// A realistic response timeout. [`HASTY`] is for tests in which no response is expected.
const PATIENT: Duration = Duration::from_secs(30);
const HASTY: Duration = Duration::from_secs(1);

/// The changes, each with the part of the Secret's data that it affects. A deletion affects everything.
const CHANGES: [(&str, &str); 5] = [
    ("create", "/data/A"),
    ("put", "/data/A"),
    ("pull", "/data/.dockerconfigjson"),
    ("unset", "/data/A"),
    ("delete", ""),
];

/// The value that the changes store, and the form in which a cluster has it. No message may contain either.
const TRACES: [&str; 2] = ["canary", "Y2FuYXJ5"];

/// An error message of a cluster that repeats the value in both forms.
const ECHO: &str = "Invalid value: \"canary\" (Y2FuYXJ5)";

/// Starts a stand-in with an empty namespace `n`, and opens the backend there.
fn opened() -> (StandIn, Cluster, Backend) {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let backend = opened_for(&cluster, PATIENT, &Cancel::new());
    (stand_in, cluster, backend)
}

fn opened_for(cluster: &Cluster, patience: Duration, cancel: &Cancel) -> Backend {
    let scope = json!({ "secrets": "1.0", "organization": "n", "settings": {} });
    Backend::open_with(&cluster.kubeconfig, scope, patience, cancel.clone()).unwrap()
}

/// Returns the faults to test. With some of them, the change is refused or another change precedes it, so it is not done. With the others,
/// the change may be done despite the fault.
fn troubles() -> Vec<Trouble> {
    let mut troubles = vec![
        Trouble::status(401, "Unauthorized", ECHO),
        Trouble::status(403, "Forbidden", ECHO),
        Trouble::status(409, "Conflict", ECHO),
        Trouble::status(422, "Invalid", ECHO),
        Trouble::status(400, "canary", ECHO),
        Trouble::status(429, "TooManyRequests", ECHO),
        Trouble::words(429, ECHO),
    ];
    for patch in [
        json!({ "data": { "Z": "OQ==" } }),
        json!({ "metadata": { "annotations": { "note": "1" } } }),
        json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": "Helm" } } }),
    ] {
        troubles.push(Trouble::new(Fault::Overtaken(patch)));
    }
    troubles.extend(
        (0..1400)
            .step_by(45)
            .map(|bytes| Trouble::new(Fault::CutRequest(bytes))),
    );
    let mut open: Vec<Trouble> = (0..1400)
        .step_by(70)
        .map(|bytes| Trouble::new(Fault::CutAnswer(bytes)))
        .collect();
    open.extend([
        Trouble::new(Fault::Silence),
        Trouble::status(500, "InternalError", ECHO),
        Trouble::status(503, "ServiceUnavailable", ECHO),
        Trouble::status(504, "Timeout", ECHO),
        Trouble::words(502, "<html>canary</html>"),
        Trouble::words(404, "404 page not found\n"),
        Trouble::words(200, ECHO),
        Trouble::words(200, "{}"),
        Trouble::words(200, ""),
    ]);
    let later = Applied::Later(Duration::from_millis(10));
    for applied in [Applied::No, Applied::Yes, later] {
        troubles.extend(open.iter().map(|trouble| trouble.clone().applied(applied)));
    }
    troubles
}

#[test]
fn whatever_goes_wrong_with_a_change_nothing_untrue_is_said() {
    let endings: Vec<BTreeMap<String, usize>> = thread::scope(|scope| {
        let running =
            CHANGES.map(|(change, touched)| scope.spawn(move || endings(change, touched)));
        running.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for (endings, (change, _)) in endings.iter().zip(CHANGES) {
        for ending in ["done", "NotDone", "Unknown"] {
            assert!(endings.contains_key(ending), "{change}: {endings:?}");
        }
    }
}

/// Makes a change with each fault, followed by a read that succeeds or fails. Returns the number of times that each outcome occurs.
fn endings(change: &str, touched: &str) -> BTreeMap<String, usize> {
    let (stand_in, cluster, mut other) = opened();
    let mut backend = opened_for(&cluster, HASTY, &Cancel::new());
    let mut endings = BTreeMap::new();
    for trouble in troubles() {
        for look in [None, Some(Trouble::new(Fault::CutAnswer(0)))] {
            stand_in.empty("n");
            match change {
                "create" => {}
                "pull" => other.pull("set", "ghcr.io", "b2xk").unwrap(),
                _ => other.put("set", &[("A", "old"), ("B", "2")]).unwrap(),
            }
            let prior = other.prior("set");
            let before = stand_in.stored("n").remove("set");
            stand_in.follow([None, Some(trouble.clone()), look.clone()]);
            let ended = match change {
                "create" | "put" => backend.put_onto("set", None, &[("A", "canary")], &prior),
                "pull" => backend.pull_onto("set", "ghcr.io", "canary", &prior),
                "unset" => backend.unset("set", &["A"], None).map(drop),
                _ => backend.delete("set", None).map(drop),
            };
            stand_in.follow([]);
            stand_in.settle();
            let after = stand_in.stored("n").remove("set");
            let part = |of: &Option<Value>| of.as_ref().and_then(|it| it.pointer(touched).cloned());
            let is_done = match change {
                "delete" => after.is_none(),
                _ => part(&before) != part(&after),
            };
            let shown = format!("{change}, {trouble:?}, {look:?}: {ended:?}, {after:?}");
            assert!(is_true(&ended, is_done), "{shown}");
            // Where the change was carried out, a look says so.
            let is_seen = trouble.applied == Applied::Yes && is_done && look.is_none();
            assert!(ended.is_ok() || !is_seen, "{shown}");
            // What was not meant stays, and what others wrote at the last moment.
            let kept = |key: &str| after.as_ref().is_some_and(|it| it["data"][key].is_string());
            let is_overtaken =
                matches!(&trouble.fault, Fault::Overtaken(patch) if patch["data"].is_object());
            assert!(change != "put" && change != "unset" || kept("B"), "{shown}");
            assert!(change == "create" || !is_overtaken || kept("Z"), "{shown}");
            let said = backend.heard()
                + &ended
                    .as_ref()
                    .map_or_else(|it| it.2.clone(), |()| String::new());
            assert!(!TRACES.iter().any(|it| said.contains(it)), "{said}");
            let ending = match &ended {
                Ok(()) => "done".to_owned(),
                Err((_, effect, _)) => format!("{effect:?}"),
            };
            *endings.entry(ending).or_default() += 1;
        }
    }
    endings
}

fn is_true(ended: &Result<(), Unmade>, is_done: bool) -> bool {
    match ended {
        Ok(()) => is_done,
        Err((_, Effect::NotDone, _)) => !is_done,
        Err((_, effect, _)) => *effect == Effect::Unknown,
    }
}

#[test]
fn a_busy_cluster_has_changed_nothing() {
    let (stand_in, _cluster, mut backend) = opened();
    let busy = || Some(Trouble::words(429, "Too many requests\n"));
    stand_in.follow([None, None, busy()]);
    let unmade = backend.put("prod", &[("A", "2")]).unwrap_err();
    assert_not_done(&unmade, "unavailable");
    stand_in.follow([busy()]);
    assert_eq!(backend.get("prod").unwrap_err().0, "unavailable");
}

#[test]
fn a_response_that_is_not_the_apis_is_told_from_no_set() {
    let (stand_in, _cluster, mut backend) = opened();
    backend.put("prod", &[("A", "1")]).unwrap();
    for (status, body) in [
        (404, "404 page not found\n"),
        (200, "<html>Welcome</html>"),
        (200, "{\"kind\":\"Secret\"}"),
        (
            200,
            "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"other\",\"uid\":\"1\"}}",
        ),
        (307, ""),
    ] {
        stand_in.follow([Some(Trouble::words(status, body))]);
        let (code, sentence) = backend.get("prod").unwrap_err();
        assert_eq!(code, "unavailable", "{sentence}");
        let expected = "not from a Kubernetes API server";
        assert!(sentence.contains(expected), "{sentence}");
    }
    for listing in ["{\"kind\":\"Status\",\"metadata\":{}}", "[]", ""] {
        stand_in.follow([Some(Trouble::words(200, listing))]);
        assert_eq!(backend.list().unwrap_err().0, "unavailable", "{listing}");
    }
}

#[test]
fn a_user_who_stops_does_not_wait() {
    let cancel = Cancel::new();
    let (stand_in, cluster, _) = opened();
    let mut backend = opened_for(&cluster, PATIENT, &cancel);
    let prior = backend.prior("prod");
    // While the change is under way nobody knows whether it arrives.
    let silence = Trouble::new(Fault::Silence).applied(Applied::Yes);
    stand_in.follow([None, Some(silence)]);
    let stop = cancel.clone();
    thread::spawn(move || {
        thread::sleep(HASTY);
        stop.request();
    });
    let (_, effect, _) = backend
        .put_onto("prod", None, &[("A", "1")], &prior)
        .unwrap_err();
    assert_eq!(effect, Effect::Unknown);
    // Before it begins, nothing is changed.
    stand_in.settle();
    stand_in.empty("n");
    let unmade = backend.put_onto("prod", None, &[("A", "1")], &prior);
    assert_not_done(&unmade.unwrap_err(), "cancelled");
    assert!(stand_in.stored("n").is_empty());
}

#[test]
fn an_answer_that_does_not_come_is_not_waited_for_forever() {
    let (stand_in, cluster, _) = opened();
    let mut backend = opened_for(&cluster, HASTY, &Cancel::new());
    stand_in.follow([Some(Trouble::new(Fault::Silence))]);
    assert_eq!(backend.get("prod").unwrap_err().0, "timed_out");
}
