//! The `cargo e2e` command. See `bot_cli_tests::e2e`.
use std::process::ExitCode;

fn main() -> ExitCode {
    bot_cli_tests::e2e::main()
}
