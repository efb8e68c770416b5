//! The credentials file of the service's own client, which is read and left as it is.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;
use serde::Deserialize;

use super::credentials::{Refresh, parse_token};

use crate::files::Reason;

/// The sign-in of another client.
pub struct Imported {
    /// The token.
    pub token: Secret,
    /// The organization that was chosen there.
    pub organization: Option<String>,
    /// Renews the token.
    pub refresh: Option<Refresh>,
}

#[derive(Deserialize)]
struct File {
    token: Option<String>,
    org: Option<String>,
    refresh_token: Option<String>,
    token_expires_at: Option<toml::Value>,
}

/// Returns the path of the other client's file.
pub fn path(home: &Path) -> PathBuf {
    home.join(".config/pipecatcloud/pipecatcloud.toml")
}

/// Reads it; no error quotes it.
pub fn read(path: &Path) -> Result<Imported, Failure> {
    let unusable = |why: Reason| {
        let can_not = format!("can't take over `{}`", path.display());
        Failure::because(Exit::Failed, "not_imported", can_not, why)
            .hint("bot-cli cloud auth login")
    };
    let text = fs::read_to_string(path)
        .map(Secret::new)
        .map_err(|error| unusable(error.into()))?;
    let file: File = toml::from_str(text.expose())
        .map_err(|_| unusable("it is not what that client writes".into()))?;
    let Some(token) = file.token.filter(|token| !token.is_empty()) else {
        return Err(unusable("nobody is signed in there".into()));
    };
    let token = parse_token(&token)
        .ok_or_else(|| unusable("its token has characters that no token has".into()))?;
    let expires_at = file.token_expires_at.as_ref().and_then(seconds);
    Ok(Imported {
        token,
        organization: file.org,
        refresh: file
            .refresh_token
            .zip(expires_at)
            .map(|(token, expires_at)| Refresh {
                token: Secret::new(token),
                expires_at,
            }),
    })
}

/// Seconds since 1970, whole or not, as a number or as a text.
fn seconds(value: &toml::Value) -> Option<u64> {
    let text = match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.floor().to_string(),
        toml::Value::Boolean(_)
        | toml::Value::Datetime(_)
        | toml::Value::Array(_)
        | toml::Value::Table(_) => {
            return None;
        }
    };
    text.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_other_clients_file_is_read_and_never_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipecatcloud.toml");
        assert_eq!(read(&path).err().unwrap().code, "not_imported");
        std::fs::write(&path, "token = \"t\"\norg = \"acme\"\nrefresh_token = \"r\"\ntoken_expires_at = 17.5\n[acme]\nx = 1\n").unwrap();
        let imported = read(&path).unwrap();
        assert_eq!(
            (imported.token.expose(), imported.organization.as_deref()),
            ("t", Some("acme"))
        );
        assert_eq!(imported.refresh.unwrap().expires_at, 17);
        for text in [
            "token = s3cret",
            "org = \"acme\"",
            "token = 3",
            "token = \"s3cret a\"",
        ] {
            std::fs::write(&path, text).unwrap();
            let message = read(&path).err().unwrap().message;
            assert!(!message.contains("s3cret"), "{message}");
        }
    }
}
