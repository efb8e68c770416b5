//! The `bot-cli-cloud` executable, which deploys agents and manages secrets.
fn main() -> std::process::ExitCode {
    bot_cli_cloud::main()
}
