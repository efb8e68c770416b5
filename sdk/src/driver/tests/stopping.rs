//! How a plugin comes to its end.

use std::time::Duration;

use serde_json::json;

use super::{QUICK, Recorder, all_gone, launch, lives, params, pids, run_plugin};
use crate::cancel::Cancel;
use crate::driver::{Patience, Plugin, run};
use crate::failure::Exit;
use crate::protocol::methods;

#[test]
fn what_a_plugin_leaves_behind_ends_with_it() {
    for name in ["heir", "clinging"] {
        let mut ui = Recorder::default();
        let outcome = run_plugin(name, &mut ui, &Cancel::new());
        assert_eq!(outcome.result.unwrap().text, "done", "{name}");
        assert_eq!(pids(&ui).len(), 1, "{name}");
    }
}

#[test]
fn a_deaf_plugin_is_ended_in_three_steps() {
    let cancel = Cancel::new();
    let mut ui = Recorder::cancelling("pids", &cancel, 1);
    let outcome = run_plugin("deaf", &mut ui, &cancel);
    assert_eq!(outcome.status, 130);
    assert_eq!(outcome.result.unwrap_err().exit, Exit::Cancelled);
    assert_eq!(pids(&ui).len(), 2);
}

#[test]
fn a_second_request_does_not_wait() {
    let cancel = Cancel::new();
    let mut ui = Recorder::cancelling("pids", &cancel, 2);
    let patience = Patience {
        cancel: Duration::from_secs(600),
        ..QUICK
    };
    let outcome = run(
        &launch(
            "deaf",
            Patience {
                reply: None,
                ..patience
            },
        ),
        &params(),
        &mut ui,
        &cancel,
    );
    assert_eq!(outcome.status, 130);
}

#[test]
fn a_late_reply_is_not_waited_for() {
    let mut ui = Recorder::default();
    let patience = Patience {
        reply: Some(Duration::from_secs(1)),
        ..QUICK
    };
    let outcome = run(
        &launch("deaf", patience),
        &params(),
        &mut ui,
        &Cancel::new(),
    );
    let failure = outcome.result.unwrap_err();
    assert_eq!((outcome.status, failure.code.as_str()), (7, "timed_out"));
    assert_eq!(failure.message, "plugin `deaf` did not reply within 1 s");
    assert!(all_gone(&ui));
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
fn a_result_that_comes_late_is_none() {
    let patience = Patience {
        cancel: Duration::from_secs(20),
        reply: Some(Duration::from_secs(1)),
        ..QUICK
    };
    let mut ui = Recorder::default();
    let outcome = run(
        &launch("slow", patience),
        &params(),
        &mut ui,
        &Cancel::new(),
    );
    let failure = outcome.result.unwrap_err();
    assert_eq!(failure.message, "plugin `slow` did not reply within 1 s");
}

#[test]
fn a_plugin_can_say_much_on_its_way_out() {
    let mut ui = Recorder::default();
    let patience = Patience {
        terminate: Duration::from_secs(20),
        finish: Duration::ZERO,
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
        let reply = plugin.request(methods::RUN, json!(params()), &mut ui, &Cancel::new());
        let pid = reply.unwrap()["data"].as_u64().unwrap();
        drop(plugin);
        assert!(!lives(pid.try_into().unwrap()), "{name}");
    }
}
