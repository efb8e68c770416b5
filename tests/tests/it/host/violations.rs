//! Tests for the host's messages about plugins that break the protocol: one clear line each.

use super::{bench_with_rogue, expect};

/// Checks that the host ends a plugin that does not read its answers. Otherwise, both would block forever, each waiting for the other to
/// read.
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
