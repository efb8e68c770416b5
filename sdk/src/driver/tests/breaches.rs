//! What breaks the protocol.

use super::{QUICK, Recorder, launch, params, run_plugin};
use crate::cancel::Cancel;
use crate::driver::run;

#[test]
fn a_breach_of_the_protocol_has_its_code_and_its_line() {
    for (name, code, message) in [
        (
            "wrong-id",
            "wrong_id",
            "replied to request 7, which nobody made",
        ),
        ("double-reply", "double_reply", "replied twice to request 1"),
        (
            "no-reply",
            "no_reply",
            "ended without a reply (exit status: 3)",
        ),
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
        ("not-utf8", "invalid_utf8", "sent a line that is not UTF-8"),
        (
            "endless-line",
            "line_too_long",
            "sent a line of more than 8 MiB",
        ),
        (
            "wrong-result",
            "wrong_result",
            "sent a result that `run` does not have: `result.text` must be a string",
        ),
    ] {
        let mut ui = Recorder::default();
        let outcome = run_plugin(name, &mut ui, &Cancel::new());
        let failure = outcome.result.unwrap_err();
        assert_eq!(failure.code, code);
        assert_eq!(failure.message, format!("plugin `{name}` {message}"));
        assert_eq!(outcome.status, 125);
        let last_words = if name == "no-reply" {
            "its last words: cannot find the moon"
        } else {
            ""
        };
        assert_eq!(
            failure
                .hints
                .iter()
                .filter(|hint| !hint.contains("pids"))
                .cloned()
                .collect::<String>(),
            last_words
        );
    }
}

#[test]
fn a_plugin_that_cannot_be_run_is_named() {
    let outcome = run(
        &launch("nobody", QUICK),
        &params(),
        &mut Recorder::default(),
        &Cancel::new(),
    );
    assert_eq!(outcome.status, 126);
    let message = outcome.result.unwrap_err().message;
    assert!(
        message.ends_with("tests/plugins/nobody`: no such file or directory"),
        "{message}"
    );
}
