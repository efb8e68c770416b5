//! The scope of a command: backend, organization and region, each with its source.

#[cfg(test)]
mod tests;

use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_terminal::shell::quoted;
use serde_json::{Value, json};
use url::Url;

use crate::address::address;
use crate::config::{BackendSettings, ConfigFile};
use crate::domain::{BUILT_IN, BackendName, Organization, Region};
use crate::environment::Environment;
use crate::pace::Pace;
use crate::secret_file::Storage;
use crate::source::Source;
use crate::text::theirs;

/// The address of the service.
pub const SERVICE: &str = "https://api.pipecat.daily.co";

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    pub source: Source,
}

impl<T> Setting<T> {
    pub const fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}

impl<T: ToString> Setting<T> {
    fn json(&self) -> Value {
        json!({ "value": self.value.to_string(), "source": self.source.name() })
    }
}

/// The scope as given by options.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// `--organization`.
    pub organization: Option<String>,
    /// `--region`.
    pub region: Option<String>,
    /// `--backend`.
    pub backend: Option<String>,
}

impl Wanted {
    /// A backend, and an organization of it.
    pub fn of(backend: &str, organization: Option<&str>) -> Self {
        Self {
            organization: organization.map(str::to_owned),
            region: None,
            backend: Some(backend.to_owned()),
        }
    }
}

/// The scope of a command.
#[derive(Debug, Clone)]
pub struct Scope {
    pub backend: Setting<BackendName>,
    /// The organization, if it is known before the service is asked.
    pub organization: Option<Setting<Organization>>,
    /// The region, if one was given.
    pub region: Option<Setting<Region>>,
    /// The address of the service.
    pub api_url: Setting<Url>,
    /// The address at which the backend acts, where it has one.
    pub address: Option<Setting<String>>,
    /// The place in the backend's own words.
    pub place: Option<String>,
    /// Time limits.
    pub pace: Pace,
    /// The source of the time limit of a request.
    pub timeout: Source,
    /// The storage of a new sign-in and of the key of a new vault.
    pub keyring: Setting<Storage>,
}

impl Scope {
    /// Options, then variables, then the file, then defaults; all problems at once. `backends` reads the settings of a backend that is
    /// not built in. Whether somebody has signed in says what
    /// is meant where nothing else does.
    pub fn resolve(
        wanted: &Wanted,
        environment: &Environment,
        config: &ConfigFile,
        backends: impl FnOnce(&BackendName) -> Result<BackendSettings, Failure>,
        signed_in: bool,
    ) -> Result<Self, Failure> {
        let (mut wrong, mut unknown) = (Vec::new(), None);
        let configured_url = texts(None, environment.api_url.as_deref(), config.get("api_url"));
        let named_backend = texts(
            wanted.backend.as_deref(),
            environment.backend.as_deref(),
            config.get("backend"),
        );
        let backend = match named_backend {
            Some(named) => {
                let parsed = BackendName::parse(named.value);
                if parsed.is_none() {
                    unknown = Some(unknown_backend(named.value, named.source));
                }
                Setting::new(parsed.unwrap_or(BackendName::LOCAL), named.source)
            }
            None if environment.token.is_some() => {
                Setting::new(BackendName::HOSTED, Source::Environment)
            }
            None if configured_url.is_some() => Setting::new(
                BackendName::HOSTED,
                configured_url
                    .as_ref()
                    .map_or(Source::Default, |url| url.source),
            ),
            // Also with credentials that can't be used: never silently something else.
            None if signed_in => Setting::new(BackendName::HOSTED, Source::Config),
            None => Setting::new(BackendName::LOCAL, Source::Default),
        };
        // A file that nobody needs here keeps nobody from work.
        let own = match &backend.value {
            built_in if BUILT_IN.contains(built_in) => None,
            other => Some(backends(other)?),
        };
        let in_file = |key| match &own {
            None => config.get(key),
            Some(own) => own.get(&backend.value, key),
        };
        let organization = texts(
            wanted.organization.as_deref(),
            environment.organization.as_deref(),
            in_file("organization"),
        );
        let organization = checked(
            &mut wrong,
            "organization",
            organization,
            Organization::parse,
        );
        let region = texts(
            wanted.region.as_deref(),
            environment.region.as_deref(),
            in_file("region"),
        );
        let region = checked(&mut wrong, "region", region, Region::parse);
        let timeout = texts(None, environment.timeout.as_deref(), config.get("timeout"));
        let timeout = checked(&mut wrong, "timeout", timeout, seconds);
        let keyring = texts(None, environment.keyring.as_deref(), config.get("keyring"));
        let keyring = checked(&mut wrong, "keyring", keyring, keyring_of);
        match unknown {
            Some(unknown) if wrong.is_empty() => return Err(unknown),
            Some(_) => wrong.push(no_backend()),
            None => {}
        }
        if !wrong.is_empty() {
            return Err(Failure::invalid_input(wrong));
        }
        let api_url = match configured_url {
            Some(url) => Setting::new(address(url.value)?, url.source),
            None => Setting::new(address(SERVICE)?, Source::Default),
        };
        Ok(Self {
            backend,
            organization,
            region,
            api_url,
            address: None,
            place: None,
            timeout: timeout
                .as_ref()
                .map_or(Source::Default, |timeout| timeout.source),
            pace: Pace {
                request: timeout.map_or(environment.pace.request, |timeout| timeout.value),
                ..environment.pace
            },
            keyring: keyring.unwrap_or_else(|| Setting::new(Storage::Keyring, Source::Default)),
        })
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let nobody = json!({ "value": null, "source": Source::Default.name() });
        let mut scope = json!({
            "backend": self.backend.json(),
            "organization": self.organization.as_ref().map_or(nobody.clone(), Setting::json),
            "region": self.region.as_ref().map_or(nobody, Setting::json),
        });
        if let Some(address) = &self.address {
            scope["api_url"] = address.json();
        }
        if let Some(place) = &self.place {
            scope["place"] = json!(place);
        }
        scope
    }

    /// A command for the same place: what an option said of it is said again.
    pub fn command(&self, words: &str) -> String {
        let mut command = format!("bot-cli cloud {words}");
        let mut said = |option: &str, value: &str, source: Source| {
            if source == Source::Flag {
                command.extend([" ", option, " ", &quoted(value)]);
            }
        };
        if let Some(organization) = &self.organization {
            said("-o", organization.value.as_str(), organization.source);
        }
        let backend = &self.backend;
        said("--backend", &backend.value.to_string(), backend.source);
        command
    }

    /// The address as the user writes it.
    pub fn shown_url(&self) -> String {
        self.api_url.value.as_str().trim_end_matches('/').to_owned()
    }

    /// For `-v`.
    pub fn words(&self) -> String {
        let mut words = vec![format!(
            "backend {} ({})",
            self.backend.value,
            self.backend.source.name()
        )];
        words.extend(self.organization.as_ref().map(|organization| {
            let source = organization.source.name();
            format!("organization {} ({source})", organization.value)
        }));
        words.extend(self.region.as_ref().map(|region| {
            let source = region.source.name();
            format!("region {} ({source})", region.value)
        }));
        words.extend(
            (self.address.as_ref())
                .map(|address| format!("{} ({})", address.value, address.source.name())),
        );
        words.extend(self.place.clone());
        words.join(", ")
    }
}

/// The name of a backend, if it can be one. Whether there is such a backend is seen where it is opened.
pub fn backend_of(name: &str, source: Source) -> Result<BackendName, Failure> {
    BackendName::parse(name).ok_or_else(|| unknown_backend(name, source))
}

/// There is no such backend. What stands on the command line in its place may be a value, and is not shown.
pub fn unknown_backend(name: &str, source: Source) -> Failure {
    let message = match source.words() {
        "" => "there is no such backend".to_owned(),
        words => format!("there is no backend `{}`{words}", theirs(name)),
    };
    let mut failure = Failure::new(Exit::Usage, "unknown_backend", message);
    failure.fields.push(no_backend());
    failure
}

fn no_backend() -> Field {
    let problem = "must be `local`, `hosted` or a backend that is installed";
    Field::new("backend", problem).flag("--backend")
}

/// Whether the keyring is used where there is one.
pub fn keyring_of(text: &str) -> Result<Storage, String> {
    match text {
        "auto" => Ok(Storage::Keyring),
        "off" => Ok(Storage::File),
        _ => Err("must be `auto` or `off`".to_owned()),
    }
}

/// The word that [`keyring_of`] reads.
pub const fn keyring_word(place: Storage) -> &'static str {
    match place {
        Storage::Keyring => "auto",
        Storage::File => "off",
    }
}

/// Seconds, as people write them.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| (0.01..=3600.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "is not a number of seconds from 0.01 to 3600".to_owned())
}

fn texts<'a>(
    flag: Option<&'a str>,
    variable: Option<&'a str>,
    file: Option<&'a str>,
) -> Option<Setting<&'a str>> {
    flag.map(|value| Setting::new(value, Source::Flag))
        .or_else(|| variable.map(|value| Setting::new(value, Source::Environment)))
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
                "organization" => field.flag("--organization"),
                "region" => field.flag("--region"),
                _ => field,
            });
            None
        }
    }
}
