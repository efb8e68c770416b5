//! Words alone, such as `sk-live-12345` in `API_KEY sk-live-12345`: a key, or a value in the wrong place.
//!
//! Only what is surely a key may be shown or stored as one.

use bot_cli_protocol::failure::{Failure, Field};

use crate::command::context::CommandContext;
use crate::domain::Key;
use crate::input::given::Bare;

/// Returns the words that are keys: the set has them, or a script answers for them. All others are refused.
pub fn keys(
    context: &CommandContext<'_>,
    bare: Vec<Bare>,
    known: &[String],
) -> Result<Vec<Key>, Failure> {
    let is_key =
        |word: &Bare| known.iter().any(|key| key == word.key.as_str()) || answered(context, word);
    let (keys, values): (Vec<_>, Vec<_>) = bare.into_iter().partition(is_key);
    if values.is_empty() {
        Ok(keys.into_iter().map(|word| word.key).collect())
    } else {
        Err(refused(Vec::new(), &values))
    }
}

/// Returns whether a script has a value for the word, as for a key.
pub fn answered(context: &CommandContext<'_>, word: &Bare) -> bool {
    context.has_answer(&super::ask::name(&word.key))
}

/// Returns a failure with these problems and with all words that may be values, which are not shown.
pub fn refused(mut wrong: Vec<Field>, bare: &[Bare]) -> Failure {
    wrong.extend(bare.iter().map(Bare::problem));
    let failure = Failure::invalid_input(wrong);
    if bare.is_empty() {
        return failure;
    }
    failure.hint("a word without `=` is a key whose value is asked for: it must be in capitals, such as `API_KEY`, or be in the set already")
}
