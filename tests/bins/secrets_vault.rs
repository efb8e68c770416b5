//! The vault as a backend with an executable of its own.

fn main() -> std::process::ExitCode {
    bot_cli_secrets::main::<bot_cli_tests::vault_backend::VaultBackend>()
}
