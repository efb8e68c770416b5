//! `cargo e2e`: see `bot_cli_tests::e2e`.
use std::process::ExitCode;

fn main() -> ExitCode {
    bot_cli_tests::e2e::main()
}
