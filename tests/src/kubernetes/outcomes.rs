//! Random changes of Secrets while connections break, answers are lost and others write, drawn from a seed; what the backend claims
//! is held against what the stand-in really has afterwards.

use std::collections::BTreeMap;
use std::io;
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bot_cli_secrets::Effect;
use bot_cli_secrets_kubernetes::Pace;
use bot_cli_terminal::cancel::Cancel;
use fastrand::Rng;
use serde_json::{Value, json};

use super::backend::{Backend, Unmade};
use super::cluster::Cluster;
use super::stand_in::{Applied, Fault, OTHERS_DELETED, StandIn, Trouble};
use crate::tally::{Tally, drawn};

/// The namespace of all operations.
const NAMESPACE: &str = "drawn";

/// The time that an answer may take.
const ANSWER: Duration = Duration::from_millis(60);

/// The sets.
const SETS: [&str; 3] = ["prod", "staging", "registry"];

/// The keys that are drawn.
const KEYS: [&str; 4] = ["A", "B", "C", "D"];

#[derive(Debug, Clone)]
enum Operation {
    Put(Vec<(String, String)>),
    Pull(String),
    Unset(Vec<String>),
    Delete,
}

impl Operation {
    /// The keys of the data, each with the value that it is to have; a deletion names none.
    fn wanted(&self) -> BTreeMap<String, Option<String>> {
        match self {
            Self::Put(pairs) => {
                let pairs = pairs.iter().cloned();
                pairs.map(|(key, value)| (key, Some(value))).collect()
            }
            Self::Pull(credentials) => {
                let config = json!({ "auths": { "ghcr.io": { "auth": credentials } } });
                [(".dockerconfigjson".to_owned(), Some(config.to_string()))].into()
            }
            Self::Unset(keys) => keys.iter().map(|key| (key.clone(), None)).collect(),
            Self::Delete => BTreeMap::new(),
        }
    }
}

/// Runs `operations` of them on `hands` threads, each with a stand-in of its own.
pub fn run(seed: u64, operations: usize, hands: usize) -> io::Result<Tally> {
    drawn(seed, operations, hands, alone)
}

fn alone(seed: u64, operations: usize) -> io::Result<Tally> {
    let mut random = Rng::with_seed(seed);
    let (stand_in, cluster) = StandIn::start()?;
    stand_in.make_namespace(NAMESPACE);
    let mut tally = Tally::default();
    for number in 0..operations {
        prepare(&stand_in, &mut random, number);
        let set = SETS[random.usize(..SETS.len())];
        let operation = draw(&mut random, number);
        let before = stand_in.stored(NAMESPACE);
        let script = script(&mut random, &operation);
        let stop = (random.u8(..12) == 0).then(|| ANSWER.mul_f64(random.f64() * 2.0));
        let (ended, heard) = carry_out(&stand_in, &cluster, set, &operation, &script, stop);
        stand_in.follow([]);
        stand_in.settle();
        let after = stand_in.stored(NAMESPACE);
        let requests = stand_in.take_sent();
        let by_others = requests.iter().any(|request| request == OTHERS_DELETED);
        let mut wrong = untrue(&operation, set, &before, &after, &ended, &heard);
        // Gone, but not by this operation: that it has not done it is true.
        wrong.retain(|claim| claim != "not done" || !by_others);
        tally.count(&ending(&ended), 1);
        if !wrong.is_empty() {
            tally.wrong.push(format!(
                "seed {seed}, operation {number}: {operation:?} of {set}\n  untrue: {wrong:?}\n  script: {script:?}\n  stop: {stop:?}\n  sent: {requests:?}\n  before: {before:?}\n  after: {after:?}\n  ended: {ended:?}"
            ));
        }
    }
    Ok(tally)
}

/// Fills the namespace anew.
fn prepare(stand_in: &StandIn, random: &mut Rng, number: usize) {
    stand_in.empty(NAMESPACE);
    for object in SETS {
        let managed_by = if random.u8(..8) == 0 {
            "Helm"
        } else {
            "bot-cli"
        };
        let labels = json!({ "app.kubernetes.io/managed-by": managed_by });
        if random.u8(..4) == 0 {
            continue;
        }
        let (type_, old) = if object == "registry" {
            let pull = Operation::Pull(format!("b2xk{number}"));
            ("kubernetes.io/dockerconfigjson", pull)
        } else {
            let keys = KEYS.iter().filter(|_| random.bool());
            let old = keys.map(|key| ((*key).to_owned(), format!("old-{key}")));
            ("Opaque", Operation::Put(old.collect()))
        };
        let data: BTreeMap<String, String> = old
            .wanted()
            .into_iter()
            .filter_map(|(key, value)| Some((key, STANDARD.encode(value?))))
            .collect();
        let metadata = json!({ "name": object, "labels": labels });
        let secret = json!({ "metadata": metadata, "type": type_, "data": data });
        stand_in.place(NAMESPACE, &secret);
    }
}

fn draw(random: &mut Rng, number: usize) -> Operation {
    let mut keys: Vec<&str> = KEYS.to_vec();
    random.shuffle(&mut keys);
    keys.truncate(random.usize(1..=3));
    match random.u8(..8) {
        0..=3 => {
            let pair = |key: &&str| ((*key).to_owned(), format!("canary-{key}-{number}"));
            Operation::Put(keys.iter().map(pair).collect())
        }
        4 => Operation::Pull(STANDARD.encode(format!("user:canary-{number}"))),
        5 | 6 => Operation::Unset(keys.into_iter().map(str::to_owned).collect()),
        _ => Operation::Delete,
    }
}

/// Returns what happens to the requests of an operation, one after the other.
fn script(random: &mut Rng, operation: &Operation) -> Vec<Option<Trouble>> {
    // Some days are fine, some are bad throughout.
    let badness = [0, 2, 4, 8][random.usize(..4)];
    (0..16)
        .map(|_| (random.u8(..10) < badness).then(|| trouble(random, operation)))
        .collect()
}

/// A fault, and whether the request takes effect all the same. An honest refusal is never lied about: what the API itself refuses
/// does not happen.
fn trouble(random: &mut Rng, operation: &Operation) -> Trouble {
    let open = match random.u8(..24) {
        0 => return Trouble::status(401, "Unauthorized", "Unauthorized"),
        1 => return Trouble::status(403, "Forbidden", "canary-A"),
        2 => return Trouble::status(409, "Conflict", "canary-A"),
        3 => return Trouble::status(422, "Invalid", "Invalid value: \"canary-A\""),
        4 | 5 => return Trouble::status(429, "TooManyRequests", "please try again later"),
        6 => return Trouble::words(429, "Too many requests, please try again later.\n"),
        7 | 8 => return Trouble::new(Fault::CutRequest(random.usize(..1500))),
        9 | 10 => return Trouble::new(Fault::Late(ANSWER.mul_f64(random.f64() * 2.0))),
        11 | 12 => {
            let patch = match random.u8(..4) {
                0 => json!({ "data": { "Z": STANDARD.encode("theirs") } }),
                1 => {
                    json!({ "metadata": { "annotations": { "note": random.u32(..).to_string() } } })
                }
                2 => json!({ "metadata": { "labels": { "app.kubernetes.io/managed-by": null } } }),
                // Of a set that others delete, nothing can be said afterwards but that it is gone.
                _ if matches!(operation, Operation::Delete | Operation::Unset(_)) => Value::Null,
                _ => json!({ "metadata": { "labels": { "team": "other" } } }),
            };
            return Trouble::new(Fault::Overtaken(patch));
        }
        13..=15 => Trouble::new(Fault::CutAnswer(random.usize(..1500))),
        16 => Trouble::new(Fault::Silence),
        17 => Trouble::status(
            500,
            "InternalError",
            "etcdserver: request timed out: canary-A",
        ),
        18 => Trouble::status(503, "ServiceUnavailable", "not now"),
        19 => Trouble::status(504, "Timeout", "request did not complete"),
        20 => Trouble::words(502, "<html><h1>Bad gateway</h1></html>"),
        21 => Trouble::words(404, "404 page not found\n"),
        22 => Trouble::words(
            200,
            ["<html>Welcome</html>", "{}", "", "[]"][random.usize(..4)],
        ),
        _ => Trouble::words([204, 400, 403, 413][random.usize(..4)], ""),
    };
    match random.u8(..5) {
        0 | 1 => open.applied(Applied::Yes),
        2 => open.applied(Applied::Later(ANSWER.mul_f64(random.f64() * 2.0))),
        _ => open,
    }
}

type Ended = Result<(), Unmade>;

fn carry_out(
    stand_in: &StandIn,
    cluster: &Cluster,
    set: &str,
    operation: &Operation,
    script: &[Option<Trouble>],
    stop: Option<Duration>,
) -> (Ended, String) {
    let pace = Pace {
        connect: ANSWER,
        answer: ANSWER,
    };
    let cancel = Cancel::new();
    let file = &cluster.kubeconfig;
    let opened = Backend::open_with(pace, file, Some(NAMESPACE), None, &[], cancel.clone());
    let mut backend = opened.unwrap();
    // What the caller saw is true; only the change has bad luck.
    let prior = backend.prior(set);
    stand_in.follow(script.iter().cloned());
    if let Some(stop) = stop {
        thread::spawn(move || {
            thread::sleep(stop);
            cancel.request();
        });
    }
    let ended = match operation {
        Operation::Put(pairs) => {
            let pairs: Vec<(&str, &str)> = pairs
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_str()))
                .collect();
            backend.put_onto(set, None, &pairs, &prior)
        }
        Operation::Pull(credentials) => backend.pull_onto(set, "ghcr.io", credentials, &prior),
        Operation::Unset(keys) => {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            backend.unset(set, &keys).map(drop)
        }
        Operation::Delete => backend.delete(set).map(drop),
    };
    (ended, backend.heard())
}

fn ending(ended: &Ended) -> String {
    match ended {
        Ok(()) => "done".to_owned(),
        Err((code, effect, _)) => format!("{effect:?} {code}"),
    }
}

type Stored = BTreeMap<String, Value>;

/// Every claim that is not true.
fn untrue(
    operation: &Operation,
    object: &str,
    before: &Stored,
    after: &Stored,
    ended: &Ended,
    heard: &str,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut claim = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    let wanted = operation.wanted();
    // For each part of the change, whether it is so.
    let so = |secret: Option<&Value>| -> Vec<bool> {
        if wanted.is_empty() {
            return vec![secret.is_none()];
        }
        let is_so = |(key, value): (&String, &Option<String>)| {
            let found = secret.and_then(|secret| secret["data"][key].as_str());
            found
                == value
                    .as_ref()
                    .map(|value| STANDARD.encode(value))
                    .as_deref()
        };
        wanted.iter().map(is_so).collect()
    };
    let (was, is) = (so(before.get(object)), so(after.get(object)));
    match ended {
        Ok(()) => claim(is.iter().all(|is| *is), "done"),
        Err((_, Effect::NotDone, _)) => claim(was == is, "not done"),
        Err((_, Effect::Unknown, _)) => {}
        Err((_, effect, _)) => claim(false, &format!("{effect:?}")),
    }
    let said = match ended {
        Ok(()) => heard.to_owned(),
        Err((_, _, sentence)) => format!("{heard}{sentence}"),
    };
    claim(!said.contains("canary"), "a value is shown");
    // What was not meant stays, whoever else writes.
    let touched =
        |name: &str, key: &str| name == object && (wanted.is_empty() || wanted.contains_key(key));
    let gone_by_others = matches!(operation, Operation::Delete | Operation::Unset(_));
    for (name, secret) in before {
        let Some(now) = after.get(name) else {
            claim(name == object && gone_by_others, "a set is gone");
            continue;
        };
        for (key, value) in secret["data"].as_object().into_iter().flatten() {
            let is_kept = &now["data"][key] == value;
            claim(
                is_kept || touched(name, key),
                &format!("{name}: {key} stays"),
            );
        }
        let is_ours = secret["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "bot-cli";
        if !is_ours {
            let kept = now["data"]
                .as_object()
                .into_iter()
                .flatten()
                .all(|(key, value)| key == "Z" || secret["data"][key] == *value);
            claim(kept, &format!("{name} is another's"));
        }
    }
    for name in after.keys() {
        claim(
            before.contains_key(name) || name == object,
            "a set came from nowhere",
        );
    }
    wrong
}
