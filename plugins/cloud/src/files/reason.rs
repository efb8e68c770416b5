//! Why something failed, as it stands behind `could not …: `.

use std::error::Error;
use std::sync::Arc;
use std::{fmt, io};

use bot_cli_protocol::failure::reason;

use super::WriteError;

/// A reason: an error of the system, or a text of ours.
#[derive(Debug, Clone)]
pub struct Reason(Arc<io::Error>);

/// An error in words of ours.
#[derive(Debug)]
struct Worded {
    words: String,
    error: Box<dyn Error + Send + Sync>,
}

impl fmt::Display for Worded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl Error for Worded {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}

impl Reason {
    /// An error in words that explain it better than its own, which is kept below them.
    pub fn worded(
        words: impl Into<String>,
        error: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        let (words, error) = (words.into(), error.into());
        io::Error::other(Worded { words, error }).into()
    }

    /// An error that is not one of the system, whose text is free of secrets.
    pub fn of(error: impl Error + Send + Sync + 'static) -> Self {
        io::Error::other(error).into()
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Self(Arc::new(error))
    }
}

impl From<WriteError> for Reason {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::NotWritten(error) | WriteError::NotSynced(error) => error.into(),
        }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        io::Error::other(text).into()
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&reason(&self.0))
    }
}

impl Error for Reason {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Reason {}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::io;

    use bot_cli_protocol::failure::{Exit, Failure};

    use super::Reason;

    #[test]
    fn an_error_in_other_words_is_kept_below_them() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let reason = Reason::worded("nobody is there", refused);
        assert_eq!(reason.to_string(), "nobody is there");
        let failure = Failure::new(Exit::Failed, "away", format!("could not ask: {reason}"));
        assert_eq!(failure.caused_by(reason).causes(), ["connection refused"]);
    }

    #[test]
    fn an_error_of_the_system_is_kept_whole() {
        let reason = Reason::from(io::Error::from_raw_os_error(28));
        assert_eq!(reason.to_string(), "no space left on device");
        let kept = reason
            .source()
            .and_then(|it| it.downcast_ref::<io::Error>());
        assert_eq!(kept.and_then(io::Error::raw_os_error), Some(28));
    }
}
