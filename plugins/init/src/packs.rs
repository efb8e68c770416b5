use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::{self, Discovery};
use bot_cli_protocol::UseSpec;
use bot_cli_sdk::plugin::Candidate;
use bot_cli_sdk::session::{Level, Session};
use bot_cli_templates::FRAMEWORK;
use bot_cli_templates::added::Entry;
use bot_cli_templates::catalogue::{Catalogue as BuiltIn, Service};
use bot_cli_templates::pack::{self, Taken};
use bot_cli_templates::packs::{self, PackStanding};

use crate::catalogue::{Catalogue, Pack, Unused};
use crate::pack_source::PackSource;
use crate::plan;

/// The name by which provider packs refer to this executable in their requirements.
const EXECUTABLE: &str = "bot-cli-init";

pub(crate) fn uses() -> UseSpec {
    UseSpec::new(pack::SCHEMA).framework(FRAMEWORK.release)
}

/// Returns the built-in names that packs can't reuse: identifiers, and environment variables with a different meaning.
#[must_use]
pub fn taken() -> Taken {
    BuiltIn::get().taken()
}

pub(crate) fn services(kind: &str) -> Vec<Candidate> {
    let catalogue = find();
    let services = catalogue.packs().iter().flat_map(|pack| &pack.providers);
    let services = services.flat_map(|provider| &provider.services);
    let fitting = services.filter(|service| service.kind.name() == kind);
    fitting
        .map(|service| Candidate::new(&service.id).about(&service.label))
        .collect()
}

/// Returns the built-in catalogue extended with the installed packs. Unusable packs and services are listed in [`Catalogue::unused`].
pub(crate) fn find() -> Catalogue {
    let discovery = Discovery::of_plugin(
        std::env::current_exe().ok(),
        |name| std::env::var_os(name),
        discovery::user(),
    );
    let user = User::new(EXECUTABLE, env!("CARGO_PKG_VERSION"), uses());
    let mut packs = Vec::new();
    let mut unused = Vec::new();
    for pack in packs::find(&discovery, Some(&user), taken) {
        let because = |service, reason, remedy| Unused {
            pack: pack.name.clone(),
            service,
            reason,
            remedy,
        };
        match pack.standing {
            PackStanding::Used(contents) => {
                for left_out in &contents.left_out {
                    let service = Some(left_out.what.clone());
                    unused.push(because(service, left_out.reason(), None));
                }
                let mut providers = contents.providers;
                for provider in &mut providers {
                    provider.services.retain(|service| {
                        let reason = too_new(service);
                        let fits = reason.is_none();
                        let id = Some(service.id.clone());
                        unused.extend(reason.map(|reason| because(id, reason, None)));
                        fits
                    });
                }
                providers.retain(|provider| !provider.services.is_empty());
                packs.push(Pack {
                    name: pack.name,
                    source: source(pack.version, pack.added.as_ref()),
                    about: pack.about,
                    providers,
                });
            }
            PackStanding::Refused(refused) => {
                unused.push(because(None, refused.reason, refused.remedy));
            }
            PackStanding::Shadowed(_) => {}
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

/// Returns an explanation if a service requires a newer Python version than the framework supports.
fn too_new(service: &Service) -> Option<String> {
    let wanted = service.requires_python.as_deref()?;
    let (below_major, below_minor) = FRAMEWORK.python_below;
    (plan::python_version(wanted)? >= FRAMEWORK.python_below).then(|| {
        format!(
            "it needs Python {wanted}, and pipecat-ai {} installs below {below_major}.{below_minor} only",
            FRAMEWORK.release
        )
    })
}

pub(crate) fn warn_of_unused(catalogue: &Catalogue, session: &mut Session) {
    for unused in catalogue.unused() {
        session.log(Level::Warn, &unused.words());
    }
}
