//! The plugin host behind `bot-cli`.

/// Runs the host with this process's arguments and terminal.
#[must_use]
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
