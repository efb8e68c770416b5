//! The built-in services and transports, together with the services from provider packs.

use std::sync::OnceLock;

use bot_cli_templates::catalogue::{
    BotType, Catalogue as BuiltIn, Kind, Provider, Service, Transport, Variable,
};

use crate::pack_source::PackSource;

/// The available services and transports.
#[derive(Debug)]
pub struct Catalogue {
    built_in: &'static BuiltIn,
    packs: Vec<Pack>,
    unused: Vec<Unused>,
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

    /// Returns the built-in catalogue extended with `packs`. Built-in services take precedence over pack services with the same identifier.
    pub fn with(packs: Vec<Pack>, unused: Vec<Unused>) -> Self {
        Self {
            built_in: BuiltIn::get(),
            packs,
            unused,
        }
    }

    /// Returns the packs in discovery order.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// Returns the packs and pack services that can't be used.
    pub fn unused(&self) -> &[Unused] {
        &self.unused
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

    /// Returns the service with this identifier or alias.
    pub fn service(&self, id_or_alias: &str) -> Option<&Service> {
        self.built_in.service(id_or_alias).or_else(|| {
            self.of_packs()
                .map(|(_, _, service)| service)
                .find(|service| is_called(service, id_or_alias))
        })
    }

    /// Returns the services of the given kind: recommended services by rank, then the others by label.
    pub fn services(&self, kind: Kind) -> impl Iterator<Item = &Service> {
        let built_in = self.built_in.services(kind);
        let mut found: Vec<&Service> = built_in.collect();
        if !self.packs.is_empty() {
            let of_packs = self.of_packs().map(|(_, _, service)| service);
            found.extend(of_packs.filter(|service| service.kind == kind));
            found.sort_by_cached_key(|service| {
                // Only built-in services are recommended.
                let is_built_in = self.built_in.service(&service.id).is_some();
                let recommended = service.recommended.filter(|_| is_built_in);
                let label = service.label.to_lowercase();
                (recommended.unwrap_or(u8::MAX), label, service.id.clone())
            });
        }
        found.into_iter()
    }

    /// Returns the provider that offers the service.
    pub fn provider_of(&self, service: &Service) -> Option<&Provider> {
        self.built_in
            .provider_of(service)
            .or_else(|| Some(self.brought(service)?.1))
    }

    /// Returns the pack that contains the service, or `None` for a built-in service.
    pub fn pack_of(&self, service: &Service) -> Option<&Pack> {
        if self.built_in.service(&service.id).is_some() {
            return None;
        }
        Some(self.brought(service)?.0)
    }

    /// Looks up a service's environment variable by name. For transports, see [`Transport::env`].
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.built_in.variable(name).or_else(|| {
            self.packs
                .iter()
                .flat_map(|pack| &pack.providers)
                .find_map(|provider| provider.env.get(name))
        })
    }

    /// Returns the transport with this identifier or alias.
    pub fn transport(&self, id_or_alias: &str) -> Option<&'static Transport> {
        self.built_in.transport(id_or_alias)
    }

    /// Returns the transports for a bot type, in display order.
    pub fn transports(
        &self,
        bot_type: BotType,
    ) -> impl Iterator<Item = &'static Transport> + use<> {
        self.built_in.transports(bot_type)
    }

    /// Returns the transports in a family, such as the dial-in and dial-out variants of one transport.
    pub fn transport_family(
        &self,
        name_or_alias: &str,
    ) -> impl Iterator<Item = &'static Transport> {
        self.built_in.transport_family(name_or_alias)
    }

    fn brought(&self, service: &Service) -> Option<(&Pack, &Provider)> {
        self.of_packs()
            .find(|(_, _, other)| other.id == service.id)
            .map(|(pack, provider, _)| (pack, provider))
    }

    fn of_packs(&self) -> impl Iterator<Item = (&Pack, &Provider, &Service)> {
        self.packs.iter().flat_map(|pack| {
            pack.providers.iter().flat_map(move |provider| {
                provider
                    .services
                    .iter()
                    .map(move |service| (pack, provider, service))
            })
        })
    }
}

/// Reports whether the identifier starts with the pack's prefix. For example, `acme_fast_stt` belongs to both `acme` and `acme-fast`.
pub fn belongs_to(id: &str, pack: &str) -> bool {
    id.strip_prefix(&pack.replace('-', "_"))
        .is_some_and(|rest| rest.starts_with('_'))
}

fn is_called(service: &Service, id_or_alias: &str) -> bool {
    service.id == id_or_alias || service.alias.as_deref() == Some(id_or_alias)
}
