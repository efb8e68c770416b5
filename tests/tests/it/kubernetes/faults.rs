//! Done, not done and unknown are three things, whatever happens to the connection.

use std::io::Write as _;

use bot_cli_secrets::Effect;
use bot_cli_secrets_kubernetes::Pace;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_tests::kubernetes::backend::{Backend, Unmade, assert_not_done};
use bot_cli_tests::kubernetes::outcomes;
use bot_cli_tests::kubernetes::stand_in::{Applied, Fault, StandIn, Trouble};
use serde_json::json;
use std::time::Duration;

#[test]
fn three_hundred_operations_say_nothing_untrue() {
    let tally = outcomes::run(1, 300, 10).unwrap();
    // Figures of a test that passes are shown with `--nocapture`.
    let _ = writeln!(std::io::stderr(), "{:?}", tally.counts);
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n\n"));
    for ending in ["done", "NotDone", "Unknown"] {
        let seen = tally.counts.keys().any(|found| found.starts_with(ending));
        assert!(seen, "never {ending}: {:?}", tally.counts);
    }
}

/// With a change cut at one byte of the request or of the answer, what is claimed is so.
#[test]
fn a_connection_cut_at_any_byte_leaves_no_untrue_claim() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("cut");
    let mut backend = Backend::open(&cluster.kubeconfig, Some("cut"), &[]).unwrap();
    for bytes in (0..1400).step_by(13) {
        for (fault, applied) in [
            (Fault::CutRequest(bytes), Applied::No),
            (Fault::CutAnswer(bytes), Applied::No),
            (Fault::CutAnswer(bytes), Applied::Yes),
        ] {
            stand_in.empty("cut");
            backend.put("prod", &[("A", "1")]).unwrap();
            let prior = backend.prior("prod");
            let trouble = Trouble::new(fault.clone()).applied(applied);
            // The looks before and after go well, and the change does not.
            stand_in.follow([None, Some(trouble)]);
            let put = backend.put_onto("prod", None, &[("A", "2")], &prior);
            stand_in.follow([]);
            let object = &stand_in.stored("cut")["prod"];
            let is_done = object["data"]["A"] == "Mg==";
            let is_true = match &put {
                Ok(()) => is_done,
                Err((_, Effect::NotDone, _)) => !is_done,
                Err((_, effect, _)) => *effect == Effect::Unknown,
            };
            assert!(
                is_true,
                "{fault:?} {applied:?} at {bytes}: {put:?}, {is_done}"
            );
            // Where the change was carried out, a look says so.
            assert!(
                put.is_ok() || applied == Applied::No,
                "{fault:?} at {bytes}: {put:?}"
            );
        }
    }
}

#[test]
fn a_change_whose_answer_is_lost_is_looked_for() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let mut backend = Backend::open(&cluster.kubeconfig, Some("n"), &[]).unwrap();
    for applied in [Applied::Yes, Applied::No] {
        stand_in.empty("n");
        let lost = Trouble::new(Fault::CutAnswer(3)).applied(applied);
        let was = |ended: Result<(), Unmade>| match ended {
            Ok(()) => assert_eq!(applied, Applied::Yes),
            Err((_, effect, _)) => assert_eq!((applied, effect), (Applied::No, Effect::Unknown)),
        };
        stand_in.follow([None, None, Some(lost.clone())]);
        was(backend.put("prod", &[("A", "1")]));
        backend.put("prod", &[("A", "1")]).unwrap();
        stand_in.follow([None, Some(lost.clone())]);
        was(backend.unset("prod", &["A"]).map(drop));
        stand_in.follow([None, Some(lost.clone())]);
        was(backend.delete("prod").map(drop));
    }
}

#[test]
fn what_others_do_at_the_last_moment_is_never_undone() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let mut backend = Backend::open(&cluster.kubeconfig, Some("n"), &[]).unwrap();
    let take_over = json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": "Helm" } } });
    for patch in [json!({ "data": { "A": "OQ==" } }), take_over] {
        for change in ["put", "unset", "delete"] {
            stand_in.empty("n");
            backend.put("prod", &[("A", "1"), ("B", "2")]).unwrap();
            let prior = backend.prior("prod");
            let overtaken = Trouble::new(Fault::Overtaken(patch.clone()));
            stand_in.follow([None, Some(overtaken)]);
            let unmade = match change {
                "put" => backend.put_onto("prod", None, &[("B", "4")], &prior).err(),
                "unset" => backend.unset("prod", &["B"]).err(),
                _ => backend.delete("prod").err(),
            };
            assert_not_done(&unmade.unwrap(), "conflict");
            assert_eq!(
                stand_in.stored("n")["prod"]["data"]["B"],
                "Mg==",
                "{change}"
            );
        }
    }
}

#[test]
fn a_busy_cluster_has_changed_nothing() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let mut backend = Backend::open(&cluster.kubeconfig, Some("n"), &[]).unwrap();
    let busy = || Some(Trouble::words(429, "Too many requests\n"));
    stand_in.follow([None, None, busy()]);
    let unmade = backend.put("prod", &[("A", "2")]).unwrap_err();
    assert_not_done(&unmade, "unavailable");
    stand_in.follow([busy()]);
    assert_eq!(backend.get("prod").unwrap_err().0, "unavailable");
}

#[test]
fn what_is_not_an_api_server_is_said_not_to_be_one() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let mut backend = Backend::open(&cluster.kubeconfig, Some("n"), &[]).unwrap();
    backend.put("prod", &[("A", "1")]).unwrap();
    for trouble in [
        Trouble::words(404, "404 page not found\n"),
        Trouble::words(200, "<html>Welcome</html>"),
        Trouble::words(200, "{\"kind\":\"Secret\"}"),
        Trouble::words(
            200,
            "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"other\",\"uid\":\"1\"}}",
        ),
        Trouble::words(307, ""),
    ] {
        stand_in.follow([Some(trouble)]);
        let (code, sentence) = backend.get("prod").unwrap_err();
        assert_eq!(code, "unavailable", "{sentence}");
        assert!(
            sentence.contains("not from a Kubernetes API server"),
            "{sentence}"
        );
    }
    for listing in ["{\"kind\":\"Status\",\"metadata\":{}}", "[]", ""] {
        stand_in.follow([Some(Trouble::words(200, listing))]);
        assert_eq!(backend.list().unwrap_err().0, "unavailable", "{listing}");
    }
}

#[test]
fn a_user_who_stops_before_a_change_has_changed_nothing() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let cancel = Cancel::new();
    let open = || {
        Backend::open_with(
            Pace::USUAL,
            &cluster.kubeconfig,
            Some("n"),
            None,
            &[],
            cancel.clone(),
        )
    };
    let mut backend = open().unwrap();
    let prior = backend.prior("prod");
    cancel.request();
    assert_not_done(
        &backend
            .put_onto("prod", None, &[("A", "1")], &prior)
            .unwrap_err(),
        "cancelled",
    );
    assert!(stand_in.stored("n").is_empty());
}

#[test]
fn an_answer_that_does_not_come_is_not_waited_for_forever() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    stand_in.make_namespace("n");
    let pace = Pace {
        answer: Duration::from_millis(30),
        ..Pace::USUAL
    };
    let cancel = Cancel::new();
    let backend = Backend::open_with(pace, &cluster.kubeconfig, Some("n"), None, &[], cancel);
    let mut backend = backend.unwrap();
    stand_in.follow([Some(Trouble::new(Fault::Silence))]);
    assert_eq!(backend.get("prod").unwrap_err().0, "timed_out");
    // What was said to be unknown may be carried out later, and is when it is looked at.
    let late = Trouble::new(Fault::Silence).applied(Applied::Later(Duration::from_millis(1)));
    stand_in.follow([None, None, Some(late)]);
    backend.put("prod", &[("A", "1")]).unwrap();
    assert_eq!(stand_in.stored("n")["prod"]["data"]["A"], "MQ==");
}
