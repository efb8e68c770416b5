//! All that a project can be made of in this run: what is built in, and what provider packs bring.

use std::sync::OnceLock;

use bot_cli_templates::catalogue::{
    BotType, Catalogue as BuiltIn, Kind, Provider, Service, Transport, Variable,
};

/// The services and transports of a run.
#[derive(Debug)]
pub struct Catalogue {
    built_in: &'static BuiltIn,
    packs: Vec<Pack>,
    unused: Vec<Unused>,
}

/// A provider pack whose services can be chosen.
#[derive(Debug, Clone)]
pub struct Pack {
    /// The name: that of its file without `bot-cli-pack-`.
    pub name: String,
    /// The pack's own version.
    pub version: String,
    /// Its description, in one line.
    pub about: String,
    /// The providers, with the services that can be chosen.
    pub providers: Vec<Provider>,
}

/// A provider pack that can't be used, or something of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    /// The pack's name.
    pub pack: String,
    /// The service, by its identifier or in words with backticks; `None`: the whole pack.
    pub service: Option<String>,
    /// Why not.
    pub reason: String,
    pub remedy: Option<String>,
}

impl Pack {
    /// Returns the name and version as part of a sentence: `provider pack acme 1.2.0`.
    pub fn words(&self) -> String {
        format!("provider pack {} {}", self.name, self.version)
    }

    /// The services that can be chosen.
    pub fn services(&self) -> impl Iterator<Item = &Service> {
        self.providers
            .iter()
            .flat_map(|provider| &provider.services)
    }
}

impl Unused {
    /// In a sentence: what, why, and what mends it.
    pub fn words(&self) -> String {
        let Self { pack, reason, .. } = self;
        let what = match &self.service {
            None => format!("the provider pack `{pack}` is not used"),
            // A file, or a service without a name of its own.
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

    /// Returns the built-in catalogue with these packs. An existing identifier keeps its meaning.
    pub fn with(packs: Vec<Pack>, unused: Vec<Unused>) -> Self {
        Self {
            built_in: BuiltIn::get(),
            packs,
            unused,
        }
    }

    /// The packs, in the order in which they were found.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The packs, and services of packs, that can't be used.
    pub fn unused(&self) -> &[Unused] {
        &self.unused
    }

    /// Why a service that was named can't be chosen, where packs say something about it.
    pub fn why_unused(&self, id: &str) -> Option<&Unused> {
        let of_service = |unused: &&Unused| unused.service.as_deref() == Some(id);
        let of_pack = |unused: &&Unused| unused.service.is_none() && belongs_to(id, &unused.pack);
        self.unused
            .iter()
            .find(of_service)
            .or_else(|| self.unused.iter().find(of_pack))
    }

    /// The service with this identifier or alias.
    pub fn service(&self, id_or_alias: &str) -> Option<&Service> {
        self.built_in.service(id_or_alias).or_else(|| {
            self.of_packs()
                .map(|(_, _, service)| service)
                .find(|service| is_called(service, id_or_alias))
        })
    }

    /// The services of a kind: the recommended ones in their order, then the others by label.
    pub fn services(&self, kind: Kind) -> impl Iterator<Item = &Service> {
        let built_in = self.built_in.services(kind);
        let mut found: Vec<&Service> = built_in.collect();
        if !self.packs.is_empty() {
            let of_packs = self.of_packs().map(|(_, _, service)| service);
            found.extend(of_packs.filter(|service| service.kind == kind));
            found.sort_by_cached_key(|service| {
                // Only what is built in is recommended.
                let is_built_in = self.built_in.service(&service.id).is_some();
                let recommended = service.recommended.filter(|_| is_built_in);
                let label = service.label.to_lowercase();
                (recommended.unwrap_or(u8::MAX), label, service.id.clone())
            });
        }
        found.into_iter()
    }

    /// The provider that offers the service.
    pub fn provider_of(&self, service: &Service) -> Option<&Provider> {
        self.built_in
            .provider_of(service)
            .or_else(|| Some(self.brought(service)?.1))
    }

    /// The pack that brings the service; `None`: it is built in.
    pub fn pack_of(&self, service: &Service) -> Option<&Pack> {
        if self.built_in.service(&service.id).is_some() {
            return None;
        }
        Some(self.brought(service)?.0)
    }

    /// Returns the meaning of an environment variable of a service. Those of transports are in [`Transport::env`].
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.built_in.variable(name).or_else(|| {
            self.packs
                .iter()
                .flat_map(|pack| &pack.providers)
                .find_map(|provider| provider.env.get(name))
        })
    }

    /// The transport with this identifier or alias.
    pub fn transport(&self, id_or_alias: &str) -> Option<&'static Transport> {
        self.built_in.transport(id_or_alias)
    }

    /// The transports of a bot type, in their order.
    pub fn transports(
        &self,
        bot_type: BotType,
    ) -> impl Iterator<Item = &'static Transport> + use<> {
        self.built_in.transports(bot_type)
    }

    /// The transports that one option and a mode select together.
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

/// Whether a service with this identifier would be one of the pack: `acme_fast_stt` is one of `acme` or of `acme-fast`.
pub fn belongs_to(id: &str, pack: &str) -> bool {
    id.strip_prefix(&pack.replace('-', "_"))
        .is_some_and(|rest| rest.starts_with('_'))
}

fn is_called(service: &Service, id_or_alias: &str) -> bool {
    service.id == id_or_alias || service.alias.as_deref() == Some(id_or_alias)
}
