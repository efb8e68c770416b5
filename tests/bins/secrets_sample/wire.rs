//! Requests in their form, and messages on their way out.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::exit;

use serde_json::{Value, json};

/// Whether the parameters are there and have their form.
pub fn fits(method: &str, params: &Value) -> bool {
    let texts = |value: &Value| match value {
        Value::Object(members) => members.values().all(Value::is_string),
        Value::Array(values) => values.iter().all(Value::is_string),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    let needed: BTreeSet<&str> = match method {
        "list" => return true,
        "put" => ["name", "entries", "prior"].into(),
        "put_image_pull_secret" => ["name", "host", "credentials", "prior"].into(),
        "unset" => ["name", "keys"].into(),
        _ => ["name"].into(),
    };
    needed.into_iter().all(|name| match name {
        "entries" => params[name].is_object() && texts(&params[name]),
        "keys" => params[name].is_array() && texts(&params[name]),
        "prior" => params[name] == "absent" || params[name].is_object(),
        _ => params[name].is_string(),
    })
}

pub fn result(id: &Value, result: &Value) {
    say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

pub fn error(id: &Value, code: i64, message: &str, data: &Value) {
    say(
        &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message, "data": data } }),
    );
}

pub fn note(method: &str, params: &Value) {
    say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
}

pub fn say(message: &Value) {
    print(&message.to_string());
}

pub fn print(line: &str) {
    let mut stdout = io::stdout().lock();
    let sent = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    if sent.is_err() {
        exit(1);
    }
}
