//! A project's resolved configuration, in which all values are set, valid and consistent.

mod concessions;
mod file;
mod json;

use std::collections::BTreeMap;

use bot_cli_templates::catalogue::{BotType, Service, Transport};
use bot_cli_templates::languages::{ENGLISH, languages};
use bot_cli_templates::project::Environment;

use crate::catalogue::{Catalogue, Pack};
use crate::option_table::{Feature, Features};
use crate::pack_source::PackSource;

pub use concessions::concede;
pub use file::{FromFile, parse as parse_file};

/// A project's configuration.
#[derive(Debug, Clone)]
pub struct Config<'c> {
    /// Contains the services.
    pub catalogue: &'c Catalogue,
    /// The project name as entered by the user.
    pub project_name: String,
    /// The name for packages and agents, derived from the project name: 3 to 54 characters from `[a-z0-9-]`.
    pub slug: String,
    /// Web or telephony.
    pub bot_type: BotType,
    /// The transports in the order specified by the user, without duplicates.
    pub transports: Vec<&'static Transport>,
    /// The code of the bot's language.
    pub language: &'static str,
    /// The AI services of the speech pipeline.
    pub pipeline: Pipeline<'c>,
    /// The video avatar service.
    pub video: Option<&'c Service>,
    /// The web client.
    pub client: Client,
    /// The environments in which the bot is deployed, beside the default one, without duplicates.
    pub environments: Vec<Environment>,
    /// The CI service, or `none`.
    pub ci: &'static str,
    /// The optional features.
    pub features: Features,
    /// The provider packs that the configuration file or the record names.
    pub recorded_packs: BTreeMap<String, PackSource>,
}

#[derive(Debug, Clone)]
pub enum Pipeline<'c> {
    Cascade {
        stt: &'c Service,
        llm: &'c Service,
        tts: &'c Service,
    },
    /// A single speech-to-speech service.
    Realtime(&'c Service),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    None,
    ReactVite,
    ReactNextjs,
    /// A client without a framework, built with Vite.
    Vanilla,
}

impl<'c> Config<'c> {
    /// Reports whether the feature is enabled.
    pub const fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    /// Returns the name of the bot's language, unless it is English.
    pub fn other_language(&self) -> Option<&'static str> {
        let words = languages().get(self.language)?;
        (self.language != ENGLISH).then(|| words["label"].as_str())
    }

    /// Returns the service's variable for a voice or a model if the default is for English only, and what to set it to.
    pub fn voice_variable<'s>(&self, service: &'s Service) -> Option<(&'s str, String)> {
        let is_known = service.languages.is_empty() || service.language(self.language).is_some();
        let variable = service.english.as_deref().filter(|_| is_known)?;
        let label = self.other_language()?;
        let hint = format!("the default is for English, so set one for {label}");
        Some((variable, hint))
    }

    /// Returns the provider packs that the services come from, without duplicates, in pipeline order.
    pub fn packs(&self) -> impl Iterator<Item = &'c Pack> + use<'c> {
        let mut packs: Vec<&'c Pack> = Vec::new();
        for service in self.services() {
            if let Some(pack) = self.catalogue.pack_of(service)
                && packs.iter().all(|other| other.name != pack.name)
            {
                packs.push(pack);
            }
        }
        packs.into_iter()
    }

    /// Returns all AI services, in pipeline order.
    pub fn services(&self) -> impl Iterator<Item = &'c Service> + use<'c> {
        self.pipeline.services().into_iter().chain(self.video)
    }
}

impl<'c> Pipeline<'c> {
    /// Returns the AI services, in pipeline order.
    pub fn services(&self) -> Vec<&'c Service> {
        match self {
            Self::Cascade { stt, llm, tts } => vec![stt, llm, tts],
            Self::Realtime(service) => vec![service],
        }
    }
}

impl Client {
    pub const fn framework(self) -> &'static str {
        self.options().0
    }

    pub const fn server(self) -> Option<&'static str> {
        self.options().1
    }

    const fn options(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::None => ("none", None),
            Self::ReactVite => ("react", Some("vite")),
            Self::ReactNextjs => ("react", Some("nextjs")),
            Self::Vanilla => ("vanilla", None),
        }
    }

    pub fn template_name(self) -> String {
        let (framework, server) = self.options();
        server.map_or_else(
            || framework.to_owned(),
            |server| format!("{framework}_{server}"),
        )
    }
}
