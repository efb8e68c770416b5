//! Tests that with `--json`, the host prints exactly one document, whatever a plugin sends.

use serde_json::Value;

use super::bench_with_rogue;

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
