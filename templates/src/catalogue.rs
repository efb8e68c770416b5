//! Services and transports, with their names, their imports and the arguments of their Python classes.
//!
//! Each provider has a TOML file in `providers/`, and each transport has one in `transports/`. Unknown keys are rejected.

use std::sync::{LazyLock, OnceLock};

mod schema;
#[cfg(test)]
mod tests;

pub use crate::embedded::Listed;
use crate::pack::Taken;
pub use crate::pack::{Arg, Kind, Literal, Provider, Read, Service, Turns, Type, Variable};
pub use schema::{
    Avatar, BotType, CallServer, ClientFile, ClientTransport, Direction, NoClient, Owner, Pictures,
    Reader, SelfHost, Transport, TransportVariable,
};

use crate::embedded::{self, LISTED, PROVIDERS, SERVICES, TRANSPORTS, VARIABLES};

/// The built-in providers and transports, and the providers of packs, if any. A built-in provider is parsed when it is first used, and so are
/// the transports.
#[derive(Debug, Clone)]
pub struct Catalogue {
    of_packs: Vec<Provider>,
    transports: &'static LazyLock<Vec<Transport>>,
}

impl Catalogue {
    /// Returns the built-in catalogue.
    pub fn get() -> &'static Self {
        static SORTED: LazyLock<Vec<Transport>> = LazyLock::new(|| {
            let text = |it: &Listed| embedded::find(TRANSPORTS, it.id);
            let parsed = |it| serde_json::from_str(text(it)?).ok();
            LISTED.iter().filter_map(parsed).collect()
        });
        static CATALOGUE: Catalogue = Catalogue {
            of_packs: Vec::new(),
            transports: &SORTED,
        };
        &CATALOGUE
    }

    /// Returns the built-in catalogue extended with the providers of packs.
    pub fn with(providers: impl IntoIterator<Item = Provider>) -> Self {
        Self {
            of_packs: providers.into_iter().collect(),
            ..Self::get().clone()
        }
    }

    /// Returns all providers: the built-in ones sorted by file name, then those of packs.
    pub fn providers(&self) -> impl Iterator<Item = &Provider> {
        let built_in = (0..PROVIDERS.len()).filter_map(built_in);
        built_in.chain(&self.of_packs)
    }

    /// Returns the service with this identifier or alias.
    pub fn service(&self, id_or_alias: &str) -> Option<&Service> {
        let is_it = |it: &Listed| it.id == id_or_alias || it.alias == Some(id_or_alias);
        if let Some((provider, listed)) = SERVICES.iter().find(|(_, it)| is_it(it)) {
            let mut services = built_in(*provider)?.services.iter();
            return services.find(|service| service.id == listed.id);
        }
        self.services_of_packs().find(|it| is_it(&Listed::of(it)))
    }

    /// Returns the services of a kind, as [`listed`](Self::listed).
    pub fn services(&self, kind: Kind) -> impl Iterator<Item = &Service> {
        let listed = self.listed(kind).into_iter();
        listed.filter_map(|listed| self.service(listed.id))
    }

    /// Lists the services of a kind: the recommended ones in order, then the others by label.
    pub fn listed(&self, kind: Kind) -> Vec<Listed<'_>> {
        let of_packs = self.services_of_packs().map(Listed::of);
        let all = SERVICES.iter().map(|(_, listed)| *listed).chain(of_packs);
        let mut found: Vec<Listed> = all.filter(|it| it.kind == kind.name()).collect();
        found.sort_by_cached_key(|it| {
            let rank = it.recommended.unwrap_or(u8::MAX);
            (rank, it.label.to_lowercase(), it.id)
        });
        found
    }

    /// Returns the provider whose file contains the service.
    pub fn provider_of(&self, service: &Service) -> Option<&Provider> {
        if let Some((provider, _)) = SERVICES.iter().find(|(_, it)| it.id == service.id) {
            return built_in(*provider);
        }
        let has = |provider: &&Provider| provider.services.iter().any(|it| it.id == service.id);
        self.of_packs.iter().find(has)
    }

    /// Returns the description of a service's environment variable. Transport variables are in [`Transport::env`].
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        if let Ok(at) = VARIABLES.binary_search_by_key(&name, |(name, _)| *name) {
            return built_in(VARIABLES[at].1)?.env.get(name);
        }
        let mut providers = self.of_packs.iter();
        providers.find_map(|provider| provider.env.get(name))
    }

    /// Returns the transport with this identifier or alias.
    pub fn transport(&self, id_or_alias: &str) -> Option<&'static Transport> {
        self.transports.iter().find(|transport| {
            transport.id == id_or_alias || transport.alias.as_deref() == Some(id_or_alias)
        })
    }

    /// Returns all transports, those for web bots first.
    pub fn all_transports(&self) -> &'static [Transport] {
        self.transports
    }

    /// Lists the transports for a bot type, in order.
    pub fn listed_transports(bot_type: &str) -> impl Iterator<Item = &'static Listed<'static>> {
        LISTED.iter().filter(move |it| it.kind == bot_type)
    }

    /// Returns the transports for a bot type, in order.
    pub fn transports(
        &self,
        bot_type: BotType,
    ) -> impl Iterator<Item = &'static Transport> + use<> {
        self.transports
            .iter()
            .filter(move |transport| transport.bot_type == bot_type)
    }

    /// Returns the transports in a family. For example, the family `hosted_rtc_pstn` contains `hosted_rtc_pstn_dialin` and
    /// `hosted_rtc_pstn_dialout`. The iterator is empty for an unknown name.
    pub fn transport_family(
        &self,
        name_or_alias: &str,
    ) -> impl Iterator<Item = &'static Transport> {
        self.transports.iter().filter(move |transport| {
            transport.family.as_deref() == Some(name_or_alias)
                || transport.family_alias.as_deref() == Some(name_or_alias)
        })
    }

    /// Returns the names that a pack can't reuse: identifiers, and variables with a different meaning.
    pub fn taken(&self) -> Taken {
        let mut taken = Taken::default();
        for provider in self.providers() {
            for service in &provider.services {
                let whose = format!("the built-in `{}`", service.id);
                taken.service(provider, service, &whose);
            }
        }
        for transport in self.all_transports() {
            let ids = [&transport.alias, &transport.family, &transport.family_alias];
            for id in ids.into_iter().flatten().chain([&transport.id]) {
                taken.id(id, "a transport");
            }
            let served = transport.self_host.iter().flat_map(|it| &it.env);
            for variable in transport.env.iter().chain(served) {
                let whose = format!("the transport `{}`", transport.id);
                taken.variable(&variable.name, &whose, None);
            }
        }
        taken
    }

    fn services_of_packs(&self) -> impl Iterator<Item = &Service> {
        self.of_packs.iter().flat_map(|provider| &provider.services)
    }
}

impl<'c> Listed<'c> {
    fn of(service: &'c Service) -> Self {
        Self {
            id: &service.id,
            alias: service.alias.as_deref(),
            kind: service.kind.name(),
            label: &service.label,
            recommended: service.recommended,
            family: None,
            family_alias: None,
        }
    }
}

/// Returns a built-in provider by its position, parsed once per process.
fn built_in<'c>(position: usize) -> Option<&'c Provider> {
    static PARSED: LazyLock<Vec<OnceLock<Option<Provider>>>> =
        LazyLock::new(|| vec![OnceLock::new(); PROVIDERS.len()]);
    let (_, text) = PROVIDERS.get(position)?;
    let parsed = PARSED.get(position)?;
    parsed
        .get_or_init(|| serde_json::from_str(text).ok())
        .as_ref()
}
