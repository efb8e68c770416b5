//! Services and transports, with their names, their imports and the arguments of their Python classes.
//!
//! Each provider has a TOML file in `providers/`, and each transport has one in `transports/`. Unknown keys are rejected.

use std::sync::LazyLock;

mod schema;
#[cfg(test)]
mod tests;

use crate::pack::Taken;
pub use crate::pack::{Arg, Kind, Literal, Provider, Read, Service, Turns, Type, Variable};
pub use schema::{
    Avatar, BotType, CallServer, ClientFile, ClientTransport, Direction, NoClient, Owner, Pictures,
    Reader, SelfHost, Transport, TransportVariable,
};

use crate::embedded::{self, PROVIDERS, TRANSPORTS};

/// The built-in providers and transports, and the providers of packs, if any.
#[derive(Debug, Clone)]
pub struct Catalogue {
    providers: Vec<Provider>,
    transports: &'static [Transport],
}

impl Catalogue {
    /// Returns the built-in catalogue, parsed once per process.
    pub fn get() -> &'static Self {
        static SORTED: LazyLock<Vec<Transport>> = LazyLock::new(|| {
            let mut transports: Vec<Transport> = embedded::values(&TRANSPORTS);
            transports.sort_by_key(|transport| (transport.bot_type, transport.order));
            transports
        });
        static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue {
            providers: embedded::values(&PROVIDERS),
            transports: &SORTED,
        });
        &CATALOGUE
    }

    /// Returns the built-in catalogue extended with the providers of packs.
    pub fn with(providers: impl IntoIterator<Item = Provider>) -> Self {
        let mut catalogue = Self::get().clone();
        catalogue.providers.extend(providers);
        catalogue
    }

    /// Returns all providers: the built-in ones sorted by file name, then those of packs.
    pub fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.providers.iter()
    }

    /// Returns the service with this identifier or alias.
    pub fn service(&self, id_or_alias: &str) -> Option<&Service> {
        self.all_services().find(|service| {
            service.id == id_or_alias || service.alias.as_deref() == Some(id_or_alias)
        })
    }

    /// Returns the services of a kind: the recommended ones in order, then the others by label.
    pub fn services(&self, kind: Kind) -> impl Iterator<Item = &Service> {
        let mut found: Vec<&Service> = self
            .all_services()
            .filter(|service| service.kind == kind)
            .collect();
        found.sort_by_cached_key(|service| {
            (
                service.recommended.unwrap_or(u8::MAX),
                service.label.to_lowercase(),
                service.id.clone(),
            )
        });
        found.into_iter()
    }

    /// Returns the provider whose file contains the service.
    pub fn provider_of(&self, service: &Service) -> Option<&Provider> {
        self.providers
            .iter()
            .find(|provider| provider.services.iter().any(|other| other.id == service.id))
    }

    /// Returns the description of a service's environment variable. Transport variables are in [`Transport::env`].
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.providers
            .iter()
            .find_map(|provider| provider.env.get(name))
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
        for provider in &self.providers {
            for service in &provider.services {
                let whose = format!("the built-in `{}`", service.id);
                taken.service(provider, service, &whose);
            }
        }
        for transport in self.transports {
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

    fn all_services(&self) -> impl Iterator<Item = &Service> {
        self.providers
            .iter()
            .flat_map(|provider| &provider.services)
    }
}
