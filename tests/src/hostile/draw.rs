//! Generates random packs as authors would write them, and spoils them in several places.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fastrand::Rng;
use serde_json::{Map, Value, json};

pub(super) const NAME: &str = "acme-x";

/// Snippets that end or change the surrounding text in one of the languages in a project.
static ENDINGS: LazyLock<Vec<String>> = LazyLock::new(|| pieces("endings"));

/// Snippets with a special meaning in one of the languages in a project.
static PIECES: LazyLock<Vec<String>> = LazyLock::new(|| pieces("pieces"));

/// The members that hold free text.
const TEXTS: &[&str] = &[
    "label",
    "note",
    "deprecated",
    "about",
    "default",
    "class_default",
    "value",
    "choices",
];

/// Returns the snippets of this kind in `pieces.json`.
fn pieces(kind: &str) -> Vec<String> {
    let mut pieces: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("pieces.json")).unwrap_or_default();
    pieces.remove(kind).unwrap_or_default()
}

/// Generates a manifest's `providers`. Returns two versions: as an author would write them, and spoiled.
pub(super) fn pack(random: &mut Rng) -> (Value, Value) {
    let mut providers = Vec::new();
    for number in 0..random.usize(1..=2) {
        providers.push(provider(random, number));
    }
    let sound = Value::Array(providers);
    let mut spoiled = sound.clone();
    for _ in 0..random.usize(0..=2) {
        spoil(&mut spoiled, random);
    }
    for _ in 0..random.usize(0..=4) {
        slip(&mut spoiled, random);
    }
    (sound, spoiled)
}

fn provider(random: &mut Rng, number: usize) -> Value {
    let mut services = Vec::new();
    let kinds = ["stt", "llm", "tts", "realtime", "video"];
    for _ in 0..random.usize(1..=3) {
        let kind = kinds[random.usize(..kinds.len())];
        services.push(service(random, kind, services.len() + 10 * number));
    }
    let mut described = Map::new();
    for service in &services {
        describe(&service["args"], "env", &mut described);
        describe(&service["reads"], "name", &mut described);
    }
    json!({
        "label": format!("Acme {number}"),
        "site": "https://acme.example/keys?x=1#y",
        "env": described,
        "service": services,
    })
}

/// Adds a description of each environment variable in `args` to `described`.
fn describe(args: &Value, member: &str, described: &mut Map<String, Value>) {
    for arg in args.as_array().into_iter().flatten() {
        if let Some(name) = arg[member].as_str() {
            let secret = name.ends_with("_API_KEY");
            let about = format!("About {name}, in a few words");
            described.insert(name.to_owned(), json!({ "about": about, "secret": secret }));
        }
        describe(&arg["args"], member, described);
    }
}

/// Draws a service from `pack.json`, with a random selection of the optional arguments and members.
fn service(random: &mut Rng, kind: &str, number: usize) -> Value {
    let text = include_str!("pack.json").replace("NUMBER", &number.to_string());
    let drawn: Value = text.replace("KIND", kind).parse().unwrap_or_default();
    let mut service = drawn["service"].clone();
    let list = |name: &str| drawn[name].as_array().cloned().unwrap_or_default();
    if let Some(args) = service["args"].as_array_mut() {
        args.extend(list("args").into_iter().filter(|_| random.u8(..3) == 0));
    }
    let mut members: Vec<Value> = list("sometimes");
    members.retain(|_| random.u8(..4) == 0);
    members.extend(random.choice(list(kind)));
    for (key, value) in members.iter().filter_map(Value::as_object).flatten() {
        service[key] = value.clone();
    }
    service
}

/// Spoils a random place in a value.
fn spoil(place: &mut Value, random: &mut Rng) {
    // Anywhere: each step down may be the last.
    let stays = random.u8(..12) == 0;
    match place {
        Value::Array(items) if !items.is_empty() && !stays => {
            let index = random.usize(..items.len());
            spoil(&mut items[index], random);
        }
        Value::Object(members) if !members.is_empty() && !stays => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = &names[random.usize(..names.len())];
            if random.u8(..10) == 0 {
                let value = members.remove(name).unwrap_or_default();
                members.insert(spoiled(name, random), value);
            } else if let Some(member) = members.get_mut(name) {
                spoil(member, random);
            }
        }
        Value::String(text) => *text = spoiled(text, random),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            *place = odd(random);
        }
    }
}

/// Inserts a snippet into free text or a value, where more characters are allowed than in a name.
fn slip(place: &mut Value, random: &mut Rng) {
    match place {
        Value::Array(items) if !items.is_empty() => {
            let index = random.usize(..items.len());
            slip(&mut items[index], random);
        }
        Value::Object(members) if !members.is_empty() => {
            let is_text = |name: &str| TEXTS.contains(&name);
            let (texts, others): (Vec<String>, Vec<String>) = members
                .iter()
                .filter(|(name, value)| is_text(name) || value.is_array() || value.is_object())
                .map(|(name, _)| name.clone())
                .partition(|name| is_text(name));
            let among = if others.is_empty() || !texts.is_empty() && random.u8(..3) == 0 {
                texts
            } else {
                others
            };
            let Some(name) = among.get(random.usize(..among.len().max(1))) else {
                return;
            };
            if let Some(member) = members.get_mut(name) {
                slip(member, random);
            }
        }
        Value::String(text) => {
            let piece = &PIECES[random.usize(..PIECES.len())];
            let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            places.push(text.len());
            text.insert_str(places[random.usize(..places.len())], piece);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {}
    }
}

/// Inserts a snippet into `text`, or replaces `text` with one.
fn spoiled(text: &str, random: &mut Rng) -> String {
    let ending = &ENDINGS[random.usize(..ENDINGS.len())];
    let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    places.push(text.len());
    let at = places[random.usize(..places.len())];
    match random.u8(..6) {
        0 => ending.clone(),
        1 => format!("{text}{ending}"),
        2 => format!("{ending}{text}"),
        3 => format!("{}{ending}{}", &text[..at], &text[at..]),
        4 => {
            let second = &ENDINGS[random.usize(..ENDINGS.len())];
            format!("{}{ending}{second}{}", &text[..at], &text[at..])
        }
        _ => ending.repeat(random.usize(1..200)),
    }
}

/// Returns a random value of a random type.
fn odd(random: &mut Rng) -> Value {
    match random.u8(..9) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(1e300),
        5 => json!([]),
        6 => json!({}),
        7 => json!([[[[[[[["deep"]]]]]]]]),
        _ => json!(spoiled("", random)),
    }
}
