//! The error that caused a failure, and its words.

use std::error::Error;
use std::io;
use std::sync::Arc;

use super::{Exit, Failure, reason};

/// The cause of a failure. All causes compare equal, so they do not affect whether two failures are equal.
#[derive(Debug, Clone, Default)]
pub(super) struct Cause(Option<Arc<dyn Error + Send + Sync>>);

impl Cause {
    pub(super) fn new(error: Box<dyn Error + Send + Sync>) -> Self {
        Self(Some(error.into()))
    }

    pub(super) fn get(&self) -> Option<&(dyn Error + 'static)> {
        self.0.as_deref().map(|error| error as _)
    }
}

impl PartialEq for Cause {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Cause {}

/// Converts any error into a [`Failure`], including standard library errors, boxed errors and `anyhow` errors.
pub trait OrFail<T> {
    /// Converts the error into a failure with the message `could_not: error`.
    fn or_fail(self, could_not: impl Into<String>) -> Result<T, Failure>;

    /// Converts the error like [`or_fail`](Self::or_fail), with the given exit status and error code.
    fn or_fail_with(
        self,
        exit: Exit,
        code: &str,
        could_not: impl Into<String>,
    ) -> Result<T, Failure>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> OrFail<T> for Result<T, E> {
    fn or_fail(self, could_not: impl Into<String>) -> Result<T, Failure> {
        self.or_fail_with(Exit::Failed, "failed", could_not)
    }

    fn or_fail_with(
        self,
        exit: Exit,
        code: &str,
        could_not: impl Into<String>,
    ) -> Result<T, Failure> {
        self.map_err(|error| Failure::because(exit, code, could_not, error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let message = words(&error);
        Self::new(Exit::Failed, "io", message).caused_by(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        let message = words(&error);
        Self::new(Exit::Failed, "invalid_json", message).caused_by(error)
    }
}

/// Formats an error for use after `could not …: ` in a message.
pub(super) fn words(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return reason(error);
    }
    // The error's text quotes the input, which may contain a secret.
    if let Some(error) = error.downcast_ref::<serde_json::Error>() {
        return match (error.io_error_kind(), error.is_data()) {
            (Some(kind), _) => kind.to_string(),
            (None, true) => format!("the JSON has another shape{}", place(error)),
            (None, false) => format!("it is not JSON{}", place(error)),
        };
    }
    error.to_string()
}

fn place(error: &serde_json::Error) -> String {
    match error.line() {
        0 => String::new(),
        line => format!(" (line {line}, column {})", error.column()),
    }
}

/// Returns the text of each cause, unless the message or an earlier cause already contains it.
pub(super) fn chain(failure: &Failure) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut cause = failure.source();
    while let Some(error) = cause {
        let text = words(error);
        let is_told = |told: &String| told.contains(&text);
        if !is_told(&failure.message) && !texts.iter().any(is_told) {
            texts.push(text);
        }
        cause = error.source();
    }
    texts
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::{fmt, io};

    use super::{Exit, Failure, OrFail};

    #[derive(Debug)]
    struct Outer(io::Error);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the list is not readable")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    fn outer() -> Outer {
        Outer(io::Error::from_raw_os_error(13))
    }

    #[test]
    fn a_question_mark_takes_the_usual_errors() {
        fn read(text: &[u8]) -> Result<u8, Failure> {
            let number = serde_json::from_slice(text)?;
            std::fs::read("/")?;
            Ok(number)
        }
        for (text, code, message) in [
            (
                &b"x"[..],
                "invalid_json",
                "it is not JSON (line 1, column 1)",
            ),
            (b"1", "io", "is a directory"),
        ] {
            let failure = read(text).unwrap_err();
            assert_eq!((&*failure.code, &*failure.message), (code, message));
            assert_eq!(failure.exit, Exit::Failed);
            assert!(failure.source().is_some());
        }
    }

    #[test]
    fn any_error_becomes_a_failure_that_keeps_its_causes() {
        let boxed: Box<dyn Error + Send + Sync> = outer().into();
        for failure in [
            Err::<(), _>(outer())
                .or_fail("could not greet")
                .unwrap_err(),
            Err::<(), _>(boxed)
                .or_fail_with(Exit::Unavailable, "away", "could not greet")
                .unwrap_err(),
        ] {
            assert_eq!(failure.message, "could not greet: the list is not readable");
            assert_eq!(failure.causes(), ["permission denied"]);
        }
        let failure = Failure::new(Exit::Failed, "failed", "could not greet").caused_by(outer());
        assert_eq!(
            failure.causes(),
            ["the list is not readable", "permission denied"]
        );
        assert_eq!(failure.to_string(), "could not greet");
        let inner = "could not write it: permission denied; nothing was changed";
        let inner = Failure::new(Exit::Failed, "failed", inner).caused_by(outer().0);
        let failure = Failure::new(Exit::Failed, "failed", "half of it is done").caused_by(inner);
        assert_eq!(
            failure.causes(),
            ["could not write it: permission denied; nothing was changed"]
        );
    }

    #[test]
    fn an_error_of_anyhow_becomes_a_failure_with_its_context() {
        let read = || -> anyhow::Result<u8> {
            use anyhow::Context as _;
            "x".parse::<u8>().context("the port is not readable")
        };
        let failure = read().or_fail("could not listen").unwrap_err();
        assert_eq!(
            failure.message,
            "could not listen: the port is not readable"
        );
        assert_eq!(failure.causes(), ["invalid digit found in string"]);
    }

    #[test]
    fn words_of_json_quote_nothing() {
        let error = serde_json::from_str::<u8>("\"hunter2\"").unwrap_err();
        let failure = Err::<(), _>(error)
            .or_fail("could not read it")
            .unwrap_err();
        assert_eq!(
            failure.message,
            "could not read it: the JSON has another shape (line 1, column 9)"
        );
        assert!(failure.causes().is_empty());
    }
}
