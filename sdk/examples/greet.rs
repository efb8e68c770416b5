//! A plugin with one command: `bot-cli greet world`, `bot-cli-greet world`, or a request on standard input.

use bot_cli_sdk::plugin::{
    self, Candidate, Command, Context, Exit, Failure, Level, Question, Reply, Session,
};
use serde_json::json;

/// Greets somebody
#[derive(clap::Parser)]
#[command(name = "bot-cli-greet", version)]
struct Greet {
    /// Whom to greet
    name: Option<String>,
    /// In which language
    #[arg(long, value_parser = ["en", "de"])]
    language: Option<String>,
    /// How often
    #[arg(long, default_value_t = 1)]
    times: u8,
    /// Ends with an exclamation mark
    #[arg(long, overrides_with = "no_loud")]
    loud: bool,
    /// Ends with a full stop
    #[arg(long, overrides_with = "loud")]
    no_loud: bool,
}

bot_cli_sdk::manifest!(Greet, "greet.json");

impl Command for Greet {
    const COMPLETES: &'static [&'static str] = &["name"];

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        let mut open = Vec::new();
        if self.name.is_none() {
            open.push(Question::text("name", "Whom"));
        }
        if self.language.is_none() {
            let languages = [("en", "English"), ("de", "German")];
            open.push(
                Question::select("language", "In which language", languages).flag("--language"),
            );
        }
        let answers = session.ask_all(&open)?;
        let answer = |key: &str| answers.get(key)?.as_text().map(str::to_owned);
        let name = self.name.or_else(|| answer("name"));
        let language = self.language.or_else(|| answer("language"));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(
                Failure::new(Exit::Usage, "invalid_input", "there is nobody to greet")
                    .field("name", None, "empty")
                    .hint("bot-cli greet world"),
            );
        };
        for time in 1..=self.times {
            session.progress("Greeting", Some(time.into()), Some(self.times.into()));
        }
        session.log(Level::Info, "greeted");
        let german = language.as_deref() == Some("de");
        let word = if german { "Hallo" } else { "Hello" };
        let end = if self.loud { '!' } else { '.' };
        let line = format!("{word}, {name}{end}\n");
        Ok(Reply::text(line.repeat(self.times.into()))
            .data(json!({ "name": name, "language": language, "times": self.times }))
            .next(format!("bot-cli greet {name} --loud")))
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
    fn what_is_not_said_is_asked() {
        let ran = Run::of::<Greet>([])
            .answer("name", "ada")
            .go_back("language")
            .answer("name", "grace")
            .answer("language", "en")
            .run();
        assert_eq!(ran.text, "Hello, grace.\n");
        let keys: Vec<_> = ran.asked.iter().map(|question| &question.key).collect();
        assert_eq!(keys, ["name", "language", "name", "language"]);
    }
}
