use std::fmt;

/// The reason why a plugin with a role is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason, on one line.
    pub reason: String,
    /// The remedy, on one line.
    pub remedy: Option<String>,
}

impl Refused {
    /// Creates a refusal with a reason and an optional remedy.
    pub fn new(reason: impl AsRef<str>, remedy: Option<String>) -> Self {
        Self {
            reason: in_a_line(reason.as_ref()),
            remedy: remedy.map(|remedy| in_a_line(&remedy)),
        }
    }

    /// Creates a refusal with a reason and a remedy.
    pub fn with_remedy(reason: impl AsRef<str>, remedy: impl Into<String>) -> Self {
        Self::new(reason, Some(remedy.into()))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

/// Converts untrusted text to one short, printable line.
pub fn in_a_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| c.is_alphanumeric() || c.is_ascii_graphic() || *c == ' ' || *c == '…')
        .take(LONGEST)
        .collect();
    line.truncate(line.trim_end().len());
    line
}
