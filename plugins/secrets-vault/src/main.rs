//! `bot-cli-secrets-vault`: serves a vault as a secrets backend.
fn main() -> std::process::ExitCode {
    bot_cli_secrets_vault::main()
}
