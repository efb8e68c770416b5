//! The kinds of backend: what is known of one before it is opened, and how that is done. Nothing else knows which there are.

mod external;
mod hosted;
mod local;

use bot_cli_engine::discovery::BackendStanding;
use bot_cli_protocol::Candidate;
use bot_cli_protocol::failure::Failure;

use super::context::CommandContext;
use crate::backend::{Profile, SecretsBackend};
use crate::domain::{BUILT_IN, BackendName, Organization, SetName};
use crate::environment::Environment;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use crate::text::theirs;
pub use external::{Installed, all as found, knows, no_setting, uses};
pub use hosted::{client, settle_organization};
pub use local::vault;

/// A kind of backend.
pub trait Kind {
    /// Returns what is known of it before it is opened.
    fn profile(&self) -> Profile;

    /// Opens the backend of a scope, and notes in the scope where that acts.
    fn open<'a>(
        &self,
        context: &'a CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Box<dyn SecretsBackend + 'a>, Failure>;

    /// Returns the organizations that there are, and notes in the scope which one is in use.
    fn organizations(
        &self,
        context: &CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Organizations, Failure>;

    /// Notes in the scope what holds where nothing says otherwise, as far as that is known without asking anybody.
    fn settle(&self, _scope: &mut Scope) {}

    /// Whether the sign-in to the hosting service is not its own: it signs in by itself.
    fn signs_in_itself(&self) -> bool {
        false
    }

    /// Returns code and name of the regions, as far as they are known without asking anybody.
    fn regions(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns the names of an organization's sets, where that needs nobody's answer.
    fn sets(
        &self,
        _environment: &Environment,
        _organization: Option<&Organization>,
    ) -> Option<Vec<String>> {
        None
    }

    /// Returns the keys of a set, where that needs nobody's answer.
    fn keys(
        &self,
        _environment: &Environment,
        _organization: Option<&Organization>,
        _name: &SetName,
    ) -> Option<Vec<String>> {
        None
    }
}

/// The organizations of a backend.
pub struct Organizations {
    /// The name of each, and the one for people.
    pub all: Vec<(String, String)>,
    /// Applies to names that are not among them.
    pub others: Others,
}

/// Organizations that a backend does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// They come into being with their first set.
    Begin,
    /// They are not there, or not for this user.
    Missing,
    /// The backend has no list of them.
    Unnamed,
}

/// The kind of that name.
pub fn of(
    environment: &Environment,
    name: &Setting<BackendName>,
) -> Result<Box<dyn Kind>, Failure> {
    if name.value == BackendName::LOCAL {
        Ok(Box::new(local::Local))
    } else if name.value == BackendName::HOSTED {
        Ok(Box::new(hosted::Service))
    } else {
        Ok(Box::new(Installed::find(environment, name)?))
    }
}

/// The names of the kinds that can be used.
pub fn names(environment: &Environment) -> Vec<String> {
    let mut names: Vec<String> = BUILT_IN.iter().map(ToString::to_string).collect();
    let found = found(environment).into_iter();
    let usable = found.filter(|found| matches!(found.standing, BackendStanding::Usable(..)));
    names.extend(usable.map(|found| found.name));
    names
}

/// The settings of the installed backends: `NAME.KEY` each.
pub fn settings(environment: &Environment) -> Vec<Candidate> {
    let names = names(environment).into_iter().skip(BUILT_IN.len());
    let installed = names.filter_map(|name| {
        let value = BackendName::parse(&name)?;
        let source = Source::Default;
        Installed::find(environment, &Setting { value, source }).ok()
    });
    let settings = installed.flat_map(|backend| {
        let name = backend.name().clone();
        let settings = backend.settings().into_iter();
        settings.map(move |spec| {
            Candidate::new(format!("{name}.{}", spec.name)).about(theirs(&spec.about))
        })
    });
    settings.collect()
}
