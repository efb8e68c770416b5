//! The built-in services and transports, together with the services from provider packs.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use bot_cli_templates::catalogue::{Catalogue as Offered, Provider, Service};

use crate::pack_source::PackSource;

/// The available services and transports.
#[derive(Debug)]
pub struct Catalogue {
    offered: Cow<'static, Offered>,
    /// The packs in discovery order.
    pub packs: Vec<Pack>,
    /// The packs and pack services that can't be used.
    pub unused: Vec<Unused>,
}

/// A usable provider pack.
#[derive(Debug, Clone)]
pub struct Pack {
    /// The pack's name, such as `acme` for `bot-cli-pack-acme`.
    pub name: String,
    /// The pack's version, and where it comes from.
    pub source: PackSource,
    /// A one-line description.
    pub about: String,
    /// The providers, each with its available services.
    pub providers: Vec<Provider>,
}

/// A provider pack, or a part of a pack, that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    pub pack: String,
    /// The identifier of the unusable service, or a description if the unusable part has no valid identifier. `None` if the entire pack is
    /// unusable.
    pub service: Option<String>,
    pub reason: String,
    pub remedy: Option<String>,
}

impl Pack {
    /// Returns the name and version for use in a sentence, such as `provider pack acme 1.2.0`.
    pub fn words(&self) -> String {
        format!("provider pack {} {}", self.name, self.source.version)
    }

    /// Returns the pack's available services.
    pub fn services(&self) -> impl Iterator<Item = &Service> {
        self.providers
            .iter()
            .flat_map(|provider| &provider.services)
    }
}

impl Unused {
    /// Returns a sentence that states the problem, its cause and any remedy.
    pub fn words(&self) -> String {
        let Self { pack, reason, .. } = self;
        let what = match &self.service {
            None => format!("the provider pack `{pack}` is not used"),
            // A file, or a service without an identifier.
            Some(what) if what.contains('`') => {
                format!("{what} of the provider pack `{pack}` is left out")
            }
            Some(id) => format!("`{id}` of the provider pack `{pack}` is left out"),
        };
        let remedy = self.remedy.as_ref();
        let remedy = remedy.map_or_else(String::new, |remedy| format!("; {remedy}"));
        format!("{what}: {reason}{remedy}")
    }
}

impl Catalogue {
    /// Returns the built-in catalogue.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<Catalogue> = OnceLock::new();
        BUILT_IN.get_or_init(|| Self::with(Vec::new(), Vec::new()))
    }

    /// Returns the built-in catalogue extended with `packs`.
    pub fn with(packs: Vec<Pack>, unused: Vec<Unused>) -> Self {
        let offered = match packs.as_slice() {
            [] => Cow::Borrowed(Offered::get()),
            packs => {
                let providers = packs.iter().flat_map(|pack| &pack.providers);
                Cow::Owned(Offered::with(providers.cloned()))
            }
        };
        Self {
            offered,
            packs,
            unused,
        }
    }

    /// Returns the unusable service with this identifier, or else the unusable pack that the identifier belongs to.
    pub fn why_unused(&self, id: &str) -> Option<&Unused> {
        let of_service = |unused: &&Unused| unused.service.as_deref() == Some(id);
        let of_pack = |unused: &&Unused| unused.service.is_none() && belongs_to(id, &unused.pack);
        self.unused
            .iter()
            .find(of_service)
            .or_else(|| self.unused.iter().find(of_pack))
    }

    /// Returns the files and providers of a pack that can't be read, and its services without an identifier, each with the reason.
    pub fn unread_parts(&self, pack: &str) -> Vec<String> {
        let is_id = |what: &str| {
            what.bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        let of_pack = self.unused.iter().filter(|unused| unused.pack == pack);
        let parts = of_pack.filter_map(|it| Some((it.service.as_ref()?, &it.reason)));
        let parts = parts.filter(|(what, _)| !is_id(what));
        parts
            .map(|(what, reason)| format!("{what}: {reason}"))
            .collect()
    }

    /// Returns the pack that contains the service, or `None` for a built-in service.
    pub fn pack_of(&self, service: &Service) -> Option<&Pack> {
        let mut packs = self.packs.iter();
        packs.find(|pack| pack.services().any(|other| other.id == service.id))
    }
}

impl Deref for Catalogue {
    type Target = Offered;

    fn deref(&self) -> &Offered {
        &self.offered
    }
}

/// Reports whether the identifier starts with the pack's prefix. For example, `acme_fast_stt` belongs to both `acme` and `acme-fast`.
pub fn belongs_to(id: &str, pack: &str) -> bool {
    id.strip_prefix(&pack.replace('-', "_"))
        .is_some_and(|rest| rest.starts_with('_'))
}
