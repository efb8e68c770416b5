//! `--json` prints one document, whatever a plugin sends.

use serde_json::Value;

use super::{bench_with_rogue, expect};

#[test]
fn whatever_a_plugin_sends_is_one_document() {
    let bench = bench_with_rogue();
    for words in [
        &["no-reply"][..],
        &["crash"],
        &["last-words"],
        &["banner"],
        &["stray"],
        &["wrong-id"],
        &["double"],
        &["long-line"],
        &["not-utf8"],
        &["grandchild"],
        &["flood"],
        &["version"],
        &["escapes"],
        &["status"],
        &["exit", "127"],
        &["unknown-method"],
        &["everything"],
        &["echo"],
        &["said", "{}", "7", "[]", "null", "\"text\""],
        &["said", r#"{"jsonrpc":"2.0","id":1,"result":[]}"#],
        &["said", r#"{"jsonrpc":"2.0","id":1,"result":{"exit":300}}"#],
        &[
            "said",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"no","data":{"fields":"oops"}}}"#,
        ],
        &["said", r#"{"jsonrpc":"2.0","id":1}"#],
        &["said", r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#],
        &[
            "said",
            r#"{"jsonrpc":"2.0","method":"output","params":{"id":1,"text":7}}"#,
        ],
    ] {
        for verbosity in [&[][..], &["-v"], &["-vv"], &["-q"]] {
            let options = [verbosity, &["--json", "rogue"], words].concat();
            let ran = bench.run(&options).unwrap();
            let document: Result<Value, _> = serde_json::from_str(&ran.stdout);
            assert!(document.is_ok(), "{options:?}: {ran:?}");
        }
    }
}

#[test]
fn output_is_no_part_of_the_document_and_named_on_demand() {
    let bench = bench_with_rogue();
    let document = "{\n  \"done\": true\n}\n";
    let ran = bench.run(&["--json", "rogue", "everything"]).unwrap();
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), document));
    let ran = bench.run(&["-v", "--json", "rogue", "everything"]).unwrap();
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), document));
    let said: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| *line != "on standard error")
        .collect();
    assert_eq!(
        said,
        [
            "plugin `rogue` printed a line that is not a message: `a stray line`",
            "warning: two lines",
            "plugin `rogue` sent `output`, which is not a part of the JSON document",
            "plugin `rogue` sent `output` for the request 7, which is not open",
            "plugin `rogue` sent `output` that can't be read: `params` has no `id`",
        ]
    );
}

#[test]
fn output_is_shown_where_it_is_offered_and_only_for_the_open_request() {
    let ran = bench_with_rogue().run(&["rogue", "everything"]).unwrap();
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (Some(0), "early\nlate\n")
    );
}

#[test]
fn the_hosts_own_statuses_are_not_a_plugins() {
    let bench = bench_with_rogue();
    for status in [0, 1, 9, 124, 128, 255] {
        expect(
            &bench,
            &["rogue", "exit", &status.to_string()],
            status,
            "over\n",
            "",
        );
    }
    for status in ["125", "126", "127"] {
        let warning = format!(
            "warning: plugin `rogue` ended with the status {status}, which is the host's own: it becomes 1\n"
        );
        expect(&bench, &["rogue", "exit", status], 1, "over\n", &warning);
        expect(
            &bench,
            &["--json", "rogue", "exit", status],
            1,
            "\"over\"\n",
            &warning,
        );
    }
}
