//! The settings of an agent. `table.json` has each: where it is in a request and in the service's answers, and what becomes of it when it is
//! removed. Every comparison of a file, a request and an agent follows from this table.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The values of settings by key. Null means that an agent does not have the setting. A setting that an answer does not show is missing.
pub type Values = Map<String, Value>;

pub static SETTINGS: LazyLock<Vec<TableRow>> =
    LazyLock::new(|| serde_json::from_str(include_str!("table.json")).unwrap_or_default());

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableRow {
    /// The key in the deployment file, without its table.
    pub key: String,
    /// The pointer to the member of a request.
    body: String,
    /// The pointer to the member of an agent, if not only the agent's deployment shows the setting.
    agent: Option<String>,
    /// The pointer to the member of a deployment, if deployments show the setting.
    deployment: Option<String>,
    removed: Removed,
    /// Whether the interface for private API keys has the setting. The service drops what that interface lacks without a word.
    pub is_published: bool,
}

/// What becomes of a setting that the deployment file no longer has.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Removed {
    /// It returns to the service's default.
    Reset(Value),
    /// It stays, unless it is the service's default.
    Stays(Value),
    /// It stays. What an agent has for which the setting was never made is not known.
    Unknown,
    /// The file's image replaces it.
    #[default]
    Replaced,
}

impl TableRow {
    fn default(&self) -> Option<&Value> {
        match &self.removed {
            Removed::Reset(value) | Removed::Stays(value) => Some(value),
            Removed::Unknown | Removed::Replaced => None,
        }
    }

    /// Reports whether another setting decides in place of this one.
    fn is_replaced(&self, wanted: &Values, running: &Values) -> bool {
        let is_set = |values: &Values, key| values.get(key).is_some_and(|value| !value.is_null());
        match self.key.as_str() {
            "agent_profile" => is_set(wanted, "cpu"),
            // The service shows the resources of a profile, too.
            "cpu" | "memory" => {
                is_set(wanted, "agent_profile")
                    || running.get("agent_profile") != Some(&Value::Null)
            }
            _ => self.removed == Removed::Replaced,
        }
    }
}

/// Returns the settings of an agent's desired deployment, as far as the service shows them.
pub fn of_agent(agent: &Value) -> Values {
    let mut values = of_deployment(&agent["deployment"]);
    for setting in SETTINGS.iter() {
        let shown = setting.agent.as_ref().and_then(|pointer| {
            let (parent, _) = pointer.rsplit_once('/')?;
            let is_off = || agent.pointer(parent).filter(|it| it.is_null());
            agent.pointer(pointer).or_else(is_off).cloned()
        });
        values.extend(shown.map(|value| (setting.key.clone(), value)));
    }
    values
}

/// Returns the settings of a deployment, which is a version of an agent, as far as the service shows them.
pub fn of_deployment(deployment: &Value) -> Values {
    let mut values = Values::new();
    let is_shown = deployment["manifest"]["spec"].is_object();
    for setting in SETTINGS.iter() {
        let pointer = setting.deployment.as_deref();
        let value = match pointer.and_then(|pointer| deployment.pointer(pointer)) {
            // That noise cancellation is on does not say which.
            Some(Value::Bool(is_on)) => Some(Value::Null).filter(|_| !is_on),
            Some(value) if !value.is_null() => Some(value.clone()),
            _ if setting.agent.is_none() && is_shown => setting.default().cloned(),
            _ => None,
        };
        values.extend(value.map(|value| (setting.key.clone(), value)));
    }
    // The name of an image that the service has built is no name that it takes.
    let is_image = |image: &Value| image.as_str().is_some_and(has_tag);
    if values.contains_key("build_id") {
        values.insert("image".to_owned(), Value::Null);
    } else if values.get("image").is_some_and(is_image) {
        values.insert("build_id".to_owned(), Value::Null);
    } else {
        values.remove("image");
    }
    values
}

/// Reports whether two values are the same, also as quantities of Kubernetes in other units, such as `0.5` and `500m`.
fn is_same(one: &Value, other: &Value) -> bool {
    let quantity = |value: &Value| {
        let text = value.as_str()?;
        let end = text.find(|it: char| !it.is_ascii_digit() && it != '.');
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let units = ["m", "", "k", "Ki", "M", "Mi", "G", "Gi"].iter();
        let sizes = [
            1e-3,
            1.0,
            1e3,
            1024.0,
            1e6,
            1_048_576.0,
            1e9,
            1_073_741_824.0,
        ];
        let (_, size) = units.zip(sizes).find(|(it, _)| **it == unit)?;
        Some(number.parse::<f64>().ok()? * size)
    };
    let quantities = quantity(one).zip(quantity(other));
    one == other || quantities.is_some_and(|(one, other)| (one / other - 1.0).abs() < 1e-9)
}

/// Returns the settings that an agent has otherwise than agreed to, as far as the service shows them.
pub fn differences<'a>(
    agreed: &'a Values,
    running: &'a Values,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    running.iter().filter(|(key, value)| {
        let agreed = agreed.get(*key);
        agreed.is_some_and(|it| !is_same(it, value))
    })
}

/// Reports whether an agent shows that it has the settings that were sent. An image that is not shown may be another one.
pub fn is_as_sent(sent: &Values, running: &Values) -> bool {
    let mut images = ["image", "build_id", "repo"].iter();
    images.all(|key| running.contains_key(*key) || !sent.contains_key(*key))
        && differences(sent, running).next().is_none()
}

/// Adds the members that make these settings to the body of a request, which is an object.
pub fn body(values: &Values, mut body: Value) -> Value {
    for setting in SETTINGS.iter() {
        if let Some(value) = values.get(&setting.key) {
            let members = setting.body.split('/').skip(1);
            *members.fold(&mut body, |body, member| &mut body[member]) = value.clone();
        }
    }
    body
}

/// Reports whether the name of an image has a tag or a digest, without which the service does not take it.
pub fn has_tag(image: &str) -> bool {
    let last = image.rsplit('/').next().unwrap_or_default();
    last.contains(':') || last.contains('@')
}

/// The settings that are members of one object of a request.
const SCALING: [&str; 2] = ["min_agents", "max_agents"];

/// What a comparison assumes of a setting that is not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// It stays, because only some settings are named.
    Untouched,
    /// It is not in the deployment file, which has all settings.
    NotInFile,
    /// It is not known, because the service does not show all settings of a deployment.
    NotShown,
}

/// The differences between the wanted settings and those of an agent.
#[derive(Debug, Default)]
pub struct Plan {
    /// The first line: "Update the agent `my-bot` in the region us-west".
    pub title: String,
    pub changes: Vec<Difference>,
    pub stays: Vec<Stays>,
    /// The settings that may differ, because the service does not show them.
    pub unchecked: Vec<&'static str>,
    /// The settings to send.
    pub sent: Values,
    /// The settings that the agent keeps.
    pub kept: Values,
    /// The number of agents that cost money even without sessions.
    pub warm: u64,
}

/// A setting that gets a new value.
#[derive(Debug, Serialize)]
pub struct Difference {
    pub setting: &'static str,
    pub old: Value,
    pub new: Value,
    /// What the plan adds to the values.
    #[serde(skip)]
    pub remark: Option<&'static str>,
}

/// A setting that differs and keeps its value.
#[derive(Debug, Serialize)]
pub struct Stays {
    pub setting: &'static str,
    /// The value, or `None` if the service does not show it.
    pub value: Option<Value>,
    pub reason: &'static str,
}

impl Difference {
    pub fn new(setting: &'static str, new: &str, remark: Option<&'static str>) -> Self {
        Self {
            setting,
            old: Value::Null,
            new: new.into(),
            remark,
        }
    }
}

impl Plan {
    /// Compares the wanted settings with those of `running`, or with a new agent if there is none.
    ///
    /// A setting that is `named` by an option is sent if the service does not show whether the agent has it.
    pub fn new(
        wanted: &Values,
        named: &Values,
        running: Option<&Values>,
        rest: Rest,
        is_user: bool,
    ) -> Self {
        let mut found = Self::default();
        for setting in SETTINGS.iter() {
            let (key, removed) = (&setting.key, &setting.removed);
            let old = running.and_then(|running| running.get(key));
            let is_image = *removed == Removed::Replaced;
            match (wanted.get(key), running) {
                (Some(new), Some(_)) if !is_user && !setting.is_published => {
                    if old.is_none_or(|old| !is_same(old, new)) {
                        found.stay(setting, old, "a private key can't set it");
                    }
                }
                (Some(Value::Null), _) if !matches!(removed, Removed::Reset(_)) => {
                    if !is_image && old.is_some_and(|old| !old.is_null()) {
                        found.stay(setting, old, "the service can't take it back");
                    }
                }
                (Some(new), _) => {
                    let is_named = rest == Rest::Untouched || named.contains_key(key);
                    let may_be_equal = running.is_some() && !is_named;
                    match old {
                        Some(old) if is_same(old, new) => {}
                        None if may_be_equal && !is_image => found.unchecked.push(key),
                        None if new.is_null() => {}
                        _ => found.change(setting, old, new, None),
                    }
                    found.sent.insert(key.clone(), new.clone());
                }
                (None, Some(running)) if !setting.is_replaced(wanted, running) => {
                    found.leave(setting, old, rest);
                }
                (None, _) => {}
            }
        }
        let mut kept = running.cloned().unwrap_or_default();
        // Another image or profile changes these.
        let is_other = |key: &str| match key {
            "image" | "build_id" | "cpu" | "memory" => true,
            "agent_profile" => found.sent.contains_key("cpu"),
            _ => found.sent.contains_key(key),
        };
        kept.retain(|key, _| !is_other(key));
        if found.sent.keys().any(|key| SCALING.contains(&key.as_str())) {
            // A service may take these as one.
            let scaling = kept
                .iter()
                .filter(|(key, value)| SCALING.contains(&key.as_str()) && !value.is_null());
            found
                .sent
                .extend(scaling.map(|(key, value)| (key.clone(), value.clone())));
        }
        let warm = found
            .sent
            .get("min_agents")
            .or_else(|| kept.get("min_agents"));
        found.warm = warm.and_then(Value::as_u64).unwrap_or_default();
        found.kept = kept;
        found
    }

    /// Decides on a setting that is not wanted.
    fn leave(&mut self, setting: &'static TableRow, old: Option<&Value>, rest: Rest) {
        match (rest, &setting.removed, old) {
            (Rest::Untouched, ..) => {}
            (Rest::NotShown, _, Some(_)) => {
                self.stay(setting, old, "the deployment does not show it");
            }
            (Rest::NotShown, ..) | (_, Removed::Reset(_), None) => {
                self.unchecked.push(&setting.key);
            }
            (.., None | Some(Value::Null)) => {}
            _ if old == setting.default() => {}
            (_, Removed::Reset(new), _) => {
                let remark = "because the file does not set it";
                self.change(setting, old, new, Some(remark));
                self.sent.insert(setting.key.clone(), new.clone());
            }
            _ => self.stay(setting, old, "write it into the file"),
        }
    }

    fn change(
        &mut self,
        setting: &'static TableRow,
        old: Option<&Value>,
        new: &Value,
        remark: Option<&'static str>,
    ) {
        self.changes.push(Difference {
            setting: &setting.key,
            old: old.cloned().unwrap_or_default(),
            new: new.clone(),
            remark,
        });
    }

    fn stay(&mut self, setting: &'static TableRow, old: Option<&Value>, reason: &'static str) {
        self.stays.push(Stays {
            setting: &setting.key,
            value: old.cloned(),
            reason,
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_same;

    #[test]
    fn quantities_are_the_same_in_other_units() {
        for (one, other, expected) in [
            ("0.5", "500m", true),
            ("2Gi", "2048Mi", true),
            ("2G", "2Gi", false),
            ("1", "1000m", true),
            ("", "m", false),
            ("agent-1x", "agent-2x", false),
        ] {
            let is = is_same(&json!(one), &json!(other));
            assert_eq!(is, expected, "{one} {other}");
        }
        assert!(!is_same(&json!(1), &json!("1")));
    }
}
