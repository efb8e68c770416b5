//! The backend's own settings, parsed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bot_cli_protocol::SettingSpec;
use bot_cli_secrets::messages::OpenParams;
use bot_cli_secrets::{Code, Error};

/// The settings, with what each does.
const SETTINGS: [(&str, &str); 4] = [
    (
        "kubeconfig",
        "The kubeconfig file [default: $KUBECONFIG, ~/.kube/config, or the account of the pod]",
    ),
    (
        "context",
        "The context of the kubeconfig [default: its current context]",
    ),
    (
        "contexts",
        "Contexts, separated by commas, that are the regions; sets are looked for in all of them",
    ),
    (
        "timeout",
        "How many seconds an answer of the cluster may take [default: 30]",
    ),
];

/// The user's settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub kubeconfig: Option<PathBuf>,
    pub context: Option<String>,
    pub contexts: Vec<String>,
    pub timeout: Option<Duration>,
}

/// Returns the settings for the manifest.
pub fn specs() -> Vec<SettingSpec> {
    let spec = |(name, about): (&str, &str)| {
        let mut spec = SettingSpec::default();
        name.clone_into(&mut spec.name);
        about.clone_into(&mut spec.about);
        spec
    };
    SETTINGS.into_iter().map(spec).collect()
}

impl Settings {
    /// Reads the settings of a scope. `cwd` is where a relative path begins, `home` what `~` stands for.
    pub fn parse(scope: &OpenParams, cwd: &Path, home: Option<&Path>) -> Result<Self, Error> {
        let get = |name: &str| {
            let value = scope
                .settings
                .get(name)
                .map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let contexts: Vec<String> = get("contexts")
            .iter()
            .flat_map(|contexts| contexts.split(','))
            .map(|context| context.trim().to_owned())
            .filter(|context| !context.is_empty())
            .collect();
        if let Some(twice) = repeated(&contexts) {
            return Err(invalid(format!("`contexts` has `{twice}` twice")));
        }
        let context = get("context");
        if let Some(context) = &context
            && !contexts.is_empty()
            && !contexts.contains(context)
        {
            return Err(invalid(format!(
                "`context` is `{context}`, which is not one of `contexts`"
            )));
        }
        let timeout = match get("timeout") {
            None => None,
            Some(text) => match text.parse::<u64>() {
                Ok(seconds) if (1..=3600).contains(&seconds) => Some(Duration::from_secs(seconds)),
                _ => {
                    return Err(invalid(format!(
                        "`timeout` is `{text}`, not a number of seconds from 1 to 3600"
                    )));
                }
            },
        };
        let kubeconfig = get("kubeconfig").map(|path| {
            match (path.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                // An absolute path replaces what it is joined to.
                _ => cwd.join(path),
            }
        });
        Ok(Self {
            kubeconfig,
            context,
            contexts,
            timeout,
        })
    }
}

fn repeated(contexts: &[String]) -> Option<&String> {
    let mut rest = contexts.iter().enumerate();
    rest.find(|(index, context)| contexts[..*index].contains(context))
        .map(|(_, context)| context)
}

/// A setting that is wrong.
pub fn invalid(problem: String) -> Error {
    Error::new(Code::InvalidSetting, problem)
        .hint("`bot-cli cloud config set kubernetes.NAME VALUE` changes a setting")
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
    fn wrong_settings_are_named() {
        assert_eq!(
            parse(&[("timeout", "soon")]).unwrap_err(),
            "`timeout` is `soon`, not a number of seconds from 1 to 3600"
        );
        assert_eq!(
            parse(&[("contexts", "a, b,a")]).unwrap_err(),
            "`contexts` has `a` twice"
        );
        assert_eq!(
            parse(&[("contexts", "a,b"), ("context", "c")]).unwrap_err(),
            "`context` is `c`, which is not one of `contexts`"
        );
        assert!(parse(&[("contexts", "a,b"), ("context", "b")]).is_ok());
    }
}
