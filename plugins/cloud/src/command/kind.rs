//! The kinds of backend: what is known of one before it is opened, and how that is done. Nothing else knows which there are.

mod hosted;
mod local;

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::protocol::Candidate;

use super::context::CommandContext;
use crate::backend::{Profile, SecretsBackend};
use crate::domain::{BUILT_IN, BackendName, Organization, SetName};
use crate::environment::Environment;
use crate::scope::{Scope, Setting, unknown_backend};
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
    /// What is true of one that is not among them.
    pub others: Others,
}

/// Organizations that a backend does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// They come into being with their first set.
    Begin,
    /// They are not there, or not for this user.
    Missing,
}

/// The kind of that name.
pub fn of(
    _environment: &Environment,
    name: &Setting<BackendName>,
) -> Result<Box<dyn Kind>, Failure> {
    match name.value.as_str() {
        "local" => Ok(Box::new(local::Local)),
        "hosted" => Ok(Box::new(hosted::Service)),
        other => Err(unknown_backend(other, name.source)),
    }
}

/// The names of the kinds that there are.
pub fn names(_environment: &Environment) -> Vec<String> {
    BUILT_IN.iter().map(ToString::to_string).collect()
}

/// The settings that the installed backends have: `NAME.KEY` each.
pub fn settings(_environment: &Environment) -> Vec<Candidate> {
    Vec::new()
}
