//! The scope of a command: backend, organization, region and service, from options, environment and configuration.

use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_terminal::shell::quoted;
use bot_cli_vault::secret_file::Storage;
use clap::{Args, ValueHint};
use serde_json::{Value, json};
use url::Url;

use crate::address::address;
use crate::config::Configuration;
use crate::domain::{BackendName, Organization, Region};
use crate::environment::Environment;
use crate::input::{both, refused};
use crate::pace::Pace;
use crate::source::Source;
use crate::text::theirs;

/// The hosting service's default URL.
pub const SERVICE: &str = "https://api.pipecat.daily.co";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub source: Source,
}

impl<T> Setting<T> {
    pub const fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}

impl<T: ToString> Setting<T> {
    pub fn json(&self) -> Value {
        json!({ "value": self.value.to_string(), "source": self.source.name() })
    }
}

/// The scope as given by options.
#[derive(Debug, Clone, Default, Args)]
pub struct Wanted {
    /// Organization (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
    /// Few commands have a region; those that do take it from an option of their own.
    #[arg(skip)]
    pub region: Option<String>,
    /// Secrets backend: local, hosted or an installed one (default: hosted when signed in)
    #[arg(long, value_name = "BACKEND", help_heading = "Where", value_hint = ValueHint::Other)]
    pub backend: Option<String>,
}

impl Wanted {
    pub fn of(backend: &str, organization: Option<&str>) -> Self {
        Self {
            organization: organization.map(str::to_owned),
            region: None,
            backend: Some(backend.to_owned()),
        }
    }

    pub fn in_region(&self, region: Option<&String>) -> Self {
        Self {
            region: region.cloned(),
            ..self.clone()
        }
    }
}

#[derive(Debug, Clone)]
pub struct Scope {
    pub backend: Setting<BackendName>,
    /// The organization, if known without querying the service.
    pub organization: Option<Setting<Organization>>,
    /// `None` until the user chooses a region or an existing set determines it.
    pub region: Option<Setting<Region>>,
    pub api_url: Setting<Url>,
    /// The backend's own description of its location.
    pub place: Option<String>,
    pub pace: Pace,
    /// The source of the request timeout.
    pub timeout: Source,
    /// The storage for a new sign-in and for the key of a new vault.
    pub keyring: Setting<Storage>,
}

impl Scope {
    /// Resolves the scope from options, environment variables, settings files and defaults, in this order of precedence. Reports all
    /// invalid values together.
    ///
    /// If no backend is chosen, a token, a service URL or a stored sign-in selects the hosting service. `check` may refuse the backend.
    pub fn resolve(
        wanted: &Wanted,
        environment: &Environment,
        signed_in: bool,
        check: impl FnOnce(&Setting<BackendName>) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let config = Configuration::read(environment)?;
        let api_url = first(None, environment.api_url.as_ref(), config.get("api_url"));
        let named = first(
            wanted.backend.as_ref(),
            environment.backend.as_ref(),
            config.get("backend"),
        );
        let backend = if let Some(Setting { value, source }) = named {
            backend_of(value, source).map(|value| Setting::new(value, source))
        } else if environment.token.is_some() {
            Ok(Setting::new(BackendName::HOSTED, Source::Environment))
        } else if let Some(url) = &api_url {
            Ok(Setting::new(BackendName::HOSTED, url.source))
        } else if signed_in {
            // This includes unusable credentials: never silently use another backend.
            Ok(Setting::new(BackendName::HOSTED, Source::Config))
        } else {
            Ok(Setting::new(BackendName::LOCAL, Source::Default))
        };
        let own = match &backend {
            Ok(backend) => Configuration::of(environment, &backend.value)?,
            Err(_) => Configuration::default(),
        };
        let organization = first(
            wanted.organization.as_ref(),
            environment.organization.as_ref(),
            own.get("organization"),
        );
        let region = first(
            wanted.region.as_ref(),
            environment.region.as_ref(),
            own.get("region"),
        );
        let timeout = first(None, environment.timeout.as_ref(), config.get("timeout"));
        let keyring = first(None, environment.keyring.as_ref(), config.get("keyring"));
        let mut wrong = Vec::new();
        let organization = checked(
            &mut wrong,
            "organization",
            organization,
            Organization::parse,
        );
        let region = checked(&mut wrong, "region", region, Region::parse);
        let timeout = checked(&mut wrong, "timeout", timeout, seconds);
        let keyring = checked(&mut wrong, "keyring", keyring, keyring_of);
        let backend = backend.and_then(|backend| check(&backend).map(|()| backend));
        let api_url = api_url.unwrap_or(Setting::new(SERVICE, Source::Default));
        let others = both(address(api_url.value), refused(wrong));
        let (backend, (url, ())) = both(backend, others)?;
        let mut pace = environment.pace;
        pace.request = timeout.as_ref().map_or(pace.request, |it| it.value);
        Ok(Self {
            backend,
            organization,
            region,
            api_url: Setting::new(url, api_url.source),
            place: None,
            timeout: timeout.map_or(Source::Default, |timeout| timeout.source),
            pace,
            keyring: keyring.unwrap_or(Setting::new(Storage::Keyring, Source::Default)),
        })
    }

    /// Takes the region of a deployment file, unless an option or the environment has chosen one.
    pub fn prefer_region(&mut self, of_file: Option<String>) {
        let chosen = self.region.as_ref().map(|region| region.source);
        let region = of_file.and_then(|region| Region::parse(&region).ok());
        if let Some(region) = region
            && !matches!(chosen, Some(Source::Flag | Source::Environment))
        {
            self.region = Some(Setting::new(region, Source::DeployFile));
        }
    }

    pub fn organization_name(&self) -> Option<&str> {
        self.organization.as_ref().map(|one| one.value.as_str())
    }

    pub fn json(&self) -> Value {
        let nothing = json!({ "value": null, "source": Source::Default.name() });
        let mut scope = json!({
            "backend": self.backend.json(),
            "organization": self.organization.as_ref().map_or(nothing.clone(), Setting::json),
            "region": self.region.as_ref().map_or(nothing, Setting::json),
        });
        if self.backend.value == BackendName::HOSTED {
            scope["api_url"] = Setting::new(self.shown_url(), self.api_url.source).json();
        }
        if let Some(place) = &self.place {
            scope["place"] = json!(place);
        }
        scope
    }

    /// Returns a command line for the same scope, including the user's options.
    pub fn command(&self, words: &str) -> String {
        let mut command = format!("bot-cli cloud {words}");
        let organization = self.organization.as_ref();
        let organization = organization.filter(|one| one.source == Source::Flag);
        if let Some(Setting { value, .. }) = organization {
            command.extend([" -o ", &quoted(value.as_str())]);
        }
        if self.backend.source == Source::Flag {
            command.extend([" --backend ", &quoted(self.backend.value.as_str())]);
        }
        command
    }

    /// Returns the service's URL without a trailing slash, as users write it.
    pub fn shown_url(&self) -> String {
        self.api_url.value.as_str().trim_end_matches('/').to_owned()
    }

    /// Formats the scope for verbose output.
    pub fn words(&self) -> String {
        let settings = self.json();
        let settings = settings.as_object().into_iter().flatten();
        let words = settings.filter_map(|(name, setting)| {
            let (value, source) = (setting["value"].as_str()?, setting["source"].as_str()?);
            Some(format!("{name} {value} ({source})"))
        });
        let words: Vec<String> = words.chain(self.place.clone()).collect();
        words.join(", ")
    }
}

/// Parses a backend's name, without checking whether the backend is installed.
pub fn backend_of(name: &str, source: Source) -> Result<BackendName, Failure> {
    BackendName::parse(name).ok_or_else(|| unknown_backend(name, source))
}

/// Returns the failure for an unknown backend. A name from the command line is not quoted, because the name may be a misplaced secret
/// value.
pub fn unknown_backend(name: &str, source: Source) -> Failure {
    let message = match source.words() {
        "" => "there is no such backend".to_owned(),
        _ => format!("there is no backend `{}`", theirs(name)),
    };
    let problem = format!(
        "must be `local`, `hosted` or a backend that is installed{}",
        source.words()
    );
    let failure = Failure::new(Exit::Usage, "unknown_backend", message);
    let failure = failure.field("backend", Some("--backend"), problem);
    if source == Source::Config {
        failure.hint("bot-cli cloud config set backend ''")
    } else {
        failure
    }
}

/// Parses the keyring setting. `auto` selects the keyring if one is available.
pub fn keyring_of(text: &str) -> Result<Storage, String> {
    match text {
        "auto" => Ok(Storage::Keyring),
        "off" => Ok(Storage::File),
        _ => Err("must be `auto` or `off`".to_owned()),
    }
}

/// Returns the keyring setting for a storage, as parsed by [`keyring_of`].
pub const fn keyring_word(place: Storage) -> &'static str {
    match place {
        Storage::Keyring => "auto",
        Storage::File => "off",
    }
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| (0.01..=3600.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "is not a number of seconds from 0.01 to 3600".to_owned())
}

fn first<'a>(
    flag: Option<&'a String>,
    variable: Option<&'a String>,
    file: Option<&'a str>,
) -> Option<Setting<&'a str>> {
    flag.map(|value| Setting::new(value.as_str(), Source::Flag))
        .or_else(|| Some(Setting::new(variable?.as_str(), Source::Environment)))
        .or_else(|| file.map(|value| Setting::new(value, Source::Config)))
}

fn checked<T>(
    wrong: &mut Vec<Field>,
    name: &'static str,
    setting: Option<Setting<&str>>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<Setting<T>> {
    let Setting { value, source } = setting?;
    match parse(value) {
        Ok(value) => Some(Setting::new(value, source)),
        Err(problem) => {
            let field = Field::new(name, format!("{problem}{}", source.words()));
            wrong.push(match name {
                "organization" | "region" => field.flag(format!("--{name}")),
                _ => field,
            });
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::secret::Secret;

    use super::{Scope, Source, Wanted};
    use crate::domain::BackendName;
    use crate::environment::Environment;

    #[test]
    fn a_token_or_a_sign_in_mean_the_service() {
        let none = Environment::default();
        let with_token = Environment {
            token: Some(Secret::new("t".to_owned())),
            ..Environment::default()
        };
        for (environment, signed_in, backend, source) in [
            (&none, false, BackendName::LOCAL, Source::Default),
            (&none, true, BackendName::HOSTED, Source::Config),
            (&with_token, false, BackendName::HOSTED, Source::Environment),
        ] {
            let scope =
                Scope::resolve(&Wanted::default(), environment, signed_in, |_| Ok(())).unwrap();
            assert_eq!(
                (scope.backend.value, scope.backend.source),
                (backend, source)
            );
        }
    }

    #[test]
    fn options_win_and_all_wrong_settings_are_named_at_once() {
        let variables = Environment {
            region: Some("a b".to_owned()),
            organization: Some("a/b".to_owned()),
            timeout: Some("soon".to_owned()),
            ..Environment::default()
        };
        let resolve = |wanted: &Wanted| Scope::resolve(wanted, &variables, false, |_| Ok(()));
        let failure = resolve(&Wanted::default()).unwrap_err();
        assert_eq!(failure.fields.len(), 3);
        let failure = resolve(&Wanted::of("a b", None)).unwrap_err();
        assert_eq!(failure.fields.len(), 4);
        let wanted = Wanted {
            region: Some("us-west".to_owned()),
            ..Wanted::of("local", Some("acme"))
        };
        let failure = resolve(&wanted).unwrap_err();
        assert_eq!(failure.fields.len(), 1);
    }
}
