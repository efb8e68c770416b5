//! A host does not wait for a reply that it can't read, and shows the beginning of what is not a message.

use super::{bench_with_rogue, expect};

#[test]
fn a_reply_that_can_not_be_read_ends_the_run() {
    let bench = bench_with_rogue();
    for line in [
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"data":1e999}}"#,
    ] {
        for mode in ["say", "said"] {
            let message =
                format!("error: plugin `rogue` sent a reply that can't be read: `{line}`\n");
            expect(&bench, &["rogue", mode, line], 125, "", &message);
        }
    }
    let ran = bench
        .run(&["--json", "rogue", "say", r#"{"jsonrpc":"2.0","id":1}"#])
        .unwrap();
    assert!(ran.stdout.contains(r#""code": "wrong_reply""#), "{ran:?}");
}

#[test]
fn another_message_that_can_not_be_read_is_shown_once() {
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"text":"done\n"}}"#;
    let line = r#"{"jsonrpc":"2.0","id":null,"method":"ask"}"#;
    let warning =
        format!("warning: plugin `rogue` printed a line that is not a message: `{line}`\n");
    let words = ["rogue", "said", line, line, reply];
    expect(&bench_with_rogue(), &words, 0, "done\n", &warning);
}

#[test]
fn a_result_of_the_wrong_form_names_its_field() {
    let bench = bench_with_rogue();
    for (result, problem) in [
        ("[]", "`result` must be an object"),
        ("null", "`result` must be an object"),
        (r#"{"text":7}"#, "`result.text` must be a string"),
        (r#"{"next":"x"}"#, "`result.next` must be a list"),
        (
            r#"{"exit":300}"#,
            "`result.exit` must be a number from 0 to 255",
        ),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let message =
            format!("error: plugin `rogue` sent a result that `run` does not have: {problem}\n");
        expect(&bench, &["rogue", "said", &line], 125, "", &message);
    }
}

#[test]
fn one_wrong_member_of_an_error_leaves_the_others() {
    let bench = bench_with_rogue();
    let line = r#"{"jsonrpc":"2.0","id":1,"error":{"code":4,"message":"no key","data":{"hints":["get\none"],"fields":"oops"}}}"#;
    let shown = "error: no key\nhint: get one\n";
    expect(&bench, &["rogue", "said", line], 4, "", shown);
}
