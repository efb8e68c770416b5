//! The host's `main` under a name that tests can find. `IT_PATIENCE` shortens the host's timeouts.
use std::time::Duration;

use bot_cli_engine::driver::Patience;

fn main() -> std::process::ExitCode {
    let milliseconds = std::env::var("IT_PATIENCE").ok();
    match milliseconds.and_then(|patience| patience.parse().ok()) {
        Some(milliseconds) => {
            let patience = Duration::from_millis(milliseconds);
            bot_cli::main_with(Patience::of(patience))
        }
        None => bot_cli::main(),
    }
}
