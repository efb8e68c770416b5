//! Bots to be: combinations of everything that `init` lets choose.
//!
//! The axes are the keys of a configuration, as its schema has them, and the transports and services of the catalogue: what
//! joins these, joins the combinations. Which combinations are allowed, `init` itself is asked.

use std::collections::BTreeMap;

use bot_cli_init::{Catalogue as Offered, Config, Draft, Slot, fields, is_missing, resolve};
use bot_cli_templates::catalogue::{BotType, Catalogue, Kind};
use serde_json::{Map, Value, json};

use crate::pairwise::{self, Row};

const SCHEMA: &str = include_str!("../../plugins/init/config.schema.json");

/// Keys with values of their own kind; a transport's own identifier says its direction.
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

/// A bot to be.
#[derive(Debug, Clone)]
pub struct Combination {
    /// For its folder and for messages.
    pub name: String,
    /// The configuration, in the words of its file. Booleans are all said.
    pub keys: Map<String, Value>,
}

impl Combination {
    /// As options and files fill it.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        for (key, value) in &self.keys {
            set(&mut draft, key, value);
        }
        draft
    }

    /// Returns what `init` makes of it, or why it refuses.
    pub fn config(&self) -> Result<Config<'static>, String> {
        resolve(&self.draft(), Some(&self.name), Offered::built_in())
            .map_err(|problems| format!("{problems:?}"))
    }

    /// The arguments of `init` that say it.
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

/// A choice: what one value of an axis says.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The key of a configuration, or what the axis stands for.
    pub name: String,
    /// The values; of a transport's axis, identifiers.
    pub values: Vec<Value>,
}

/// Every choice but the services of the pipeline, which fit one another freely.
#[derive(Debug)]
pub struct Axes {
    /// The axes, transports first.
    pub list: Vec<Axis>,
    /// For each transport, it and all that `init` takes together with it.
    all: BTreeMap<String, Vec<Value>>,
}

const TRANSPORT: &str = "transport";
const BESIDE_IT: &str = "transport beside it";
/// Values of [`BESIDE_IT`] that are no transports.
const NONE: &str = "none";
const ALL: &str = "all";

impl Axes {
    /// Those of the catalogue and the schema.
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

    /// Returns how many values each has.
    pub fn sizes(&self) -> Vec<usize> {
        self.list.iter().map(|axis| axis.values.len()).collect()
    }

    /// Whether `init` takes these choices together, as far as they are made.
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

    /// The combination of a row, without a pipeline's services.
    pub fn combination(&self, row: &[usize]) -> Option<Combination> {
        self.said(&row.iter().copied().map(Some).collect::<Vec<_>>())
    }

    /// `None`: a transport beside itself, or an axis that is no choice of that transport.
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

/// Combinations in which every value of every axis meets every value of every other, and in which every service is
/// there for both kinds of bot.
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

/// Adds the pipeline's services that the mode asks for, others for each number.
pub fn add_services(keys: &mut Map<String, Value>, number: usize) {
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

/// A transport and all that `init` takes together with it.
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

/// Whether `init` takes these transports together.
pub fn agree(transports: &[Value]) -> bool {
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
        None => vec![json!(false), json!(true)],
    }
}

fn set(draft: &mut Draft, key: &str, value: &Value) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match draft.slot(key) {
        Some(Slot::Text(place) | Slot::OptionalText(place)) => *place = text(value),
        Some(Slot::Switch(place)) => *place = value.as_bool(),
        Some(Slot::List(place)) => {
            *place = value
                .as_array()
                .map(|items| items.iter().filter_map(text).collect());
        }
        // What is built in needs no packs.
        Some(Slot::Versions(_)) | None => {}
    }
}
