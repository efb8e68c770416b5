use serde_json::{Value, json};

use super::*;

/// A pack `acme` with a service that is in order, but for what `change` does to it.
fn providers(change: impl FnOnce(&mut Value)) -> Value {
    let mut service = json!({
        "id": "acme_fast_stt",
        "kind": "stt",
        "label": "Acme Fast",
        "packages": ["acme-speech>=1.2,<2"],
        "modules": { "acme-speech": ["acme"] },
        "module": "acme.pipecat",
        "class": "AcmeSTTService",
        "imports": { "acme.kinds": ["Kind", "Params"] },
        "args": [
            { "name": "api_key", "env": "ACME_API_KEY" },
            { "name": "kind", "expr": "Kind.FAST" },
            { "name": "rate", "value": 16000 },
            { "name": "params", "call": "Params", "args": [{ "name": "words", "value": ["a", "b"] }] },
            { "name": "settings.model", "env": "ACME_MODEL", "class_default": "fast-1" },
        ],
        "note": "Needs no GPU",
    });
    change(&mut service);
    json!([{
        "label": "Acme",
        "site": "https://acme.example",
        "env": {
            "ACME_API_KEY": { "about": "API key", "secret": true },
            "ACME_MODEL": { "about": "Model" },
        },
        "service": [service],
    }])
}

fn read_acme(providers: Value) -> Contents {
    read("acme", providers, None, &mut Taken::default()).unwrap()
}

/// Why the service is left out; the first reason.
fn reason(change: impl FnOnce(&mut Value)) -> String {
    let contents = read_acme(providers(change));
    assert_eq!(contents.providers, []);
    let [left_out] = contents.left_out.as_slice() else {
        panic!("{contents:?}");
    };
    left_out.problems[0].reason()
}

#[test]
fn reads_what_is_in_order() {
    let contents = read_acme(providers(|_| {}));
    assert_eq!(contents.left_out, []);
    let [provider] = contents.providers.as_slice() else {
        panic!("{contents:?}");
    };
    assert_eq!(provider.services[0].id, "acme_fast_stt");
    assert_eq!(check(provider, Origin::Pack("acme")), []);
    let again = json!(provider);
    assert_eq!(read_acme(json!([again])).providers, contents.providers);
}

#[test]
fn a_pack_says_not_what_comes_first() {
    let contents = read_acme(providers(|service| service["recommended"] = json!(1)));
    assert_eq!(contents.providers[0].services[0].recommended, None);
}

#[test]
fn a_service_that_breaks_a_rule_is_left_out_with_the_reason() {
    // The place in the service, the value that is put there, and the reason.
    let rows: Vec<(String, Value, String)> =
        serde_json::from_str(include_str!("tests/wrong.json")).unwrap();
    let mut wrong = Vec::new();
    for (place, value, expected) in rows {
        let reason = reason(|service| {
            let (parent, key) = place.rsplit_once('/').unwrap();
            let parent = service.pointer_mut(parent).unwrap();
            match parent.as_array_mut() {
                Some(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
                None => parent[key] = value.clone(),
            }
        });
        if reason != expected {
            wrong.push((place, reason, expected));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_others_stay() {
    let mut providers = providers(|_| {});
    let service = providers[0]["service"][0].clone();
    let services = providers[0]["service"].as_array_mut().unwrap();
    let mut other = service.clone();
    other["id"] = json!("acme_slow_stt");
    other["label"] = json!("Acme Slow");
    let mut later = other.clone();
    later["id"] = json!("acme_later_stt");
    later["turbo"] = json!({ "on": true });
    services.extend([json!("x"), service, later, other]);
    providers.as_array_mut().unwrap().extend([
        json!({ "label": "Beta", "site": "javascript:x", "service": [] }),
        json!({ "label": "Gamma", "site": "https://gamma.example", "region": "eu", "service": [] }),
        json!([]),
    ]);
    let newer = Some("install a newer bot-cli-init".to_owned());
    let contents = read("acme", providers, newer, &mut Taken::default()).unwrap();
    let ids: Vec<&str> = contents.providers[0]
        .services
        .iter()
        .map(|service| service.id.as_str())
        .collect();
    assert_eq!(ids, ["acme_fast_stt", "acme_slow_stt"]);
    let left_out: Vec<String> = contents
        .left_out
        .iter()
        .map(|it| format!("{}: {}", it.what, it.reason()))
        .collect();
    assert_eq!(
        left_out,
        [
            "service 2 of Acme: `service` must be a table",
            "acme_fast_stt: `label` is that of another service of its kind",
            "acme_later_stt: `service.turbo` is not a key of catalogue 1.0; install a newer bot-cli-init",
            "provider 2: `site` is `javascript:x`, not one like `https://acme.example`",
            "provider 3: `provider.region` is not a key of catalogue 1.0; install a newer bot-cli-init",
            "provider 4: `provider` must be a table",
        ]
    );
}

#[test]
fn a_variable_means_what_it_means_elsewhere() {
    let mut taken = Taken::default();
    let first = read("acme", providers(|_| {}), None, &mut taken).unwrap();
    assert_eq!(first.left_out, []);
    for (place, value, expected) in [
        (
            "/0/env/ACME_MODEL/about",
            json!("Voice"),
            "`env.ACME_MODEL.about` must be `Model`, as in pack `acme`",
        ),
        (
            "/0/env/ACME_MODEL/secret",
            json!(true),
            "`env.ACME_MODEL.secret` must be false, as in pack `acme`",
        ),
        (
            "/0/service/0/args/4/type",
            json!("list"),
            "`env.ACME_MODEL` has another type or default than in pack `acme`",
        ),
        (
            "/0/env/ACME_MODEL/turbo",
            json!(1),
            "`provider.env.ACME_MODEL.turbo` is not a key of catalogue 1.0",
        ),
    ] {
        let mut other = providers(|service| service["id"] = json!("beta_stt"));
        let (parent, key) = place.rsplit_once('/').unwrap();
        other.pointer_mut(parent).unwrap()[key] = value;
        let contents = read("beta", other, None, &mut taken).unwrap();
        assert_eq!(contents.left_out[0].problems[0].reason(), expected);
    }
    let same = providers(|service| service["id"] = json!("beta_stt"));
    assert_eq!(
        read("beta", same.clone(), None, &mut taken)
            .unwrap()
            .left_out,
        []
    );
    let again = read("beta", same, None, &mut taken).unwrap();
    assert_eq!(again.left_out[0].reason(), "`id` is that of pack `beta`");
}

#[test]
fn much_data_is_one_problem() {
    let one = providers(|_| {})[0].clone();
    let much = Value::Array(vec![one; 2000]);
    let problem = read("acme", much, None, &mut Taken::default()).unwrap_err();
    assert_eq!(
        problem.reason(),
        "`providers` has more than 1 MiB of data, the most of a pack"
    );
    let many = Value::Array(vec![json!({}); 101]);
    let problem = read("acme", many, None, &mut Taken::default()).unwrap_err();
    assert_eq!(problem.reason(), "`providers` has more than 100 entries");
    assert_eq!(
        read("acme", json!({}), None, &mut Taken::default())
            .unwrap_err()
            .reason(),
        "`providers` must be a list"
    );
}
