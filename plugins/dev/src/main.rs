//! `bot-cli-dev`: runs a project's bot on this machine.
fn main() -> std::process::ExitCode {
    bot_cli_dev::main()
}
