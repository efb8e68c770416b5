//! The document's plugin in Python keeps every rule that `plugin check` knows.

use bot_cli_tests::bench::Bench;
use serde_json::Value;

const ROLL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../sdk/tests/examples/bot-cli-roll"
);

#[test]
fn the_python_plugin_keeps_the_documents_rules() {
    let bench = Bench::new(&[("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli"))]).unwrap();
    for words in ["", "3"] {
        let ran = bench
            .run(&["--json", "plugin", "check", ROLL, "--argv", words])
            .unwrap();
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let of = |verdict: &str| {
            let found = checks.iter().filter(|check| check["verdict"] == verdict);
            found.map(|check| check["id"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(of("failed"), Vec::<Value>::new(), "{}", ran.stdout);
        assert!(of("passed").len() > 30, "{}", ran.stdout);
    }
}
