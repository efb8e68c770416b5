//! `bot-cli hello` greets somebody by name, and prompts for the name if none is given.

use bot_cli_sdk::plugin::{self, Command, Failure, OrFail, Question, Reply, Session};
use serde_json::json;

/// Greets somebody
#[derive(clap::Parser)]
#[command(name = "bot-cli-hello", version)]
struct Hello {
    /// Whom to greet
    name: Option<String>,
    /// A file to append the greeting to
    #[arg(long, value_hint = clap::ValueHint::FilePath)]
    file: Option<std::path::PathBuf>,
}

bot_cli_sdk::manifest!(Hello, "../manifest.json");

impl Command for Hello {
    fn run(self, session: &Session) -> Result<Reply, Failure> {
        let name = match self.name {
            Some(name) => name,
            None => session.ask_text(&Question::text("name", "Whom?").default("world"))?,
        };
        let greeting = format!("Hello, {name}\n");
        if let Some(file) = self.file {
            let file = session.cwd().join(file);
            let opened = std::fs::File::options().append(true).open(&file);
            opened
                .and_then(|mut file| std::io::Write::write_all(&mut file, greeting.as_bytes()))
                .or_fail(format!("could not append to `{}`", file.display()))?;
        }
        Ok(Reply::text(greeting).data(json!({ "name": name })))
    }
}

fn main() -> std::process::ExitCode {
    plugin::main::<Hello>()
}

#[cfg(test)]
mod tests {
    use bot_cli_sdk::testing::Run;

    use super::Hello;

    #[test]
    fn greets_whom_the_user_names() {
        let ran = Run::of::<Hello>([]).answer("name", "ada").run();
        assert_eq!(ran.text, "Hello, ada\n");
    }

    #[test]
    fn says_which_file_is_not_there() {
        let ran = Run::of::<Hello>(["ada", "--file=nowhere/hello"])
            .cwd("/")
            .run();
        let message = "could not append to `/nowhere/hello`: no such file or directory";
        assert_eq!(ran.failure.unwrap().message, message);
    }
}
