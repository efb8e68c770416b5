//! Secrets backends of later versions, and a `cloud` from before there were any but its own.

use super::sides::{Age, BOTH, Sides};

/// A backend that keeps one set. Its manifest, its answers, the kind of one of its sets and one of its abilities have what 1.0 lacks.
const BACKEND: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"secrets-acme","version":"3.1.0","about":"Acme","role":"secrets-backend","secrets":"SECRETS","requires":REQUIRES,"palette":["red"]}
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s,"trace":"x"}\n' "$id" "$1"; }
while read -r line; do
  id=${line#'{"jsonrpc":"2.0","id":'} id=${id%%,*}
  case $line in
  *'"method":"secrets/open"'*) reply '{"organization":"acme","place":"a drawer","names":{"shortest":1,"longest":63,"capitals":true,"emoji":true},"limits":{"value_bytes":4096,"drawers":2},"can":["values","rotate"],"palette":"red"}' ;;
  *'"method":"secrets/list"'*) reply '{"sets":[{"name":"one","kind":"secret","status":"ready","colour":"red"},{"name":"two","kind":"certificate","status":"ageing"}],"more":false}' ;;
  *'"method":"secrets/get"'*) reply '{"set":{"name":"one","kind":"secret","status":"ready","keys":["A"],"colour":"red"}}' ;;
  *'"method":"secrets/values"'*) reply '{"values":{"A":"1"},"colour":"red"}' ;;
  *'"method":"secrets/put"'*) reply '{"revision":7}' ;;
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
            assert_eq!(ran.status, Some(2), "{host:?}: {ran:?}");
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
