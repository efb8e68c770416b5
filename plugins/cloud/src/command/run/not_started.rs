//! A program that could not be started, and what about the set may be the reason.

use std::io::{self, ErrorKind};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::wording::count;

use crate::domain::{Entry, Key};
use crate::input::advice::{LONGEST_VARIABLE, size};

/// Returns the failure with the status that a shell has for it: 127 when there is no such program, else 126.
pub fn failure(program: &str, entries: &[Entry], error: io::Error) -> Failure {
    let exit = if error.kind() == ErrorKind::NotFound {
        Exit::NotFound
    } else {
        Exit::NotRunnable
    };
    let is_too_long = error.kind() == ErrorKind::ArgumentListTooLong;
    let could_not = format!("could not start `{program}`");
    let failure = Failure::because(exit, "not_started", could_not, error);
    if !is_too_long {
        return failure;
    }
    let sizes: Vec<(&Key, usize)> = entries
        .iter()
        .map(|entry| (&entry.key, size(entry)))
        .collect();
    let (too_long, total) = (
        sizes.iter().filter(|(_, size)| *size > LONGEST_VARIABLE),
        sizes.iter().map(|(_, size)| size).sum::<usize>(),
    );
    let failure = too_long.fold(failure, |failure, (key, size)| {
        let problem = format!(
            "has {size} bytes with its name, and a variable of an environment may have {LONGEST_VARIABLE}"
        );
        failure.field(key.as_str(), None, problem)
    });
    if !failure.fields.is_empty() {
        return failure.hint("keep it in a file, and its path in the set");
    }
    let keys = count(entries.len(), "key");
    let largest = sizes.iter().max_by_key(|(_, size)| *size);
    let largest = largest.map_or_else(String::new, |(key, size)| {
        format!("; the largest is `{key}` with {size}")
    });
    failure.hint(format!(
        "the {keys} of the set have {total} bytes{largest}; arguments and the rest of the environment count too"
    ))
}

#[cfg(test)]
mod tests {
    use std::io;

    use bot_cli_protocol::secret::Secret;

    use super::{LONGEST_VARIABLE as LONGEST, failure};
    use crate::domain::{Entry, Key};

    fn entry(key: &str, length: usize) -> Entry {
        Entry {
            key: Key::parse(key).unwrap(),
            value: Secret::new("v".repeat(length)),
        }
    }

    #[test]
    fn what_is_too_long_is_named_with_its_size() {
        let error = || io::Error::from(io::ErrorKind::ArgumentListTooLong);
        let found = failure("sh", &[entry("A", 1), entry("BIG", LONGEST)], error());
        assert_eq!((found.exit.status(), found.fields.len()), (126, 1));
        assert_eq!(found.fields[0].field, "BIG");
        assert!(found.fields[0].problem.contains("131077"), "{found:?}");
        let found = failure("sh", &[entry("A", 1), entry("B", 100)], error());
        assert!(found.fields.is_empty());
        assert!(
            found.hints[0].contains("the largest is `B` with 103"),
            "{found:?}"
        );
    }
}
