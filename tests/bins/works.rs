//! A plugin for cancellation tests. The argument selects the case: `free`, `guarded`, `freed`, `asking` or `said`.
use std::thread::sleep;
use std::time::Duration;

use bot_cli_sdk::plugin::{self, Command, Failure, Question, Reply, Session};

/// Work
#[derive(clap::Parser)]
#[command(name = "bot-cli-works", version)]
struct Works {
    how: String,
}

bot_cli_sdk::manifest!(Works, "works.json");

impl Command for Works {
    fn run(self, session: &Session) -> Result<Reply, Failure> {
        let guard = (self.how != "free").then(|| session.guard());
        match self.how.as_str() {
            // Work that was asked to stop is ended as soon as it has something to say.
            "freed" => {
                session.progress("working", None, None);
                wait_for(session);
                drop(guard);
                session.progress("working", None, None);
            }
            "guarded" => {
                session.progress("working", None, None);
                wait_for(session);
                return Ok(Reply::text("finished\n"));
            }
            "asking" => {
                drop(guard);
                session.ask_secret(&Question::password("word", "The word"))?;
            }
            "said" => return Ok(Reply::text("said\n")),
            _ => session.progress("working", None, None),
        }
        sleep(Duration::from_secs(30));
        Ok(Reply::text("finished\n"))
    }
}

fn wait_for(session: &Session) {
    while !session.cancelled() {
        sleep(Duration::from_millis(5));
    }
}

fn main() -> std::process::ExitCode {
    plugin::main::<Works>()
}
