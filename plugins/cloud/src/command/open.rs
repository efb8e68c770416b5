//! From options to a backend that can be used, and what every command does with one.

use bot_cli_protocol::failure::{Exit, Failure};

use super::context::CommandContext;
use super::kind;
use crate::backend::local::{ORGANIZATION, REGIONS};
use crate::backend::{ChangeError, Details, Profile, ReadsValues, SecretsBackend, Summary};
use crate::config::{BackendSettings, ConfigFile};
use crate::domain::{BackendName, Region, SetName};
use crate::scope::{Scope, Setting, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words::change::{self, Deed};
use crate::words::{failed, near_or};

/// A backend, and how it was come by.
pub struct Opened<'a> {
    /// The backend.
    pub backend: Box<dyn SecretsBackend + 'a>,
    pub scope: Scope,
    /// Whether the user wants to see more than goes without saying.
    is_verbose: bool,
}

/// Resolves the scope from options, environment, configuration and sign-in.
pub fn scope(context: &CommandContext<'_>, wanted: &Wanted) -> Result<Scope, Failure> {
    let config = ConfigFile::read(&context.environment)?;
    // Whoever has no place for a sign-in may have a token.
    let signed_in = context.credentials().is_ok_and(|place| place.exists());
    let backends = |name: &BackendName| BackendSettings::read(&context.environment, name);
    Scope::resolve(wanted, &context.environment, &config, backends, signed_in)
}

/// The scope of the vault, whatever keeps secrets otherwise.
pub fn vault_scope(
    context: &CommandContext<'_>,
    organization: Option<&str>,
) -> Result<Scope, Failure> {
    scope(
        context,
        &Wanted::of(BackendName::LOCAL.as_str(), organization),
    )
}

/// The backend that `wanted` stands for.
pub fn open<'a>(context: &'a CommandContext<'_>, wanted: &Wanted) -> Result<Opened<'a>, Failure> {
    open_scope(context, scope(context, wanted)?)
}

/// The backend of a scope.
pub fn open_scope<'a>(
    context: &'a CommandContext<'_>,
    mut scope: Scope,
) -> Result<Opened<'a>, Failure> {
    let kind = kind::of(&context.environment, &scope.backend)?;
    let backend = kind.open(context, &mut scope)?;
    context.tell(&format!("using {}", scope.words()));
    Ok(Opened {
        backend,
        scope,
        is_verbose: context.is_verbose(),
    })
}

/// A backend gives no values back.
pub fn not_readable(profile: &Profile, so: &str) -> Failure {
    let message = format!("{} never gives values back, so {so}", profile.keeper);
    Failure::new(Exit::Usage, "not_readable", message)
}

impl Opened<'_> {
    pub fn profile(&self) -> &Profile {
        self.backend.profile()
    }

    /// Returns the reader of values. A backend without one is a failure; `so` is the consequence in its message.
    pub fn reader(&self, so: &str) -> Result<&dyn ReadsValues, Failure> {
        self.backend
            .reader()
            .ok_or_else(|| not_readable(self.profile(), so))
    }

    /// A set that must be there.
    pub fn existing(&self, name: &SetName) -> Result<Details, Failure> {
        match self.backend.get(name)? {
            Some(details) => Ok(details),
            None => Err(self.not_found(name)),
        }
    }

    /// There is no such set; perhaps a near one. The listing must agree: what could not be seen is not called missing.
    pub fn not_found(&self, name: &SetName) -> Failure {
        let sets = match self.backend.list(None) {
            Ok(sets) => sets,
            Err(error) => return error.into(),
        };
        if sets.iter().any(|set| set.name == name.as_str()) {
            let subject = &self.profile().subject;
            let message = format!("{subject} lists `{name}`, and says that there is no such set");
            return failed("invalid_response", message)
                .hint("try again: somebody else may be changing it");
        }
        let message = format!("there is no set `{name}` in {}", self.place());
        let known = sets.iter().map(|set| set.name.as_str());
        let list = self.scope.command("secrets list");
        near_or(failed("not_found", message), name.as_str(), known, list)
    }

    /// Notes the region of a set that is there.
    pub fn found(&mut self, set: &Summary) {
        let region = set.region.as_deref();
        if let Some(Ok(value)) = region.map(Region::parse) {
            self.scope.region = Some(Setting::new(value, Source::Existing));
        }
    }

    /// Returns the place as part of a sentence: "organization acme", or its keeper where that says it all.
    pub fn place(&self) -> String {
        let organization = self.organization();
        organization.unwrap_or_else(|| self.profile().keeper.clone())
    }

    /// "organization acme, region us-west (the default), the hosting service", as far as it is worth a word.
    pub fn whereabouts(&self, region: Option<&str>) -> String {
        let source = self.scope.region.as_ref().map(|region| region.source);
        let by_default = [Source::Service, Source::Backend, Source::Default];
        let is_default = source.is_some_and(|source| by_default.contains(&source));
        let default = if is_default { " (the default)" } else { "" };
        let source = source.unwrap_or(Source::Existing);
        let region = self.said_region(region, source);
        let region = region.map(|region| format!("region {}{default}", theirs(region)));
        let keeper = Some(self.profile().keeper.clone());
        let parts = [self.organization(), region, keeper].into_iter().flatten();
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Returns the region as far as it is worth a word.
    pub fn said_region<'r>(&self, region: Option<&'r str>, source: Source) -> Option<&'r str> {
        region.filter(|region| self.is_said(region, REGIONS[0].0, source))
    }

    fn organization(&self) -> Option<String> {
        match (&self.scope.place, &self.scope.organization) {
            (Some(place), _) => Some(place.clone()),
            (None, Some(Setting { value, source })) => self
                .is_said(value.as_str(), ORGANIZATION, *source)
                .then(|| format!("organization {value}")),
            (None, None) => Some("the organization of the API key".to_owned()),
        }
    }

    /// Whether a part of the place is worth a word. What is the vault's own goes without saying where nobody chose it.
    fn is_said(&self, value: &str, own: &str, source: Source) -> bool {
        let is_chosen = matches!(source, Source::Flag | Source::Environment | Source::Config);
        let is_vault = self.scope.backend.value == BackendName::LOCAL;
        self.is_verbose || !is_vault || is_chosen || value != own
    }

    /// Returns the failure of a change, with its outcome.
    pub fn change_failure(&self, deed: Deed, name: &SetName, error: &ChangeError) -> Failure {
        let look = match deed {
            Deed::Change => format!("secrets list {name}"),
            Deed::Delete => "secrets list".to_owned(),
        };
        change::failure(deed, name, error, &self.scope.command(&look))
    }
}
