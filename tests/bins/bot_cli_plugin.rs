//! The `plugin` plugin's `main` under a name that tests can find.
fn main() -> std::process::ExitCode {
    bot_cli_plugin::main()
}
