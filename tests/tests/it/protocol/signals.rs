//! Tests for a plugin that receives a termination signal while it serves requests.

use std::io::Write;

use bot_cli_tests::patience::wait_for_end;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Open, request};

const SIGNALS: [(Signal, i32, i32); 3] = [
    (Signal::INT, 130, 130),
    (Signal::TERM, 143, 143),
    (Signal::HUP, 143, 129),
];

impl Open {
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns the exit status of a plugin that ends while its input is open.
    fn end(mut self) -> Option<i32> {
        let _input = self.child.stdin.take();
        assert!(self.lines.next().is_none(), "it says more");
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_signal_ends_a_question_and_the_plugin_after_its_reply() {
    for (signal, code, status) in SIGNALS {
        let (plugin, _question) = Open::start_asking();
        plugin.signal(signal);
        let mut plugin = plugin;
        let reply = plugin.receive();
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&json!(1), &json!(code))
        );
        assert_eq!(reply["error"]["data"]["code"], "cancelled");
        assert_eq!(plugin.end(), Some(status));
    }
}

#[test]
fn what_was_asked_before_the_signal_is_replied_to_without_being_done() {
    let (mut plugin, _question) = Open::start_asking();
    plugin.send(&request(
        2,
        "run",
        json!({ "argv": ["a", "--language", "en"] }),
    ));
    // The reply to a line that can't be read shows that the line before it has been read.
    plugin.send(&Value::Null);
    assert_eq!(plugin.receive()["id"], Value::Null);
    plugin.signal(Signal::TERM);
    for id in [1, 2] {
        let reply = plugin.receive();
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&json!(id), &json!(143))
        );
    }
    assert_eq!(plugin.end(), Some(143));
}

#[test]
fn a_plugin_whose_refusals_nobody_reads_hears_a_signal() {
    let mut plugin = Open::start();
    let mut input = plugin.child.stdin.as_ref().unwrap();
    // More refusals than a pipe holds.
    input.write_all(&b"{}\n".repeat(4_000)).unwrap();
    assert_eq!(plugin.receive()["id"], Value::Null);
    plugin.signal(Signal::TERM);
    wait_for_end(plugin.child.id());
    assert_eq!(plugin.child.wait().unwrap().code(), Some(143));
}

#[test]
fn requests_of_one_name_are_all_cancelled_and_replied_to() {
    let (mut plugin, _question) = Open::start_asking();
    plugin.send(&request(1, "run", json!({ "argv": ["a"] })));
    plugin.send(&Value::Null);
    assert_eq!(plugin.receive()["id"], Value::Null);
    plugin.send(&json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 1 } }));
    for _ in 0..2 {
        let reply = plugin.receive();
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&json!(1), &json!(130))
        );
    }
    plugin.signal(Signal::TERM);
    assert_eq!(plugin.end(), Some(143));
}
