//! `bot-cli-dev` of this build.
fn main() -> std::process::ExitCode {
    bot_cli_dev::main()
}
