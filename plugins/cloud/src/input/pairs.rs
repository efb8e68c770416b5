//! Parses keys and values from the command line.
//!
//! Messages never quote an argument that may be a value.

use bot_cli_protocol::failure::Field;
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::suggest;

use super::given::{Empty, Given};
use super::looks_like_a_key;
use crate::domain::Key;

/// Parses `KEY=value` and `KEY` arguments and collects all problems.
pub fn parse(words: &[String], empty: Empty) -> Result<Given, Vec<Field>> {
    let mut given = Given::default();
    let mut wrong = Vec::new();
    for (index, word) in words.iter().enumerate() {
        // Messages name the position, because the argument may be a value.
        let mut place = format!("pair {}", index + 1);
        let named = word.split_once('=').map_or(word.as_str(), |(key, _)| key);
        if looks_like_a_key(named) {
            named.clone_into(&mut place);
        }
        if let Err(problem) = given.read(word, empty) {
            wrong.push(Field::new(place, problem));
        }
    }
    if wrong.is_empty() {
        Ok(given)
    } else {
        Err(wrong)
    }
}

impl Given {
    fn read(&mut self, word: &str, empty: Empty) -> Result<(), String> {
        let Some((key, value)) = word.split_once('=') else {
            if !looks_like_a_key(word) {
                let is_path = suggest::is_plain_path(word) && word.contains(['.', '/']);
                return Err(if is_path {
                    "is not `KEY=VALUE`; a file is given with `--file`".to_owned()
                } else {
                    "is not `KEY=VALUE`; a key alone, whose value is asked for, must be in capitals"
                        .to_owned()
                });
            }
            return self.ask_for(Key::parse(word)?);
        };
        if may_be_several(value) {
            return Err(
                "may be one pair or several: give each pair as a word of its own".to_owned(),
            );
        }
        let key = Key::parse(key).map_err(|problem| format!("the key {problem}"))?;
        self.add(key, Secret::new(value.to_owned()), empty)
    }
}

/// Reports whether a value contains whitespace followed by another pair.
fn may_be_several(value: &str) -> bool {
    let is_pair = |piece: &str| {
        let pair = piece.split_once('=');
        pair.is_some_and(|(key, _)| Key::parse(key).is_ok())
    };
    // The first piece is part of the value.
    let own = usize::from(!value.starts_with(char::is_whitespace));
    value.split_whitespace().skip(own).any(is_pair)
}

#[cfg(test)]
mod tests {
    use super::{Empty, parse};

    fn read(words: &[&str]) -> Result<Vec<(String, String)>, Vec<super::Field>> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        parse(&words, Empty::Refuse).map(|pairs| {
            let open = pairs
                .open
                .iter()
                .map(|key| (key.to_string(), "?".to_owned()));
            pairs
                .entries
                .iter()
                .map(|entry| (entry.key.to_string(), entry.value.expose().to_owned()))
                .chain(open)
                .collect()
        })
    }

    #[test]
    fn a_pair_is_split_at_the_first_equals_sign() {
        let found = read(&["A=b=c==", "B=a b", "C", "D=\"q\"", "E=x & y=z"]).unwrap_err();
        assert_eq!(found.len(), 1, "the last may be two pairs: {found:?}");
        let found = read(&["A=b=c==", "B=a b", "C", "D=\"q\""]).unwrap();
        let expected = [("A", "b=c=="), ("B", "a b"), ("D", "\"q\""), ("C", "?")];
        assert_eq!(found, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
    }

    #[test]
    fn a_word_that_may_be_several_pairs_is_refused() {
        for word in ["A=1 B=2", "A='x y' B=1", "A=\"x B=1", "A= B=1"] {
            let wrong = read(&[word]).unwrap_err();
            assert!(
                wrong[0].problem.contains("one pair or several"),
                "{word}: {wrong:?}"
            );
        }
    }

    #[test]
    fn a_word_alone_is_a_key_only_where_it_surely_is_one() {
        let found = read(&["API_KEY", "OTHER"]).unwrap();
        let expected = [("API_KEY", "?"), ("OTHER", "?")];
        assert_eq!(found, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
        let wrong = read(&["API_KEY", "sk-live-12345", "OTHER", "lower"]).unwrap_err();
        let fields: Vec<&str> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(fields, ["pair 2", "pair 4"]);
    }

    #[test]
    fn keys_without_a_value_are_left_out_if_wanted() {
        let words = ["A=", "B=1", "c3VwZXI="].map(str::to_owned);
        let skipped = parse(&words, Empty::Skip).unwrap();
        assert_eq!((skipped.entries.len(), skipped.skipped.len()), (1, 2));
        let refused = parse(&words, Empty::Refuse).unwrap_err();
        assert_eq!(refused[1].field, "pair 3");
        assert!(!format!("{refused:?}").contains("c3Vw"), "{refused:?}");
    }

    #[test]
    fn all_problems_are_named_and_no_value_is() {
        let wrong = read(&[
            "EMPTY=",
            "s3cret/value",
            "a b=s3cret",
            "TWICE=s3cret",
            "TWICE=x",
            "c3VwZXJzZWNyZXQ=",
        ])
        .unwrap_err();
        let fields: Vec<&str> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(fields, ["EMPTY", "pair 2", "pair 3", "TWICE", "pair 6"]);
        let said = format!("{wrong:?}");
        assert!(!said.contains("s3cret") && !said.contains("c3Vw"), "{said}");
    }
}
