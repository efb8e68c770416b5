//! The settings of an agent: for each, where it stands in the deployment file, in a request and in the service's answers, and what becomes
//! of it when it is removed. Every comparison of a file, a request and an agent follows from this table.

use serde_json::{Map, Value};

/// The values of settings by key. Null means that an agent does not have the setting. A setting that an answer does not show is missing.
pub type Values = Map<String, Value>;

pub struct Setting {
    /// The key in the deployment file, without its table.
    pub key: &'static str,
    /// The pointer to the member of a request.
    body: &'static str,
    /// The pointer to the member of an agent. Empty if only the agent's deployment shows the setting.
    agent: &'static str,
    /// The pointer to the member of a deployment. Empty if a deployment does not show the setting.
    deployment: &'static str,
    pub removed: Removed,
    /// Whether the interface for private API keys has the setting. The service drops what that interface lacks without a word.
    pub is_published: bool,
}

/// What becomes of a setting that the deployment file no longer has.
#[derive(Debug, Clone, Copy)]
pub enum Removed {
    /// It gets this value, a JSON document, which is the service's default.
    Reset(&'static str),
    /// It stays. The text is the service's default.
    Stays(&'static str),
    /// Another image replaces it.
    Replaced,
}

/// An agent or deployment shows this setting, and leaves it out where it is not set.
const NONE: &str = "null";

/// The service does not say what an agent without this setting has.
const UNKNOWN: &str = "";

#[rustfmt::skip]
pub const SETTINGS: [Setting; 17] = {
    use Removed::{Replaced, Reset, Stays};
    [
        row("image", "/image", "", "/manifest/spec/image", Replaced, true),
        row("build_id", "/buildId", "", "/buildId", Replaced, true),
        row("repo", "/git/repoFullName", "", "", Replaced, false),
        row("branch", "/git/branch", "", "", Replaced, false),
        row("dockerfile_path", "/git/dockerfilePath", "", "", Replaced, false),
        row("subdirectory", "/git/subdirectory", "", "", Replaced, false),
        row("image_credentials", "/imagePullSecretSet", "", "/manifest/spec/imagePullSecretName", Stays(NONE), true),
        row("secret_set", "/secretSet", "", "/manifest/spec/envFromSecretNames/0", Stays(NONE), true),
        row("agent_profile", "/agentProfile", "/agentProfile", "", Reset("\"agent-1x\""), true),
        row("cpu", "/resources/cpu", "/resources/cpu", "/manifest/spec/resources/cpu", Stays(UNKNOWN), false),
        row("memory", "/resources/memory", "/resources/memory", "/manifest/spec/resources/memory", Stays(UNKNOWN), false),
        row("websocket_auth", "/websocketAuth", "", "/manifest/spec/websocketAuth", Stays(UNKNOWN), false),
        row("max_session_duration", "/maxSessionDuration", "", "/manifest/spec/maxSessionDurationSeconds", Reset("7200"), true),
        row("architecture", "/architecture", "", "/manifest/spec/arch", Stays(UNKNOWN), false),
        row("min_agents", "/autoScaling/minAgents", "/autoScaling/minReplicas", "/manifest/spec/autoScaling/minReplicas", Reset("0"), true),
        row("max_agents", "/autoScaling/maxAgents", "/autoScaling/maxReplicas", "/manifest/spec/autoScaling/maxReplicas", Stays("50"), true),
        row("audio_filter", "/krispViva/audioFilter", "/krispViva/audioFilter", "/manifest/spec/krispViva/audioFilters", Reset(NONE), true),
    ]
};

const fn row(
    key: &'static str,
    body: &'static str,
    agent: &'static str,
    deployment: &'static str,
    removed: Removed,
    is_published: bool,
) -> Setting {
    Setting {
        key,
        body,
        agent,
        deployment,
        removed,
        is_published,
    }
}

impl Setting {
    /// Returns the value of an agent for which the setting was never made, or `None` if it is not known.
    pub fn default(&self) -> Option<Value> {
        let (Removed::Reset(text) | Removed::Stays(text)) = self.removed else {
            return None;
        };
        serde_json::from_str(text).ok()
    }

    /// Reports whether another setting decides in place of this one.
    fn is_replaced(&self, wanted: &Values, running: &Values) -> bool {
        let is_set = |values: &Values, key| values.get(key).is_some_and(|value| !value.is_null());
        match self.key {
            "agent_profile" => is_set(wanted, "cpu"),
            // The service shows the resources of a profile, too.
            "cpu" | "memory" => is_set(wanted, "agent_profile") || is_set(running, "agent_profile"),
            _ => matches!(self.removed, Removed::Replaced),
        }
    }
}

/// Returns the settings of an agent's desired deployment, as far as the service shows them.
pub fn of_agent(agent: &Value) -> Values {
    let mut values = of_deployment(&agent["deployment"]);
    for setting in SETTINGS.iter().filter(|it| !it.agent.is_empty()) {
        let parent = setting.agent.rsplit_once('/').map(|(parent, _)| parent);
        let is_off = || agent.pointer(parent?).filter(|it| it.is_null());
        if let Some(value) = agent.pointer(setting.agent).or_else(is_off) {
            values.insert(setting.key.to_owned(), value.clone());
        }
    }
    values
}

/// Returns the settings of a deployment, which is a version of an agent, as far as the service shows them.
pub fn of_deployment(deployment: &Value) -> Values {
    let mut values = Values::new();
    let is_shown = deployment["manifest"]["spec"].is_object();
    for setting in &SETTINGS {
        let value = match deployment.pointer(setting.deployment) {
            _ if setting.deployment.is_empty() => None,
            // That noise cancellation is on does not say which.
            Some(Value::Bool(is_on)) => Some(Value::Null).filter(|_| !is_on),
            Some(value) if !value.is_null() => Some(value.clone()),
            _ if setting.agent.is_empty() && is_shown => setting.default(),
            _ => None,
        };
        values.extend(value.map(|value| (setting.key.to_owned(), value)));
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

/// Returns the settings that an agent has in another form than they were sent, as far as the service shows them.
pub fn differences<'a>(
    sent: &'a Values,
    running: &'a Values,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let differs = |(key, value): &(&String, &Value)| sent.get(*key).is_some_and(|it| it != *value);
    running.iter().filter(differs)
}

/// Reports whether an agent shows that it has the settings that were sent. An image that is not shown may be another one.
pub fn is_as_sent(sent: &Values, running: &Values) -> bool {
    let images = SETTINGS
        .iter()
        .filter(|it| matches!(it.removed, Removed::Replaced));
    let mut images = images.filter(|it| sent.contains_key(it.key));
    images.all(|it| running.contains_key(it.key)) && differences(sent, running).next().is_none()
}

/// Returns the body of a request that makes these settings.
pub fn body(values: &Values) -> Value {
    let mut body = Value::Object(Map::new());
    for setting in &SETTINGS {
        let Some(value) = values.get(setting.key) else {
            continue;
        };
        let members = setting.body.split('/').skip(1);
        *members.fold(&mut body, |body, member| &mut body[member]) = value.clone();
    }
    body
}

/// Reports whether the name of an image has a tag or a digest, without which the service does not take it.
pub fn has_tag(image: &str) -> bool {
    let last = image.rsplit('/').next().unwrap_or_default();
    last.contains(':') || last.contains('@')
}

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
pub struct Comparison {
    pub changes: Vec<Change>,
    pub stays: Vec<Stays>,
    /// The settings that may differ, because the service does not show them.
    pub unchecked: Vec<&'static str>,
    /// The settings to send.
    pub sent: Values,
}

/// A setting that gets a new value.
#[derive(Debug, serde::Serialize)]
pub struct Change {
    pub setting: String,
    pub old: Value,
    pub new: Value,
    /// What the plan adds to the values.
    #[serde(skip)]
    pub remark: Option<&'static str>,
}

/// A setting that differs and keeps its value.
#[derive(Debug, serde::Serialize)]
pub struct Stays {
    pub setting: &'static str,
    /// The value, or `None` if the service does not show it.
    pub value: Option<Value>,
    pub reason: &'static str,
}

const BY_KEY: &str = "a private key can't set it";

impl Comparison {
    /// Compares the wanted settings with those of `running`, or with a new agent if there is none.
    pub fn new(wanted: &Values, running: Option<&Values>, rest: Rest, is_user: bool) -> Self {
        let mut found = Self::default();
        for setting in &SETTINGS {
            let old = running.and_then(|running| running.get(setting.key));
            match (wanted.get(setting.key), running) {
                (Some(new), Some(_)) if !is_user && !setting.is_published => {
                    if old != Some(new) {
                        found.stay(setting, old, BY_KEY);
                    }
                }
                (Some(new), _) => {
                    let may_be_equal = running.is_some() && rest != Rest::Untouched;
                    found.change(setting, old, new, may_be_equal);
                }
                (None, Some(running)) if !setting.is_replaced(wanted, running) => {
                    found.leave(setting, old, rest);
                }
                (None, _) => {}
            }
        }
        found
    }

    /// Decides on a setting that is wanted. `may_be_equal` if the agent may have it without showing it.
    fn change(&mut self, setting: &Setting, old: Option<&Value>, new: &Value, may_be_equal: bool) {
        let key = setting.key.to_owned();
        let is_image = matches!(setting.removed, Removed::Replaced);
        let is_set = old.is_some_and(|old| !old.is_null());
        match (old, setting.removed) {
            (_, Removed::Replaced) if new.is_null() => return,
            (_, Removed::Stays(_)) if new.is_null() => {
                if is_set {
                    self.stay(setting, old, "the service can't take it back");
                }
                return;
            }
            (Some(old), _) if old == new => {}
            (None, _) if may_be_equal && !is_image => self.unchecked.push(setting.key),
            (None, _) if new.is_null() => {}
            (old, _) => self.changes.push(Change {
                setting: key.clone(),
                old: old.cloned().unwrap_or_default(),
                new: new.clone(),
                remark: None,
            }),
        }
        self.sent.insert(key, new.clone());
    }

    /// Decides on a setting that is not wanted.
    fn leave(&mut self, setting: &Setting, old: Option<&Value>, rest: Rest) {
        let is_set = old.is_some_and(|old| !old.is_null());
        let default = setting.default();
        match (rest, setting.removed, old) {
            (Rest::Untouched, ..) => {}
            (Rest::NotShown, _, Some(_)) => {
                self.stay(setting, old, "the deployment does not show it");
            }
            (Rest::NotShown, ..) | (_, Removed::Reset(_), None) => {
                self.unchecked.push(setting.key);
            }
            _ if !is_set || old == default.as_ref() => {}
            (_, Removed::Reset(_), Some(old)) => {
                let new = default.unwrap_or_default();
                self.sent.insert(setting.key.to_owned(), new.clone());
                self.changes.push(Change {
                    setting: setting.key.to_owned(),
                    old: old.clone(),
                    new,
                    remark: Some("because the file does not set it"),
                });
            }
            _ => self.stay(setting, old, "write it into the file"),
        }
    }

    fn stay(&mut self, setting: &Setting, old: Option<&Value>, reason: &'static str) {
        self.stays.push(Stays {
            setting: setting.key,
            value: old.cloned(),
            reason,
        });
    }
}
