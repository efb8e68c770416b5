//! Every help text, compared with the files in `snapshots/`. `UPDATE=1` rewrites the files.

use super::{HELLO, bench_with_rogue};

const TREE: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"tree","version":"2.0","about":"Grow trees","environment":[{"name":"TREE_FOREST","about":"Where trees grow"}],"command":{"name":"tree","about":"Grow trees","arguments":[{"name":"forest","kind":"option","long":"forest","about":"Where","global":true}],"commands":[{"name":"plant","about":"Plant one","result":{"type":"object","properties":{"trees":{"type":"array","description":"What was\u001b[31m planted"},"depth":{"type":["number","null"]},"soil":{}}},"aliases":["sow"],"arguments":[{"name":"kind","kind":"positional","about":"What to plant","required":true,"values":[{"value":"oak"},{"value":"elm"}]},{"name":"depth","kind":"option","long":"depth","short":"d","about":"How deep","value_name":"CM","default":"20"},{"name":"soil","kind":"option","long":"soil"},{"name":"again","kind":"option","long":"depth","about":"a second of its name"},{"name":"water","kind":"flag","long":"water","short":"h","about":"Water it\u001b[31m"}]},{"name":"fell","about":"Cut one down","hidden":true}]}}
echo started >&2
exit 9
"#;

#[test]
fn help_is_what_the_snapshots_say() {
    let bench = bench_with_rogue();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    bench.script("plugins/bot-cli-tree", TREE).unwrap();
    bench.script("plugins/bot-cli-open", TREE).unwrap();
    bench.mode("plugins/bot-cli-open", 0o777).unwrap();
    bench
        .script("plugins/bot-cli-old", "#!/bin/sh\nexit 9\n")
        .unwrap();
    for (name, spellings) in [
        (
            "host",
            &[&["--help"][..], &["-h"], &[], &["help"], &["-v", "--help"]][..],
        ),
        ("host_help", &[&["help", "--help"], &["help", "help"]]),
        ("host_environment", &[&["help", "environment"]]),
        (
            "host_completions",
            &[&["completions", "-h"], &["help", "completions"]],
        ),
        (
            "plugin_script",
            &[
                &["hello", "--help"],
                &["hello", "x", "-h"],
                &["help", "hello"],
            ],
        ),
        (
            "plugin_undeclared",
            &[&["help", "old"], &["help", "old", "x"]],
        ),
        ("plugin_tree", &[&["tree", "--help"], &["help", "tree"]]),
        (
            "plugin_tree_plant",
            &[
                &["tree", "plant", "--help"],
                &["help", "tree", "plant"],
                &["tree", "sow", "--help"],
            ],
        ),
    ] {
        for arguments in spellings {
            let ran = bench.run(arguments).unwrap();
            assert_eq!(
                (ran.status, ran.stderr.as_str()),
                (Some(0), ""),
                "{arguments:?}"
            );
            let shown = ran.stdout.replace("[BENCH]", "/bench");
            assert_snapshot(name, &shown);
        }
    }
}

#[test]
fn help_is_one_document_with_json() {
    let bench = bench_with_rogue();
    let plain = bench.run(&["rogue", "--help"]).unwrap().stdout;
    let json = bench.run(&["rogue", "--help", "--json"]).unwrap().stdout;
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document, serde_json::json!({ "help": plain }));
}

#[track_caller]
fn assert_snapshot(name: &str, actual: &str) {
    crate::assert_snapshot(&format!("snapshots/{name}.txt"), actual);
}
