//! The kinds of backend: how each is described before it is opened, and how it is opened.

mod external;
mod hosted;
mod local;

use bot_cli_engine::discovery::BackendStanding;
use bot_cli_protocol::failure::Failure;

use super::context::CommandContext;
use crate::backend::{Profile, SecretsBackend};
use crate::domain::{BUILT_IN, BackendName};
use crate::environment::Environment;
use crate::scope::{Scope, Setting};
pub use external::{Installed, no_setting, uses};
pub use hosted::{client, first as first_organization};
pub use local::{own_organization, vault};

/// A kind of backend.
pub enum Kind {
    /// The vault of this machine.
    Local,
    /// The hosting service.
    Hosted,
    /// A backend with an executable of its own.
    Installed(Installed),
}

/// The organizations of a backend.
pub struct Organizations {
    /// The name of each, and the one for people.
    pub all: Vec<(String, String)>,
    /// Whether there are no others, or not for this user.
    pub is_complete: bool,
}

impl Kind {
    /// Returns the kind of the backend `name`.
    pub fn of(environment: &Environment, name: &Setting<BackendName>) -> Result<Self, Failure> {
        if name.value == BackendName::LOCAL {
            Ok(Self::Local)
        } else if name.value == BackendName::HOSTED {
            Ok(Self::Hosted)
        } else {
            Installed::find(environment, name).map(Self::Installed)
        }
    }

    /// Returns what is known of the backend before it is opened.
    pub fn profile(&self) -> Profile {
        match self {
            Self::Local => crate::backend::local::profile(),
            Self::Hosted => crate::backend::hosted::profile(),
            Self::Installed(installed) => installed.profile(),
        }
    }

    /// Opens the backend of a scope, and notes in the scope where that acts.
    pub fn open<'a>(
        &self,
        context: &'a CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Box<dyn SecretsBackend + 'a>, Failure> {
        Ok(match self {
            Self::Local => Box::new(local::open(context, scope)?),
            Self::Hosted => Box::new(hosted::open(context, scope)?),
            Self::Installed(installed) => Box::new(installed.open(context, scope)?),
        })
    }

    /// Returns the organizations, and notes in the scope which one is in use.
    pub fn organizations(
        &self,
        context: &CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Organizations, Failure> {
        match self {
            Self::Local => local::organizations(context, scope),
            Self::Hosted => hosted::organizations(context, scope),
            Self::Installed(installed) => installed.organizations(context, scope),
        }
    }
}

/// Returns the names of the backends that can be used.
pub fn names(environment: &Environment) -> Vec<String> {
    let mut names: Vec<String> = BUILT_IN.iter().map(ToString::to_string).collect();
    let found = external::all(environment).into_iter();
    let usable = found.filter(|found| matches!(found.standing, BackendStanding::Usable(..)));
    names.extend(usable.map(|found| found.name));
    names
}
