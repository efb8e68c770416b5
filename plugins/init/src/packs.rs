//! Extends the catalogue with the installed provider packs.

use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::added::Entry;
use bot_cli_engine::discovery::{Discovery, Standing};
use bot_cli_protocol::UseSpec;
use bot_cli_sdk::plugin::Candidate;
use bot_cli_sdk::session::Session;
use bot_cli_templates::FRAMEWORK;
use bot_cli_templates::catalogue::Catalogue as BuiltIn;
use bot_cli_templates::pack;
use bot_cli_templates::packs;
use bot_cli_terminal::short_line;

use crate::catalogue::{Catalogue, Pack, Unused};
use crate::pack_source::PackSource;

/// The name by which provider packs refer to this executable in their requirements.
const EXECUTABLE: &str = "bot-cli-init";

pub(crate) fn uses() -> UseSpec {
    UseSpec::new(pack::SCHEMA).framework(FRAMEWORK.release)
}

pub(crate) fn services(kind: &str) -> Vec<Candidate> {
    let catalogue = find();
    let services = catalogue.packs.iter().flat_map(Pack::services);
    let fitting = services.filter(|service| service.kind.name() == kind);
    fitting
        .map(|service| Candidate::new(&service.id).about(&service.label))
        .collect()
}

/// Returns the built-in catalogue extended with the installed packs. Unusable packs and services are listed in [`Catalogue::unused`].
pub(crate) fn find() -> Catalogue {
    let discovery = Discovery::here();
    let user = User::new(EXECUTABLE, env!("CARGO_PKG_VERSION"), uses());
    let mut packs = Vec::new();
    let mut unused = Vec::new();
    for pack in packs::find(&discovery.search(), Some(&user), || BuiltIn::get().taken()) {
        let name = pack.found.name;
        let because = |service, reason, remedy| Unused {
            pack: name.clone(),
            service,
            reason,
            remedy,
        };
        match pack.found.standing {
            Standing::Used(contents) => {
                for left_out in &contents.left_out {
                    let service = Some(left_out.what.clone());
                    unused.push(because(service, left_out.reason(), None));
                }
                let manifest = pack.manifest.unwrap_or_default();
                let [version, about] =
                    [manifest.version, manifest.about].map(|text| short_line(&text, 300));
                packs.push(Pack {
                    name,
                    source: source(version, pack.added.as_ref()),
                    about,
                    providers: contents.providers,
                });
            }
            Standing::Refused(refused) => {
                unused.push(because(None, refused.reason, refused.remedy));
            }
            Standing::Shadowed(_) => {}
        }
    }
    Catalogue::with(packs, unused)
}

/// Returns the origin of a pack. Omits local paths, because they are meaningless on other machines.
fn source(version: String, added: Option<&Entry>) -> PackSource {
    let from = added.map(|entry| entry.from.clone());
    PackSource {
        version,
        // A query may contain a token.
        from: from.filter(|from| from.starts_with("https://") && !from.contains('?')),
        sha256: added.map(|entry| entry.sum().to_owned()),
    }
}

pub(crate) fn warn_of_unused(catalogue: &Catalogue, session: &Session) {
    for unused in &catalogue.unused {
        session.warn(&unused.words());
    }
}
