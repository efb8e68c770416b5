//! Greets someone: `bot-cli @NAME@ world`. Without a name, prompts for one.

use bot_cli_sdk::plugin::{self, Candidate, Command, Context, Failure, Question, Reply, Session};
use serde_json::json;

/// Greets somebody
#[derive(clap::Parser)]
#[command(name = "bot-cli-@NAME@", version)]
struct Greet {
    /// Who is greeted
    who: Option<String>,
    /// In which language
    #[arg(long, value_parser = ["en", "de"], default_value = "en")]
    language: String,
}

// After a change of the command tree, `UPDATE=1 cargo test` writes the file.
bot_cli_sdk::manifest!(Greet, "../manifest.json");

impl Command for Greet {
    const COMPLETES: &'static [&'static str] = &["who"];

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        let who = match self.who {
            Some(who) => who,
            None => session.ask_text(&Question::text("who", "Who is greeted"))?,
        };
        // Ctrl-C ends the work at any point; `session.guard()` keeps a step from that.
        session.progress(&format!("Greeting {who}"), None, None);
        let word = if self.language == "de" {
            "Hallo"
        } else {
            "Hello"
        };
        Ok(Reply::text(format!("{word}, {who}.\n"))
            .data(json!({ "who": who, "language": self.language })))
    }

    fn complete(_: &str, _: &[String], _: &Context) -> Result<Vec<Candidate>, Failure> {
        Ok(["world", "moon"].map(Candidate::new).to_vec())
    }
}

fn main() -> std::process::ExitCode {
    plugin::main::<Greet>()
}

#[cfg(test)]
mod tests {
    use bot_cli_sdk::testing::Run;

    use super::Greet;

    #[test]
    fn greets() {
        let ran = Run::of::<Greet>(["world", "--language", "de"]).run();
        assert_eq!(ran.text, "Hallo, world.\n");
        let ran = Run::of::<Greet>([]).answer("who", "moon").run();
        assert_eq!(ran.text, "Hello, moon.\n");
    }
}
