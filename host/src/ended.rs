//! The end of a command of the host, as it is shown.

use bot_cli_protocol::outcome::Outcome;
use bot_cli_terminal::Terminal;
use bot_cli_terminal::ui::{Level, Ui};

/// Shows how a command ended and tells the status to exit with. `-v` shows what led to a failure.
pub fn report(outcome: &Outcome, terminal: &Terminal) -> u8 {
    if let Err(failure) = &outcome.result {
        for cause in failure.causes() {
            terminal
                .clone()
                .log(Level::Info, &format!("caused by: {cause}"));
        }
    }
    terminal.report(outcome)
}
