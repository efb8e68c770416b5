//! Secrets backends of later versions, and a `cloud` from before there were any but its own.

use std::path::Path;

use serde_json::json;

use super::newer::exchange;
use super::sides::{Age, BOTH, Sides};

/// A backend that keeps one set. Its manifest, its answers, the kind of one of its sets and one of its abilities have what 1.0 lacks.
const BACKEND: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"secrets-acme","version":"3.1.0","about":"Acme","role":"secrets-backend","secrets":"SECRETS","requires":REQUIRES,"palette":["red"],"settings":[{"name":"drawer","about":"Which drawer","colour":"red"}]}
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s,"trace":"x"}\n' "$id" "$1"; }
while read -r line; do
  id=${line#'{"jsonrpc":"2.0","id":'} id=${id%%,*}
  case $line in
  *'"method":"secrets/open"'*) reply '{"organization":"acme","place":"a drawer","names":{"shortest":1,"longest":63,"capitals":true,"emoji":true},"limits":{"value_bytes":4096,"drawers":2},"can":["values","rotate"],"palette":"red"}' ;;
  *'"method":"secrets/list"'*) reply '{"sets":[{"name":"one","kind":"secret","status":"ready","colour":"red"},{"name":"two","kind":"certificate","status":"ageing"}],"more":false}' ;;
  *'"method":"secrets/get"'*) reply '{"set":{"name":"one","kind":"secret","status":"ready","keys":["A"],"colour":"red"}}' ;;
  *'"method":"secrets/values"'*) reply '{"values":{"A":"1"},"colour":"red"}' ;;
  *'"method":"secrets/put"'*) reply '{"revision":7}' ;;
  *'"method":"secrets/delete"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"in a while","data":{"code":"ageing","effect":"later"}}}\n' "$id" ;;
  *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  esac
done
"#;

fn install(sides: &Sides, secrets: &str, requires: &str) {
    let text = BACKEND
        .replace("SECRETS", secrets)
        .replace("REQUIRES", requires);
    sides
        .bench
        .script("plugins/bot-cli-secrets-acme", &text)
        .unwrap();
}

#[test]
fn every_host_keeps_secrets_with_a_backend_of_schema_1_1() {
    let sides = Sides::new();
    install(&sides, "1.1", "{}");
    for host in BOTH {
        let secrets = |arguments: &[&str]| {
            let common = ["--backend", "acme"];
            let arguments: Vec<&str> = ["cloud", "secrets"]
                .iter()
                .chain(arguments)
                .chain(&common)
                .copied()
                .collect();
            sides.done(host, Age::Newer, &arguments)
        };
        let listed = secrets(&["list"]);
        assert!(
            listed.lines().any(|line| line.starts_with("one ")),
            "{host:?}: {listed}"
        );
        secrets(&["set", "one", "A=2", "--skip"]);
        // An error and an effect that are not known: what came of the change is not known either.
        let delete = [
            "cloud",
            "secrets",
            "delete",
            "one",
            "--skip",
            "--backend",
            "acme",
        ];
        let ran = sides.run(host, Age::Newer, &delete);
        assert_eq!(ran.status, Some(3), "{host:?}: {ran:?}");
        let given = sides.done(
            host,
            Age::Newer,
            &[
                "cloud",
                "secrets",
                "run",
                "one",
                "--backend",
                "acme",
                "--",
                "sh",
                "-c",
                "echo $A",
            ],
        );
        assert_eq!(given, "1\n", "{host:?}");
    }
}

#[test]
fn a_backend_that_does_not_fit_is_refused_in_a_line_with_both_versions_and_the_vault_works() {
    let sides = Sides::new();
    for (secrets, requires, line) in [
        (
            "2.0",
            "{}",
            "it has secrets 2.0, bot-cli-cloud 0.1.0 knows 1.0; install a newer bot-cli-cloud, or a version of it for 1.0",
        ),
        (
            "1.0",
            r#"{"bot-cli-cloud":">=9.1"}"#,
            "it requires bot-cli-cloud >=9.1, this is 0.1.0; install bot-cli-cloud >=9.1, or a version of it for 0.1.0",
        ),
    ] {
        install(&sides, secrets, requires);
        for host in BOTH {
            let ran = sides.run(
                host,
                Age::Newer,
                &["cloud", "secrets", "list", "--backend", "acme"],
            );
            assert_eq!(ran.stdout, "", "{host:?}: {ran:?}");
            assert_eq!(ran.status, Some(1), "{host:?}: {ran:?}");
            assert!(ran.stderr.contains(line), "{host:?}: {line}: {ran:?}");
            sides.done(host, Age::Newer, &["cloud", "secrets", "list"]);
        }
    }
}

#[test]
fn a_cloud_from_before_there_were_backends_refuses_their_names_and_goes_on() {
    let sides = Sides::new();
    install(&sides, "1.0", "{}");
    for host in BOTH {
        let ran = sides.run(
            host,
            Age::Older,
            &["cloud", "secrets", "list", "--backend", "acme"],
        );
        assert_eq!(
            (ran.status, ran.stdout.as_str()),
            (Some(2), ""),
            "{host:?}: {ran:?}"
        );
        assert!(ran.stderr.contains("acme"), "{host:?}: {ran:?}");
        sides.done(host, Age::Older, &["cloud", "secrets", "list"]);
    }
}

#[test]
fn the_older_cloud_goes_on_beside_the_settings_of_a_backend() {
    let sides = Sides::new();
    install(&sides, "1.0", "{}");
    let cloud = |age: Age, arguments: &[&str]| {
        let arguments: Vec<&str> = ["cloud"].iter().chain(arguments).copied().collect();
        sides.run(Age::Newer, age, &arguments)
    };
    for setting in [["backend", "acme"], ["acme.drawer", "top"]] {
        let set = [&["config", "set"], &setting[..]].concat();
        assert_eq!(cloud(Age::Newer, &set).status, Some(0), "{set:?}");
    }
    let listed = cloud(Age::Newer, &["secrets", "list"]);
    assert!(listed.stdout.contains("one "), "{listed:?}");
    let refused = cloud(Age::Older, &["secrets", "list"]);
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("acme"), "{refused:?}");
    let local = cloud(Age::Older, &["secrets", "list", "--backend", "local"]);
    assert_eq!(local.status, Some(0), "{local:?}");
    let chosen = cloud(Age::Older, &["config", "set", "backend", "local"]);
    assert_eq!(chosen.status, Some(0), "{chosen:?}");
    let chosen = cloud(Age::Newer, &["config", "set", "backend", "acme"]);
    assert_eq!(chosen.status, Some(0), "{chosen:?}");
    let shown = cloud(Age::Newer, &["config", "show"]);
    assert!(shown.stdout.contains("top"), "{shown:?}");
}

#[test]
fn a_backend_serves_a_cloud_of_schema_1_1_and_refuses_one_of_2_0() {
    let sides = Sides::new();
    let open = |secrets: &str| {
        let open = json!({
            "jsonrpc": "2.0", "id": 1, "method": "secrets/open",
            "params": {
                "protocol": "1.0", "secrets": secrets, "settings": {}, "palette": ["red"],
                "capabilities": {"paint": {}}, "context": {"mood": "blue"},
            },
        });
        let mut backend = sides.alone(Path::new(env!("CARGO_BIN_EXE_it-secrets-vault")));
        exchange(&mut backend, &[open]).pop().unwrap()
    };
    let opened = open("1.1");
    assert!(opened["result"]["place"].is_string(), "{opened}");
    let refused = open("2.0");
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    assert_eq!(
        refused["error"]["data"]["supported"],
        json!(["1.0"]),
        "{refused}"
    );
}
