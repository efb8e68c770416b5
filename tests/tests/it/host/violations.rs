//! What the host says of plugins that break the protocol: one clear line each.

use super::{bench_with_rogue, expect};

#[test]
fn each_breach_of_the_protocol_has_its_line() {
    let bench = bench_with_rogue();
    for (mode, message, hint) in [
        ("no-reply", "ended without a reply (exit status: 0)", ""),
        (
            "stray",
            "ended without a reply (exit status: 0)",
            "hint: it printed a line that is not a message: `Hello \\u{1b}[31m\"world\"`\n",
        ),
        (
            "crash",
            "ended without a reply (signal: 6 (SIGABRT))",
            "hint: if it was changing something, look at what became of that\n",
        ),
        ("wrong-id", "replied to request 99, which nobody made", ""),
        ("double", "replied twice to request 1", ""),
        ("long-line", "sent a line of more than 8 MiB", ""),
        ("not-utf8", "sent a line that is not UTF-8", ""),
    ] {
        let stderr = format!("error: plugin `rogue` {message}\n{hint}");
        expect(&bench, &["rogue", mode], 125, "", &stderr);
    }
}

/// Otherwise both would wait for ever: the host until it can write, the plugin until it is read.
#[test]
fn a_plugin_that_leaves_its_answers_unread_is_ended() {
    let request = r#"{"jsonrpc":"2.0","id":"x","method":"stdin","params":{}}"#;
    let words = [&["rogue", "say"][..], &vec![request; 3_000]].concat();
    expect(
        &bench_with_rogue(),
        &words,
        125,
        "",
        "error: plugin `rogue` asks on and on without reading the answers\n",
    );
}

#[test]
fn a_crash_comes_with_the_last_words() {
    expect(
        &bench_with_rogue(),
        &["rogue", "last-words"],
        125,
        "",
        "cannot open the model\n\
         error: plugin `rogue` ended without a reply (exit status: 3)\n\
         hint: its last words: cannot open the model\n",
    );
}

#[test]
fn lines_that_are_no_messages_are_skipped_and_named_on_demand() {
    let bench = bench_with_rogue();
    expect(&bench, &["rogue", "banner"], 0, "done\n", "");
    expect(
        &bench,
        &["-v", "rogue", "banner"],
        0,
        "done\n",
        "plugin `rogue` printed a line that is not a message: `Loading model ...`\n\
         plugin `rogue` printed a line that is not a message: `{\"level\":\"info\"}`\n",
    );
}

#[test]
fn a_plugin_for_another_protocol_says_which() {
    expect(
        &bench_with_rogue(),
        &["rogue", "version"],
        125,
        "",
        "error: protocol 1.0 is not supported\nhint: the plugin speaks 2.0, 2.1, this host 1.0\n",
    );
}

#[test]
fn an_error_without_an_exit_status_is_said_to_break_the_protocol() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"lost"}}"#;
    expect(
        &bench_with_rogue(),
        &["rogue", "said", error],
        125,
        "",
        "error: lost\nhint: the plugin broke the protocol: the code of its error is 0, and not an exit status\n",
    );
}

#[test]
fn violations_are_one_document_with_json() {
    expect(
        &bench_with_rogue(),
        &["rogue", "wrong-id", "--json"],
        125,
        r#"{
  "error": {
    "code": "wrong_id",
    "message": "plugin `rogue` replied to request 99, which nobody made",
    "fields": [],
    "hints": []
  }
}
"#,
        "",
    );
}

#[test]
fn a_flood_on_standard_error_holds_nothing_up() {
    let bench = bench_with_rogue();
    let ran = bench.run(&["rogue", "flood"]).unwrap();
    let lines: Vec<String> = (0..20_000)
        .map(|line| format!("line {line} of many that nobody asked for\n"))
        .collect();
    let expected = lines.concat();
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "done\n"));
    assert!(ran.stderr == expected, "{} bytes", ran.stderr.len());
}

#[test]
fn nothing_a_plugin_says_commands_the_terminal() {
    let bench = bench_with_rogue();
    expect(&bench, &["rogue", "escapes"], 0, "abc\n", "");
}

#[test]
fn unknown_requests_of_a_plugin_are_answered() {
    let bench = bench_with_rogue();
    expect(&bench, &["rogue", "unknown-method"], 0, "-32601\n", "");
}
