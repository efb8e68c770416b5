//! Names the services whose errors the bot logs, and where their keys come from. A service of a pack is not named.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::catalogue::Service;
use bot_cli_templates::pack::variables;

#[derive(Default)]
pub struct Faults {
    /// The services of the project that have not been named.
    pub services: Vec<&'static Service>,
    /// The source of each key, by the key's name.
    pub sources: BTreeMap<String, String>,
}

impl Faults {
    /// Returns a message about the service in a line of the bot's log, if this is the service's first error.
    pub fn read(&mut self, line: &str) -> Option<String> {
        let (_, error) = line.split_once("| ERROR ")?;
        // The framework reports it as an error of the model's service.
        if error.contains("Error executing function call") {
            return None;
        }
        let words = error.split(|c: char| !c.is_alphanumeric() && c != '#');
        let classes: BTreeSet<&str> = words.filter_map(|it| Some(it.split_once('#')?.0)).collect();
        let mut services = self.services.iter();
        let at = services.position(|service| classes.contains(service.class.as_str()))?;
        let service = self.services.remove(at);
        let keys = variables(service).into_iter();
        let keys = keys.filter_map(|name| Some((name, self.sources.get(name)?)));
        let keys = keys.map(|(name, source)| format!("; {name} is from {source}"));
        Some(format!(
            "{} ({}) has a problem, as the line above says{}",
            service.label,
            service.kind.name(),
            keys.collect::<String>()
        ))
    }
}
