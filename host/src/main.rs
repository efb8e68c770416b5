//! `bot-cli`: finds plugins and runs them.
fn main() -> std::process::ExitCode {
    bot_cli::main()
}
