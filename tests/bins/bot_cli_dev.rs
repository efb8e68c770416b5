//! The `dev` plugin's `main` under a name that tests can find.
fn main() -> std::process::ExitCode {
    bot_cli_dev::main()
}
