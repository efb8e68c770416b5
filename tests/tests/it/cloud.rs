//! `bot-cli cloud`, through its executable, against the stand-in of the service and against the vault.

mod canary;
mod contract;
mod door;
mod dotenv;
mod keyring;
mod login;
mod logout;
mod official;
mod renewal;
mod settings;
mod shown;
mod stand_in;
mod terminal;
mod user;
mod vault;
mod ways_out;
mod weather;
mod witness;
