//! Keys and values as the user gives them: words, files, standard input.

pub mod advice;
pub mod dotenv;
pub mod given;
pub mod pairs;

use bot_cli_sdk::failure::{Exit, Failure};

/// Whether a word is surely a name and not a value that somebody mistyped: `OPENAI_API_KEY`.
#[must_use]
pub fn looks_like_a_key(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|c| c.is_ascii_uppercase())
        && characters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && word.len() <= 64
}

/// A failure that names every wrong field.
#[must_use]
pub fn invalid(fields: Vec<(String, Option<&str>, String)>) -> Failure {
    let message = match fields.len() {
        1 => "1 field is missing or invalid".to_owned(),
        several => format!("{several} fields are missing or invalid"),
    };
    let failure = Failure::new(Exit::Usage, "invalid_input", message);
    fields
        .into_iter()
        .fold(failure, |failure, (field, flag, problem)| {
            failure.field(&field, flag, problem)
        })
}
