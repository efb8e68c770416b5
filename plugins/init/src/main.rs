//! `bot-cli-init`: starts a bot project.
fn main() -> std::process::ExitCode {
    bot_cli_init::main()
}
