//! Opens the backend or the service that a command uses.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{Ability, Code, CredentialsResult, SetInfo};
use bot_cli_secrets::{Error, Store};

use super::context::CommandContext;
use super::kind::{self, Kind};
use crate::auth::sign_in;
use crate::backend::Profile;
use crate::domain::{BackendName, Entry, Key, SetName};
use crate::input::{both, looks_like_a_key};
use crate::options::Account;
use crate::scope::{Scope, Setting, Wanted};
use crate::service::Service;
use crate::source::Source;
use crate::text::theirs;
use crate::words::{failed, near_or};

pub struct Opened<'a> {
    pub store: Box<dyn Store + 'a>,
    pub session: &'a Session,
    pub profile: Profile,
    pub scope: Scope,
}

/// Resolves the scope from the options, environment, configuration and stored sign-in.
pub fn scope(context: CommandContext<'_>, wanted: &Wanted) -> Result<Scope, Failure> {
    resolved(context, wanted, |_| Ok(()))
}

/// Resolves the scope like [`scope`], but fails if the backend is not installed.
pub fn usable_scope(context: CommandContext<'_>, wanted: &Wanted) -> Result<Scope, Failure> {
    resolved(context, wanted, |backend| {
        Kind::of(context.environment, backend).map(drop)
    })
}

fn resolved(
    context: CommandContext<'_>,
    wanted: &Wanted,
    check: impl FnOnce(&Setting<BackendName>) -> Result<(), Failure>,
) -> Result<Scope, Failure> {
    // Without a sign-in folder, the user may still have a token.
    let signed_in = sign_in::is_stored(context.environment);
    Scope::resolve(wanted, context.environment, signed_in, check)
}

pub fn open<'a>(context: CommandContext<'a>, wanted: &Wanted) -> Result<Opened<'a>, Failure> {
    open_scope(context, scope(context, wanted)?)
}

/// Opens the backend if the command's other input is valid. Otherwise, the failure names the problems of both.
pub fn open_with<'a, T>(
    context: CommandContext<'a>,
    wanted: &Wanted,
    input: Result<T, Failure>,
) -> Result<(T, Opened<'a>), Failure> {
    let (input, scope) = both(input, usable_scope(context, wanted))?;
    Ok((input, open_scope(context, scope)?))
}

pub fn open_scope(context: CommandContext<'_>, mut scope: Scope) -> Result<Opened<'_>, Failure> {
    let kind = Kind::of(context.environment, &scope.backend)?;
    let store = kind.open(context, &mut scope)?;
    context.session.info(&format!("using {}", scope.words()));
    Ok(Opened {
        profile: kind.profile().opened(store.opened().clone()),
        store,
        session: context.session,
        scope,
    })
}

/// Opens a backend that can return values. If the configured backend can't return values, opens the vault instead.
///
/// Fails if an option selected a backend that can't return values; `so` completes the error message. `input` is as in [`open_with`].
pub fn open_readable<'a, T>(
    context: CommandContext<'a>,
    wanted: &Wanted,
    input: Result<T, Failure>,
    so: &str,
) -> Result<(T, Opened<'a>), Failure> {
    let (input, scope) = both(input, usable_scope(context, wanted))?;
    let profile = Kind::of(context.environment, &scope.backend)?.profile();
    let gives_values = profile.can(&Ability::Values);
    if wanted.backend.is_none() && (!gives_values || scope.backend.source == Source::Default) {
        let vault = BackendName::LOCAL.as_str();
        let vault = Wanted::of(vault, wanted.organization.as_deref());
        return open_with(context, &vault, Ok(input));
    }
    let opened = gives_values
        .then(|| open_scope(context, scope))
        .transpose()?;
    // An installed backend says what it can do only when it is open.
    let opened = opened.filter(|opened| opened.profile.can(&Ability::Values));
    let opened = opened.ok_or_else(|| {
        let message = format!("{} never gives values back, so {so}", profile.keeper);
        Failure::new(Exit::Usage, "not_readable", message)
    })?;
    Ok((input, opened))
}

impl Opened<'_> {
    pub fn get(&self, name: &SetName) -> Result<Option<SetInfo>, Error> {
        self.store.get(name, self.session)
    }

    pub fn list(&self) -> Result<Vec<SetInfo>, Error> {
        self.store.list(None, self.session)
    }

    pub fn existing(&self, name: &SetName) -> Result<SetInfo, Failure> {
        self.get(name)?.ok_or_else(|| self.not_found(name))
    }

    /// Returns the values of a secret set, or `None` if there is no such set.
    pub fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, Failure> {
        let Some(values) = self.store.values(name, self.session)? else {
            return Ok(None);
        };
        let unusable = |problem: String| {
            let keeper = &self.profile.keeper;
            failed(
                "invalid_response",
                format!("can't use what {keeper} has: {problem}"),
            )
            .hint("correct it where the set was made")
        };
        let entries = values.into_iter().map(|(key, value)| {
            let key = Key::parse_existing(&key)
                .map_err(|problem| unusable(format!("a key {problem}")))?;
            if key.as_str().contains('=') {
                return Err(unusable("a key has a `=`".to_owned()));
            }
            if value.expose().contains('\0') {
                // A response with values may have one for a key, so only a key that `get` lists is shown.
                let set = self.get(name).ok().flatten();
                let keys = set.and_then(|set| set.keys).unwrap_or_default();
                let whose = if keys.contains(key.as_str()) {
                    format!("`{}`", theirs(key.as_str()))
                } else {
                    "a key".to_owned()
                };
                return Err(unusable(format!(
                    "the value of {whose} has a NUL character"
                )));
            }
            Ok(Entry { key, value })
        });
        entries.collect::<Result<_, _>>().map(Some)
    }

    /// Returns the credentials of an image pull secret, or `None` if there is no such secret.
    pub fn credentials(&self, name: &SetName) -> Result<Option<CredentialsResult>, Failure> {
        match self.store.credentials(name, self.session) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.code == Code::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the failure for a missing set, with a suggestion or, if there are no sets, the command that creates it. Returns a different
    /// failure if listing the sets fails or if the list includes the set.
    pub fn not_found(&self, name: &SetName) -> Failure {
        let sets = match self.list() {
            Ok(sets) => sets,
            Err(error) => return error.into(),
        };
        if sets.iter().any(|set| set.name == name.as_str()) {
            let subject = &self.profile.subject;
            let message = format!("{subject} lists `{name}`, and says that there is no such set");
            return failed("invalid_response", message).hint("try again");
        }
        let place = if self.profile.is_here() {
            self.whereabouts(None)
        } else {
            self.place()
        };
        let message = format!("there is no set `{name}` in {place}");
        if sets.is_empty() {
            let set = format!("secrets set {name} KEY");
            return failed("not_found", message).hint(self.scope.command(&set));
        }
        let known = sets.iter().map(|set| set.name.as_str());
        let list = self.scope.command("secrets list");
        near_or(failed("not_found", message), name.as_str(), known, list)
    }

    /// Returns the failure for a key that none of the sets has. The key may be a misplaced value, so it is shown only if it looks like a key.
    pub fn no_such_key<'k>(
        &self,
        missing: &Key,
        sets: &[&str],
        known: impl Iterator<Item = &'k str>,
    ) -> Failure {
        let what = if looks_like_a_key(missing.as_str()) {
            format!("no key `{missing}`")
        } else {
            "no such key".to_owned()
        };
        let message = format!("there is {what} in `{}`", sets.join("` or `"));
        let list = match sets {
            [set] => format!("secrets list {set}"),
            _ => "secrets list".to_owned(),
        };
        let list = self.scope.command(&list);
        near_or(failed("not_found", message), missing.as_str(), known, list)
    }

    /// Returns the location for use in a sentence, such as "organization acme". Returns the backend's name if no organization is shown.
    pub fn place(&self) -> String {
        let organization = self.organization();
        organization.unwrap_or_else(|| self.profile.keeper.clone())
    }

    /// Returns the full location for use in a sentence, such as "organization acme, region us-west (the default), the hosting service".
    /// Omits implied parts.
    pub fn whereabouts(&self, region: Option<&str>) -> String {
        let source = self.scope.region.as_ref().map(|region| region.source);
        let source = source.unwrap_or(Source::Existing);
        let by_default = [Source::Service, Source::Backend, Source::Default];
        let is_default = by_default.contains(&source);
        let default = if is_default { " (the default)" } else { "" };
        let implied = self.profile.implied();
        let region =
            region.filter(|region| self.is_said(region, implied.as_ref().map(|it| it.1), source));
        let region = region.map(|region| format!("region {}{default}", theirs(region)));
        let keeper = Some(self.profile.keeper.clone());
        let parts = [self.organization(), region, keeper].into_iter().flatten();
        parts.collect::<Vec<_>>().join(", ")
    }

    fn organization(&self) -> Option<String> {
        let own = self.profile.implied();
        match (&self.scope.place, &self.scope.organization) {
            (Some(place), _) => Some(place.clone()),
            (None, Some(Setting { value, source })) => self
                .is_said(
                    value.as_str(),
                    own.as_ref().map(|it| it.0.as_str()),
                    *source,
                )
                .then(|| format!("organization {value}")),
            (None, None) => Some("the organization of the API key".to_owned()),
        }
    }

    /// Reports whether to show a part of the location. What is implied is hidden unless the user chose it or the output is verbose.
    fn is_said(&self, value: &str, implied: Option<&str>, source: Source) -> bool {
        let is_chosen = matches!(source, Source::Flag | Source::Environment | Source::Config);
        self.session.context().verbosity > 0 || is_chosen || implied != Some(value)
    }
}

/// Connects to the hosting service, regardless of the configured backend, if the command's other input is valid. Otherwise, the failure names
/// the problems of both.
pub fn service<'a, T>(
    context: CommandContext<'a>,
    account: &Account,
    input: Result<T, Failure>,
) -> Result<(T, Service<'a>), Failure> {
    let hosted = BackendName::HOSTED;
    let wanted = Wanted::of(hosted.as_str(), account.organization.as_deref());
    let (input, mut scope) = both(input, scope(context, &wanted))?;
    // Commands to paste don't need an option for it.
    scope.backend.source = Source::Default;
    let (client, tenant) = kind::connect(context, &mut scope)?;
    context.session.info(&format!("using {}", scope.words()));
    let service = Service {
        client,
        tenant,
        scope,
    };
    Ok((input, service))
}
