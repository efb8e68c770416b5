//! Names the services whose errors the bot logs, and where their keys come from.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::catalogue::Catalogue;
use bot_cli_templates::pack::variables;

#[derive(Default)]
pub struct Faults {
    /// The source of each key, by the key's name.
    pub sources: BTreeMap<String, String>,
    named: BTreeSet<String>,
}

impl Faults {
    /// Returns a message about the service in a line of the bot's log, if this is the service's first error.
    pub fn read(&mut self, line: &str) -> Option<String> {
        let (_, error) = line.split_once("| ERROR ")?;
        let words = error.split(|c: char| !c.is_alphanumeric() && c != '#');
        let classes: BTreeSet<&str> = words.filter_map(|it| Some(it.split_once('#')?.0)).collect();
        let providers = Catalogue::get().providers();
        let service = (providers.flat_map(|it| &it.services))
            .find(|service| classes.contains(service.class.as_str()))?;
        if !self.named.insert(service.id.clone()) {
            return None;
        }
        let keys = variables(service).into_iter();
        let keys = keys.filter_map(|name| Some((name, self.sources.get(name)?)));
        let keys = keys.map(|(name, source)| format!("; {name} is from {source}"));
        let label = &service.label;
        Some(format!(
            "{label} has a problem, as the line above says{}",
            keys.collect::<String>()
        ))
    }
}
