//! The `secrets_vault` plugin's `main` under a name that tests can find.
fn main() -> std::process::ExitCode {
    bot_cli_secrets_vault::main()
}
