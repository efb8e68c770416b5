//! Tests for `bot-cli init` through its executable.

mod adopt;
mod config_schema;
mod describe;
mod guides;
mod help;
mod interrupted;
mod names;
mod options;
mod packs;
mod promised;
mod protocol;
mod record;
mod update;
mod writing;

use bot_cli_tests::init::{Run, command, done, json, plant, problems, run, shown, tree, web};

/// Compares `actual` with a file in `init/`.
fn assert_snapshot(name: &str, actual: &str) {
    crate::assert_snapshot(&format!("init/{name}"), actual);
}
