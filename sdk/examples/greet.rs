//! A plugin with one command: `bot-cli greet world`, `bot-cli-greet world`, or a request on standard input.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::plugin::{self, Command, Reply};
use bot_cli_sdk::protocol::Candidate;
use bot_cli_sdk::question::{Answer, Choice, Question, QuestionKind};
use bot_cli_sdk::session::{Level, Session};
use serde_json::json;

/// Greets somebody
#[derive(clap::Parser)]
#[command(name = "bot-cli-greet", version = "0.1.0")]
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

impl Command for Greet {
    const MANIFEST: &'static str = bot_cli_sdk::manifest!("greet.json");
    const COMPLETES: &'static [&'static str] = &["name"];

    fn run(self, session: &mut Session) -> Result<Reply, Failure> {
        let mut open = Vec::new();
        if self.name.is_none() {
            open.push(Question::new(QuestionKind::Text, "name", "Whom"));
        }
        if self.language.is_none() {
            let mut question = Question::new(QuestionKind::Select, "language", "In which language");
            question.flag = Some("--language".to_owned());
            question.choices = [("en", "English"), ("de", "German")].map(choice).to_vec();
            open.push(question);
        }
        let answers = session.ask_all(&open)?.unwrap_or_default();
        let mut answers = answers.into_iter().filter_map(|answer| match answer {
            Answer::Text(text) => Some(text),
            Answer::Secret(_) | Answer::Confirm(_) | Answer::Many(_) | Answer::Back => None,
        });
        let name = self.name.or_else(|| answers.next()).unwrap_or_default();
        let language = self.language.or_else(|| answers.next()).unwrap_or_default();
        if name.is_empty() {
            return Err(
                Failure::new(Exit::Usage, "invalid_input", "there is nobody to greet")
                    .field("name", None, "empty")
                    .hint("bot-cli greet world"),
            );
        }
        let word = if language == "de" { "Hallo" } else { "Hello" };
        let end = if self.loud { '!' } else { '.' };
        for time in 1..=self.times {
            if session.cancelled() {
                return Err(Failure::cancelled());
            }
            session.progress("Greeting", Some(time.into()), Some(self.times.into()));
        }
        session.log(Level::Info, "greeted");
        let line = format!("{word}, {name}{end}\n");
        Ok(Reply {
            text: line.repeat(self.times.into()),
            data: json!({ "name": name, "language": language, "times": self.times }),
            next: vec![format!("bot-cli greet {name} --loud")],
        })
    }

    fn complete(_argument: &str, _words: &[String]) -> Vec<Candidate> {
        ["world", "moon"]
            .map(|name| Candidate {
                value: name.to_owned(),
                about: None,
            })
            .to_vec()
    }
}

fn choice((value, label): (&str, &str)) -> Choice {
    Choice {
        value: value.to_owned(),
        label: label.to_owned(),
        about: None,
    }
}

fn main() -> std::process::ExitCode {
    plugin::main::<Greet>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_manifest_in_the_file_is_what_describe_answers() {
        if let Err(described) = bot_cli_sdk::plugin::check_manifest::<super::Greet>() {
            panic!("examples/greet.json should be\n{described}");
        }
    }
}
