//! Tests for `bot-cli cloud` through its executable, against the stand-in service and the vault.

mod backends;
mod canary;
mod contract;
mod copy;
mod deploy;
mod door;
mod dotenv;
mod giving;
mod later_backend;
mod listing;
mod login;
mod logout;
mod outcomes;
mod renewal;
mod requests;
mod rogue_backends;
mod run;
mod settings;
mod shown;
mod terminal;
mod vault;
mod vault_copies;
mod vault_reading;
mod ways_out;
mod weather;

use bot_cli_tests::user;

/// Splits a command line without quotes into words.
fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}
