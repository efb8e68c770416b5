use std::time::Duration;

use serde_json::json;

use super::{QUICK, Recorder, launch, lives, params, pids, run_plugin};
use crate::driver::{Patience, RunningPlugin, run};
use bot_cli_protocol::methods;
use bot_cli_terminal::cancel::Cancel;

#[test]
fn an_end_without_a_reply_leaves_nothing_behind() {
    for (name, end) in [
        ("orphan", "exit status: 4"),
        ("closed-output", "its output was closed"),
    ] {
        let outcome = run_plugin(name, &mut Recorder::default(), &Cancel::new());
        let message = format!("plugin `{name}` ended without a reply ({end})");
        assert_eq!(outcome.result.unwrap_err().message, message);
    }
}

#[test]
fn a_plugin_can_say_much_on_its_way_out() {
    let mut ui = Recorder::default();
    let patience = Patience {
        terminate: Duration::from_secs(20),
        ..QUICK
    };
    let outcome = run(
        &launch("verbose", patience),
        &params(),
        &mut ui,
        &Cancel::new(),
    );
    assert_eq!(outcome.result.unwrap().text, "done");
    assert_eq!(ui.seen.last().unwrap(), "stderr tidied up");
}

#[test]
fn a_plugin_that_is_dropped_leaves_nothing_behind() {
    for name in ["heir", "clinging"] {
        let mut ui = Recorder::default();
        let mut plugin = RunningPlugin::start(&launch(name, QUICK)).unwrap();
        let reply = plugin.request(methods::RUN, &json!(params()), &mut ui, &Cancel::new());
        let pid = reply.unwrap()["data"].as_u64().unwrap();
        drop(plugin);
        assert!(!lives(pid.try_into().unwrap()), "{name}");
    }
}

/// Covers a reply that never arrives and a reply that arrives after the request to stop.
#[test]
fn a_late_reply_is_not_waited_for_and_counts_for_nothing() {
    for name in ["deaf", "slow"] {
        let patience = Patience {
            cancel: Duration::from_secs(if name == "slow" { 20 } else { 0 }),
            reply: Some(Duration::from_secs(1)),
            ..QUICK
        };
        let mut ui = Recorder::default();
        let outcome = run(&launch(name, patience), &params(), &mut ui, &Cancel::new());
        let failure = outcome.result.unwrap_err();
        assert_eq!((outcome.status, failure.code.as_str()), (7, "timed_out"));
        assert_eq!(
            failure.message,
            format!("plugin `{name}` did not reply within 1 s")
        );
        assert!(pids(&ui).into_iter().all(|pid| !lives(pid)));
    }
}
