//! `bot-cli-dev`: runs the bot of a project on this machine.
fn main() -> std::process::ExitCode {
    bot_cli_dev::main()
}
