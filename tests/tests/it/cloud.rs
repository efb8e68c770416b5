//! Tests for `bot-cli cloud` through its executable, against the stand-in service and the vault.

mod backends;
mod canary;
mod compared;
mod contract;
mod copy;
mod deploy;
mod door;
mod dotenv;
mod environments;
mod export;
mod giving;
mod later_backend;
mod login;
mod logout;
mod outcomes;
mod renewal;
mod requests;
mod rogue_backends;
mod run;
mod sent;
mod settings;
mod shown;
mod terminal;
mod vault;
mod vault_copies;
mod vault_reading;
mod ways_out;
mod weather;

use bot_cli_tests::user::{self, User};
use serde_json::{Value, json};

/// Splits a command line without quotes into words.
fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Returns the fields of an error, each with its problem.
fn fields(error: &Value) -> Vec<(&str, &str)> {
    let fields = error["fields"].as_array().into_iter().flatten();
    fields
        .map(|field| ["field", "problem"].map(|name| field[name].as_str().unwrap()))
        .map(|[field, problem]| (field, problem))
        .collect()
}

/// Runs a command by the protocol, as a script does, and returns the messages of the plugin.
fn script(user: &User, line: &str, answers: &Value) -> Vec<Value> {
    let params = json!({"protocol": "1.0", "argv": words(line), "answers": answers});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "run", "params": params});
    let run = user.run_with(&[], &format!("{request}\n"));
    let messages = run.stdout.lines();
    messages
        .map(|message| serde_json::from_str(message).unwrap())
        .collect()
}
