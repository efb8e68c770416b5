//! Deployments of drawn settings, and a model of the settings that an agent has after each.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// The agent that the operations affect.
pub(super) const AGENT: &str = "my-bot";

/// A change of an agent's settings.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// A deployment with the settings of a file, if there is one, and of options.
    Deploy {
        file: Option<Values>,
        options: Values,
    },
    /// The numbers of `agents scale`.
    Scale(Values),
    /// A deployment of the deployment before.
    Rollback,
}

type Values = Map<String, Value>;

/// What a run said, and its document.
type Ran<'a> = (&'a str, &'a Value);

/// A setting: its key in the file, its pointer in a request, its values, and whether a private key can set it.
type Row = (&'static str, &'static str, &'static [&'static str], bool);

#[rustfmt::skip]
const ROWS: [Row; 12] = [
    ("image", "/image", &["me/bot:1", "me/bot:2"], true),
    ("image_credentials", "/imagePullSecretSet", &["pull-x"], true),
    ("secret_set", "/secretSet", &["prod", "staging"], true),
    ("agent_profile", "/agentProfile", &["agent-1x", "agent-2x", "agent-3x"], true),
    ("resources.cpu", "/resources/cpu", &["1"], false),
    ("resources.memory", "/resources/memory", &["2Gi"], false),
    ("websocket_auth", "/websocketAuth", &["none", "token"], false),
    ("max_session_duration", "/maxSessionDuration", &["60", "900", "7200"], true),
    ("architecture", "/architecture", &["arm64", "amd64"], false),
    ("scaling.min_agents", "/autoScaling/minAgents", &["0", "1", "2"], true),
    ("scaling.max_agents", "/autoScaling/maxAgents", &["2", "7", "50"], true),
    ("krisp_viva.audio_filter", "/krispViva/audioFilter", &["tel", "pro"], true),
];

/// The members that a service may lose. It may not show the first.
pub(super) const LOST: [&str; 5] = [
    "websocketAuth",
    "autoScaling",
    "krispViva",
    "maxSessionDuration",
    "agentProfile",
];

fn key(row: &Row) -> &'static str {
    row.0.rsplit('.').next().unwrap_or_default()
}

/// Draws a value for each setting with the probability 1 / `rarity`. Resources are rarer, and in place of a profile.
fn values(random: &mut Rng, rarity: u8) -> Values {
    let has_resources = random.u8(..rarity * 3) == 0;
    let mut values = Values::new();
    for row in &ROWS {
        let is_drawn = match key(row) {
            "cpu" | "memory" => has_resources,
            "agent_profile" if has_resources => false,
            _ => random.u8(..rarity) == 0,
        };
        if is_drawn {
            let value = row.2[random.usize(..row.2.len())];
            let number = value.parse::<u64>().ok().filter(|_| key(row) != "cpu");
            let value = number.map_or_else(|| json!(value), |number| json!(number));
            values.insert(key(row).to_owned(), value);
        }
    }
    values
}

/// Draws a change of settings, and its command line after `bot-cli cloud`.
pub(super) fn draw(random: &mut Rng, folder: &Path) -> io::Result<(String, Wanted)> {
    match random.u8(..8) {
        0 => {
            let mut values = values(random, 1);
            values.retain(|key, _| key == "max_agents" || key == "min_agents");
            if random.bool() {
                values.remove("max_agents");
            }
            let line = format!("agents scale {AGENT} --skip{}", options_of(&values));
            Ok((line, Wanted::Scale(values)))
        }
        1 => Ok((format!("agents rollback {AGENT} --skip"), Wanted::Rollback)),
        drawn => {
            let has_file = drawn < 7;
            let mut file = has_file.then(|| values(random, 2));
            let mut options = values(random, 8);
            let image = json!(["me/bot:1", "me/bot:2"][random.usize(..2)]);
            let first = file.as_mut().unwrap_or(&mut options);
            first.insert("image".to_owned(), image);
            let mut line = format!("deploy --skip --timeout 1 --region us-west --agent {AGENT}");
            line += &options_of(&options);
            if random.bool() {
                line += " --no-wait";
            }
            if let Some(file) = &file {
                let path = folder.join("cloud-deploy.toml");
                let mut text = String::new();
                for row in &ROWS {
                    if let Some(value) = file.get(key(row)) {
                        let _ = writeln!(text, "{} = {value}", row.0);
                    }
                }
                fs::write(&path, text)?;
                let _ = write!(line, " {}", path.display());
            }
            Ok((line, Wanted::Deploy { file, options }))
        }
    }
}

fn options_of(values: &Values) -> String {
    let options = values.iter().map(|(key, value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        format!(" --{} {value}", key.replace('_', "-"))
    });
    options.collect()
}

impl Wanted {
    /// Returns the settings that an agent has after the change, by key. `was` is the agent before.
    fn expected(&self, was: &Value, with_key: bool) -> Values {
        let mut state = state(&was["wanted"]);
        let is_new = was.is_null();
        match self {
            Self::Scale(numbers) => state.extend(numbers.clone()),
            Self::Deploy { file, options } => {
                let mut wanted = file.clone().unwrap_or_default();
                if options.contains_key("agent_profile") {
                    wanted.retain(|key, _| key != "cpu" && key != "memory");
                }
                if options.contains_key("cpu") {
                    wanted.remove("agent_profile");
                }
                wanted.extend(options.clone());
                if file.is_some() || is_new {
                    for (key, default) in DEFAULTS {
                        let is_size = key == "agent_profile";
                        let has_resources = wanted.contains_key("cpu") || state.contains_key("cpu");
                        if !(is_size && has_resources) {
                            let default = serde_json::from_str(default).unwrap_or_default();
                            state.insert(key.to_owned(), default);
                        }
                    }
                }
                if is_new {
                    state.insert("max_agents".to_owned(), json!(50));
                }
                wanted.retain(|name, _| {
                    let mut rows = ROWS.iter();
                    !with_key || rows.any(|row| key(row) == name && row.3)
                });
                if wanted.contains_key("agent_profile") {
                    state.retain(|key, _| key != "cpu" && key != "memory");
                }
                if wanted.contains_key("cpu") {
                    state.remove("agent_profile");
                }
                state.extend(wanted);
            }
            Self::Rollback => {
                let target = self::state(&was["earlier"]);
                let has_profile = state.contains_key("agent_profile");
                for row in &ROWS {
                    let name = key(row);
                    let is_size = ["cpu", "memory"].contains(&name);
                    match (name, target.get(name)) {
                        ("agent_profile", _) => {}
                        ("cpu" | "memory", _) if has_profile => {}
                        // That it is on does not say which.
                        ("audio_filter", Some(value)) if !value.is_null() => {}
                        (_, Some(value)) => drop(state.insert(name.to_owned(), value.clone())),
                        (_, None) if is_size => {
                            let shown = was["earlier_resources"][name].clone();
                            state.insert(name.to_owned(), shown);
                        }
                        (_, None) => {}
                    }
                }
                state.retain(|_, value| !value.is_null());
                for (key, _) in DEFAULTS.iter().filter(|(key, _)| *key == "audio_filter") {
                    state.entry(*key).or_insert(Value::Null);
                }
            }
        }
        state
    }

    /// Reports whether an agent has what the change wants, but for what the run itself names.
    pub(super) fn is_applied(
        &self,
        was: &Value,
        is: &Value,
        with_key: bool,
        (said, document): Ran<'_>,
    ) -> bool {
        if is.is_null() {
            return false;
        }
        let (mut expected, mut found) = (self.expected(was, with_key), state(&is["wanted"]));
        let warned = said.lines().filter_map(|line| {
            let rest = line.split_once("the service runs `my-bot` with the ")?.1;
            rest.split(' ').next()
        });
        let unchecked = document["not_checked"].as_array().into_iter().flatten();
        for name in warned.chain(unchecked.filter_map(Value::as_str)) {
            expected.remove(name);
            found.remove(name);
        }
        expected == found
    }

    /// Reports whether the agent had what the change wants before, so that nothing shows whether it was made.
    pub(super) fn was_so(&self, was: &Value, with_key: bool) -> bool {
        !was.is_null() && self.expected(was, with_key) == state(&was["wanted"])
    }

    /// Returns the false rows of a plan that was carried out.
    pub(super) fn untrue(was: &Value, is: &Value, document: &Value) -> Vec<String> {
        let rows = |list: &str| document[list].as_array().cloned().unwrap_or_default();
        let of = |agent: &Value, row: &Value| {
            let name = row["setting"].as_str().unwrap_or_default();
            // The resources of a profile are shown, too.
            let shown = || agent["resources"].get(name).cloned();
            let value = state(&agent["wanted"]).get(name).cloned().or_else(shown);
            value.unwrap_or_default()
        };
        let differs = rows("differs");
        let mut wrong = Vec::new();
        for row in rows("changes") {
            let is_other = differs.iter().any(|it| it["setting"] == row["setting"]);
            if row["old"] != of(was, &row) && !row["old"].is_null() {
                wrong.push(format!("old {row}"));
            }
            if row["new"] != of(is, &row) && !is_other {
                wrong.push(format!("new {row}"));
            }
        }
        for row in rows("stays").into_iter().chain(differs) {
            if row["value"] != of(is, &row) && !row["value"].is_null() {
                wrong.push(format!("stays or differs {row}"));
            }
        }
        wrong
    }
}

/// The settings that a deployment file takes back, and their values then.
const DEFAULTS: [(&str, &str); 4] = [
    ("agent_profile", "\"agent-1x\""),
    ("max_session_duration", "7200"),
    ("min_agents", "0"),
    ("audio_filter", "null"),
];

/// Returns the settings of an agent by key.
fn state(wanted: &Value) -> Values {
    let mut state = Values::new();
    for row in &ROWS {
        if let Some(value) = wanted.pointer(row.1).filter(|value| !value.is_null()) {
            state.insert(key(row).to_owned(), value.clone());
        }
    }
    if wanted.is_object() {
        // The service leaves out what nobody set.
        let all = [
            ("max_session_duration", json!(7200)),
            ("audio_filter", json!(null)),
        ];
        for (key, value) in all {
            state.entry(key).or_insert(value);
        }
    }
    state
}
