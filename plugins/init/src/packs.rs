//! Finds provider packs, where a command has a use for them.

use bot_cli_sdk::pack::{self, Taken};
use bot_cli_sdk::protocol::UseSpec;
use bot_cli_sdk::session::{Level, Session};
use bot_cli_templates::catalogue::{BotType, Catalogue as BuiltIn};

use crate::catalogue::Catalogue;
use crate::plan;

/// What packs can be used: those of this schema, for the framework that projects are made for.
pub(crate) fn uses() -> UseSpec {
    UseSpec::new(pack::SCHEMA).framework(plan::FRAMEWORK)
}

/// What a pack can't have, since it is built in: identifiers, variables that mean something else, names of generated code.
#[must_use]
pub fn taken() -> Taken {
    let mut taken = Taken::default();
    let built_in = BuiltIn::get();
    for provider in built_in.providers() {
        for service in &provider.services {
            taken.service(provider, service, "a service that is built in");
        }
    }
    for transport in [BotType::Web, BotType::Telephony]
        .into_iter()
        .flat_map(|bot_type| built_in.transports(bot_type))
    {
        let names = [
            Some(&transport.id),
            transport.alias.as_ref(),
            transport.family.as_ref(),
            transport.family_alias.as_ref(),
        ];
        for name in names.into_iter().flatten() {
            taken.id(name, "a transport");
        }
        for variable in &transport.env {
            taken.variable(&variable.name, &format!("the transport `{}`", transport.id));
        }
        taken.name(&transport.module, &transport.class);
        for (module, names) in &transport.imports {
            for name in names {
                taken.name(module, name);
            }
        }
    }
    for (module, name) in plan::imported_names() {
        taken.name(module, name);
    }
    taken
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
