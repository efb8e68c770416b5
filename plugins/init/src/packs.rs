//! Finds provider packs, where a command has a use for them.

use bot_cli_sdk::pack;
use bot_cli_sdk::protocol::UseSpec;
use bot_cli_sdk::session::{Level, Session};

use crate::catalogue::Catalogue;
use crate::plan;

/// What packs can be used: those of this schema, for the framework that projects are made for.
pub(crate) fn uses() -> UseSpec {
    UseSpec::new(pack::SCHEMA).framework(plan::FRAMEWORK)
}

/// What is built in, and the packs that are found. What can't be used is in [`Catalogue::unused`].
pub(crate) fn find(_session: &mut Session) -> Catalogue {
    Catalogue::with(Vec::new(), Vec::new())
}

/// Says what of the packs can't be chosen, to a user who looks at what there is.
pub(crate) fn warn_of_unused(catalogue: &Catalogue, session: &mut Session) {
    for unused in catalogue.unused() {
        session.log(Level::Warn, &unused.words());
    }
}
