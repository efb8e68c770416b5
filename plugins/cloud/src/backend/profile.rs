//! What is known of a backend: who keeps the sets, what the backend can do, and its limits.

use std::collections::BTreeSet;

use bot_cli_protocol::failure::Field;
use bot_cli_secrets::messages::{Ability, NameRules, OpenResult};
use bot_cli_vault::REGIONS;

use crate::domain::{BackendName, Entry, Organization, SetName};
use crate::source::Source;

/// The properties of a backend that commands and messages depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    is: Keeper,
    /// The backend's name within a sentence, such as "the hosting service".
    pub keeper: String,
    /// The backend's name as the subject of a sentence, such as "the service".
    pub subject: String,
    /// What the backend declares when it is opened. Until then, every ability that it may have.
    opened: OpenResult,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeper {
    Vault,
    Service,
    Installed,
}

impl Profile {
    pub fn vault() -> Self {
        Self::new(Keeper::Vault, "the vault of this machine", "the vault")
    }

    pub fn service() -> Self {
        Self::new(Keeper::Service, "the hosting service", "the service")
    }

    pub fn installed(name: &BackendName) -> Self {
        let keeper = format!("the backend `{name}`");
        Self::new(Keeper::Installed, &keeper, &keeper)
    }

    fn new(is: Keeper, keeper: &str, subject: &str) -> Self {
        let mut can = vec![Ability::Values, Ability::Organizations];
        // The service never returns values.
        can.retain(|_| is != Keeper::Service);
        can.push(Ability::ImagePullSecrets);
        Self {
            is,
            keeper: keeper.to_owned(),
            subject: subject.to_owned(),
            opened: OpenResult {
                can,
                ..OpenResult::default()
            },
        }
    }

    /// Returns the profile of the opened backend.
    pub fn opened(self, opened: OpenResult) -> Self {
        Self { opened, ..self }
    }

    pub fn can(&self, ability: &Ability) -> bool {
        self.opened.can.contains(ability)
    }

    /// Reports whether the secrets are on this machine, where `bot-cli dev` finds them.
    pub fn is_here(&self) -> bool {
        self.is == Keeper::Vault
    }

    /// Reports whether the backend's service runs agents with the secrets.
    pub fn has_agents(&self) -> bool {
        self.is == Keeper::Service
    }

    /// Reports whether the backend has the regions of deployments in `cloud-deploy.toml`.
    pub fn has_regions_of_agents(&self) -> bool {
        self.is != Keeper::Installed
    }

    /// Returns the organization and the region that are not mentioned unless the user chose them.
    pub fn implied(&self) -> Option<(Organization, &'static str)> {
        self.is_here()
            .then(|| (Organization::of_vault(), REGIONS[0].0))
    }

    /// Returns the source of the default region.
    pub fn default_region(&self) -> Source {
        match self.is {
            Keeper::Vault => Source::Default,
            Keeper::Service => Source::Service,
            Keeper::Installed => Source::Backend,
        }
    }

    pub fn check_name(&self, name: &SetName) -> Result<(), String> {
        let NameRules {
            shortest,
            longest,
            capitals,
        } = self.opened.names;
        let text = name.as_str();
        let fits = (shortest..=longest).contains(&text.len());
        if fits && (capitals || !text.contains(|c: char| c.is_ascii_uppercase())) {
            return Ok(());
        }
        let letters = if capitals {
            "letters"
        } else {
            "lower-case letters"
        };
        let at = match self.is {
            Keeper::Service => format!("at {}", self.keeper),
            Keeper::Vault | Keeper::Installed => format!("in {}", self.subject),
        };
        Err(format!(
            "must be {shortest} to {longest} {letters}, digits and hyphens {at}"
        ))
    }

    /// Returns a problem for each key with an empty value, if the backend rejects empty values.
    pub fn empty(&self, entries: &[Entry]) -> Vec<Field> {
        if self.is != Keeper::Service {
            return Vec::new();
        }
        let problem = format!(
            "has no value, and {} does not accept empty values",
            self.keeper
        );
        entries
            .iter()
            .filter(|entry| entry.value.expose().is_empty())
            .map(|entry| Field::new(entry.key.as_str(), &problem))
            .collect()
    }

    /// Returns a problem for each backend limit that the entries exceed. `known` lists the set's existing keys. Problems never quote a
    /// value.
    pub fn too_much(&self, entries: &[Entry], known: Option<&BTreeSet<String>>) -> Vec<Field> {
        let mut problems = Vec::new();
        let keeper = &self.keeper;
        for entry in entries {
            problems.extend(self.too_long(entry.key.as_str(), entry.value.expose()));
        }
        let all: u64 = entries
            .iter()
            .map(|entry| bytes(entry.key.as_str()) + bytes(entry.value.expose()))
            .sum();
        if let Some(most) = self.opened.limits.set_bytes
            && all > most
        {
            let problem = format!("have {all} bytes together, and {keeper} takes {most} a set");
            problems.push(Field::new("keys", problem));
        }
        let is_known = |key: &str| known.is_some_and(|known| known.contains(key));
        let new = entries.iter().filter(|entry| !is_known(entry.key.as_str()));
        let keys = known.map_or(0, BTreeSet::len) + new.count();
        if let Some(most) = self.opened.limits.keys
            && u64::try_from(keys).is_ok_and(|keys| keys > most)
        {
            let problem = format!("would be {keys}, and {keeper} takes {most} a set");
            problems.push(Field::new("keys", problem));
        }
        problems
    }

    pub fn too_long(&self, field: &str, value: &str) -> Option<Field> {
        let (bytes, most) = (bytes(value), self.opened.limits.value_bytes?);
        let problem = format!(
            "has {bytes} bytes, and {} takes {most} a value",
            self.keeper
        );
        (bytes > most).then(|| Field::new(field, problem))
    }
}

fn bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bot_cli_protocol::secret::Secret;

    use bot_cli_secrets::messages::{Limits, NameRules, OpenResult};

    use super::{Field, Profile};
    use crate::domain::{Entry, Key, SetName};

    fn profile(names: NameRules, limits: Limits) -> Profile {
        Profile::service().opened(OpenResult {
            names,
            limits,
            ..OpenResult::default()
        })
    }

    #[test]
    fn names_of_new_sets_follow_the_rules_of_the_backend() {
        let rules = |shortest, longest, capitals| NameRules {
            shortest,
            longest,
            capitals,
        };
        for (rules, name, accepted) in [
            (rules(3, 63, false), "abc", true),
            (rules(3, 63, false), "ab", false),
            (rules(3, 63, false), "Abc", false),
            (rules(1, 63, true), "A", true),
            (rules(1, 5, true), "abcdef", false),
        ] {
            let name = SetName::parse(name).unwrap();
            let checked = profile(rules, Limits::default()).check_name(&name);
            assert_eq!(checked.is_ok(), accepted, "{name}: {checked:?}");
        }
    }

    #[test]
    fn what_is_too_much_is_told_without_a_value() {
        let entry = |key: &str, value: &str| Entry {
            key: Key::parse(key).unwrap(),
            value: Secret::new(value.to_owned()),
        };
        let limits = Limits {
            value_bytes: Some(4),
            set_bytes: Some(7),
            keys: Some(2),
        };
        let profile = profile(NameRules::default(), limits);
        let known = BTreeSet::from(["A".to_owned(), "Z".to_owned()]);
        let of = |problems: &[(&str, &str)]| -> Vec<Field> {
            let field = |(field, problem): &(&str, &str)| Field::new(*field, *problem);
            problems.iter().map(field).collect()
        };
        let entries = [entry("A", ""), entry("B", "hidden")];
        let expected = [(
            "A",
            "has no value, and the hosting service does not accept empty values",
        )];
        assert_eq!(profile.empty(&entries), of(&expected));
        let expected = [
            ("B", "has 6 bytes, and the hosting service takes 4 a value"),
            (
                "keys",
                "have 8 bytes together, and the hosting service takes 7 a set",
            ),
            ("keys", "would be 3, and the hosting service takes 2 a set"),
        ];
        assert_eq!(profile.too_much(&entries, Some(&known)), of(&expected));
        assert_eq!(profile.too_much(&[entry("A", "1234")], None), []);
    }
}
