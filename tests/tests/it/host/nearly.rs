//! A host does not wait for a message that it has seen: what is nearly one is named, with the reason.

use super::{bench_with_rogue, expect};

#[test]
fn a_reply_that_can_not_be_read_ends_the_run() {
    let bench = bench_with_rogue();
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"data":{}{}}}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for (line, reason) in [
        (r#"{"id":1,"result":{"text":"hi"}}"#, "`jsonrpc` is missing"),
        (r#"{"result":{"text":"hi"}}"#, "`jsonrpc` is missing"),
        (
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            "`jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            "it has neither `result` nor `error`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"no"}}"#,
            "it has both `result` and `error`",
        ),
        (
            r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
            "it is a list, and there are no batches",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#,
            "`id` must be a whole number or a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"no"}}"#,
            "`error.code` must be a whole number",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
            "`error` has no `message`",
        ),
        (
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
            "it begins with a byte order mark",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"data":1e999}}"#,
            "it is not JSON: number out of range (column 46)",
        ),
        (
            deep.as_str(),
            "it is not JSON: recursion limit exceeded (column 167)",
        ),
    ] {
        for mode in ["say", "said"] {
            let message =
                format!("error: plugin `rogue` sent a reply that can't be read: {reason}\n");
            expect(&bench, &["rogue", mode, line], 125, "", &message);
        }
    }
    let ran = bench
        .run(&["--json", "rogue", "say", r#"{"id":1,"result":{}}"#])
        .unwrap();
    assert!(ran.stdout.contains(r#""code": "wrong_reply""#), "{ran:?}");
}

#[test]
fn another_message_that_can_not_be_read_is_named_once() {
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"text":"done\n"}}"#;
    for (line, reason) in [
        (r#"{"method":"log","params":{}}"#, "`jsonrpc` is missing"),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ask"}"#,
            "`id` is null",
        ),
        ("{", "it ends in the middle; a message is one line"),
    ] {
        let warning =
            format!("warning: plugin `rogue` printed a line that is almost a message: {reason}\n");
        let words = ["rogue", "said", line, line, reply];
        expect(&bench_with_rogue(), &words, 0, "done\n", &warning);
    }
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
    let problem = "plugin `rogue` sent an error that can't be read as a whole: `error.data.fields` must be a list\n";
    let all = format!("{problem}{shown}");
    expect(&bench, &["-v", "rogue", "said", line], 4, "", &all);
}
