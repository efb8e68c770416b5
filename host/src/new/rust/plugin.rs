//! The plugin as hosts see it.

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::conformance::Kit;
use bot_cli_sdk::testing::Run;

const PLUGIN: &str = env!("CARGO_BIN_EXE_bot-cli-@NAME@");

#[test]
fn greets() {
    let ran = Run::executable(PLUGIN, ["world", "--language", "de"]).run();
    assert_eq!(ran.text, "Hallo, world.\n");
    let ran = Run::executable(PLUGIN, []).answer("who", "moon").run();
    assert_eq!(ran.text, "Hello, moon.\n");
}

#[test]
fn keeps_the_protocol() {
    let kit = Kit::new(PLUGIN.as_ref());
    for argv in [&["world"][..], &[]] {
        let report = kit
            .clone()
            .argv(argv.iter().copied())
            .check(&Cancel::new())
            .unwrap();
        assert_eq!(report.failed().count(), 0, "{report}");
    }
}
