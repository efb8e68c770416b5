//! The backend's own settings, parsed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_cli_protocol::{Manifest, SettingSpec};
use bot_cli_secrets::messages::OpenParams;
use bot_cli_secrets::{Code, Error};

/// The user's settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub kubeconfig: Option<PathBuf>,
    pub context: Option<String>,
    pub contexts: Vec<String>,
    pub timeout: Option<Duration>,
}

/// Returns the settings, with what each does.
pub fn specs() -> Vec<SettingSpec> {
    let manifest = serde_json::from_str(include_str!("../manifest.json"));
    manifest.map_or_else(|_| Vec::new(), |manifest: Manifest| manifest.settings)
}

impl Settings {
    /// Reads the settings of a scope. `cwd` is where a relative path begins, `home` what `~` stands for.
    pub fn parse(scope: &OpenParams, cwd: &Path, home: Option<&Path>) -> Result<Self, Error> {
        let get = |name: &str| {
            let value = scope.settings.get(name)?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let mut contexts: Vec<String> = Vec::new();
        for context in get("contexts").unwrap_or_default().split(',') {
            let context = context.trim().to_owned();
            if !context.is_empty() && !contexts.contains(&context) {
                contexts.push(context);
            }
        }
        let context = get("context");
        if let Some(context) = &context
            && !contexts.is_empty()
            && !contexts.contains(context)
        {
            let message = format!("`context` is `{context}`, which is not one of `contexts`");
            return Err(invalid(message));
        }
        let seconds = |text: String| match text.parse() {
            Ok(seconds @ 1..=3600) => Ok(Duration::from_secs(seconds)),
            Ok(_) | Err(_) => Err(invalid(format!(
                "`timeout` is `{text}`, not a number of seconds from 1 to 3600"
            ))),
        };
        let kubeconfig = get("kubeconfig").map(|path| match (path.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            // An absolute path replaces what it is joined to.
            _ => cwd.join(path),
        });
        Ok(Self {
            kubeconfig,
            context,
            contexts,
            timeout: get("timeout").map(seconds).transpose()?,
        })
    }
}

/// A setting that is wrong.
pub fn invalid(problem: String) -> Error {
    Error::new(Code::InvalidSetting, problem)
        .hint("`bot-cli cloud config set kubernetes.NAME VALUE` changes a setting")
}

/// Returns the words of others on one line of at most 200 characters that commands no terminal.
pub fn one_line(text: &str) -> String {
    bot_cli_terminal::short_line(text, 200)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use bot_cli_secrets::messages::OpenParams;

    use super::Settings;

    fn parse(settings: &[(&str, &str)]) -> Result<Settings, String> {
        let scope = OpenParams {
            settings: settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..OpenParams::default()
        };
        let parsed = Settings::parse(&scope, Path::new("/srv"), Some(Path::new("/home/me")));
        parsed.map_err(|error| error.message)
    }

    #[test]
    fn paths_begin_at_home_or_here() {
        for (given, path) in [
            ("~/kube", "/home/me/kube"),
            ("kube", "/srv/kube"),
            ("/etc/kube", "/etc/kube"),
        ] {
            let settings = parse(&[("kubeconfig", given)]).unwrap();
            assert_eq!(settings.kubeconfig.unwrap(), Path::new(path));
        }
    }

    #[test]
    fn empty_settings_are_unset() {
        let settings = parse(&[("context", ""), ("contexts", " , "), ("timeout", " ")]).unwrap();
        assert_eq!(settings, Settings::default());
        let settings = parse(&[("timeout", "5")]).unwrap();
        assert_eq!(settings.timeout, Some(Duration::from_secs(5)));
    }

    #[test]
    fn contexts_are_separated_by_commas() {
        let settings = parse(&[("contexts", "a, b,a")]).unwrap();
        assert_eq!(settings.contexts, ["a", "b"]);
    }

    #[test]
    fn wrong_settings_are_named() {
        assert_eq!(
            parse(&[("timeout", "soon")]).unwrap_err(),
            "`timeout` is `soon`, not a number of seconds from 1 to 3600"
        );
        assert_eq!(
            parse(&[("contexts", "a,b"), ("context", "c")]).unwrap_err(),
            "`context` is `c`, which is not one of `contexts`"
        );
        assert!(parse(&[("contexts", "a,b"), ("context", "b")]).is_ok());
    }
}
