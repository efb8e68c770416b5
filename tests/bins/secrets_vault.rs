//! An executable that serves the vault as a secrets backend.

fn main() -> std::process::ExitCode {
    bot_cli_secrets::main::<bot_cli_tests::vault_backend::VaultBackend>()
}
