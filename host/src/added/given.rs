//! What somebody wants to have added: a file, a folder or an archive on this machine, with the sum that it must have.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::shell::quoted;
use bot_cli_sdk::suggest;

use super::members::{AGAIN, unreadable};

/// A file or folder, and the sum that it must have.
pub struct Request {
    /// The absolute path.
    pub path: PathBuf,
    /// The sum, in lower-case hexadecimal digits.
    pub sum: Option<String>,
}

impl Request {
    /// Reads what was given.
    pub fn parse(given: &Path, sum: Option<&str>) -> Result<Self, Failure> {
        let path = std::path::absolute(given).map_err(|error| {
            let could_not = format!("could not read `{}`", given.display());
            Failure::because(Exit::Usage, "not_read", could_not, error)
        })?;
        if let (Err(error), Some(hint)) = (fs::metadata(&path), near(given)) {
            return Err(unreadable(&path, error).hint(hint));
        }
        Ok(Self {
            path,
            sum: sum.map(parse_sum).transpose()?,
        })
    }

    /// Refuses what has another sum.
    pub fn check_sum(&self, sum: &str) -> Result<(), Failure> {
        match &self.sum {
            Some(wanted) if wanted != sum => {
                let message = format!(
                    "`{}` has the sha256 {sum}, not {wanted}",
                    self.path.display()
                );
                Err(Failure::new(Exit::Failed, "other_sum", message).hint(AGAIN))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// The meaning that a path without a file may have had.
fn near(given: &Path) -> Option<String> {
    let text = given.to_str()?;
    let trimmed = text.trim();
    if trimmed != text && !trimmed.is_empty() && Path::new(trimmed).exists() {
        return Some(suggest::did_you_mean(&[trimmed]));
    }
    let is_of_home = text == "~" || text.starts_with("~/");
    is_of_home.then(|| "a shell replaces `~` only outside of quotes".to_owned())
}

fn parse_sum(text: &str) -> Result<String, Failure> {
    let sum = text.trim().to_ascii_lowercase();
    let sum = sum.strip_prefix("sha256:").unwrap_or(&sum).to_owned();
    if sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(sum);
    }
    let problem = "must be 64 hexadecimal digits, as `sha256sum FILE` prints them";
    Err(Failure::new(
        Exit::Usage,
        "invalid_input",
        format!("`--sha256` {problem}"),
    )
    .field("sha256", Some("--sha256"), problem))
}

/// Refuses an address, with the lines that download it for `command`.
pub fn check_local(given: &Path, command: &str) -> Result<(), Failure> {
    let text = given.to_string_lossy();
    let is_address = text.split_once("://").is_some_and(|(scheme, rest)| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        !rest.is_empty() && !scheme.is_empty() && scheme.bytes().all(letter)
    });
    if !is_address {
        return Ok(());
    }
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').find(|part| !part.is_empty());
    let name = Path::new(".").join(name.unwrap_or("plugin"));
    let message =
        "that is an address, and bot-cli downloads nothing: download the file, then add it";
    Err(Failure::new(Exit::Usage, "no_network", message)
        .hint(format!("curl -fLo {} {}", word(&name), quoted(&text)))
        .hint(format!(
            "bot-cli plugin {command} {} --sha256 SUM_FROM_ITS_AUTHOR",
            word(&name)
        )))
}

/// The path as a word of a shell, which no command takes for an option.
pub fn word(path: &Path) -> String {
    let text = path.display().to_string();
    if text.starts_with('-') {
        return quoted(&format!("./{text}"));
    }
    quoted(&text)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{check_local, parse_sum};

    #[test]
    fn an_address_is_downloaded_by_its_user() {
        let failure =
            check_local(Path::new("https://example.com/a%20b/x.tar.gz?raw=1"), "add").unwrap_err();
        assert_eq!(
            failure.hints,
            [
                "curl -fLo ./x.tar.gz 'https://example.com/a%20b/x.tar.gz?raw=1'",
                "bot-cli plugin add ./x.tar.gz --sha256 SUM_FROM_ITS_AUTHOR",
            ]
        );
        for path in ["x", "./a://b", "://x", "https:/x", "/a/b"] {
            assert!(check_local(Path::new(path), "add").is_ok(), "{path}");
        }
    }

    #[test]
    fn a_sum_is_read_as_tools_print_it() {
        let digits = "0123456789abcdef".repeat(4);
        for text in [
            digits.clone(),
            digits.to_uppercase(),
            format!("sha256:{digits}"),
            format!(" {digits}\n"),
        ] {
            assert_eq!(parse_sum(&text).unwrap(), digits);
        }
        for text in [
            "",
            "abc",
            &digits[1..],
            &format!("{digits}0"),
            &"g".repeat(64),
        ] {
            assert!(parse_sum(text).is_err(), "{text}");
        }
    }
}
