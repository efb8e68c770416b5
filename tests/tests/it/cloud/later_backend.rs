//! Tests with a backend from a later version, whose manifest, responses and errors have fields that version 1.0 of the contract lacks.

use serde_json::json;

use super::user::User;

const BACKEND: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.1","name":"secrets-acme","version":"3.1.0","about":"Acme","role":"secrets-backend","secrets":"1.1","palette":["red"],"settings":[{"name":"drawer","about":"Which drawer","colour":"red"}]}
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

#[test]
fn what_a_later_backend_adds_is_passed_over_and_an_unknown_effect_is_unknown() {
    let mut user = User::of_the_vault();
    user.set("BOT_CLI_BACKEND", "acme");
    user.script(&user.plugins().join("bot-cli-secrets-acme"), BACKEND);
    let listed = user.done(&["secrets", "list"]);
    assert_eq!(listed["sets"][0]["name"], json!("one"), "{listed}");
    user.done(&["secrets", "set", "one", "A=2", "--skip"]);
    let run = user.run(&["secrets", "run", "one", "--", "sh", "-c", "echo $A"]);
    assert_eq!(run.stdout, "1\n", "{run:?}");
    let run = user.run(&["secrets", "delete", "one", "--skip"]);
    assert_eq!(run.status, Some(3), "{run:?}");
}
