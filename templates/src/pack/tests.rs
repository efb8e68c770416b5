use serde_json::{Value, json};

use super::*;

/// Returns the providers of the pack `acme`, with one valid service that `change` modifies.
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
    read("acme", providers, &mut Taken::default()).unwrap()
}

fn reason(change: impl FnOnce(&mut Value)) -> String {
    let contents = read_acme(providers(change));
    assert_eq!(contents.providers, []);
    let [left_out] = contents.left_out.as_slice() else {
        panic!("{contents:?}");
    };
    left_out.reason()
}

#[test]
fn reads_what_is_in_order() {
    let contents = read_acme(providers(|service| service["recommended"] = json!(1)));
    assert_eq!(contents.left_out, []);
    let [provider] = contents.providers.as_slice() else {
        panic!("{contents:?}");
    };
    assert_eq!(provider.services[0].id, "acme_fast_stt");
    // A pack can't recommend its services.
    assert_eq!(provider.services[0].recommended, None);
    assert!(check(provider, Origin::Pack("acme")).is_empty());
    let again = json!(provider);
    assert_eq!(read_acme(json!([again])).providers, contents.providers);
}

#[test]
fn a_service_that_breaks_a_rule_is_left_out_with_the_reason() {
    // Each row has a path in the service, the value to insert and the expected reason.
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
    let mut other = providers[0]["service"][0].clone();
    other["id"] = json!("acme_slow_stt");
    let mut later = other.clone();
    later["id"] = json!("acme_later_stt");
    later["turbo"] = json!({ "on": true });
    let services = providers[0]["service"].as_array_mut().unwrap();
    services.extend([json!("x"), other.clone(), later, other]);
    providers.as_array_mut().unwrap().extend([
        json!({ "label": "Beta", "site": "javascript:x", "service": [] }),
        json!({ "label": "Gamma", "site": "https://gamma.example", "region": "eu", "service": [] }),
        json!([]),
    ]);
    let contents = read_acme(providers);
    let services = contents.providers[0].services.iter();
    let ids: Vec<&str> = services.map(|service| service.id.as_str()).collect();
    assert_eq!(ids, ["acme_fast_stt", "acme_slow_stt"]);
    let left_out = contents.left_out.iter();
    let left_out: Vec<String> = left_out
        .map(|it| format!("{}: {}", it.what, it.reason()))
        .collect();
    assert_eq!(
        left_out,
        [
            "service 2 of Acme: `service` must be a table",
            "acme_later_stt: `service.turbo` is not a key of catalogue 1.0",
            "acme_slow_stt: `id` is that of pack `acme`",
            "provider 2: `site` is `javascript:x`, not one like `https://acme.example`",
            "provider 3: `provider.region` is not a key of catalogue 1.0",
            "provider 4: `provider` must be a table",
        ]
    );
}

#[test]
fn a_variable_means_what_it_means_elsewhere() {
    let mut taken = Taken::default();
    let first = read("acme", providers(|_| {}), &mut taken).unwrap();
    assert_eq!(first.left_out, []);
    for (key, value, expected) in [
        (
            "about",
            json!("Voice"),
            "`env.ACME_MODEL.about` must be `Model`, as in pack `acme`",
        ),
        (
            "secret",
            json!(true),
            "`env.ACME_MODEL.secret` must be false, as in pack `acme`",
        ),
        (
            "turbo",
            json!(1),
            "`provider.env.ACME_MODEL.turbo` is not a key of catalogue 1.0",
        ),
    ] {
        let mut other = providers(|service| service["id"] = json!("beta_stt"));
        other[0]["env"]["ACME_MODEL"][key] = value;
        let contents = read("beta", other, &mut taken).unwrap();
        assert_eq!(contents.left_out[0].reason(), expected);
    }
    let same = providers(|service| service["id"] = json!("beta_stt"));
    let contents = read("beta", same, &mut taken).unwrap();
    assert_eq!(contents.left_out, []);
}

#[test]
fn what_is_no_list_of_a_bearable_size_is_one_problem() {
    let one = providers(|_| {})[0].clone();
    for (wrong, expected) in [
        (
            Value::Array(vec![one; 2000]),
            "`providers` has more than 1 MiB of data, the most of a pack",
        ),
        (json!({}), "`providers` must be a list"),
        (json!("dynamic"), "`providers` must be a list"),
    ] {
        let problem = read("acme", wrong, &mut Taken::default()).unwrap_err();
        assert_eq!(problem, expected);
    }
}

#[test]
fn a_pack_reaches_services_of_the_framework_and_the_packages_that_it_names() {
    let head = "label = \"Acme\"\nsite = \"https://acme.example\"\n[[service]]\nid = \"acme_stt\"\nkind = \"stt\"\nlabel = \"Acme\"\n";
    let (good, bad) = include_str!("tests/reach.txt")
        .split_once("====\n")
        .unwrap();
    for (services, left_out) in [(good, 0), (bad, 1)] {
        for lines in services.split("----\n") {
            let provider: Value = toml::from_str(&format!("{head}{lines}")).unwrap();
            let contents = read_acme(json!([provider]));
            assert_eq!(contents.left_out.len(), left_out, "{lines}\n{contents:?}");
        }
    }
}
