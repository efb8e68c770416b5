//! The names in requests. All input is parsed into these types when it is read.

use std::fmt;

use bot_cli_protocol::secret::Secret;
use serde::{Deserialize, Serialize};

/// The maximum length of a set name or region code.
const LONGEST_NAME: usize = 63;

const LONGEST_KEY: usize = 64;

/// The maximum length, in bytes, of a key that another client created.
const LONGEST_EXISTING_KEY: usize = 1024;

/// The name of a secret set or an image pull secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct SetName(String);

impl SetName {
    /// Parses a name of 1 to 63 letters, digits and hyphens, without a hyphen at either end. The error describes the problem.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::checked(text, "letters, digits and hyphens", |character| {
            character.is_ascii_alphanumeric() || character == '-'
        })
    }

    /// Parses the name of an existing set, which may contain dots, because other clients of the service can create such names.
    pub fn parse_existing(text: &str) -> Result<Self, String> {
        let name = Self::checked(text, "letters, digits, hyphens and dots", |character| {
            character.is_ascii_alphanumeric() || character == '-' || character == '.'
        })?;
        if text.starts_with('.') || text.ends_with('.') {
            return Err("has a dot at an end".to_owned());
        }
        Ok(name)
    }

    fn checked(text: &str, allowed: &str, is_allowed: fn(char) -> bool) -> Result<Self, String> {
        let text = checked(text, LONGEST_NAME, allowed, is_allowed)?;
        if text.starts_with('-') || text.ends_with('-') {
            return Err("has a hyphen at an end".to_owned());
        }
        Ok(Self(text))
    }
}

fn checked(
    text: &str,
    longest: usize,
    allowed: &str,
    is_allowed: fn(char) -> bool,
) -> Result<String, String> {
    if text.is_empty() {
        Err("is empty".to_owned())
    } else if !text.chars().all(is_allowed) {
        Err(format!("may have only {allowed}"))
    } else if text.len() > longest {
        Err(format!("is longer than {longest} characters"))
    } else {
        Ok(text.to_owned())
    }
}

/// The key of a value in a secret set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Key(String);

impl Key {
    /// Parses a key of 1 to 64 letters, digits, underscores and hyphens.
    pub fn parse(text: &str) -> Result<Self, String> {
        let allowed = "letters, digits, underscores and hyphens";
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        checked(text, LONGEST_KEY, allowed, is_allowed).map(Self)
    }

    /// Parses the key of an existing value. Other clients can create keys with dots, spaces and non-ASCII letters.
    pub fn parse_existing(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("is empty".to_owned()),
            // In a path, these would refer to a folder.
            "." | ".." => Err("can't be a key".to_owned()),
            _ if text.len() > LONGEST_EXISTING_KEY => {
                Err(format!("is longer than {LONGEST_EXISTING_KEY} bytes"))
            }
            _ if text.contains('\0') => Err("has a NUL character".to_owned()),
            _ => Ok(Self(text.to_owned())),
        }
    }
}

/// A region code, such as `us-west`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Region(String);

impl Region {
    /// Parses a region code of 1 to 63 letters, digits and hyphens.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_allowed = |character: char| character.is_ascii_alphanumeric() || character == '-';
        if text.is_empty() || text.len() > LONGEST_NAME || !text.chars().all(is_allowed) {
            return Err("is not the code of a region, such as `us-west`".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

/// The name by which the service identifies an organization.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Organization(String);

impl Organization {
    /// Parses a name of at most 128 bytes. Rejects control characters and characters with a special meaning in paths or URLs.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("is empty".to_owned()),
            "." | ".." => Err("is a path, not a name".to_owned()),
            _ if text.len() > 128 => Err("is longer than 128 characters".to_owned()),
            _ if text.chars().any(|c| c.is_control() || "/\\?#%".contains(c)) => {
                Err("has a character that no organization has".to_owned())
            }
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// Returns the default organization of a vault.
    pub fn of_vault() -> Self {
        Self("local".to_owned())
    }
}

macro_rules! text_of {
    ($($name:ident, $read:ident;)*) => {$(
        impl $name {
            /// Returns the text as a string slice.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::$read(&text)
            }
        }
    )*};
}
text_of!(
    SetName, parse_existing;
    Key, parse_existing;
    Region, parse;
    Organization, parse;
);

/// A key in a secret set, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key, unique within the set.
    pub key: Key,
    /// The secret value.
    pub value: Secret,
}

#[cfg(test)]
mod tests {
    use super::{Key, Organization, Region, SetName};

    #[test]
    fn set_names_are_letters_digits_and_hyphens() {
        let longest = "a".repeat(63);
        for name in ["a", "prod", "My-Bot-2", "0", longest.as_str()] {
            assert_eq!(SetName::parse(name).unwrap().as_str(), name);
        }
        let too_long = "a".repeat(64);
        for name in [
            "", "-a", "a-", "a_b", "a.b", "..", ".", "a/b", "a?b#c", "a b", "é", "a\n", &too_long,
        ] {
            assert!(SetName::parse(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn existing_sets_may_have_dots_inside() {
        assert!(SetName::parse_existing("a.b").is_ok());
        for name in [".", "..", ".a", "a.", "a/b", "a%2fb"] {
            assert!(SetName::parse_existing(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn keys_are_those_of_an_environment_and_hyphens() {
        for key in ["A", "OPENAI_API_KEY", "a-b", "0", &"K".repeat(64)] {
            assert!(Key::parse(key).is_ok(), "{key:?}");
        }
        for key in ["", "A B", "A.B", "A=B", "é", &"K".repeat(65)] {
            assert!(Key::parse(key).is_err(), "{key:?}");
        }
    }

    #[test]
    fn regions_and_organizations_are_no_paths() {
        assert!(Region::parse("us-west").is_ok());
        for region in ["", "..", "us/west", "us west"] {
            assert!(Region::parse(region).is_err(), "{region:?}");
        }
        assert!(Organization::parse("Ada's bots").is_ok());
        for organization in ["", ".", "..", "a/b", "a\u{1b}b", "a?b"] {
            assert!(
                Organization::parse(organization).is_err(),
                "{organization:?}"
            );
        }
    }
}
