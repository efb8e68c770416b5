//! Bot configurations for tests: combinations of all the choices in `init`.
//!
//! The axes are the keys in the configuration schema plus the transports and services in the catalogue, so new choices are included
//! automatically. `init` itself decides which combinations are allowed.

use std::collections::BTreeMap;

use bot_cli_init::{Catalogue as Offered, Config, Draft, Slot, fields, is_missing, resolve};
use bot_cli_templates::catalogue::{BotType, Catalogue, Kind};
use serde_json::{Map, Value, json};

use crate::pairwise::{self, Row};

const SCHEMA: &str = include_str!("../../plugins/init/config.schema.json");

/// The keys that are not axes, because their values are not choices or because other axes set them. A transport's identifier already
/// implies the call direction.
const NO_AXES: [&str; 10] = [
    "$schema",
    "generate_client",
    "project_name",
    "transports",
    "stt_service",
    "llm_service",
    "tts_service",
    "realtime_service",
    "daily_pstn_mode",
    "twilio_daily_sip_mode",
];

/// A bot configuration to test.
#[derive(Debug, Clone)]
pub struct Combination {
    /// The name of the project folder, also used in messages.
    pub name: String,
    /// The configuration, keyed as in a configuration file. Every Boolean is set explicitly.
    pub keys: Map<String, Value>,
}

impl Combination {
    /// Returns the draft that the equivalent options and files would produce.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        for (key, value) in &self.keys {
            set(&mut draft, key, value);
        }
        draft
    }

    /// Resolves the configuration with `init`. Returns an error if `init` refuses the combination.
    pub fn config(&self) -> Result<Config<'static>, String> {
        resolve(&self.draft(), Some(&self.name), Offered::built_in())
            .map_err(|problems| format!("{problems:?}"))
    }

    /// Returns the `init` arguments for this combination.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![self.name.clone()];
        for (key, flag) in fields() {
            match self.keys.get(key) {
                Some(Value::Bool(true)) => arguments.push(flag.to_owned()),
                Some(Value::Bool(false)) => {
                    arguments.push(flag.replacen("--", "--no-", 1));
                }
                Some(Value::String(text)) => arguments.extend([flag.to_owned(), text.clone()]),
                Some(Value::Array(items)) => {
                    for item in items.iter().filter_map(Value::as_str) {
                        arguments.extend([flag.to_owned(), item.to_owned()]);
                    }
                }
                Some(Value::Null | Value::Number(_) | Value::Object(_)) | None => {}
            }
        }
        arguments
    }
}

/// A choice and its possible values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The configuration key, or a label for a transport axis.
    pub name: String,
    /// The possible values. For a transport axis, these are identifiers.
    pub values: Vec<Value>,
}

/// All choices except the pipeline's services, which can be combined freely.
#[derive(Debug)]
pub struct Axes {
    /// The axes, transports first.
    pub list: Vec<Axis>,
    /// For each transport, the transports that `init` accepts together, starting with that transport.
    all: BTreeMap<String, Vec<Value>>,
}

const TRANSPORT: &str = "transport";
const BESIDE_IT: &str = "transport beside it";
/// The value of the [`BESIDE_IT`] axis for bots with a single transport.
const NONE: &str = "none";
const ALL: &str = "all";

impl Axes {
    /// Returns the axes from the catalogue and the schema.
    pub fn of_the_catalogue() -> Self {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
        let ids = |bot_type| {
            Catalogue::get()
                .transports(bot_type)
                .map(|transport| json!(transport.id))
        };
        let mut axes = vec![
            Axis {
                name: TRANSPORT.to_owned(),
                values: ids(BotType::Web).chain(ids(BotType::Telephony)).collect(),
            },
            Axis {
                name: BESIDE_IT.to_owned(),
                values: [json!(NONE), json!(ALL)]
                    .into_iter()
                    .chain(ids(BotType::Web))
                    .collect(),
            },
        ];
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_alias = property.get("$ref").is_some();
            if !NO_AXES.contains(&key.as_str()) && !is_alias {
                axes.push(Axis {
                    name: key.clone(),
                    values: values(property),
                });
            }
        }
        let all = axes[0].values.iter().filter_map(Value::as_str);
        let all = all.map(|id| (id.to_owned(), with_all(id))).collect();
        Self { list: axes, all }
    }

    /// Returns the number of values on each axis.
    pub fn sizes(&self) -> Vec<usize> {
        self.list.iter().map(|axis| axis.values.len()).collect()
    }

    /// Reports whether `init` accepts the choices made so far.
    pub fn fits(&self, chosen: &[Option<usize>]) -> bool {
        let Some(combination) = self.said(chosen) else {
            return false;
        };
        let whole = chosen.iter().all(Option::is_some);
        let problems = resolve(&combination.draft(), Some("bot"), Offered::built_in()).err();
        // The services are added later.
        problems
            .into_iter()
            .flatten()
            .all(|field| is_missing(&field) && (!whole || field.field.ends_with("_service")))
    }

    /// Returns the combination for a row, without the pipeline's services.
    pub fn combination(&self, row: &[usize]) -> Option<Combination> {
        self.said(&row.iter().copied().map(Some).collect::<Vec<_>>())
    }

    /// Returns the combination of the choices made so far, or `None` if the second transport equals the first.
    fn said(&self, chosen: &[Option<usize>]) -> Option<Combination> {
        let mut keys = Map::new();
        let mut transport = None;
        let mut beside = None;
        for (axis, value) in self.list.iter().zip(chosen) {
            let Some(value) = value.map(|value| &axis.values[value]) else {
                continue;
            };
            match axis.name.as_str() {
                TRANSPORT => transport = value.as_str(),
                BESIDE_IT => beside = value.as_str(),
                key => {
                    keys.insert(key.to_owned(), value.clone());
                }
            }
        }
        // One alone may still be forbidden what both together are allowed.
        if let (Some(transport), Some(beside)) = (transport, beside) {
            if transport == beside {
                return None;
            }
            let together = match beside {
                ALL => self.all.get(transport).cloned().unwrap_or_default(),
                NONE => vec![json!(transport)],
                _ => vec![json!(transport), json!(beside)],
            };
            keys.insert("transports".to_owned(), together.into());
        }
        // Without a framework it means nothing.
        if !keys.contains_key("client_framework") {
            keys.remove("client_server");
        }
        let name = String::new();
        Some(Combination { name, keys })
    }
}

/// Returns combinations that cover every allowed pair of values on any two axes, and every service for both kinds of bot.
pub fn pairwise() -> Vec<Combination> {
    let axes = Axes::of_the_catalogue();
    let rows = pairwise::cover(&axes.sizes(), |chosen| axes.fits(chosen));
    let structures: Vec<Combination> = rows
        .iter()
        .filter_map(|row: &Row| axes.combination(row))
        .collect();
    let mut dealt = Vec::new();
    for (bot_type, mode) in [
        ("web", "cascade"),
        ("web", "realtime"),
        ("telephony", "cascade"),
        ("telephony", "realtime"),
    ] {
        let those: Vec<&Combination> = structures
            .iter()
            .filter(|one| one.keys["bot_type"] == bot_type && one.keys["mode"] == mode)
            .collect();
        if those.is_empty() {
            continue;
        }
        for number in 0..those.len().max(most_services(mode)) {
            let mut combination = those[number % those.len()].clone();
            add_services(&mut combination.keys, number);
            dealt.push(combination);
        }
    }
    for (number, combination) in dealt.iter_mut().enumerate() {
        let first = combination.keys["transports"][0].as_str().unwrap_or("bot");
        let mode = combination.keys["mode"].as_str().unwrap_or_default();
        combination.name = format!("{number:03}-{first}-{mode}");
    }
    dealt
}

/// Adds the pipeline services that the mode requires. Different numbers select different services.
fn add_services(keys: &mut Map<String, Value>, number: usize) {
    let kinds: &[(&str, Kind)] = match keys.get("mode").and_then(Value::as_str) {
        Some("realtime") => &[("realtime_service", Kind::Realtime)],
        _ => &[
            ("stt_service", Kind::Stt),
            ("llm_service", Kind::Llm),
            ("tts_service", Kind::Tts),
        ],
    };
    for (key, kind) in kinds {
        let all: Vec<_> = Catalogue::get().services(*kind).collect();
        keys.insert((*key).to_owned(), json!(all[number % all.len()].id));
    }
}

fn most_services(mode: &str) -> usize {
    let kinds: &[Kind] = if mode == "realtime" {
        &[Kind::Realtime]
    } else {
        &[Kind::Stt, Kind::Llm, Kind::Tts]
    };
    let counts = kinds
        .iter()
        .map(|kind| Catalogue::get().services(*kind).count());
    counts.max().unwrap_or_default()
}

/// Returns a transport, followed by all others that `init` accepts with it.
fn with_all(transport: &str) -> Vec<Value> {
    let catalogue = Catalogue::get();
    let mut found = vec![json!(transport)];
    let others = [BotType::Web, BotType::Telephony]
        .into_iter()
        // A telephone transport would make the bot of a web transport one for telephones.
        .filter(|bot_type| {
            let one = catalogue.transport(transport);
            one.is_some_and(|one| one.bot_type >= *bot_type)
        })
        .flat_map(|bot_type| catalogue.transports(bot_type));
    for other in others.filter(|other| other.id != transport) {
        found.push(json!(other.id));
        if !agree(&found) {
            found.pop();
        }
    }
    found
}

/// Reports whether `init` accepts these transports together.
fn agree(transports: &[Value]) -> bool {
    let mut draft = Draft::default();
    set(&mut draft, "transports", &Value::Array(transports.to_vec()));
    resolve(&draft, Some("bot"), Offered::built_in())
        .err()
        .into_iter()
        .flatten()
        .all(|field| field.field != "transports")
}

fn values(property: &Value) -> Vec<Value> {
    let catalogue = Catalogue::get();
    let is_alias = |value: &Value| {
        let id = value.as_str();
        id.and_then(|id| catalogue.service(id))
            .is_some_and(|service| Some(service.id.as_str()) != id)
    };
    // Where another value says that there is none, or the transports say it, null is no choice of its own.
    let says_nothing = |value: &Value| {
        value.is_null()
            && [json!(NONE), json!("web")].iter().any(|other| {
                property["enum"]
                    .as_array()
                    .is_some_and(|all| all.contains(other))
            })
    };
    match property["enum"].as_array() {
        Some(all) => all
            .iter()
            .filter(|value| !is_alias(value) && !says_nothing(value))
            .cloned()
            .collect(),
        None if property["type"] == "array" => {
            vec![json!([NONE]), json!(["qa", "eu-1"])]
        }
        None => vec![json!(false), json!(true)],
    }
}

fn set(draft: &mut Draft, key: &str, value: &Value) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match draft.slot(key) {
        Some(Slot::Setting(_, place)) => {
            *place = match value.as_array() {
                Some(items) => Some(items.iter().filter_map(text).collect()),
                None => text(value).map(|text| vec![text]),
            };
        }
        Some(Slot::Switch(place)) => *place = value.as_bool(),
        // What is built in needs no packs.
        Some(Slot::Packs(_)) | None => {}
    }
}
