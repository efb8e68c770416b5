use std::collections::BTreeSet;

use bot_cli_protocol::failure::Field;
use bot_cli_secrets::messages::{self, Limits, NameRules, OpenResult};
use bot_cli_vault::REGIONS;

use crate::domain::{BackendName, Entry, Organization, SetName};
use crate::source::Source;

/// The properties of a backend that commands and messages depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The backend's name within a sentence, such as "the hosting service".
    pub keeper: String,
    /// The backend's name as the subject of a sentence, such as "the service".
    pub subject: String,
    /// The backend's location within a sentence, such as "at the hosting service".
    pub at: String,
    pub can: BTreeSet<Ability>,
    pub names: NameRules,
    pub limits: Limits,
    pub default_region: Source,
    /// The organization and the region that are not mentioned unless the user chose them.
    pub implied: Option<(Organization, &'static str)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ability {
    /// The backend returns stored values.
    Values,
    EmptyValues,
    ImagePullSecrets,
    Organizations,
    /// The backend's service runs agents with the stored secrets.
    Agents,
    /// The secrets are on this machine, where `bot-cli dev` finds them.
    Here,
    /// The backend has the same regions as the agent deployments configured in `cloud-deploy.toml`.
    DeployRegions,
}

/// The abilities that a backend declares when it is opened.
const DECLARED: [(messages::Ability, Ability); 3] = [
    (messages::Ability::Values, Ability::Values),
    (
        messages::Ability::ImagePullSecrets,
        Ability::ImagePullSecrets,
    ),
    (messages::Ability::Organizations, Ability::Organizations),
];

impl Profile {
    pub fn vault() -> Self {
        use Ability::{DeployRegions, EmptyValues, Here};
        Self {
            default_region: Source::Default,
            implied: Some((Organization::of_vault(), REGIONS[0].0)),
            ..Self::new("the vault of this machine", "the vault", "in the vault").and([
                EmptyValues,
                Here,
                DeployRegions,
            ])
        }
    }

    /// Returns the profile of the hosting service, which never returns values.
    pub fn service() -> Self {
        use Ability::{Agents, DeployRegions};
        let subject = "the service";
        let mut service = Self::new("the hosting service", subject, "at the hosting service");
        service.can.remove(&Ability::Values);
        Self {
            default_region: Source::Service,
            ..service.and([DeployRegions, Agents])
        }
    }

    pub fn installed(name: &BackendName) -> Self {
        let keeper = format!("the backend `{name}`");
        Self::new(&keeper, &keeper, &format!("in {keeper}")).and([Ability::EmptyValues])
    }

    /// Returns the profile assumed before the backend is opened: everything that a backend can declare, and no limits.
    fn new(keeper: &str, subject: &str, at: &str) -> Self {
        Self {
            keeper: keeper.to_owned(),
            subject: subject.to_owned(),
            at: at.to_owned(),
            can: DECLARED.map(|(_, ability)| ability).into(),
            names: NameRules::default(),
            limits: Limits::default(),
            default_region: Source::Backend,
            implied: None,
        }
    }

    fn and<const N: usize>(mut self, more: [Ability; N]) -> Self {
        self.can.extend(more);
        self
    }

    /// Returns the profile with what the opened backend declares.
    pub fn opened(mut self, opened: &OpenResult) -> Self {
        for (declared, ability) in DECLARED {
            if !opened.can.contains(&declared) {
                self.can.remove(&ability);
            }
        }
        self.names = opened.names;
        self.limits = opened.limits;
        self
    }

    pub fn can(&self, ability: Ability) -> bool {
        self.can.contains(&ability)
    }

    pub fn check_name(&self, name: &SetName) -> Result<(), String> {
        let NameRules {
            shortest,
            longest,
            capitals,
        } = self.names;
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
        let at = &self.at;
        Err(format!(
            "must be {shortest} to {longest} {letters}, digits and hyphens {at}"
        ))
    }

    /// Returns a problem for each key with an empty value, if the backend rejects empty values.
    pub fn empty(&self, entries: &[Entry]) -> Vec<Field> {
        if self.can(Ability::EmptyValues) {
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
    pub fn too_much(&self, entries: &[Entry], known: &[String]) -> Vec<Field> {
        let mut problems = Vec::new();
        let keeper = &self.keeper;
        for entry in entries {
            problems.extend(self.too_long(entry.key.as_str(), entry.value.expose()));
        }
        let all: u64 = entries
            .iter()
            .map(|entry| bytes(entry.key.as_str()) + bytes(entry.value.expose()))
            .sum();
        if let Some(most) = self.limits.set_bytes
            && all > most
        {
            let problem = format!("have {all} bytes together, and {keeper} takes {most} a set");
            problems.push(Field::new("keys", problem));
        }
        let is_new = |entry: &&Entry| !known.iter().any(|key| key == entry.key.as_str());
        let keys = known.len() + entries.iter().filter(is_new).count();
        if let Some(most) = self.limits.keys
            && u64::try_from(keys).is_ok_and(|keys| keys > most)
        {
            let problem = format!("would be {keys}, and {keeper} takes {most} a set");
            problems.push(Field::new("keys", problem));
        }
        problems
    }

    pub fn too_long(&self, field: &str, value: &str) -> Option<Field> {
        let (bytes, most) = (bytes(value), self.limits.value_bytes?);
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
    use bot_cli_protocol::secret::Secret;

    use bot_cli_secrets::messages::{Limits, NameRules};

    use super::{Field, Profile};
    use crate::domain::{Entry, Key, SetName};
    use crate::source::Source;

    fn profile(names: NameRules, limits: Limits) -> Profile {
        Profile {
            keeper: "the box".to_owned(),
            subject: "the box".to_owned(),
            at: "in the box".to_owned(),
            can: [].into(),
            names,
            limits,
            default_region: Source::Default,
            implied: None,
        }
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
        let known = ["A".to_owned(), "Z".to_owned()];
        let of = |problems: &[(&str, &str)]| -> Vec<Field> {
            let field = |(field, problem): &(&str, &str)| Field::new(*field, *problem);
            problems.iter().map(field).collect()
        };
        let entries = [entry("A", ""), entry("B", "hidden")];
        let expected = [(
            "A",
            "has no value, and the box does not accept empty values",
        )];
        assert_eq!(profile.empty(&entries), of(&expected));
        let expected = [
            ("B", "has 6 bytes, and the box takes 4 a value"),
            ("keys", "have 8 bytes together, and the box takes 7 a set"),
            ("keys", "would be 3, and the box takes 2 a set"),
        ];
        assert_eq!(profile.too_much(&entries, &known), of(&expected));
        assert_eq!(profile.too_much(&[entry("A", "1234")], &[]), []);
    }
}
