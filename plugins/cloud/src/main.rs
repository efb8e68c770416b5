//! `bot-cli-cloud`: manages secret sets and image pull secrets.
fn main() -> std::process::ExitCode {
    bot_cli_cloud::main()
}
