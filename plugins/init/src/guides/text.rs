//! The words of the guides.

use bot_cli_protocol::failure::{Exit, Failure};

/// The text of a guide, without its stamp. It says the same to everybody: nothing is filled in.
pub(super) fn of(name: &str) -> Result<&'static str, Failure> {
    bot_cli_templates::guide(&format!("{name}.liquid")).ok_or_else(|| {
        Failure::new(
            Exit::Failed,
            "broken_template",
            format!("the guide `{name}` is missing in this program"),
        )
        .hint("this is a defect of bot-cli: report it")
    })
}
