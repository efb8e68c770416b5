use std::time::Duration;

use serde_json::json;

use super::{QUICK, Recorder, launch, lives, params, pids, run_plugin};
use crate::driver::{Patience, Plugin, run};
use bot_cli_protocol::methods;
use bot_cli_terminal::cancel::Cancel;

#[test]
fn an_end_without_a_reply_leaves_nothing_behind() {
    for (name, code, message) in [
        (
            "orphan",
            "no_reply",
            "ended without a reply (exit status: 4)",
        ),
        (
            "closed-output",
            "no_reply",
            "ended without a reply (its output was closed)",
        ),
        (
            "wrong-result",
            "wrong_result",
            "sent a result that `run` does not have: `result.text` must be a string",
        ),
    ] {
        let failure = run_plugin(name, &mut Recorder::default(), &Cancel::new());
        let failure = failure.result.unwrap_err();
        assert_eq!(failure.code, code);
        assert_eq!(failure.message, format!("plugin `{name}` {message}"));
    }
}

#[test]
fn cancelling_says_why() {
    for (terminated, reply, reason, status) in [
        (false, None, "user", 130),
        (true, None, "signal", 143),
        (false, Some(Duration::from_secs(1)), "timeout", 7),
    ] {
        let cancel = Cancel::new();
        let request = cancel.clone();
        let mut ui = Recorder::default();
        if reply.is_none() {
            let act = move || {
                if terminated {
                    request.terminate();
                } else {
                    request.request();
                }
            };
            ui.at = Some(("ready", Box::new(act)));
        }
        let patience = Patience {
            cancel: Duration::from_secs(20),
            reply,
            ..QUICK
        };
        let outcome = run(&launch("polite", patience), &params(), &mut ui, &cancel);
        assert_eq!(outcome.status, status);
        let told = format!(
            r#"stderr {{"jsonrpc":"2.0","method":"cancel","params":{{"id":1,"reason":"{reason}"}}}}"#
        );
        assert_eq!(ui.seen, ["stderr ready", &told]);
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
        let mut plugin = Plugin::start(&launch(name, QUICK)).unwrap();
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
