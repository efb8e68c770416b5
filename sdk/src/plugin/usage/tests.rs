//! Tests that usage errors never quote a misplaced secret.

use clap::{CommandFactory, Parser, Subcommand};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failure;
use crate::plugin::describe::spec_of;
use crate::plugin::surface;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Outcome;

#[derive(Parser)]
#[command(
    name = "bot-cli-cloud",
    version = "0.1.0",
    disable_help_subcommand = true
)]
struct Cloud {
    #[command(subcommand)]
    group: Group,
}

#[derive(Subcommand)]
enum Group {
    #[command(subcommand)]
    Secrets(Secrets),
    #[command(subcommand)]
    Auth(Auth),
}

#[derive(Subcommand)]
enum Secrets {
    Set {
        name: Option<String>,
        pairs: Vec<String>,
        #[arg(short, long)]
        file: Option<String>,
        #[arg(short, long)]
        skip: bool,
        #[arg(long, value_parser = ["hosted", "local"])]
        backend: Option<String>,
        #[arg(long)]
        times: Option<u8>,
        #[arg(long, require_equals = true)]
        wait: Option<String>,
        #[arg(long, num_args = 2)]
        range: Vec<String>,
    },
    Unset {
        name: String,
        key: String,
    },
    List,
    Run {
        name: String,
        #[arg(last = true)]
        program: Vec<String>,
    },
}

#[derive(Subcommand)]
enum Auth {
    Login {
        #[arg(long)]
        token_stdin: bool,
        #[arg(long, conflicts_with = "token_stdin")]
        import: bool,
    },
    Status,
}

const NAME: &str = "bot-cli cloud";

type Words = Vec<String>;

fn rows<T: DeserializeOwned>(table: &str) -> Vec<T> {
    let mut tables: Value = serde_json::from_str(include_str!("mistakes.json")).unwrap();
    serde_json::from_value(tables[table].take()).unwrap()
}

fn refused<S: AsRef<str>>(words: &[S]) -> Failure {
    let words: Words = words.iter().map(|word| word.as_ref().to_owned()).collect();
    let command = surface::of(Cloud::command(), NAME);
    let root = spec_of(&command);
    let error = command.try_get_matches_from(&words).unwrap_err();
    failure(&error, NAME, &root, &words)
}

#[test]
fn what_is_wrong_is_said_without_the_word() {
    for (words, message) in rows::<(Words, String)>("wrong") {
        assert_eq!(refused(&words).message, message, "{words:?}");
    }
}

/// A stand-in for a secret. Its four-character substrings do not occur in any other text.
const CANARY: &str = "zQ7x9Wv3";

#[test]
fn no_mistyped_form_repeats_a_value() {
    let mut forms = rows::<Words>("with_value");
    for word in forms.iter_mut().flatten() {
        *word = word.replace('@', CANARY);
    }
    assert!(forms.len() >= 50, "{}", forms.len());
    for words in &forms {
        let failure = refused(words);
        let text = bot_cli_terminal::report::failure(&failure, false);
        let document = Outcome::new(Err(failure)).document().to_string();
        for part in CANARY.as_bytes().windows(4) {
            let part = std::str::from_utf8(part).unwrap();
            for said in [&text, &document] {
                assert!(!said.contains(part), "{words:?}: {said}");
            }
        }
    }
}
